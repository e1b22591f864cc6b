//! The drawn shape of a thing, which fades over after a sudden change of the solved shape.
//!
//! Three changes of the solved shape are sudden. Matter without mass is at rest as soon as it is
//! released. A finger that leaves has no effect any more. A new rest shape appears when it is
//! ready. All of this is correct and looks like a jump. The drawn shape therefore starts from the
//! last drawn one, and the difference fades away. Only the picture uses it; contacts are found on
//! the solved shape.
//!
//! Matter that moves does not jump by itself. It is drawn as solved: a fade would smear its motion.

use std::sync::Arc;

use physics::{NodeId, SurfaceFrame};

use crate::shape_history::ShapeId;

/// Duration of the fade, in seconds: short enough for a spring, long enough to be seen.
const DURATION: f64 = 0.15;

/// A drawn shape on its way to the solved one.
#[derive(Debug, Default)]
pub(super) struct ShownShape {
    /// Rest shape of the solved shape.
    shape: ShapeId,
    /// Topology version of the solved shape.
    version: u32,
    /// Nodes that fingers held in the solved shape.
    held: Vec<NodeId>,
    /// Points of the solved shape.
    solved: Arc<Vec<[f32; 3]>>,
    /// Difference from the solved shape to the drawn one when the fade began, for each point.
    apart: Vec<[f32; 3]>,
    fade: Fade,
    /// Time of the last view, in seconds.
    now: f64,
}

/// State of the fade.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Fade {
    /// No difference is left.
    #[default]
    Over,
    /// The fade begins with the next view. The last view may be long ago.
    Begins,
    /// The fade began at this time.
    Since(f64),
}

impl ShownShape {
    /// Takes a new solved frame of a shape.
    pub(super) fn take(&mut self, shape: ShapeId, frame: &SurfaceFrame) {
        let held = || frame.reactions.iter().map(|(node, _)| *node);
        let is_comparable =
            self.version == frame.topology.version && self.solved.len() == frame.positions.len();
        let is_same = shape == self.shape && held().eq(self.held.iter().copied());
        if !is_comparable || frame.report.is_moving {
            self.fade = Fade::Over;
        } else if !is_same {
            let left = self.left();
            self.apart.resize(frame.positions.len(), [0.0; 3]);
            let points = self.solved.iter().zip(frame.positions.iter());
            for (apart, (before, after)) in self.apart.iter_mut().zip(points) {
                *apart = std::array::from_fn(|i| before[i] + left * apart[i] - after[i]);
            }
            self.fade = Fade::Begins;
        }
        (self.shape, self.version) = (shape, frame.topology.version);
        self.held.clear();
        self.held.extend(held());
        self.solved = Arc::clone(&frame.positions);
    }

    /// True while the drawn shape differs from the solved one.
    pub(super) fn is_fading(&self) -> bool {
        self.fade != Fade::Over
    }

    /// The last frame with the points as drawn at `time`.
    pub(super) fn view(&mut self, frame: &Arc<SurfaceFrame>, time: f64) -> Arc<SurfaceFrame> {
        self.now = time;
        if self.fade == Fade::Begins {
            self.fade = Fade::Since(time);
        }
        let left = self.left();
        if left <= 0.0 || self.apart.len() != frame.positions.len() {
            self.fade = Fade::Over;
            return Arc::clone(frame);
        }
        let points = frame.positions.iter().zip(&self.apart);
        let shown = points.map(|(x, apart)| std::array::from_fn(|i| x[i] + left * apart[i]));
        let positions = Arc::new(shown.collect());
        Arc::new(SurfaceFrame { positions, ..(**frame).clone() })
    }

    /// Remaining share of the difference, from 1 to 0.
    fn left(&self) -> f32 {
        let since = match self.fade {
            Fade::Over => return 0.0,
            Fade::Begins => return 1.0,
            Fade::Since(time) => time,
        };
        let part = ((self.now - since) / DURATION).clamp(0.0, 1.0);
        (1.0 - part * part * (3.0 - 2.0 * part)) as f32
    }
}

#[cfg(test)]
mod tests {
    use engine::Stepper;
    use physics::material::IsotropicElastic;
    use physics::{MemoryLimits, Model, ObjectSpec, Progress, SolidSpec};

    use super::*;

    /// A cube at rest, and the same cube displaced by a hand.
    fn frames() -> [Arc<SurfaceFrame>; 2] {
        let mesh = objects::generate::cube(0.06, 1).unwrap();
        let material = IsotropicElastic::new(1e4, 0.4).unwrap();
        let spec = ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap());
        let model = Model::prepare(&spec, MemoryLimits::default(), &Progress::default()).unwrap();
        let rest = Stepper::new(model.object()).rest_frame();
        let positions = rest.positions.iter().map(|[x, y, z]| [x + 0.01, *y, *z]).collect();
        let reactions = vec![(NodeId(0), [1.0; 3])];
        let held = SurfaceFrame { positions: Arc::new(positions), reactions, ..rest.clone() };
        [Arc::new(rest), Arc::new(held)]
    }

    #[test]
    fn a_shape_that_was_not_shown_for_long_does_not_jump() {
        let [rest, held] = frames();
        let mut shown_shape = ShownShape::default();
        shown_shape.take(ShapeId::default(), &rest);
        let before = shown_shape.view(&rest, 0.0).positions[0][0];
        // Nothing happens for a second, then all at once.
        shown_shape.take(ShapeId::default(), &held);
        assert!(shown_shape.is_fading());
        let mut shown = vec![before];
        for step in 0..20 {
            shown.push(shown_shape.view(&held, 1.01 + 0.01 * f64::from(step)).positions[0][0]);
        }
        let farthest = shown.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f32::max);
        assert!(farthest < 0.002, "{shown:?}");
        assert!(!shown_shape.is_fading() && *shown.last().unwrap() == held.positions[0][0]);
    }

    #[test]
    fn matter_that_moves_is_shown_where_it_is() {
        let [rest, held] = frames();
        let mut shown_shape = ShownShape::default();
        shown_shape.take(ShapeId::default(), &rest);
        let mut moving = (*held).clone();
        moving.report.is_moving = true;
        let moving = Arc::new(moving);
        shown_shape.take(ShapeId::default(), &moving);
        assert!(!shown_shape.is_fading());
        assert_eq!(shown_shape.view(&moving, 0.0).positions, held.positions);
        // Matter may also begin to move during a fade.
        shown_shape.take(ShapeId(1), &rest);
        assert!(shown_shape.is_fading());
        shown_shape.take(ShapeId(1), &moving);
        assert_eq!(shown_shape.view(&moving, 0.01).positions, held.positions);
    }
}
