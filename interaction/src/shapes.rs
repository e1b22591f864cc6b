//! The rest shapes that an object has had: what keeping, undoing and redoing go through.

use std::sync::Arc;

use physics::ObjectSpec;

/// One rest shape of an object; the original is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShapeId(pub u32);

/// Which of the shapes that were there before is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Back {
    /// The one before.
    Undo,
    /// The one that was undone.
    Redo,
    /// The original.
    Reset,
}

/// A shape and what it is made from.
pub type Made = (ShapeId, Arc<ObjectSpec>);

/// More than this is not remembered; the original always is.
const MOST: usize = 64;

/// The shapes in order, and where we are.
#[derive(Debug)]
pub struct Shapes {
    made: Vec<Made>,
    at: usize,
    n_begun: u32,
}

impl Shapes {
    pub(super) fn new(original: Arc<ObjectSpec>) -> Self {
        Self::beginning_with((ShapeId::default(), original))
    }

    /// An original that took the place of others.
    pub(super) fn beginning_with(original: Made) -> Self {
        let n_begun = original.0.0 + 1;
        Self { made: vec![original], at: 0, n_begun }
    }

    /// What has been, from the original on; which of it is there now; and how many were ever begun.
    pub fn history(&self) -> (&[Made], usize, u32) {
        (&self.made, self.at, self.n_begun)
    }

    /// The same again; nothing if that is no history.
    pub fn from_history(made: Vec<Made>, at: usize, n_begun: u32) -> Option<Self> {
        let is_whole = at < made.len() && made.iter().all(|(shape, _)| shape.0 < n_begun);
        is_whole.then_some(Self { made, at, n_begun })
    }

    /// Shapes from the original, which does not count, to the present one.
    pub(super) fn n_kept(&self) -> usize {
        self.at
    }

    /// Shapes after the present one.
    pub(super) fn n_undone(&self) -> usize {
        self.made.len() - 1 - self.at
    }

    /// The shape that the object has now.
    pub fn current(&self) -> &Made {
        &self.made[self.at]
    }

    /// One of them, if it is still remembered.
    pub(super) fn find(&self, shape: ShapeId) -> Option<&Made> {
        self.made.iter().find(|(made, _)| *made == shape)
    }

    /// A name for a shape that is being made.
    pub(super) fn begin(&mut self) -> ShapeId {
        self.n_begun += 1;
        ShapeId(self.n_begun - 1)
    }

    /// The shape that `back` means, if there is one.
    pub(super) fn before(&self, back: Back) -> Option<&Made> {
        match back {
            Back::Undo => self.at.checked_sub(1).and_then(|at| self.made.get(at)),
            Back::Redo => self.made.get(self.at + 1),
            Back::Reset => self.made.first().filter(|_| self.at > 0),
        }
    }

    /// The object has this shape from now on: one that was there before, or a new one, which takes the
    /// place of what was undone.
    pub(super) fn settle(&mut self, (shape, spec): Made) {
        if let Some(at) = self.made.iter().position(|(made, _)| *made == shape) {
            self.at = at;
            return;
        }
        self.made.truncate(self.at + 1);
        self.made.push((shape, spec));
        if self.made.len() > MOST {
            self.made.remove(1);
        }
        self.at = self.made.len() - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use physics::SolidSpec;
    use physics::material::IsotropicElastic;

    fn spec() -> Arc<ObjectSpec> {
        let mesh = objects::generate::cube(0.06, 2).unwrap();
        let material = IsotropicElastic::new(1e4, 0.3).unwrap();
        Arc::new(ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap()))
    }

    fn go(shapes: &mut Shapes, back: Back) -> Option<u32> {
        let made = shapes.before(back)?.clone();
        let id = made.0.0;
        shapes.settle(made);
        Some(id)
    }

    #[test]
    fn undo_redo_and_reset_walk_through_what_was_kept() {
        let mut shapes = Shapes::new(spec());
        assert_eq!(go(&mut shapes, Back::Undo), None);
        assert_eq!(go(&mut shapes, Back::Reset), None);
        for _ in 0..2 {
            let shape = shapes.begin();
            shapes.settle((shape, spec()));
        }
        assert_eq!(shapes.current().0, ShapeId(2));
        assert_eq!(go(&mut shapes, Back::Redo), None);
        assert_eq!(go(&mut shapes, Back::Undo), Some(1));
        assert_eq!(go(&mut shapes, Back::Redo), Some(2));
        assert_eq!(go(&mut shapes, Back::Reset), Some(0));
        assert_eq!(go(&mut shapes, Back::Redo), Some(1));
        // A new shape takes the place of the one that was undone.
        let shape = shapes.begin();
        shapes.settle((shape, spec()));
        assert_eq!(go(&mut shapes, Back::Redo), None);
        assert_eq!(go(&mut shapes, Back::Undo), Some(1));
        assert_eq!(go(&mut shapes, Back::Redo), Some(3));
    }

    #[test]
    fn the_original_is_never_forgotten() {
        let mut shapes = Shapes::new(spec());
        for _ in 0..3 * MOST {
            let shape = shapes.begin();
            shapes.settle((shape, spec()));
        }
        assert_eq!(shapes.made.len(), MOST);
        assert_eq!(go(&mut shapes, Back::Reset), Some(0));
    }
}
