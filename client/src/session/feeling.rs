//! What the fingers of a glove that can be felt are given to feel.

use std::time::Duration;

use engine::LinkState;

use super::Session;

/// The force at which a glove holds a finger with all it has, in newtons.
const FULL_FORCE: f64 = 3.0;

/// A hand older than this feels nothing.
const OLDEST_HAND: Duration = Duration::from_millis(250);

fn share_of_full_force(newtons: f64) -> f32 {
    (newtons / FULL_FORCE).clamp(0.0, 1.0) as f32
}

impl Session {
    /// Lets go of all fingers: for as long as the session takes no turns, nothing else would.
    pub fn rest(&self) {
        for forces in self.hands.lines().filter_map(|(parts, _)| parts.forces.as_ref()) {
            forces.put([0.0; 5]);
        }
    }

    /// Sends what the fingers feel; nothing as soon as the hand or a thing's own solver are not what they were: a
    /// glove must never hold a finger for an object that is no longer there.
    pub(super) fn let_fingers_feel(&self) {
        let is_solved = |thing: usize| matches!(self.links[thing].state(), LinkState::Ready(_));
        for (parts, last) in self.hands.lines() {
            let Some(forces) = &parts.forces else { continue };
            let felt = match last {
                Some((side, arrival)) if arrival.elapsed() < OLDEST_HAND => {
                    self.tabletop.finger_forces(side, is_solved)
                }
                Some(_) | None => [0.0; 5],
            };
            forces.put(felt.map(share_of_full_force));
        }
    }
}
