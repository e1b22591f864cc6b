//! Annotations in the scene: colours, arrows, contact points, wireframes, the sphere tree, the real
//! hand.

use std::f64::consts::TAU;
use std::sync::Arc;

use interaction::collision::SphereTree;
use interaction::scene::{Colouring, Mark, MarkShape, PressPoint, Scene, SelectedThing, ThinLine};
use nalgebra::{Isometry3, Point3, Vector3};
use physics::{Shape, SurfaceFrame, Topology};

use super::squeeze_history::{SqueezeHistory, nice};
use crate::settings::{ColourMode, ViewOptions};

/// Length of an arrow for each newton, in metres.
const PER_NEWTON: f64 = 0.05;
/// Smallest force with an arrow, in newtons; smaller ones are rounding errors.
const LEAST_FORCE: f64 = 1e-3;
const ARROW_RADIUS: f64 = 0.0014;
const CONTACT_RADIUS: f64 = 0.0026;
const FORCE: [f32; 3] = [1.0, 0.55, 0.06];
const CONTACT: [f32; 3] = [0.95, 0.95, 0.95];
const WIRE: [f32; 3] = [0.9, 0.9, 0.9];
const TREE: [f32; 3] = [0.10, 0.55, 0.20];
const REAL: [f32; 3] = [0.95, 0.35, 0.02];
/// Relative change of length at the end of the colour scale: a fifth, as in the natural colours.
const FULL_STRAIN: f64 = 0.2;
/// Smallest displacement for the end of the colour scale, in metres.
const LEAST_FULL: f64 = 0.001;
/// Largest number of spheres that are drawn; more would hide everything.
const MOST_SPHERES: usize = 600;
/// Largest number of triangles of a wireframe; more would look like one grey face.
const MOST_TRIANGLES: usize = 60_000;

/// Adds annotations to scenes; keeps the sphere tree that it draws.
#[derive(Debug, Default)]
pub(in crate::run) struct Annotations {
    tree: SphereTree,
    /// Topology for which the tree was built.
    topology: Option<Arc<Topology>>,
}

impl Annotations {
    /// Returns the scene with all annotations of `views`.
    pub(in crate::run) fn add(
        &mut self,
        scene: &Scene,
        views: &ViewOptions,
        history: &SqueezeHistory,
    ) -> Scene {
        let mut shown = scene.clone();
        shown.colouring = match &views.colours {
            ColourMode::Natural => Colouring::Natural,
            ColourMode::Displacement => {
                Colouring::Displacement { full: nice(history.most_squeeze().max(LEAST_FULL)) }
            }
            ColourMode::Strain => Colouring::Strain { full: FULL_STRAIN },
            ColourMode::Field(name) => {
                let [low, high] = history.range(name);
                Colouring::Field { name: Arc::clone(name), low, high }
            }
        };
        if let (true, Some(chosen)) = (views.forces, &scene.selected) {
            shown.marks.extend(forces(chosen));
            contact_rings(chosen, &mut shown.lines);
        }
        for object in &scene.objects {
            if views.wireframe {
                shown.lines.extend(connection(&object.frame, &object.world_from_object));
            }
            if views.sphere_tree {
                self.spheres(&object.frame, &object.world_from_object, &mut shown.lines);
            }
        }
        if views.real_hand {
            shown.lines.extend(scene.real_hands.iter().flat_map(outline));
        }
        shown
    }

    fn spheres(
        &mut self,
        frame: &SurfaceFrame,
        world_from_object: &Isometry3<f64>,
        lines: &mut Vec<ThinLine>,
    ) {
        let point = |x: &[f32; 3]| Point3::from(x.map(f64::from));
        let points: Vec<Point3<f64>> = frame.positions.iter().map(point).collect();
        // Built in the same way as in the search for contacts, so that both trees are equal.
        if self.topology.as_ref().is_some_and(|known| Arc::ptr_eq(known, &frame.topology)) {
            self.tree.renew(&points, &frame.topology.triangles);
        } else {
            self.tree.rebuild(&points, &frame.topology.triangles);
            self.topology = Some(Arc::clone(&frame.topology));
        }
        for (centre, radius) in self.tree.leaves().take(MOST_SPHERES) {
            for axis in 0..3 {
                let (mut a, mut b) = (Vector3::zeros(), Vector3::zeros());
                a[axis] = radius;
                b[(axis + 1) % 3] = radius;
                ring(world_from_object * centre, [a, b], TREE, lines);
            }
        }
    }
}

/// The forces on the fingers: a point and an arrow for each press.
fn forces(chosen: &SelectedThing) -> impl Iterator<Item = Mark> {
    chosen.presses.iter().flat_map(|&PressPoint { at, force }| {
        let ball = MarkShape::Ball { centre: at, radius: CONTACT_RADIUS };
        let arrow = MarkShape::Arrow {
            from: at,
            // The force on the finger is opposite to the force on the thing.
            to: at - force * PER_NEWTON,
            radius: ARROW_RADIUS,
        };
        let is_felt = force.norm() > LEAST_FORCE;
        [(true, ball, CONTACT), (is_felt, arrow, FORCE)]
            .into_iter()
            .filter(|(is_there, ..)| *is_there)
            .map(|(_, shape, colour)| Mark { shape, colour })
    })
}

/// Rings on the skin around each contact; they show through the fingers.
fn contact_rings(chosen: &SelectedThing, lines: &mut Vec<ThinLine>) {
    for PressPoint { at, force } in &chosen.presses {
        let Some(way) = force.try_normalize(LEAST_FORCE) else { continue };
        let Some([a, b]) = across(&way) else { continue };
        for radius in [CONTACT_RADIUS, 2.0 * CONTACT_RADIUS] {
            ring(*at, [a * radius, b * radius], CONTACT, lines);
        }
    }
}

/// Two unit vectors across an axis and across each other.
fn across(axis: &Vector3<f64>) -> Option<[Vector3<f64>; 2]> {
    let other = if axis.x.abs() < 0.8 { Vector3::x() } else { Vector3::y() };
    let a = axis.cross(&other).try_normalize(0.0)?;
    Some([a, axis.cross(&a)])
}

fn connection<'a>(
    frame: &'a SurfaceFrame,
    world_from_object: &'a Isometry3<f64>,
) -> impl Iterator<Item = ThinLine> + 'a {
    let at = move |point: u32| {
        world_from_object * Point3::from(frame.positions[point as usize].map(f64::from))
    };
    let triangles = frame.topology.triangles.iter().take(MOST_TRIANGLES);
    triangles.flat_map(move |&[a, b, c]| {
        // The skin of a solid is closed: each edge is in two triangles, once each way.
        [[a, b], [b, c], [c, a]]
            .into_iter()
            .filter(|[from, to]| from < to)
            .map(move |ends| ThinLine { ends: ends.map(at), colour: WIRE })
    })
}

/// Rings around a cylinder's ends or a ball's centre, and lines along a cylinder.
fn outline(shape: &Shape) -> Vec<ThinLine> {
    const N_ALONG: usize = 4;
    let mut lines = Vec::new();
    match *shape {
        Shape::Sphere { centre, radius } => {
            for axis in 0..3 {
                let (mut a, mut b) = (Vector3::zeros(), Vector3::zeros());
                a[axis] = radius;
                b[(axis + 1) % 3] = radius;
                ring(centre, [a, b], REAL, &mut lines);
            }
        }
        Shape::Cylinder { start, end, radius } => {
            let Some(axis) = (end - start).try_normalize(0.0) else { return lines };
            let Some(unit) = across(&axis) else { return lines };
            let [a, b] = unit.map(|side| side * radius);
            ring(start, [a, b], REAL, &mut lines);
            ring(end, [a, b], REAL, &mut lines);
            for i in 0..N_ALONG {
                let (sin, cos) = (TAU * i as f64 / N_ALONG as f64).sin_cos();
                let beside = a * cos + b * sin;
                lines.push(ThinLine { ends: [start + beside, end + beside], colour: REAL });
            }
        }
    }
    lines
}

fn ring(
    centre: Point3<f64>,
    [a, b]: [Vector3<f64>; 2],
    colour: [f32; 3],
    lines: &mut Vec<ThinLine>,
) {
    const N: usize = 20;
    let point = |i: usize| {
        let (sin, cos) = (TAU * i as f64 / N as f64).sin_cos();
        centre + a * cos + b * sin
    };
    lines.extend((0..N).map(|i| ThinLine { ends: [point(i), point(i + 1)], colour }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use physics::material::IsotropicElastic;
    use physics::{ObjectSpec, SolidSpec};

    fn scene(force: Vector3<f64>) -> Scene {
        let mesh = objects::generate::cube(0.06, 2).unwrap();
        let material = IsotropicElastic::new(1e4, 0.3).unwrap();
        let spec = ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap());
        let chosen = SelectedThing {
            thing: 0,
            name: "cube".to_owned(),
            spec: Arc::new(spec),
            n_kept: 0,
            n_undone: 0,
            has_moved: false,
            squeeze: 0.0,
            forces: [[0.0; 5]; 2],
            presses: vec![PressPoint { at: Point3::new(0.03, 0.0, 0.0), force }],
            known_displacements: Vec::new(),
            colours: None,
            middle: Point3::origin(),
        };
        let real = Shape::Cylinder {
            start: Point3::origin(),
            end: Point3::new(0.0, 0.02, 0.0),
            radius: 0.01,
        };
        Scene { selected: Some(chosen), real_hands: vec![real], ..Scene::default() }
    }

    fn shown(force: Vector3<f64>, views: &ViewOptions) -> Scene {
        Annotations::default().add(&scene(force), views, &SqueezeHistory::default())
    }

    #[test]
    fn an_arrow_points_the_way_that_the_finger_is_pushed() {
        let views = ViewOptions::default();
        let marks = shown(Vector3::new(-0.4, 0.0, 0.0), &views).marks;
        let [ball, arrow] = marks[..] else { panic!("{marks:?}") };
        let at = Point3::new(0.03, 0.0, 0.0);
        assert_eq!(ball.shape, MarkShape::Ball { centre: at, radius: CONTACT_RADIUS });
        let MarkShape::Arrow { from, to, .. } = arrow.shape else { panic!("{arrow:?}") };
        assert!((from - at).norm() < 1e-12);
        assert!((to - from - Vector3::new(0.4 * PER_NEWTON, 0.0, 0.0)).norm() < 1e-12);
        // A finger that only touches has a point and no arrow.
        assert_eq!(shown(Vector3::zeros(), &views).marks.len(), 1);
        assert!(shown(Vector3::x(), &ViewOptions { forces: false, ..views }).marks.is_empty());
    }

    #[test]
    fn the_real_hand_is_drawn_as_wide_as_it_is_and_only_when_asked_for() {
        let none = ViewOptions { forces: false, ..ViewOptions::default() };
        assert!(shown(Vector3::zeros(), &none).lines.is_empty());
        let lines = shown(Vector3::zeros(), &ViewOptions { real_hand: true, ..none }).lines;
        assert!(!lines.is_empty());
        for end in lines.iter().flat_map(|line| line.ends) {
            assert!((end.coords.xz().norm() - 0.01).abs() < 1e-12, "{end}");
            assert!((0.0..=0.02).contains(&end.y));
        }
    }

    #[test]
    fn every_press_has_its_arrow() {
        let mut scene = scene(Vector3::new(-0.4, 0.0, 0.0));
        let other =
            PressPoint { at: Point3::new(-0.03, 0.0, 0.0), force: Vector3::new(0.4, 0.0, 0.0) };
        scene.selected.as_mut().unwrap().presses.push(other);
        let marks = Annotations::default()
            .add(&scene, &ViewOptions::default(), &SqueezeHistory::default())
            .marks;
        let arrows = marks.iter().filter(|mark| matches!(mark.shape, MarkShape::Arrow { .. }));
        assert_eq!((arrows.count(), marks.len()), (2, 4));
    }

    #[test]
    fn colours_have_a_scale() {
        let colouring =
            |colours| shown(Vector3::zeros(), &ViewOptions::with_colours(colours)).colouring;
        let displacement = colouring(ColourMode::Displacement);
        assert_eq!(displacement, Colouring::Displacement { full: LEAST_FULL });
        let speed = Colouring::Field { name: "speed".into(), low: 0.0, high: 1.0 };
        assert_eq!(colouring(ColourMode::field("speed")), speed);
    }
}
