//! Changes of a thing's rest shape: keep, undo, redo, reset, another material, another thing.

use std::sync::Arc;

use physics::{Grip, KnownDisplacement, ObjectSpec, SpecError};

use super::{GraspState, NamedMaterial, SolverTask, Thing, ThingParts, rest_position};
use crate::shape_history::{HistoryStep, RestShape, ShapeHistory, ShapeId};

/// A new rest shape in the making.
pub(super) struct ShapeChange {
    pub(super) shape: ShapeId,
    /// Spec of the new shape, once it is known.
    pub(super) spec: Option<Arc<ObjectSpec>>,
    pub(super) while_preparing: WhilePreparing,
    /// True for a shape that the user chose, false for a shape that a recorded hand left.
    pub(super) is_users_choice: bool,
    /// Message to the person when the change is done.
    pub(super) done_message: &'static str,
    /// Largest displacement that was asked to be kept.
    farthest_asked: Option<KnownDisplacement>,
    /// The thing that replaces this one, if the new shape belongs to another thing.
    pub(super) successor: Option<ThingParts>,
}

/// A shape to keep as soon as the shape in preparation is ready.
pub(super) struct QueuedKeep {
    pub(super) known: Vec<KnownDisplacement>,
    /// Same as [`ShapeChange::is_users_choice`].
    pub(super) is_users_choice: bool,
}

/// Behaviour of the object while its new rest shape is being prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhilePreparing {
    /// The object follows hands as before.
    GoesOn,
    /// The object keeps the shape in which the hand left it.
    StaysAsItIs,
}

impl Thing {
    /// Begins to keep the shape that a hand left. Returns the work to do, if any. While another
    /// shape is being prepared, the thing stays as it is and the work waits.
    pub(crate) fn keep_as_left(&mut self, thing: usize) -> Option<SolverTask> {
        match &mut self.change {
            Some(change) if change.successor.is_none() && !self.last_displacements.is_empty() => {
                change.while_preparing = WhilePreparing::StaysAsItIs;
                let known = std::mem::take(&mut self.last_displacements);
                self.queued_keep = Some(QueuedKeep { known, is_users_choice: false });
                None
            }
            _ => self.keep(thing, WhilePreparing::StaysAsItIs),
        }
    }

    /// Begins to keep the shape that waited for another one to be ready. Returns the work to do, if
    /// any.
    pub(crate) fn keep_queued(&mut self, thing: usize) -> Option<SolverTask> {
        let QueuedKeep { known, is_users_choice } = self.queued_keep.take()?;
        self.last_displacements = known;
        let task = self.keep(thing, WhilePreparing::StaysAsItIs);
        self.change.iter_mut().for_each(|change| change.is_users_choice = is_users_choice);
        task
    }

    /// Begins to keep the shape that the hand gives the thing now. Returns the work to do, if any.
    pub(crate) fn keep(
        &mut self,
        thing: usize,
        while_preparing: WhilePreparing,
    ) -> Option<SolverTask> {
        if self.is_busy() {
            return None;
        }
        if self.last_displacements.is_empty() {
            self.message = Some("there is no new shape to keep: squeeze first".to_owned());
            return None;
        }
        let (shape, spec) = (self.shapes.next_id(), Arc::clone(&self.shapes.current().1));
        let done_message = "this is the rest shape now";
        let by_length = |a: &&KnownDisplacement, b: &&KnownDisplacement| {
            a.vector().norm().total_cmp(&b.vector().norm())
        };
        let farthest_asked = self.last_displacements.iter().max_by(by_length).copied();
        self.change = Some(ShapeChange {
            shape,
            spec: None,
            while_preparing,
            is_users_choice: while_preparing == WhilePreparing::GoesOn,
            done_message,
            farthest_asked,
            successor: None,
        });
        self.message = Some("keeping the shape ...".to_owned());
        Some(SolverTask::KeepShape { thing, shape, spec, known: self.last_displacements.clone() })
    }

    /// Begins to go to another shape of the history. Returns the work to do, if any.
    pub(crate) fn step_history(&mut self, thing: usize, step: HistoryStep) -> Option<SolverTask> {
        if self.is_busy() {
            return None;
        }
        let Some((shape, spec)) = self.shapes.target(step).cloned() else {
            if step == HistoryStep::Reset && self.has_moved {
                self.has_moved = false;
                self.message = Some("it is back in its original state".to_owned());
                return Some(SolverTask::ReturnToRest { thing });
            }
            let none = match step {
                HistoryStep::Undo => "there is nothing to undo",
                HistoryStep::Redo => "there is nothing to redo",
                HistoryStep::Reset => "it has its original shape",
            };
            self.message = Some(none.to_owned());
            return None;
        };
        let done_message = match step {
            HistoryStep::Undo => "undone",
            HistoryStep::Redo => "done again",
            HistoryStep::Reset => "it has its original shape again",
        };
        Some(self.go_to(thing, (shape, spec), step != HistoryStep::Reset, done_message))
    }

    /// Begins to go back to the shape that the user chose, in the present material. Returns the
    /// work to do, if any.
    pub(crate) fn return_to_users_shape(&mut self, thing: usize) -> Option<SolverTask> {
        let (shape, spec) = self.shapes.current();
        if self.change.is_some() || self.users_shape == *shape {
            return None;
        }
        let now = Arc::clone(spec);
        let (users_shape, spec) = self.shapes.find(self.users_shape)?;
        let home = match spec.as_made_of(&now) {
            None => (*users_shape, Arc::clone(spec)),
            Some(spec) => (self.shapes.next_id(), Arc::new(spec)),
        };
        Some(self.go_to(thing, home, false, "it has the shape from before the recording again"))
    }

    /// Begins to go to a shape of the history: with `is_as_left` in the state in which it was left,
    /// otherwise at rest.
    fn go_to(
        &mut self,
        thing: usize,
        (shape, spec): RestShape,
        is_as_left: bool,
        done_message: &'static str,
    ) -> SolverTask {
        self.change = Some(ShapeChange {
            shape,
            spec: Some(Arc::clone(&spec)),
            while_preparing: WhilePreparing::GoesOn,
            is_users_choice: true,
            done_message,
            farthest_asked: None,
            successor: None,
        });
        SolverTask::PrepareShape { thing, shape, spec, is_as_left }
    }

    /// Begins to replace this thing by another one. Returns the work to do, if any. This thing
    /// stays until the other one is ready, and for good if preparation fails.
    pub(crate) fn replace(&mut self, thing: usize, parts: &ThingParts) -> Option<SolverTask> {
        if self.is_busy() {
            return None;
        }
        let (shape, spec) = (self.shapes.next_id(), Arc::clone(&parts.spec));
        self.message = Some(format!("{} is being prepared ...", parts.name));
        self.change = Some(ShapeChange {
            shape,
            spec: Some(Arc::clone(&spec)),
            while_preparing: WhilePreparing::GoesOn,
            is_users_choice: true,
            done_message: "",
            farthest_asked: None,
            successor: Some(parts.clone()),
        });
        Some(SolverTask::PrepareShape { thing, shape, spec, is_as_left: false })
    }

    /// Begins a change of material. Returns the work to do, if any.
    pub(crate) fn change_material(
        &mut self,
        thing: usize,
        named: &NamedMaterial,
    ) -> Option<SolverTask> {
        if self.is_busy() {
            return None;
        }
        let spec = &self.shapes.current().1;
        if *spec.material() == named.material && *spec.contact_settings() == named.contact {
            self.message = Some(format!("it is made of {} already", named.name));
            return None;
        }
        let message = format!("{} is being prepared ...", named.name);
        let spec = spec.with_material(named.material).with_contact_settings(named.contact);
        self.become_other(thing, spec, message, "it is made of the other material now")
    }

    /// Begins a change of the way in which hands hold the thing. Returns the work to do, if any.
    pub(crate) fn change_grip(&mut self, thing: usize, grip: Grip) -> Option<SolverTask> {
        let spec = &self.shapes.current().1;
        if spec.grip() == grip || self.is_busy() {
            return None;
        }
        let is_in_hand = matches!(self.grasp.state(), GraspState::Pushed | GraspState::Lifted);
        if is_in_hand || self.grasp.is_held() {
            self.message = Some("it is in the hand: let go first".to_owned());
            return None;
        }
        let (message, done_message) = match grip {
            Grip::Contact => {
                ("its weight and friction are being prepared ...", "friction holds it now")
            }
            Grip::Nodes => ("its nodes are being prepared ...", "fingertips hold its nodes now"),
        };
        let spec = self.shapes.current().1.held_by(grip);
        self.become_other(thing, spec, message.to_owned(), done_message)
    }

    /// Begins to prepare the present shape with other properties. Returns the work to do, if any.
    fn become_other(
        &mut self,
        thing: usize,
        spec: Result<ObjectSpec, SpecError>,
        message: String,
        done_message: &'static str,
    ) -> Option<SolverTask> {
        let spec = match spec {
            Ok(spec) => Arc::new(spec),
            Err(why) => {
                self.message = Some(format!("it stays as it is: {why}"));
                return None;
            }
        };
        let shape = self.shapes.next_id();
        self.message = Some(message);
        self.change = Some(ShapeChange {
            shape,
            spec: Some(Arc::clone(&spec)),
            while_preparing: WhilePreparing::GoesOn,
            // A new material does not turn a shape that a recorded hand left into one that the user
            // chose.
            is_users_choice: self.users_shape == self.shapes.current().0,
            done_message,
            farthest_asked: None,
            successor: None,
        });
        Some(SolverTask::PrepareShape { thing, shape, spec, is_as_left: false })
    }

    /// Takes the spec of the shape to keep, or the reason why the shape cannot be kept.
    pub(crate) fn take_made_shape(
        &mut self,
        shape: ShapeId,
        found: Result<Arc<ObjectSpec>, String>,
    ) {
        let Some(change) = self.change.as_mut().filter(|change| change.shape == shape) else {
            return;
        };
        match found {
            Ok(spec) => {
                if let Some(farthest_asked) = change.farthest_asked {
                    let before = rest_position(&self.shapes.current().1, farthest_asked.node);
                    let moved = (rest_position(&spec, farthest_asked.node) - before).norm();
                    if moved < 0.98 * farthest_asked.vector().norm() {
                        change.done_message =
                            "this is the rest shape now, limited to what the material bears";
                    }
                }
                change.spec = Some(spec);
            }
            Err(why) => {
                self.change = None;
                self.queued_keep = None;
                self.message = Some(format!("the shape stays as it was: {why}"));
            }
        }
    }

    /// Replaces this thing by another one, which begins with this shape.
    pub(super) fn become_successor(&mut self, shape: ShapeId, parts: ThingParts) {
        let rules = self.grasp.rules().clone();
        let shapes = ShapeHistory::from_original((shape, Arc::clone(&parts.spec)));
        let message = format!("{} is on the table", parts.name);
        *self =
            Self { shapes, users_shape: shape, message: Some(message), ..Self::new(parts, rules) };
    }

    fn is_busy(&mut self) -> bool {
        if self.change.is_some() {
            self.message = Some("one change at a time: a shape is still being prepared".to_owned());
        }
        self.change.is_some()
    }
}
