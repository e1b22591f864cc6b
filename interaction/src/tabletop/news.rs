//! What one sample of a hand brings about.

use physics::Touch;

use crate::grasp::Transition;
use crate::thing::make_room;

/// A change of state of one thing's grasp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraspEvent {
    pub thing: usize,
    pub transition: Transition,
}

/// What one sample of a hand brought about. Used again for the next one, it needs no new memory.
#[derive(Debug, Default)]
pub struct HandNews {
    /// What to submit, for each thing that is asked.
    pub touches: Vec<(usize, Touch)>,
    pub events: Vec<GraspEvent>,
    /// Touches that are done with, or were made ahead.
    pub(super) spare: Vec<Touch>,
    n_made: usize,
    /// Nodes that each of them has room for.
    n_nodes: usize,
}

/// So many touches of one thing can be under way: one in the hand, one in the solver's mailbox, one being answered. The
/// solver gives one back whenever it has another, so there are never more, however late it is.
const UNDER_WAY: usize = 3;

impl HandNews {
    /// Takes back a used touch, for its memory.
    pub fn reuse(&mut self, touch: Touch) {
        self.spare.push(touch);
    }

    /// Forgets the last sample's. All touches that `n_things` things of at most `n_nodes` nodes can need are made at
    /// once, so that none is missing later.
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
