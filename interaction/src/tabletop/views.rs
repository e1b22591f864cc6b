//! What is seen and felt of the table: things, hands, forces.

use std::sync::Arc;

use drivers::Hand as Side;
use nalgebra::Vector3;
use physics::Shape;

use super::Tabletop;
use crate::hand::Fingertip;
use crate::scene::{
    ChosenThing, FingerContact, FingertipView, HandRole, HandView, ObjectView, ThingOnTable,
};
use crate::shown_hand::Obstacle;
use crate::stress;
use crate::thing::Thing;

/// A fingertip that presses is not farther from the skin than this, in metres: it pulls the skin along.
const FARTHEST_CONTACT: f64 = 0.02;

impl Tabletop {
    /// Things as they are drawn at `time`.
    pub fn object_views(&mut self, time: f64) -> Vec<ObjectView> {
        let things = self.things.iter_mut().enumerate();
        things.filter_map(|(i, thing)| thing.view(i, time)).collect()
    }

    /// Whether something that is seen changes without a hand or a frame: a shape on its way.
    pub fn is_on_its_way(&self) -> bool {
        self.things.iter().any(Thing::is_on_its_way)
    }

    /// Hands as they are drawn at `time`: things may move while a hand rests.
    pub fn hand_views(&mut self, time: f64) -> Vec<HandView> {
        self.things.iter_mut().for_each(|thing| thing.look(time));
        let both = [Side::Left, Side::Right];
        both.into_iter().filter_map(|side| self.hand_view(side, time)).collect()
    }

    /// The thing that orders are about.
    pub fn chosen(&self) -> Option<ChosenThing> {
        let thing = self.selected()?;
        let mut chosen = ChosenThing {
            thing: self.selected,
            name: thing.name.clone(),
            spec: Arc::clone(&thing.shape().1),
            n_kept: thing.n_kept(),
            n_undone: thing.n_undone(),
            squeeze: 0.0,
            stress: 0.0,
            forces: [Vector3::zeros(); 5],
            contacts: [None; 5],
            known: Vec::new(),
            colours: thing.node_colours().cloned(),
            middle: thing.grasp.world_from_object().translation.vector.into(),
        };
        let Some(surface) = &thing.surface else { return Some(chosen) };
        chosen.middle = thing.grasp.world_from_object() * surface.middle();
        chosen.squeeze = surface.largest_displacement();
        chosen.stress = stress::level(surface.frame());
        if thing.is_deforming() {
            chosen.known.clone_from(&thing.last_known);
            let world_from_object = thing.grasp.world_from_object();
            let forces = thing.grasp.finger_forces(surface.frame());
            chosen.forces = forces.map(|force| world_from_object.rotation * force);
            let tips = thing.hand.and_then(|side| self.real_hand(side)).map(|hand| hand.fingertips);
            let on_skin = |tip: Fingertip| {
                let in_object = world_from_object.inverse_transform_point(&tip.centre);
                let nearest = surface.nearest(&in_object, tip.radius + FARTHEST_CONTACT)?;
                Some(world_from_object * nearest.point)
            };
            let presses = thing.grasp.contacts().map(|contact| contact == FingerContact::Pressing);
            if let Some(tips) = tips {
                chosen.contacts =
                    std::array::from_fn(|i| presses[i].then(|| on_skin(tips[i])).flatten());
            }
        }
        Some(chosen)
    }

    /// The things on the table, seen or not.
    pub fn on_table(&self) -> Vec<ThingOnTable> {
        let on_table = |thing: &Thing| ThingOnTable {
            name: thing.name.clone(),
            spec: Arc::clone(&thing.shape().1),
            n_kept: thing.n_kept(),
            home: *thing.grasp.home(),
        };
        self.things.iter().map(on_table).collect()
    }

    /// Where the real hands are.
    pub fn real_hands(&self) -> Vec<Shape> {
        self.hands.iter().flatten().flat_map(|now| now.real.shapes()).collect()
    }

    /// The force that each finger of a hand feels, in newtons, from those things whose shapes are solved: how
    /// one fares is no matter of the others.
    pub fn finger_forces(&self, side: Side, is_solved: impl Fn(usize) -> bool) -> [f64; 5] {
        let mut felt = [0.0; 5];
        for (i, thing) in self.things.iter().enumerate() {
            let is_felt = thing.hand == Some(side) && thing.is_deforming() && is_solved(i);
            if let (true, Some(surface)) = (is_felt, &thing.surface) {
                let forces = thing.grasp.finger_forces(surface.frame());
                for (felt, force) in felt.iter_mut().zip(forces) {
                    *felt += force.norm();
                }
            }
        }
        felt
    }

    /// Which fingers of a hand touch something, thumb first.
    pub fn touching(&self, side: Side) -> [bool; 5] {
        let mut touching = [false; 5];
        for thing in self.things.iter().filter(|thing| thing.hand == Some(side)) {
            for (is_touching, contact) in touching.iter_mut().zip(thing.grasp.contacts()) {
                *is_touching |= contact != FingerContact::Free;
            }
        }
        touching
    }

    fn hand_view(&mut self, side: Side, time: f64) -> Option<HandView> {
        let now = self.hands[side as usize].as_mut()?;
        let obstacles: Vec<Obstacle<'_>> = self.things.iter().filter_map(obstacle_of).collect();
        // After the touches are under way: a picture is in less of a hurry than the solver.
        let profile = self.profiles.of(side);
        let shown = now.stops.show(profile, &now.pose, &self.rules, &obstacles, time);
        let mut contacts = [FingerContact::Free; 5];
        for thing in self.things.iter().filter(|thing| thing.hand == Some(side)) {
            for (shown, contact) in contacts.iter_mut().zip(thing.grasp.contacts()) {
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
                contact: contacts[i],
            }),
            role: HandRole::Own,
        })
    }
}

fn obstacle_of(thing: &Thing) -> Option<Obstacle<'_>> {
    let world_from_object = thing.grasp.world_from_object();
    thing.seen().map(|surface| Obstacle { surface, world_from_object })
}
