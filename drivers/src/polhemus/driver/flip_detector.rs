//! Detects jumps of a receiver through the transmitter.

use std::time::Duration;

use nalgebra::Vector3;

use crate::polhemus::condition::Condition;
use crate::polhemus::record::TrackerSample;

/// Smallest distance from the transmitter of a jump, in metres; closer to it a hand can really move
/// to the opposite side.
const NEAREST: f64 = 0.1;
/// Largest distance from the opposite point, as a share of the distance from the transmitter; a
/// jump to another place is another fault.
const MISS: f64 = 0.2;
/// Longest time between the two samples of a jump; in a longer time the receiver may really move
/// there.
const LATEST: Duration = Duration::from_millis(100);

/// Counts jumps from p to -p.
///
/// The magnetic field is the same at opposite points. So a unit that is set to the wrong
/// half-space, or whose receiver has left the right one, reports the opposite point. The detector
/// does not correct it.
#[derive(Debug, Default)]
pub(super) struct FlipDetector {
    /// The last valid pose of each station.
    last: [Option<TrackerSample>; 4],
    n_flips: u64,
}

impl FlipDetector {
    pub(super) fn see(&mut self, sample: &TrackerSample) {
        if matches!(sample.condition, Condition::Invalid(_)) {
            return;
        }
        let Some(last) = self.last.get_mut(usize::from(sample.station).wrapping_sub(1)) else {
            return;
        };
        if last.is_some_and(|last| is_flip(&last, sample)) {
            self.n_flips += 1;
        }
        *last = Some(*sample);
    }

    pub(super) fn n_flips(&self) -> u64 {
        self.n_flips
    }
}

fn is_flip(before: &TrackerSample, after: &TrackerSample) -> bool {
    let place =
        |sample: &TrackerSample| -> Vector3<f64> { sample.source_from_sensor.translation.vector };
    let distance = place(before).norm();
    after.arrival.saturating_duration_since(before.arrival) <= LATEST
        && distance >= NEAREST
        && (place(before) + place(after)).norm() <= MISS * distance
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use nalgebra::Isometry3;

    use super::*;

    fn check(places: [[f64; 3]; 3], step: Duration, want: u64) {
        let (mut watch, start) = (FlipDetector::default(), Instant::now());
        for (index, [x, y, z]) in (0..).zip(places) {
            watch.see(&TrackerSample {
                station: 2,
                source_from_sensor: Isometry3::translation(x, y, z),
                condition: Condition::Good,
                stylus: None,
                arrival: start + index * step,
            });
        }
        assert_eq!(watch.n_flips(), want, "{places:?}");
    }

    #[test]
    fn only_a_sudden_jump_to_the_opposite_point_counts() {
        let cycle = Duration::from_millis(8);
        let place = [0.3, -0.1, 0.2];
        let opposite = [-0.31, 0.1, -0.19];
        check([place, place, place], cycle, 0);
        check([place, opposite, opposite], cycle, 1);
        check([place, opposite, place], cycle, 2);
        check([place, [-0.3, -0.1, 0.2], place], cycle, 0);
        check([[0.01, 0.0, 0.0], [-0.01, 0.0, 0.0], [0.01, 0.0, 0.0]], cycle, 0);
        check([place, opposite, place], Duration::from_millis(500), 0);
    }
}
