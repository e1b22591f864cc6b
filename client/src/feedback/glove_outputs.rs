//! Outputs of gloves, sent by the threads that read them: servos that stop fingers, and vibrators.

use std::sync::atomic::{AtomicBool, Ordering};

use drivers::cyberglove::protocol::ACTUATORS;
use drivers::{CyberGlove, OpenGlove};
use haptics::HandOutput;

use super::OutputMailbox;

/// Sends the newest output to the servos of an OpenGloves glove.
pub fn hold_fingers(glove: &mut OpenGlove, outputs: &OutputMailbox) {
    if let Some(HandOutput { hold, .. }) = outputs.take()
        && let Err(error) = glove.send_forces(hold)
    {
        // Reading detects a lost glove.
        tracing::debug!(%error, "the forces could not be sent");
    }
}

/// Lets the vibrators of a CyberTouch follow the newest output, and notes if the glove has any.
pub fn vibrate(glove: &mut CyberGlove, outputs: &OutputMailbox, has_vibrators: &AtomicBool) {
    has_vibrators.store(glove.has_vibrators(), Ordering::Relaxed);
    if let Some(HandOutput { vibration, .. }) = outputs.take()
        && let Err(error) = glove.vibrate(strengths(&vibration))
    {
        tracing::debug!(%error, "the vibration could not be sent");
    }
}

/// Strengths of the actuators: those of the fingers, and none at the palm.
fn strengths(vibration: &[f32; 5]) -> [u8; ACTUATORS] {
    let mut strengths = [0; ACTUATORS];
    for (strength, share) in strengths.iter_mut().zip(vibration) {
        // A cast of NaN gives zero.
        *strength = (share.clamp(0.0, 1.0) * 255.0).round() as u8;
    }
    strengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vibrator_takes_the_share_of_its_finger() {
        let shares = [0.0, 1.0, 0.5, f32::NAN, 7.0];
        assert_eq!(strengths(&shares), [0, 255, 128, 0, 255, 0]);
    }
}
