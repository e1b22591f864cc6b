//! How a thing comes to another rest shape: kept, undone, of other matter, or of another thing.

use std::sync::Arc;

use physics::{KnownDisplacement, ObjectSpec};

use super::{Chore, Matter, Thing, ThingParts, rest_position};
use crate::shapes::{Back, Made, ShapeId, Shapes};

/// A new rest shape in the making.
pub(super) struct Change {
    pub(super) shape: ShapeId,
    /// Known once it is made.
    pub(super) spec: Option<Arc<ObjectSpec>>,
    pub(super) meanwhile: Meanwhile,
    /// Whether it is how a person wants the thing, as opposed to what a hand left to it.
    pub(super) is_own: bool,
    /// What to say when it is there.
    pub(super) done: &'static str,
    /// The farthest that a node is to be kept from where it rested.
    asked: Option<KnownDisplacement>,
    /// It is the shape of another thing, which takes this one's place.
    pub(super) successor: Option<ThingParts>,
}

/// A shape that waits for another one to be ready.
pub(super) struct ToKeep {
    pub(super) known: Vec<KnownDisplacement>,
    /// As of a [`Change`].
    pub(super) is_own: bool,
}

/// What the object does while its new rest shape is being prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meanwhile {
    /// It goes on as before.
    GoesOn,
    /// It keeps the shape that was left to it.
    StaysAsItIs,
}

impl Thing {
    /// Begins to keep the shape that a hand left to it; says what has to be done. Until another shape that is being
    /// prepared is ready, it stays as it is.
    pub(crate) fn keep_as_left(&mut self, thing: usize) -> Option<Chore> {
        match &mut self.change {
            Some(change) if change.successor.is_none() && !self.last_known.is_empty() => {
                change.meanwhile = Meanwhile::StaysAsItIs;
                let known = std::mem::take(&mut self.last_known);
                self.to_keep = Some(ToKeep { known, is_own: false });
                None
            }
            _ => self.keep(thing, Meanwhile::StaysAsItIs),
        }
    }

    /// Begins to keep the shape that waited for another one to be ready.
    pub(crate) fn keep_next(&mut self, thing: usize) -> Option<Chore> {
        let ToKeep { known, is_own } = self.to_keep.take()?;
        self.last_known = known;
        let chore = self.keep(thing, Meanwhile::StaysAsItIs);
        self.change.iter_mut().for_each(|change| change.is_own = is_own);
        chore
    }

    /// Begins to keep the shape that the hand gives it now; says what has to be done.
    pub(crate) fn keep(&mut self, thing: usize, meanwhile: Meanwhile) -> Option<Chore> {
        if self.is_busy() {
            return None;
        }
        if self.last_known.is_empty() {
            self.news = Some("there is no new shape to keep: squeeze first".to_owned());
            return None;
        }
        let (shape, spec) = (self.shapes.begin(), Arc::clone(&self.shapes.current().1));
        let done = "this is the rest shape now";
        let by_length = |a: &&KnownDisplacement, b: &&KnownDisplacement| {
            a.vector().norm().total_cmp(&b.vector().norm())
        };
        let asked = self.last_known.iter().max_by(by_length).copied();
        self.change = Some(Change {
            shape,
            spec: None,
            meanwhile,
            is_own: meanwhile == Meanwhile::GoesOn,
            done,
            asked,
            successor: None,
        });
        self.news = Some("keeping the shape ...".to_owned());
        Some(Chore::Keep { thing, shape, spec, known: self.last_known.clone() })
    }

    /// Begins to go back to a shape that was there before; says what has to be done.
    pub(crate) fn go_back(&mut self, thing: usize, back: Back) -> Option<Chore> {
        if self.is_busy() {
            return None;
        }
        let Some((shape, spec)) = self.shapes.before(back).cloned() else {
            if back == Back::Reset && self.has_moved {
                self.has_moved = false;
                self.news = Some("it is as it was at first".to_owned());
                return Some(Chore::Rest { thing });
            }
            let none = match back {
                Back::Undo => "there is nothing to undo",
                Back::Redo => "there is nothing to redo",
                Back::Reset => "it has its original shape",
            };
            self.news = Some(none.to_owned());
            return None;
        };
        let done = match back {
            Back::Undo => "undone",
            Back::Redo => "done again",
            Back::Reset => "it has its original shape again",
        };
        Some(self.go_to(thing, (shape, spec), back != Back::Reset, done))
    }

    /// Begins to go back to the shape that a person gave it, of the matter that it is of now; says what has to be done,
    /// if anything.
    pub(crate) fn go_home(&mut self, thing: usize) -> Option<Chore> {
        let (now, spec) = self.shapes.current();
        if self.change.is_some() || self.own == *now {
            return None;
        }
        let material = *spec.material();
        let (own, spec) = self.shapes.find(self.own)?;
        let home = if *spec.material() == material {
            (*own, Arc::clone(spec))
        } else {
            let spec = Arc::new(spec.with_material(material));
            (self.shapes.begin(), spec)
        };
        Some(self.go_to(thing, home, false, "it is as it was when the recording began"))
    }

    /// Begins to go to a shape that was there before, in the state in which that was left or at rest.
    fn go_to(
        &mut self,
        thing: usize,
        (shape, spec): Made,
        is_as_left: bool,
        done: &'static str,
    ) -> Chore {
        self.change = Some(Change {
            shape,
            spec: Some(Arc::clone(&spec)),
            meanwhile: Meanwhile::GoesOn,
            is_own: true,
            done,
            asked: None,
            successor: None,
        });
        Chore::Prepare { thing, shape, spec, is_as_left }
    }

    /// Begins to make room for another thing; says what has to be done. Until that is ready, and if it never
    /// is, this one stays.
    pub(crate) fn replace(&mut self, thing: usize, parts: &ThingParts) -> Option<Chore> {
        if self.is_busy() {
            return None;
        }
        let (shape, spec) = (self.shapes.begin(), Arc::clone(&parts.spec));
        self.news = Some(format!("{} is being prepared ...", parts.name));
        self.change = Some(Change {
            shape,
            spec: Some(Arc::clone(&spec)),
            meanwhile: Meanwhile::GoesOn,
            is_own: true,
            done: "",
            asked: None,
            successor: Some(parts.clone()),
        });
        Some(Chore::Prepare { thing, shape, spec, is_as_left: false })
    }

    /// Begins to become of other matter; says what has to be done.
    pub(crate) fn remake(&mut self, thing: usize, matter: &Matter) -> Option<Chore> {
        if self.is_busy() {
            return None;
        }
        let spec = &self.shapes.current().1;
        if *spec.material() == matter.material {
            self.news = Some(format!("it is {} already", matter.name));
            return None;
        }
        let spec = Arc::new(spec.with_material(matter.material));
        let shape = self.shapes.begin();
        self.news = Some(format!("{} is being prepared ...", matter.name));
        self.change = Some(Change {
            shape,
            spec: Some(Arc::clone(&spec)),
            meanwhile: Meanwhile::GoesOn,
            // A new material does not make a shape that a recorded hand left one that the person
            // chose.
            is_own: self.own == self.shapes.current().0,
            done: "it is of the other material now",
            asked: None,
            successor: None,
        });
        Some(Chore::Prepare { thing, shape, spec, is_as_left: false })
    }

    /// The shape that was to be kept has been found, or why it cannot be.
    pub(crate) fn made(&mut self, shape: ShapeId, found: Result<Arc<ObjectSpec>, String>) {
        let Some(change) = self.change.as_mut().filter(|change| change.shape == shape) else {
            return;
        };
        match found {
            Ok(spec) => {
                if let Some(asked) = change.asked {
                    let before = rest_position(&self.shapes.current().1, asked.node);
                    let moved = (rest_position(&spec, asked.node) - before).norm();
                    if moved < 0.98 * asked.vector().norm() {
                        change.done = "this is the rest shape now, as far as the matter bears it";
                    }
                }
                change.spec = Some(spec);
            }
            Err(why) => {
                self.change = None;
                self.to_keep = None;
                self.news = Some(format!("the shape stays as it was: {why}"));
            }
        }
    }

    /// Another thing stands here from now on, and begins with this shape.
    pub(super) fn give_way(&mut self, shape: ShapeId, parts: ThingParts) {
        let rules = self.grasp.rules().clone();
        let shapes = Shapes::beginning_with((shape, Arc::clone(&parts.spec)));
        let news = format!("{} is on the table", parts.name);
        *self = Self { shapes, own: shape, news: Some(news), ..Self::new(parts, rules) };
    }

    fn is_busy(&mut self) -> bool {
        if self.change.is_some() {
            self.news = Some("one after the other: a shape is still being prepared".to_owned());
        }
        self.change.is_some()
    }
}
