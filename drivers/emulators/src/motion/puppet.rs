//! A hand that a test or a program leads while the emulated devices follow it, instead of a script.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{HandState, Keyframe, Motion, gently};

/// Leads an emulated hand; all clones lead the same hand.
#[derive(Debug, Clone)]
pub struct Puppet {
    strings: Arc<Mutex<Strings>>,
}

#[derive(Debug)]
struct Strings {
    /// State of the hand at the start of the present step.
    from: HandState,
    /// Start of the present step, in seconds of the script; `None` until a device reads the hand.
    since: Option<f64>,
    /// The next steps: duration in seconds, and state at the end.
    way: VecDeque<(f64, HandState)>,
    /// State of the hand when a device last read it.
    seen: HandState,
}

impl Puppet {
    /// A hand that rests in this state.
    pub fn new(state: HandState) -> Self {
        let strings = Strings { from: state, since: None, way: VecDeque::new(), seen: state };
        Self { strings: Arc::new(Mutex::new(strings)) }
    }

    /// Moves the hand from its present state through these keyframes; it then rests in the last.
    ///
    /// The times of the keyframes count from the next time that a device reads the hand, so that
    /// the caller need not know the devices' clock. A keyframe that is earlier than the one before
    /// it is reached at the same time as that one.
    pub fn lead(&self, keyframes: impl IntoIterator<Item = Keyframe>) {
        let mut strings = self.strings();
        strings.from = strings.seen;
        strings.since = None;
        strings.way.clear();
        let mut last = 0.0;
        for Keyframe { seconds, state, .. } in keyframes {
            strings.way.push_back(((seconds - last).max(0.0), state));
            last = seconds.max(last);
        }
    }

    /// The motion of this hand, for any number of devices.
    pub fn motion(&self) -> Motion {
        Motion { puppet: Some(self.clone()), ..Motion::held(self.strings().seen) }
    }

    /// True if the hand is in its last keyframe and a device has read it there.
    pub fn has_arrived(&self) -> bool {
        self.strings().way.is_empty()
    }

    pub(super) fn state_at(&self, seconds: f64) -> HandState {
        let mut strings = self.strings();
        let mut since = strings.since.unwrap_or(seconds);
        while let Some((lasts, to)) = strings.way.front().copied() {
            let elapsed = seconds - since;
            if elapsed < lasts {
                break;
            }
            strings.from = to;
            strings.way.pop_front();
            since += lasts;
        }
        strings.since = Some(since);
        let state = match strings.way.front() {
            None => strings.from,
            Some((lasts, to)) => {
                let part = ((seconds - since) / lasts).clamp(0.0, 1.0);
                strings.from.towards(to, gently(part))
            }
        };
        strings.seen = state;
        state
    }

    fn strings(&self) -> MutexGuard<'_, Strings> {
        self.strings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Equal only if both lead the same hand.
impl PartialEq for Puppet {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.strings, &other.strings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64, x_cm: f64) -> Keyframe {
        let state = HandState { receiver_position_cm: [x_cm, 0.0, 0.0], ..HandState::FLAT };
        Keyframe { seconds, state, name: "test".into() }
    }

    fn x_cm(motion: &Motion, seconds: f64) -> f64 {
        motion.state_at(seconds).receiver_position_cm[0]
    }

    #[test]
    fn a_hand_goes_where_it_is_led_from_when_it_is_next_looked_at() {
        let puppet = Puppet::new(HandState::FLAT);
        let [glove, tracker] = [puppet.motion(), puppet.motion()];
        assert_eq!(x_cm(&glove, 5.0), 0.0);
        assert!(puppet.has_arrived());
        puppet.lead([at(1.0, 10.0), at(3.0, 20.0)]);
        assert_eq!(x_cm(&glove, 100.0), 0.0);
        assert!((x_cm(&tracker, 100.5) - 5.0).abs() < 1e-12);
        assert_eq!(x_cm(&glove, 101.0), 10.0);
        assert!((x_cm(&tracker, 102.0) - 15.0).abs() < 1e-12 && !puppet.has_arrived());
        assert_eq!(x_cm(&glove, 104.0), 20.0);
        assert!(puppet.has_arrived());
    }

    #[test]
    fn a_hand_that_is_led_elsewhere_begins_where_it_was_seen() {
        let puppet = Puppet::new(HandState::FLAT);
        let motion = puppet.motion();
        puppet.lead([at(2.0, 20.0)]);
        assert_eq!([x_cm(&motion, 0.0), x_cm(&motion, 1.0)], [0.0, 10.0]);
        puppet.lead([at(0.0, 30.0), at(2.0, 0.0)]);
        assert_eq!(x_cm(&motion, 7.0), 30.0);
        assert_eq!(x_cm(&motion, 8.0), 15.0);
        assert_eq!(x_cm(&motion, 900.0), 0.0);
    }
}
