//! Turns a thing by dragging or by keys. The thing stays on the table, and nothing else moves.

use egui::{Key, Modifiers, Ui};
use interaction::scene::{ObjectView, Scene};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::scene_view::SceneView;
use super::user_action::UserAction;
use crate::render::Camera;
use crate::ui::keys;
use crate::window::{MouseAction, MouseEvent, PictureCamera, Ray};

/// A thing that is being dragged.
#[derive(Debug)]
pub(super) struct ThingRotation {
    pub(super) thing: usize,
    /// Present placement of the thing.
    home: Isometry3<f64>,
    /// The thing's points, in its own frame.
    points: Vec<Point3<f64>>,
    pointer: [f64; 2],
    /// True if the placement has changed since the last [`ThingRotation::take_home`].
    is_moved: bool,
}

/// Angle by which a drag over the picture's height turns a thing, in radians.
const TURN_PER_HEIGHT: f64 = std::f64::consts::PI;
/// Angle of one press or one repetition of a key, in radians.
const TURN_PER_PRESS: f64 = std::f64::consts::PI / 36.0;

/// Keys that turn the thing, for the page of help.
pub(super) const KEYS: [(&str, &str); 1] = [("Alt+Arrows", "turn the object")];

impl ThingRotation {
    /// Starts to turn the thing under the pointer, if there is one.
    pub(super) fn begin(
        scene: &Scene,
        mouse: &MouseEvent,
        picture_camera: &PictureCamera,
    ) -> Option<Self> {
        if mouse.action != MouseAction::Press {
            return None;
        }
        let ray = picture_camera.ray(mouse.at);
        let seen = scene.objects.iter().filter_map(|view| Some((distance(view, &ray)?, view)));
        let (_, view) = seen.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Self { pointer: mouse.at, ..Self::of(view) })
    }

    fn of(view: &ObjectView) -> Self {
        Self {
            thing: view.thing,
            home: view.world_from_object,
            points: view.frame.positions.iter().map(point).collect(),
            pointer: [0.0; 2],
            is_moved: false,
        }
    }

    /// Placement of the thing after this number of key presses to the right and up.
    fn by_keys(view: &ObjectView, camera: &Camera, [right, up]: [f64; 2]) -> Isometry3<f64> {
        let mut rotation = Self::of(view);
        rotation.turn(camera, right * TURN_PER_PRESS, up * TURN_PER_PRESS);
        rotation.home
    }

    /// Turns the thing with the pointer.
    pub(super) fn drag(&mut self, mouse: &MouseEvent, picture_camera: &PictureCamera) {
        let [right, up] = [mouse.at[0] - self.pointer[0], mouse.at[1] - self.pointer[1]];
        self.pointer = mouse.at;
        // Positions in the picture go from -1 to 1.
        let per_unit = TURN_PER_HEIGHT / 2.0;
        self.turn(&picture_camera.camera, right * picture_camera.aspect * per_unit, up * per_unit);
    }

    /// Turns the near side to the right and up by these angles, in radians. A turn to the right is
    /// about the vertical, so that a thing that stands flat stays flat.
    fn turn(&mut self, camera: &Camera, right: f64, up: f64) {
        let [to_right, _] = camera.across();
        let turn = UnitQuaternion::from_scaled_axis(Vector3::y() * right - to_right * up);
        self.home = standing(&self.points, &self.home, &turn);
        self.is_moved = true;
    }

    /// Placement of the thing, if it has changed since the last call.
    pub(super) fn take_home(&mut self) -> Option<Isometry3<f64>> {
        std::mem::take(&mut self.is_moved).then_some(self.home)
    }
}

/// Returns the action of the keys on the selected thing.
pub(super) fn asked_by_keys(ui: &Ui, scene_view: &SceneView) -> Option<UserAction> {
    let mut way = [0.0, 0.0];
    for (_, key) in keys::all_held(ui).iter().filter(|(held, _)| *held == Modifiers::ALT) {
        match key {
            Key::ArrowLeft => way[0] -= 1.0,
            Key::ArrowRight => way[0] += 1.0,
            Key::ArrowDown => way[1] -= 1.0,
            Key::ArrowUp => way[1] += 1.0,
            _ => {}
        }
    }
    let thing = scene_view.scene.selected.as_ref()?.thing;
    let view = scene_view.scene.objects.iter().find(|view| view.thing == thing)?;
    let home = ThingRotation::by_keys(view, &scene_view.camera, way);
    (way != [0.0, 0.0]).then_some(UserAction::Turn { thing, home })
}

/// Turns a placement about the thing's middle. The thing stays over the same place and stands on
/// the table.
fn standing(
    points: &[Point3<f64>],
    home: &Isometry3<f64>,
    turn: &UnitQuaternion<f64>,
) -> Isometry3<f64> {
    let box_of = |home: &Isometry3<f64>| {
        let (mut low, mut high) =
            (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
        for point in points {
            let x = (home * point).coords;
            (low, high) = (low.inf(&x), high.sup(&x));
        }
        (low, high)
    };
    let (low, high) = box_of(home);
    let middle = Translation3::from((low + high) / 2.0);
    let turned = middle * (turn * (middle.inverse() * home));
    let (turned_low, turned_high) = box_of(&turned);
    let back = (low + high - turned_low - turned_high) / 2.0;
    let way = Vector3::new(back.x, -turned_low.y, back.z);
    if !way.iter().all(|x| x.is_finite()) {
        return *home;
    }
    let mut stands = Translation3::from(way) * turned;
    // Rounding errors of many small turns must not add up.
    stands.rotation.renormalize();
    stands
}

/// Distance of a thing along the line of sight, if the line meets it.
fn distance(view: &ObjectView, ray: &Ray) -> Option<f64> {
    let object_from_world = view.world_from_object.inverse();
    let (eye, way) = (object_from_world * ray.eye, object_from_world * ray.way.into_inner());
    let positions = &view.frame.positions;
    let triangles = view.frame.topology.triangles.iter();
    let hits = triangles.filter_map(|corners| {
        let corner = |i: usize| positions.get(corners[i] as usize).map(point);
        through(&eye, &way, &[corner(0)?, corner(1)?, corner(2)?])
    });
    hits.min_by(f64::total_cmp)
}

/// Distance at which a line passes through a triangle, from either side; test of Moller and
/// Trumbore.
fn through(eye: &Point3<f64>, way: &Vector3<f64>, [a, b, c]: &[Point3<f64>; 3]) -> Option<f64> {
    let (ab, ac, from) = (b - a, c - a, eye - a);
    let across = way.cross(&ac);
    let determinant = ab.dot(&across);
    let u = from.dot(&across) / determinant;
    let beside = from.cross(&ab);
    let v = way.dot(&beside) / determinant;
    let ahead = ac.dot(&beside) / determinant;
    // A triangle that is seen from its edge gives no finite numbers, and no hit.
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && ahead > 0.0).then_some(ahead)
}

fn point(x: &[f32; 3]) -> Point3<f64> {
    Point3::from(x.map(f64::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Vec<Point3<f64>> {
        let at = [-0.03, 0.03];
        let rows = at.into_iter().flat_map(|x| at.map(|y| (x, y)));
        rows.flat_map(|(x, y)| at.map(|z| Point3::new(x, y, z))).collect()
    }

    #[test]
    fn a_thing_that_is_turned_stays_on_the_table_where_it_was() {
        let points = cube();
        let mut home = Isometry3::translation(0.1, 0.03, -0.05);
        for i in 0..1000 {
            let axis = Vector3::new(0.02, 0.013, f64::from(i % 3) * 0.01);
            home = standing(&points, &home, &UnitQuaternion::from_scaled_axis(axis));
            let heights = points.iter().map(|point| (home * point).y);
            assert!(heights.fold(f64::INFINITY, f64::min).abs() < 1e-12);
        }
        let place = home.translation.vector;
        assert!((place.x - 0.1).abs() < 0.02 && (place.z + 0.05).abs() < 0.02, "{place}");
        assert!((home.rotation.norm() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_line_meets_a_triangle_from_either_side_and_not_beside_it() {
        let triangle =
            [Point3::new(0.0, 0.0, 0.0), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
        let ahead = |x: f64, y: f64, z: f64| {
            through(&Point3::new(x, y, z), &(-Vector3::z() * z.signum()), &triangle)
        };
        assert_eq!(ahead(0.2, 0.2, 2.0), Some(2.0));
        assert_eq!(ahead(0.2, 0.2, -3.0), Some(3.0));
        assert_eq!(ahead(0.8, 0.8, 2.0), None);
        let along = through(&Point3::new(-1.0, 0.2, 0.0), &Vector3::x(), &triangle);
        assert_eq!(along, None, "on its edge");
    }
}
