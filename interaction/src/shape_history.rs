//! History of an object's rest shapes, for keep, undo, redo and reset.

use std::sync::Arc;

use physics::ObjectSpec;

/// Id of a rest shape of an object; the original shape is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShapeId(pub u32);

/// A step to an earlier or later shape of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryStep {
    /// The previous shape.
    Undo,
    /// The last undone shape.
    Redo,
    /// The original shape.
    Reset,
}

/// A shape with its spec.
pub type RestShape = (ShapeId, Arc<ObjectSpec>);

/// Greatest number of shapes in the history; the original is always one of them.
const MOST: usize = 64;

/// The shapes in order, and the index of the present one.
#[derive(Debug)]
pub struct ShapeHistory {
    shapes: Vec<RestShape>,
    at: usize,
    n_begun: u32,
}

impl ShapeHistory {
    pub(super) fn new(original: Arc<ObjectSpec>) -> Self {
        Self::from_original((ShapeId::default(), original))
    }

    /// Starts a new history at an original that replaced another thing.
    pub(super) fn from_original(original: RestShape) -> Self {
        let n_begun = original.0.0 + 1;
        Self { shapes: vec![original], at: 0, n_begun }
    }

    /// The shapes from the original on, the index of the present one, and the number of ids given
    /// out.
    pub fn history(&self) -> (&[RestShape], usize, u32) {
        (&self.shapes, self.at, self.n_begun)
    }

    /// Restores a history from these parts; `None` if they are inconsistent.
    pub fn from_history(shapes: Vec<RestShape>, at: usize, n_begun: u32) -> Option<Self> {
        let is_whole = at < shapes.len() && shapes.iter().all(|(shape, _)| shape.0 < n_begun);
        is_whole.then_some(Self { shapes, at, n_begun })
    }

    /// Number of shapes after the original, up to the present one.
    pub(super) fn n_kept(&self) -> usize {
        self.at
    }

    /// Number of shapes after the present one.
    pub(super) fn n_undone(&self) -> usize {
        self.shapes.len() - 1 - self.at
    }

    /// The present shape of the object.
    pub fn current(&self) -> &RestShape {
        &self.shapes[self.at]
    }

    /// The shape with this id, if it is still in the history.
    pub(super) fn find(&self, shape: ShapeId) -> Option<&RestShape> {
        self.shapes.iter().find(|(made, _)| *made == shape)
    }

    /// Returns a new id for a shape in preparation.
    pub(super) fn next_id(&mut self) -> ShapeId {
        self.n_begun += 1;
        ShapeId(self.n_begun - 1)
    }

    /// The shape to which `step` leads, if there is one.
    pub(super) fn target(&self, step: HistoryStep) -> Option<&RestShape> {
        match step {
            HistoryStep::Undo => self.at.checked_sub(1).and_then(|at| self.shapes.get(at)),
            HistoryStep::Redo => self.shapes.get(self.at + 1),
            HistoryStep::Reset => self.shapes.first().filter(|_| self.at > 0),
        }
    }

    /// Replaces the present shape by the same shape under another id, and gives all shapes its
    /// grip: a change of grip is no step of the history.
    pub(super) fn change_grip(&mut self, (shape, spec): RestShape) {
        for (_, other) in &mut self.shapes {
            // A shape that cannot have the grip keeps its own.
            if let Ok(held) = other.held_by(spec.grip()) {
                *other = Arc::new(held);
            }
        }
        self.shapes[self.at] = (shape, spec);
    }

    /// Makes a shape the present one: a shape of the history, or a new one, which replaces all
    /// undone shapes.
    pub(super) fn set_current(&mut self, (shape, spec): RestShape) {
        if let Some(at) = self.shapes.iter().position(|(made, _)| *made == shape) {
            self.at = at;
            return;
        }
        self.shapes.truncate(self.at + 1);
        self.shapes.push((shape, spec));
        if self.shapes.len() > MOST {
            self.shapes.remove(1);
        }
        self.at = self.shapes.len() - 1;
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

    fn go(shapes: &mut ShapeHistory, step: HistoryStep) -> Option<u32> {
        let made = shapes.target(step)?.clone();
        let id = made.0.0;
        shapes.set_current(made);
        Some(id)
    }

    #[test]
    fn undo_redo_and_reset_walk_through_what_was_kept() {
        let mut shapes = ShapeHistory::new(spec());
        assert_eq!(go(&mut shapes, HistoryStep::Undo), None);
        assert_eq!(go(&mut shapes, HistoryStep::Reset), None);
        for _ in 0..2 {
            let shape = shapes.next_id();
            shapes.set_current((shape, spec()));
        }
        assert_eq!(shapes.current().0, ShapeId(2));
        assert_eq!(go(&mut shapes, HistoryStep::Redo), None);
        assert_eq!(go(&mut shapes, HistoryStep::Undo), Some(1));
        assert_eq!(go(&mut shapes, HistoryStep::Redo), Some(2));
        assert_eq!(go(&mut shapes, HistoryStep::Reset), Some(0));
        assert_eq!(go(&mut shapes, HistoryStep::Redo), Some(1));
        // A new shape takes the place of the one that was undone.
        let shape = shapes.next_id();
        shapes.set_current((shape, spec()));
        assert_eq!(go(&mut shapes, HistoryStep::Redo), None);
        assert_eq!(go(&mut shapes, HistoryStep::Undo), Some(1));
        assert_eq!(go(&mut shapes, HistoryStep::Redo), Some(3));
    }

    #[test]
    fn the_original_is_never_forgotten() {
        let mut shapes = ShapeHistory::new(spec());
        for _ in 0..3 * MOST {
            let shape = shapes.next_id();
            shapes.set_current((shape, spec()));
        }
        assert_eq!(shapes.shapes.len(), MOST);
        assert_eq!(go(&mut shapes, HistoryStep::Reset), Some(0));
    }
}
