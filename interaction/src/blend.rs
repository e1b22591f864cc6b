//! How a thing's shape is shown when it changes at once: on its way.
//!
//! Matter without mass is at rest as soon as it is let go, a finger that leaves is no longer felt, and another rest shape is
//! there when it is ready. All of that is right and looks like a jump. So what is shown goes on from where it was: the
//! difference fades away. Only the picture goes by it; contacts are sought on the solved shape.
//!
//! Matter that moves does not jump by itself. It is shown where it is: a fade would smear its motion.

use std::sync::Arc;

use physics::{NodeId, SurfaceFrame};

use crate::shapes::ShapeId;

/// Seconds that it takes: quick enough for a spring, slow enough to be seen.
const DURATION: f64 = 0.15;

/// A shape on its way to the solved one.
#[derive(Debug, Default)]
pub(super) struct Blend {
    /// The solved one: its rest shape, topology, the nodes that were held, and where its points are.
    shape: ShapeId,
    version: u32,
    held: Vec<NodeId>,
    solved: Arc<Vec<[f32; 3]>>,
    /// From there to what was shown when it began to fade.
    apart: Vec<[f32; 3]>,
    fade: Fade,
    /// When it was last looked at.
    now: f64,
}

/// How a difference fades.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Fade {
    /// There is none.
    #[default]
    Over,
    /// It begins when somebody looks next: nobody may have looked for long.
    Begins,
    Since(f64),
}

impl Blend {
    /// A new frame of a shape is there.
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

    /// Whether what is shown is not what was solved.
    pub(super) fn is_under_way(&self) -> bool {
        self.fade != Fade::Over
    }

    /// The last frame as it is shown at `time`.
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

    /// The part of the difference that is left.
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

    /// A cube at rest, and the same carried off by a hand.
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
    fn a_shape_that_nobody_has_looked_at_for_long_does_not_jump() {
        let [rest, held] = frames();
        let mut blend = Blend::default();
        blend.take(ShapeId::default(), &rest);
        let before = blend.view(&rest, 0.0).positions[0][0];
        // Nothing happens for a second, then all at once.
        blend.take(ShapeId::default(), &held);
        assert!(blend.is_under_way());
        let mut shown = vec![before];
        for step in 0..20 {
            shown.push(blend.view(&held, 1.01 + 0.01 * f64::from(step)).positions[0][0]);
        }
        let farthest = shown.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f32::max);
        assert!(farthest < 0.002, "{shown:?}");
        assert!(!blend.is_under_way() && *shown.last().unwrap() == held.positions[0][0]);
    }

    #[test]
    fn matter_that_moves_is_shown_where_it_is() {
        let [rest, held] = frames();
        let mut blend = Blend::default();
        blend.take(ShapeId::default(), &rest);
        let mut moving = (*held).clone();
        moving.report.is_moving = true;
        let moving = Arc::new(moving);
        blend.take(ShapeId::default(), &moving);
        assert!(!blend.is_under_way());
        assert_eq!(blend.view(&moving, 0.0).positions, held.positions);
        // It may also begin to move while a change of shape is on its way.
        blend.take(ShapeId(1), &rest);
        assert!(blend.is_under_way());
        blend.take(ShapeId(1), &moving);
        assert_eq!(blend.view(&moving, 0.01).positions, held.positions);
    }
}
