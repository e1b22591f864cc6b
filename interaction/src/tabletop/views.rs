//! Views of the table: drawn things and hands, and the forces that fingers feel.

use std::sync::Arc;

use drivers::Side;
use nalgebra::{Point3, Vector3};
use physics::{ProxyId, Shape};

use super::Tabletop;
use crate::collision::TouchableSurface;
use crate::hand::{centre, moved};
use crate::scene::{
    FingerContact, FingertipView, HandRole, HandView, ObjectView, PressPoint, SelectedThing,
    ThingOnTable,
};
use crate::shown_hand::Obstacle;
use crate::thing::{Thing, pushing_forces};

/// Greatest distance of a pressing part from the skin, in metres: a fingertip pulls the skin along.
const FARTHEST_CONTACT: f64 = 0.02;

impl Tabletop {
    /// The things as drawn at `time`.
    pub fn object_views(&mut self, time: f64) -> Vec<ObjectView> {
        let things = self.things.iter_mut().enumerate();
        things.filter_map(|(i, thing)| thing.view(i, time)).collect()
    }

    /// True while a drawn shape fades over: the picture then changes without a hand or a frame.
    pub fn is_shape_fading(&self) -> bool {
        self.things.iter().any(Thing::is_shape_fading)
    }

    /// The hands as drawn at `time`. Things may move while a hand rests.
    pub fn hand_views(&mut self, time: f64) -> Vec<HandView> {
        self.things.iter_mut().for_each(|thing| thing.update_fading_surface(time));
        let both = [Side::Left, Side::Right];
        both.into_iter().filter_map(|side| self.hand_view(side, time)).collect()
    }

    /// The thing to which orders apply.
    pub fn selected_thing(&self) -> Option<SelectedThing> {
        let thing = self.selected()?;
        let mut chosen = SelectedThing {
            thing: self.selected,
            name: thing.name.clone(),
            spec: Arc::clone(&thing.shape().1),
            n_kept: thing.n_kept(),
            n_undone: thing.n_undone(),
            has_moved: thing.has_moved(),
            squeeze: 0.0,
            forces: [Side::Left, Side::Right].map(|side| thing.finger_forces(side)),
            presses: Vec::new(),
            known_displacements: Vec::new(),
            colours: thing.node_colours().cloned(),
            middle: thing.world_from_surface().translation.vector.into(),
        };
        let Some(surface) = &thing.surface else { return Some(chosen) };
        chosen.middle = thing.world_from_surface() * surface.middle();
        chosen.squeeze = surface.largest_displacement();
        if thing.is_deforming() {
            chosen.known_displacements.clone_from(&thing.last_displacements);
        }
        chosen.presses = self.presses(thing, surface);
        Some(chosen)
    }

    /// Places where fingers press a thing, with their forces.
    fn presses(&self, thing: &Thing, surface: &TouchableSurface) -> Vec<PressPoint> {
        let world_from_surface = thing.world_from_surface();
        let in_world = |at: Point3<f64>, force: Vector3<f64>| PressPoint {
            at: world_from_surface * at,
            force: thing.grasp.world_from_object().rotation * force,
        };
        let mut presses = Vec::new();
        let holding = thing.hand.filter(|_| thing.is_deforming());
        if let Some(hand) = holding.and_then(|side| self.real_hand(side)) {
            let forces = thing.grasp.finger_forces(surface.frame());
            let contacts = thing.grasp.contacts();
            for ((tip, force), contact) in hand.fingertips.iter().zip(forces).zip(contacts) {
                if contact != FingerContact::Pressing {
                    continue;
                }
                let in_object = world_from_surface.inverse_transform_point(&tip.centre);
                if let Some(skin) = surface.nearest(&in_object, tip.radius + FARTHEST_CONTACT) {
                    presses.push(in_world(skin.point, force));
                }
            }
        }
        for (id, force) in &surface.frame().contact_forces {
            // The hand of this force may have been lost since.
            if let Some(shape) = self.part(*id) {
                let in_object = moved(&shape, &world_from_surface.inverse());
                let force = Vector3::from(force.map(f64::from));
                presses.push(in_world(pushed_place(surface, &in_object), force));
            }
        }
        presses
    }

    /// Shape of a part of a real hand.
    fn part(&self, id: ProxyId) -> Option<Shape> {
        self.hands.get(usize::from(id.hand))?.as_ref()?.latest.real.part(id)
    }

    /// All things on the table, drawn or not.
    pub fn on_table(&self) -> Vec<ThingOnTable> {
        let on_table = |thing: &Thing| ThingOnTable {
            name: thing.name.clone(),
            spec: Arc::clone(&thing.shape().1),
            n_kept: thing.n_kept(),
            home: *thing.grasp.home(),
        };
        self.things.iter().map(on_table).collect()
    }

    /// Shapes of the real hands.
    pub fn real_hands(&self) -> Vec<Shape> {
        self.hands.iter().flatten().flat_map(|now| now.latest.real.shapes()).collect()
    }

    /// Force on each finger of a hand, in newtons, from the things for which `is_solved` is true.
    /// An unsolved thing does not affect the others.
    pub fn finger_forces(&self, side: Side, is_solved: impl Fn(usize) -> bool) -> [f64; 5] {
        let mut felt = [0.0; 5];
        for (i, thing) in self.things.iter().enumerate() {
            if is_solved(i) {
                for (felt, force) in felt.iter_mut().zip(thing.finger_forces(side)) {
                    *felt += force;
                }
            }
        }
        felt
    }

    /// Fingers of a hand that touch something, thumb first.
    pub fn touching(&self, side: Side) -> [bool; 5] {
        let mut touching = [false; 5];
        for thing in &self.things {
            for (is_touching, contact) in touching.iter_mut().zip(contacts(thing, side)) {
                *is_touching |= contact != FingerContact::Free;
            }
        }
        touching
    }

    fn hand_view(&mut self, side: Side, time: f64) -> Option<HandView> {
        let now = self.hands[side as usize].as_mut()?;
        let obstacles: Vec<Obstacle<'_>> = self.things.iter().filter_map(obstacle_of).collect();
        // Called after the touches were submitted: a picture is less urgent than the solver.
        let profile = self.profiles.of(side);
        let shown = now.shown.show(profile, &now.pose, &self.rules, &obstacles, time);
        let mut of_fingers = [FingerContact::Free; 5];
        for thing in &self.things {
            for (shown, contact) in of_fingers.iter_mut().zip(contacts(thing, side)) {
                if contact != FingerContact::Free {
                    *shown = contact;
                }
            }
        }
        Some(HandView {
            shapes: shown.shapes().collect(),
            palm: shown.palm,
            fingertips: std::array::from_fn(|i| FingertipView {
                centre: shown.fingertips[i].centre,
                radius: shown.fingertips[i].radius,
                contact: of_fingers[i],
            }),
            role: HandRole::Own,
        })
    }
}

/// Contact of each finger of a hand with a thing, thumb first: from the grasp, or from pushing.
fn contacts(thing: &Thing, side: Side) -> [FingerContact; 5] {
    let held = match thing.hand == Some(side) {
        true => thing.grasp.contacts(),
        false => [FingerContact::Free; 5],
    };
    let frame = thing.surface.as_ref().map(TouchableSurface::frame);
    let pushing = frame.map_or([0.0; 5], |frame| pushing_forces(frame, side));
    std::array::from_fn(|finger| match held[finger] {
        FingerContact::Free if pushing[finger] > 0.0 => FingerContact::Pressing,
        held => held,
    })
}

/// Place of the skin where a shape of a hand, in the object's frame, pushes; the middle of the
/// shape if the skin has moved away.
fn pushed_place(surface: &TouchableSurface, shape: &Shape) -> Point3<f64> {
    let (Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. }) = *shape;
    let at = surface.penetration(shape).map_or_else(|| centre(shape), |penetration| penetration.at);
    surface.nearest(&at, radius + FARTHEST_CONTACT).map_or(at, |skin| skin.point)
}

fn obstacle_of(thing: &Thing) -> Option<Obstacle<'_>> {
    let world_from_object = thing.world_from_surface();
    thing.shown_surface().map(|surface| Obstacle { surface, world_from_object })
}
