//! Notices when a receiver jumps through the transmitter.

use std::time::Duration;

use nalgebra::Vector3;

use crate::polhemus::condition::Condition;
use crate::polhemus::record::TrackerSample;

/// Closer to the transmitter than this, in metres, a hand can really pass by it.
const NEAREST: f64 = 0.1;
/// A jump that misses the opposite point by more than this share of the distance is another fault.
const MISS: f64 = 0.2;
/// Later than this the receiver may have been carried there.
const LATEST: Duration = Duration::from_millis(100);

/// Counts jumps from p to -p.
///
/// A magnetic field is the same at opposite points, so a unit that is told the wrong half-space, or
/// whose receiver left the right one, gives the opposite point. Nothing is corrected here.
#[derive(Debug, Default)]
pub(super) struct FlipWatch {
    /// The last pose of each station that could be used.
    last: [Option<TrackerSample>; 4],
    n_flips: u64,
}

impl FlipWatch {
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
        let (mut watch, start) = (FlipWatch::default(), Instant::now());
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
