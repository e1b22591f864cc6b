//! A hand that is led while devices follow it, instead of a script that is known beforehand.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{HandState, Keyframe, Motion, gently};

/// Leads an emulated hand; copies lead the same hand.
#[derive(Debug, Clone)]
pub struct Puppet {
    strings: Arc<Mutex<Strings>>,
}

#[derive(Debug)]
struct Strings {
    /// Where the hand was when the present piece of the way began, and when that was, in seconds of
    /// the script; `None` until a device looks at the hand.
    from: HandState,
    since: Option<f64>,
    /// What is still to be done, each at its moment after the one before.
    way: VecDeque<(f64, HandState)>,
    /// Where the hand was when a device last looked.
    seen: HandState,
}

impl Puppet {
    /// A hand that waits in this state.
    pub fn new(state: HandState) -> Self {
        let strings = Strings { from: state, since: None, way: VecDeque::new(), seen: state };
        Self { strings: Arc::new(Mutex::new(strings)) }
    }

    /// From where it is now, the hand goes through these keyframes and waits in the last one. Their
    /// moments count from when a device next looks at the hand, so that nobody needs to know the
    /// devices' clock; a keyframe that is earlier than the one before it is reached at the same
    /// moment.
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

    /// Whether the hand has come to the end of its way and a device has seen it there.
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

/// The same hand, not only the same place.
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
