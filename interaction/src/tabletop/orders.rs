//! What a person asks for.

use std::sync::Arc;

use calibration::HandSize;
use drivers::Hand as Side;
use nalgebra::Isometry3;

use super::Tabletop;
use crate::grasp::GraspRules;
use crate::shapes::Back;
use crate::thing::{Chore, Matter, Meanwhile, Thing, ThingParts};

/// What the person asks for; it is about the thing that was last in the hand.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// The shape in the hand becomes the rest shape.
    KeepShape,
    /// A shape that was there before.
    Back(Back),
    /// Other rules of grasping.
    Rules(GraspRules),
    /// Another thing in its place.
    Replace(Box<ThingParts>),
    /// One more thing, beside the others.
    Add(Box<ThingParts>),
    /// From now on orders are about this one.
    Select(usize),
    /// This one stands there from now on.
    Place { thing: usize, home: Isometry3<f64> },
    /// The same shape of other matter.
    Material(Matter),
    /// A hand is of this size.
    Size { hand: Side, size: Box<HandSize> },
}

impl Order {
    /// That a hand is of this size.
    pub fn of_size(hand: Side, size: HandSize) -> Self {
        Self::Size { hand, size: Box::new(size) }
    }
}

impl Tabletop {
    /// Does what the person asks for.
    pub fn obey(&mut self, order: &Order) {
        let i = self.selected;
        // Hands have a size also where nothing is to be taken.
        if let Order::Size { hand, size } = order {
            self.profiles.resize(*hand, size);
        }
        let Some(thing) = self.things.get_mut(i) else { return };
        let chore = match order {
            Order::KeepShape if !thing.is_deforming() => {
                thing.news = Some("there is no new shape to keep: squeeze first".to_owned());
                None
            }
            Order::KeepShape => thing.keep(i, Meanwhile::GoesOn),
            Order::Back(back) => thing.go_back(i, *back),
            Order::Rules(rules) => {
                self.rules = rules.clone();
                self.things.iter_mut().for_each(|thing| thing.grasp.set_rules(rules.clone()));
                None
            }
            Order::Replace(parts) => thing.replace(i, parts),
            Order::Material(matter) => thing.remake(i, matter),
            Order::Add(parts) => {
                let spec = Arc::clone(&parts.spec);
                self.things.push(Thing::new((**parts).clone(), self.rules.clone()));
                Some(Chore::Start { spec })
            }
            Order::Select(thing) => {
                self.selected = if *thing < self.things.len() { *thing } else { i };
                None
            }
            Order::Place { thing, home } => {
                if let Some(thing) = self.things.get_mut(*thing) {
                    match thing.grasp.set_home(*home) {
                        true => thing.is_disturbed = true,
                        false => thing.news = Some("it is in the hand: let go first".to_owned()),
                    }
                }
                None
            }
            Order::Size { .. } => None,
        };
        self.chores.extend(chore);
    }
}
