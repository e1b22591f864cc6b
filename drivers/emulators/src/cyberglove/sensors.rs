//! Converts joint angles to counts: the emulated wearer's calibration, with noise, drift and
//! coupling of real sensors.

use super::GloveOptions;
use crate::motion::N_ANGLES;
use crate::random::Random;

/// Linear response of a sensor, from an angle to a count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    pub degrees_per_count: f64,
    /// The count at angle zero.
    pub zero_count: f64,
}

const fn model(degrees_per_count: f64, zero_count: f64) -> Response {
    Response { degrees_per_count, zero_count }
}

const THUMB_JOINT: Response = model(1.0, 120.0);
const MPJ: Response = model(1.4, 100.0);
const PIJ: Response = model(0.8, 60.0);
const DIJ: Response = model(1.4, 65.0);
const ABDUCTION: Response = model(0.5, 140.0);
const PALM_ARCH: Response = model(0.5, 90.0);
const WRIST_PITCH: Response = model(0.7, 100.0);
const WRIST_YAW: Response = model(0.3, 100.0);

/// Typical responses for an average hand, by mask bit: thumb roll, MPJ, IJ and abduction; four
/// fingers; palm and wrist. The last bit is a spare without a sensor.
#[rustfmt::skip]
pub(super) const TYPICAL: [Response; N_ANGLES] = [
    THUMB_JOINT, THUMB_JOINT, THUMB_JOINT, ABDUCTION,
    MPJ, PIJ, DIJ, ABDUCTION,
    MPJ, PIJ, DIJ, ABDUCTION,
    MPJ, PIJ, DIJ, ABDUCTION,
    MPJ, PIJ, DIJ, ABDUCTION,
    PALM_ARCH, WRIST_PITCH, WRIST_YAW, ABDUCTION,
];

/// Period of the drift, in seconds.
const DRIFT_PERIOD: f64 = 600.0;
/// Mask bits of the abduction sensors between two fingers, which also respond to the fingers' MPJ.
const BETWEEN_FINGERS: [usize; 3] = [11, 15, 19];
/// Counts per degree and per square degree of difference between the neighbours' MPJ angles.
const COUPLING: (f64, f64) = (0.15, 0.001);
/// Mask bits of the thumb's roll and abduction.
const THUMB: [usize; 2] = [0, 3];
/// Coupling between the two sensors of `THUMB`, in counts per count.
const THUMB_MIX: f64 = 0.15;

/// The responses of one wearer. In a working glove no count leaves its scale within the joints'
/// range, so the zeros of the two sensors that come near an end of the scale are limited.
pub(super) fn of_wearer(seed: u64) -> [Response; N_ANGLES] {
    /// Mask bit of the thumb's abduction, and the largest angle of this joint in degrees.
    const OUT: (usize, f64) = (3, 55.0);
    /// Mask bit of the wrist's yaw, and the largest angle of this joint in degrees.
    const ASIDE: (usize, f64) = (22, 30.0);
    std::array::from_fn(|bit| {
        let mut random = Random::of(seed, bit as u64);
        let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
        let degrees_per_count = TYPICAL[bit].degrees_per_count * between(0.85, 1.15);
        let zero_count = TYPICAL[bit].zero_count + between(-20.0, 20.0);
        let zero_count = match bit {
            bit if bit == OUT.0 => zero_count.min(235.0 - OUT.1 / degrees_per_count),
            bit if bit == ASIDE.0 => zero_count.max(5.0 + ASIDE.1 / degrees_per_count),
            _ => zero_count,
        };
        Response { degrees_per_count, zero_count }
    })
}

/// The readings of all sensors at one time, before they are rounded to counts.
pub(super) fn readings(
    angles_deg: &[f64; N_ANGLES],
    seconds: f64,
    n_sample: u64,
    options: &GloveOptions,
) -> [f64; N_ANGLES] {
    let mut noise = Random::of(options.seed, n_sample);
    std::array::from_fn(|bit| {
        let alone = |bit: usize| angles_deg[bit] / options.responses[bit].degrees_per_count;
        let mut reading = alone(bit) + options.responses[bit].zero_count;
        if BETWEEN_FINGERS.contains(&bit) {
            let (linear, square) = COUPLING;
            let difference = angles_deg[bit - 3] - angles_deg[bit - 7];
            reading += options.coupling * (linear * difference + square * difference * difference);
        }
        if let Some(place) = THUMB.iter().position(|of_thumb| *of_thumb == bit) {
            reading += options.coupling * THUMB_MIX * alone(THUMB[1 - place]);
        }
        // Each sensor drifts with its own phase, the same in every run.
        let phase = seconds / DRIFT_PERIOD + bit as f64 / N_ANGLES as f64;
        reading += options.drift_counts * (phase * std::f64::consts::TAU).sin();
        reading + options.noise_counts * noise.normal()
    })
}

/// The count that the unit sends for a reading; never 0, which would end a record.
pub(super) fn count(reading: f64) -> u8 {
    reading.round().clamp(1.0, 255.0) as u8
}

/// The value that a CyberGlove III sends for a reading in its high-resolution stream.
pub(super) fn fine_count(reading: f64) -> u16 {
    (reading * 16.0).round().clamp(1.0, 4094.0) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(bit: usize, angles_deg: &[(usize, f64)], options: &GloveOptions) -> f64 {
        let mut angles = [0.0; N_ANGLES];
        for (bit, angle_deg) in angles_deg {
            angles[*bit] = *angle_deg;
        }
        readings(&angles, 0.0, 0, options)[bit]
    }

    #[test]
    fn counts_stay_off_zero_and_within_a_byte() {
        let options = GloveOptions::default();
        let check = |bit, angle_deg, want| {
            assert_eq!(count(reading(bit, &[(bit, angle_deg)], &options)), want);
        };
        check(4, 70.0, 150);
        check(5, 80.0, 160);
        check(3, 10.0, 160);
        check(4, -1e6, 1);
        check(4, 1e6, 255);
        assert_eq!((fine_count(-5.0), fine_count(1e6)), (1, 4094));
    }

    #[test]
    fn noise_is_as_strong_as_asked_and_repeats() {
        let options = GloveOptions { noise_counts: 0.5, seed: 9, ..GloveOptions::default() };
        let sample = |n_sample| readings(&[0.0; N_ANGLES], 0.0, n_sample, &options);
        assert_eq!(sample(3), sample(3));
        assert_ne!(sample(3), sample(4));
        let n_samples = 2000;
        let square: f64 = (0..n_samples).map(|n| (sample(n)[4] - 100.0).powi(2)).sum();
        let deviation = (square / n_samples as f64).sqrt();
        assert!((deviation - 0.5).abs() < 0.05, "{deviation}");
    }

    #[test]
    fn abduction_feels_its_neighbours_only_if_coupled() {
        let bent_index = [(4, 80.0)];
        let coupled = GloveOptions { coupling: 1.0, ..GloveOptions::default() };
        assert_eq!(reading(11, &bent_index, &GloveOptions::default()), 140.0);
        // Middle minus index: -80 degrees.
        assert!((reading(11, &bent_index, &coupled) - (140.0 - 12.0 + 6.4)).abs() < 1e-9);
        assert_eq!(reading(15, &bent_index, &coupled), 140.0);
    }

    #[test]
    fn the_thumbs_sensors_feel_each_other_only_if_coupled() {
        let coupled = GloveOptions { coupling: 1.0, ..GloveOptions::default() };
        let rolled = [(0, 60.0)];
        assert_eq!(reading(3, &rolled, &GloveOptions::default()), 140.0);
        assert!((reading(3, &rolled, &coupled) - 149.0).abs() < 1e-9);
    }

    #[test]
    fn every_wearer_has_other_sensors_that_stay_on_their_scale() {
        for seed in 0..50 {
            let options = GloveOptions { coupling: 1.0, ..GloveOptions::default() }.worn_by(seed);
            assert_ne!(options.responses, TYPICAL);
            assert_eq!(options, options.worn_by(seed));
            for (own, typical) in options.responses.iter().zip(TYPICAL) {
                let ratio = own.degrees_per_count / typical.degrees_per_count;
                assert!((0.85..=1.15).contains(&ratio), "{ratio}");
            }
            for (bit, angle_deg) in [(3, 53.0), (22, -25.0), (5, 100.0), (4, 90.0)] {
                let reading = reading(bit, &[(bit, angle_deg), (0, 30.0)], &options);
                assert!((3.0..253.0).contains(&reading), "bit {bit}: {reading}");
            }
        }
    }

    #[test]
    fn drift_is_slow_and_bounded() {
        let options = GloveOptions { drift_counts: 3.0, ..GloveOptions::default() };
        let at = |seconds| readings(&[0.0; N_ANGLES], seconds, 0, &options)[4] - 100.0;
        let seconds = (0..1200).map(f64::from);
        let largest = seconds.map(|seconds| at(seconds).abs()).fold(0.0, f64::max);
        assert!((2.99..=3.0).contains(&largest));
        assert!((at(1.0) - at(0.0)).abs() < 0.05);
    }
}
