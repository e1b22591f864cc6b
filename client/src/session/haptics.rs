//! Haptics: forces sent to gloves and headset controllers.

use std::time::Duration;

use drivers::Side;

use super::Session;

/// Force at which a glove holds a finger with full strength, in newtons.
const FULL_FORCE: f64 = 3.0;

/// Greatest age of a hand's last sample at which it still gets forces.
const OLDEST_HAND: Duration = Duration::from_millis(250);

fn share_of_full_force(newtons: f64) -> f32 {
    (newtons / FULL_FORCE).clamp(0.0, 1.0) as f32
}

impl Session {
    /// Sets all forces to zero: while the session takes no turns, no other code would.
    pub fn stop_haptics(&self) {
        for forces in self.hands.device_hands().filter_map(|(parts, _)| parts.forces.as_ref()) {
            forces.put([0.0; 5]);
        }
        for felt in self.hands.headset_hands().iter().flat_map(|hands| &hands.headset().felt) {
            felt.put([0.0; 5]);
        }
    }

    /// Sends the forces on the fingers. Forces are zero as soon as the hand's data or the thing's
    /// solver are out of date: a glove must never hold a finger for an object that is no longer
    /// there.
    pub(super) fn send_haptics(&self) {
        let is_solved = |thing: usize| self.solvers.is_ready(thing);
        for (parts, last) in self.hands.device_hands() {
            let Some(forces) = &parts.forces else { continue };
            let felt = match last {
                Some((side, arrival)) if arrival.elapsed() < OLDEST_HAND => {
                    self.tabletop.finger_forces(side, is_solved)
                }
                Some(_) | None => [0.0; 5],
            };
            forces.put(felt.map(share_of_full_force));
        }
        let Some(hands) = self.hands.headset_hands() else { return };
        for side in [Side::Left, Side::Right] {
            let felt = match hands.age(side) {
                Some(age) if age < OLDEST_HAND => self.tabletop.finger_forces(side, is_solved),
                Some(_) | None => [0.0; 5],
            };
            hands.headset().felt[side as usize].put(felt.map(share_of_full_force));
        }
    }
}
