//! Haptic feedback through the headset's own devices: vibrating controllers and force gloves.
#![allow(unsafe_code, reason = "the crate has no safe way to XR_MNDX_force_feedback_curl")]

use std::time::{Duration, Instant};

use haptics::HandOutput;
use openxr as xr;

use super::controllers::Controllers;
use super::error::HeadsetError;
use super::hand_tracking::HandTrackers;
use super::headset_link::HeadsetLink;
use super::runtime::{Runtime, System};

/// Haptic devices of both hands, left first.
pub(super) struct HapticFeedback {
    hands: [HandFeedback; 2],
    /// Function of the runtime for force gloves, if it has any.
    curls: Option<xr::raw::ForceFeedbackCurlMNDX>,
}

/// Feedback state of one hand.
#[derive(Default)]
struct HandFeedback {
    /// Newest output.
    output: HandOutput,
    /// Time of the last command.
    since: Option<Instant>,
    /// True while the devices are active.
    is_on: bool,
    strongest: f32,
}

/// Age at which a command expires, so that no force remains for an object that is gone.
const OLDEST: Duration = Duration::from_millis(250);
/// Least vibration that differs from a motor's hum.
const LEAST: f32 = 0.02;
const FINGERS: [xr::sys::ForceFeedbackCurlLocationMNDX; 5] = [
    xr::sys::ForceFeedbackCurlLocationMNDX::THUMB_CURL,
    xr::sys::ForceFeedbackCurlLocationMNDX::INDEX_CURL,
    xr::sys::ForceFeedbackCurlLocationMNDX::MIDDLE_CURL,
    xr::sys::ForceFeedbackCurlLocationMNDX::RING_CURL,
    xr::sys::ForceFeedbackCurlLocationMNDX::LITTLE_CURL,
];

/// Returns a controller's vibration: it has one motor for all fingers, so the strongest counts.
fn amplitude(vibration: &[f32; 5]) -> f32 {
    let strongest = strongest(vibration);
    if strongest < LEAST { 0.0 } else { strongest }
}

fn strongest(shares: &[f32; 5]) -> f32 {
    shares.iter().copied().fold(0.0, f32::max).min(1.0)
}

impl HapticFeedback {
    pub(super) fn new(runtime: &Runtime, system: &System) -> Self {
        let curls =
            runtime.instance.exts().mndx_force_feedback_curl.filter(|_| system.holds_fingers);
        Self { hands: Default::default(), curls }
    }

    /// Returns the strongest feedback given to each hand, left first.
    pub(super) fn strongest(&self) -> [f32; 2] {
        self.hands.each_ref().map(|felt| felt.strongest)
    }

    /// Sends the newest command to the devices; called once per frame.
    pub(super) fn pass_on(
        &mut self,
        link: &HeadsetLink,
        session: &xr::Session<xr::Vulkan>,
        controllers: &Controllers,
        trackers: Option<&HandTrackers>,
    ) -> Result<(), HeadsetError> {
        let now = Instant::now();
        for (hand, felt) in self.hands.iter_mut().enumerate() {
            let output = felt.newest(link.felt[hand].take(), now);
            let amplitude = amplitude(&output.vibration);
            let is_on = amplitude > 0.0 || strongest(&output.hold) >= LEAST;
            // One last command with zero switches the device off.
            if !std::mem::replace(&mut felt.is_on, is_on) && !is_on {
                continue;
            }
            let mut is_felt = controllers.vibrate(session, hand, amplitude)?;
            if let (Some(curls), Some(trackers)) = (&self.curls, trackers) {
                hold_back(curls, trackers.tracker(hand), &output.hold)?;
                is_felt = true;
            }
            if is_felt {
                felt.strongest = felt.strongest.max(amplitude).max(strongest(&output.hold));
            }
        }
        Ok(())
    }
}

impl HandFeedback {
    /// Returns the output to apply now, given the newest command, if any.
    fn newest(&mut self, command: Option<HandOutput>, now: Instant) -> HandOutput {
        match command {
            Some(output) => (self.output, self.since) = (output, Some(now)),
            None if self.since.is_none_or(|at| now.saturating_duration_since(at) > OLDEST) => {
                self.output = HandOutput::default();
            }
            None => {}
        }
        self.output
    }
}

/// Sets the forces of a glove, from 0 (none) to 1 (strongest).
fn hold_back(
    curls: &xr::raw::ForceFeedbackCurlMNDX,
    tracker: &xr::HandTracker,
    shares: &[f32; 5],
) -> Result<(), HeadsetError> {
    let mut locations: [_; 5] =
        std::array::from_fn(|i| xr::sys::ForceFeedbackCurlApplyLocationMNDX {
            location: FINGERS[i],
            value: shares[i].clamp(0.0, 1.0),
        });
    let all = xr::sys::ForceFeedbackCurlApplyLocationsMNDX {
        ty: xr::sys::ForceFeedbackCurlApplyLocationsMNDX::TYPE,
        next: std::ptr::null(),
        location_count: locations.len() as u32,
        locations: locations.as_mut_ptr(),
    };
    // SAFETY: the function was loaded with the instance that the tracker belongs to; the list and
    // what it points at outlive the call, which only reads them.
    let result = unsafe { (curls.apply_force_feedback_curl)(tracker.as_raw(), &raw const all) };
    if result.into_raw() < 0 { Err(result.into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_vibrates_as_the_finger_that_feels_most() {
        let check = |shares: [f32; 5], expected: f32| assert_eq!(amplitude(&shares), expected);
        check([0.0; 5], 0.0);
        check([0.1, 0.0, 0.4, 0.2, 0.0], 0.4);
        check([0.01, 0.019, 0.0, 0.0, 0.0], 0.0);
        check([0.0, 7.0, 0.0, 0.0, 0.0], 1.0);
        check([f32::NAN, 0.3, 0.0, 0.0, 0.0], 0.3);
    }

    #[test]
    fn a_force_ends_when_its_command_is_too_old() {
        let mut felt = HandFeedback::default();
        let start = Instant::now();
        let held = HandOutput { hold: [0.5; 5], vibration: [0.1; 5] };
        assert!(felt.newest(None, start).is_none());
        assert_eq!(felt.newest(Some(held), start), held);
        assert_eq!(felt.newest(None, start + OLDEST), held);
        assert!(felt.newest(None, start + OLDEST + Duration::from_millis(1)).is_none());
    }
}
