//! Orders of the person, and their effects on the table.

use std::sync::Arc;

use calibration::HandSize;
use drivers::Side;
use nalgebra::Isometry3;
use physics::Grip;

use super::Tabletop;
use crate::grasp::GraspRules;
use crate::shape_history::HistoryStep;
use crate::thing::{NamedMaterial, SolverTask, Thing, ThingParts, WhilePreparing};

/// An order of the person. Most orders apply to the selected thing: the one that was last taken or
/// pushed, or that the person selected.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// Make the shape in the hand the rest shape.
    KeepShape,
    /// Go to another shape of the history.
    History(HistoryStep),
    /// Change the rules of grasping.
    Rules(GraspRules),
    /// Replace the selected thing by another one.
    Replace(Box<ThingParts>),
    /// Add a thing beside the others.
    Add(Box<ThingParts>),
    /// Select the thing to which orders apply.
    Select(usize),
    /// Set the home of a thing.
    Place { thing: usize, home: Isometry3<f64> },
    /// Change the way in which hands hold all things.
    Grip(Grip),
    /// Change the material; the shape stays.
    Material(NamedMaterial),
    /// Set the size of a hand.
    Size { hand: Side, size: Box<HandSize> },
}

impl Order {
    /// Creates an order that sets the size of a hand.
    pub fn of_size(hand: Side, size: HandSize) -> Self {
        Self::Size { hand, size: Box::new(size) }
    }
}

impl Tabletop {
    /// Executes an order.
    pub fn apply_order(&mut self, order: &Order) {
        let i = self.selected;
        // The size of a hand changes even on a table without things.
        if let Order::Size { hand, size } = order {
            self.profiles.resize(*hand, size);
        }
        if let Order::Grip(grip) = order {
            let things = self.things.iter_mut().enumerate();
            let tasks = things.filter_map(|(i, thing)| thing.change_grip(i, *grip));
            self.solver_tasks.extend(tasks);
        }
        let Some(thing) = self.things.get_mut(i) else { return };
        let task = match order {
            Order::KeepShape if thing.is_pushed() => {
                let words =
                    "shapes are kept only while fingertips hold nodes: choose that grip first";
                thing.message = Some(words.to_owned());
                None
            }
            Order::KeepShape if !thing.is_deforming() => {
                thing.message = Some("there is no new shape to keep: squeeze first".to_owned());
                None
            }
            Order::KeepShape => thing.keep(i, WhilePreparing::GoesOn),
            Order::History(step) => thing.step_history(i, *step),
            Order::Rules(rules) => {
                self.rules = rules.clone();
                self.things.iter_mut().for_each(|thing| thing.grasp.set_rules(rules.clone()));
                None
            }
            Order::Replace(parts) => thing.replace(i, parts),
            Order::Material(named) => thing.change_material(i, named),
            Order::Add(parts) => {
                let spec = Arc::clone(&parts.spec);
                self.things.push(Thing::new((**parts).clone(), self.rules.clone()));
                Some(SolverTask::StartThing { spec })
            }
            Order::Select(thing) => {
                self.selected = if *thing < self.things.len() { *thing } else { i };
                None
            }
            Order::Place { thing, home } => {
                if let Some(thing) = self.things.get_mut(*thing) {
                    match thing.grasp.set_home(*home) {
                        true => thing.is_disturbed = true,
                        false => thing.message = Some("it is in the hand: let go first".to_owned()),
                    }
                }
                None
            }
            Order::Grip(_) | Order::Size { .. } => None,
        };
        self.solver_tasks.extend(task);
    }
}
