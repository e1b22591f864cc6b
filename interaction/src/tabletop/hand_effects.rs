//! Effects of one sample of a hand: touches for the solvers, and changes of grasps.

use physics::Touch;

use crate::grasp::Transition;
use crate::thing::make_room;

/// A change of state of one thing's grasp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraspEvent {
    pub thing: usize,
    pub transition: Transition,
}

/// Effects of one sample of a hand. Reused for the next sample, it allocates nothing.
#[derive(Debug, Default)]
pub struct HandEffects {
    /// Touches to submit to the solvers, each with the index of its thing.
    pub touches: Vec<(usize, Touch)>,
    pub events: Vec<GraspEvent>,
    /// Used touches and touches made ahead, for their memory.
    pub(super) spare: Vec<Touch>,
    /// Number of touches made so far.
    n_made: usize,
    /// Number of nodes for which each touch has room.
    n_nodes: usize,
}

/// Greatest number of touches of one thing under way: one in the hand loop, one in the solver's
/// mailbox, one being answered. The solver returns a touch whenever it takes another, so three are
/// enough for a slow solver, too.
const UNDER_WAY: usize = 3;

impl HandEffects {
    /// Takes back a used touch for its memory.
    pub fn reuse(&mut self, touch: Touch) {
        self.spare.push(touch);
    }

    /// Clears the effects of the last sample. Makes all touches that `n_things` things of at most
    /// `n_nodes` nodes can need in advance, so that no later sample allocates.
    pub(super) fn begin(&mut self, n_things: usize, n_nodes: usize) {
        self.events.clear();
        while let Some((_, touch)) = self.touches.pop() {
            self.reuse(touch);
        }
        let n_wanted = UNDER_WAY * n_things;
        if self.n_made >= n_wanted && self.n_nodes >= n_nodes {
            return;
        }
        let n_new = n_wanted.saturating_sub(self.n_made);
        self.spare.extend(std::iter::repeat_with(Touch::default).take(n_new));
        self.n_made += n_new;
        self.n_nodes = self.n_nodes.max(n_nodes);
        self.spare.iter_mut().for_each(|touch| make_room(touch, n_nodes));
        let n_missing = self.n_made - self.spare.len();
        self.spare.reserve(n_missing);
        self.touches.reserve(n_things);
    }
}
