//! How a thing's shape is shown when it changes at once: on its way.
//!
//! Matter without mass is at rest as soon as it is let go, a finger that leaves is no longer felt, and another rest shape is
//! there when it is ready. All of that is right and looks like a jump. So what is shown goes on from where it was: the
//! difference fades away. Only the picture goes by it; contacts are sought on the solved shape.

use std::sync::Arc;

use physics::{NodeId, SurfaceFrame};

use super::shapes::ShapeId;

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
    since: Option<f64>,
    /// When it was last looked at.
    now: f64,
}

impl Blend {
    /// A new frame of a shape is there.
    pub(super) fn take(&mut self, shape: ShapeId, frame: &SurfaceFrame) {
        let held = || frame.reactions.iter().map(|(node, _)| *node);
        let is_comparable =
            self.version == frame.topology.version && self.solved.len() == frame.positions.len();
        let is_same = shape == self.shape && held().eq(self.held.iter().copied());
        if !is_comparable {
            self.since = None;
        } else if !is_same {
            let left = self.left();
            self.apart.resize(frame.positions.len(), [0.0; 3]);
            let points = self.solved.iter().zip(frame.positions.iter());
            for (apart, (before, after)) in self.apart.iter_mut().zip(points) {
                *apart = std::array::from_fn(|i| before[i] + left * apart[i] - after[i]);
            }
            self.since = Some(self.now);
        }
        (self.shape, self.version) = (shape, frame.topology.version);
        self.held.clear();
        self.held.extend(held());
        self.solved = Arc::clone(&frame.positions);
    }

    /// Whether what is shown is not what was solved.
    pub(super) fn is_under_way(&self) -> bool {
        self.since.is_some()
    }

    /// The last frame as it is shown at `time`.
    pub(super) fn view(&mut self, frame: &Arc<SurfaceFrame>, time: f64) -> Arc<SurfaceFrame> {
        self.now = time;
        let left = self.left();
        if left <= 0.0 || self.apart.len() != frame.positions.len() {
            self.since = None;
            return Arc::clone(frame);
        }
        let points = frame.positions.iter().zip(&self.apart);
        let shown = points.map(|(x, apart)| std::array::from_fn(|i| x[i] + left * apart[i]));
        let positions = Arc::new(shown.collect());
        Arc::new(SurfaceFrame { positions, ..(**frame).clone() })
    }

    /// The part of the difference that is left.
    fn left(&self) -> f32 {
        let Some(since) = self.since else { return 0.0 };
        let part = ((self.now - since) / DURATION).clamp(0.0, 1.0);
        (1.0 - part * part * (3.0 - 2.0 * part)) as f32
    }
}
