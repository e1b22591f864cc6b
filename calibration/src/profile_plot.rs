//! A profile as a text chart: the hand's size, the tracker's place and the error of each joint as a
//! bar.

use std::fmt::Write;

use nalgebra::Isometry3;

use crate::fit::{GainSource, SensorFit};
use crate::joints::Finger;
use crate::profile_file::SavedProfile;
use crate::skeleton::HandSize;
use crate::tracker::TrackerTransforms;

/// Number of characters of the longest bar.
const WIDTH: usize = 40;
/// Smallest range of the chart, in degrees.
const MIN_SCALE_DEG: f64 = 4.0;

/// The hand, the tracker, then one line per sensor: gain, offset and the expected error on new
/// poses with its 95 % interval. The bar is full up to the interval's low end, dark up to the
/// estimate and light up to the high end.
pub fn plot(saved: &SavedProfile) -> String {
    let about = &saved.about;
    let hand = saved.profile.hand().name();
    let largest = saved.quality.iter().flatten().filter_map(|fit| fit.error).map(|e| e.high);
    // Limited, so that one joint with a large error does not flatten all others.
    let scale_deg = largest.fold(0.0, f64::max).to_degrees().clamp(MIN_SCALE_DEG, 15.0);
    let mut text =
        format!("{}, {hand} hand, {}, {}\n", about.person, about.device.kind, about.date);
    let mut line = |args: std::fmt::Arguments| {
        text.write_fmt(args).expect("a string takes any text");
    };
    line(format_args!("hand      {}\n", size_in_words(saved.profile.size())));
    line(format_args!("tracker   {}\n", tracker_in_words(saved.profile.tracker())));
    line(format_args!(
        "{:22} {:>9} {:>7}   error on new poses, 0 to {scale_deg:.0} degrees\n",
        "", "deg/count", "offset"
    ));
    for sensor in about.device.mask.sensors() {
        let map = saved.profile.glove().sensor(sensor).map;
        let bar = saved.quality[sensor.bit()]
            .as_ref()
            .map_or_else(|| "not calibrated".into(), |fit| error_bar(fit, scale_deg));
        let gain_deg = map.gain.to_degrees();
        line(format_args!("{:22} {gain_deg:9.3} {:7.1}   {bar}\n", sensor.name(), map.offset));
    }
    text
}

fn size_in_words(size: &HandSize) -> String {
    let mut text = format!("{:.0} mm long, {:.0} mm broad", size.length * 1e3, size.breadth * 1e3);
    let mut measured = Vec::new();
    for (finger, segments) in Finger::ALL.into_iter().zip(&size.segments) {
        for (place, length) in segments.iter().enumerate() {
            let millimetres = length.map(|length| length * 1e3);
            measured.extend(
                millimetres.map(|mm| format!("{} {} {mm:.1} mm", finger.name(), place + 1)),
            );
        }
    }
    if !measured.is_empty() {
        text += &format!("; measured: {}", measured.join(", "));
    }
    text
}

fn tracker_in_words(tracker: &TrackerTransforms) -> String {
    let usual = TrackerTransforms::default();
    let off = |is: &Isometry3<f64>, usual: &Isometry3<f64>| {
        let way = (is.translation.vector - usual.translation.vector).norm();
        let turned = usual.rotation.angle_to(&is.rotation).to_degrees();
        format!("{:.0} mm and {turned:.1} degrees", way * 1e3)
    };
    format!(
        "the transmitter stands {} off its usual place, the receiver sits {} off its own",
        off(&tracker.world_from_source, &usual.world_from_source),
        off(&tracker.sensor_from_wrist, &usual.sensor_from_wrist),
    )
}

fn error_bar(fit: &SensorFit, scale_deg: f64) -> String {
    let note = match fit.gain {
        GainSource::Fitted => "",
        GainSource::Unobserved => "  gain unobserved",
        GainSource::Clamped => "  gain at the end of its range",
        GainSource::SignRefused => "  sign refused",
    };
    let Some(error) = fit.error else {
        return format!("{}{note}", " ".repeat(WIDTH));
    };
    let cell = |angle: f64| {
        let share = angle.to_degrees() / scale_deg;
        ((share * WIDTH as f64).round() as usize).min(WIDTH)
    };
    let [low, middle, high] = [error.low, error.estimate, error.high].map(cell);
    let [low_deg, deg, high_deg] = [error.low, error.estimate, error.high].map(f64::to_degrees);
    format!(
        "{}{}{}{} {deg:4.1} ({low_deg:.1} to {high_deg:.1}){note}",
        "█".repeat(low),
        "▓".repeat(middle - low),
        "░".repeat(high - middle),
        " ".repeat(WIDTH - high),
    )
}

#[cfg(test)]
mod tests {
    use drivers::{Sensor, SensorMask, Side};

    use super::*;
    use crate::fit::ErrorInterval;
    use crate::profile::Profile;
    use crate::profile_file::{About, Device};

    #[test]
    fn a_bar_is_as_long_as_its_error() {
        let device = Device { kind: "glove".into(), mask: SensorMask::GLOVE_18, firmware: None };
        let mut quality = [None; Sensor::ALL.len()];
        let error = [1.0, 2.0, 4.0].map(f64::to_radians);
        let fit = SensorFit {
            n_captures: 9,
            residual: error[1],
            error: Some(ErrorInterval { low: error[0], estimate: error[1], high: error[2] }),
            gain: GainSource::Fitted,
        };
        quality[Sensor::IndexMpj.bit()] = Some(fit);
        let unobserved = SensorFit { error: None, gain: GainSource::Unobserved, ..fit };
        quality[Sensor::ThumbIj.bit()] = Some(unobserved);
        let mut size = HandSize::scaled(0.2, 0.09);
        size.segments[Finger::Ring.index()][1] = Some(0.0275);
        let mut tracker = TrackerTransforms::default();
        tracker.world_from_source.translation.vector.x = 0.05;
        let saved = SavedProfile {
            about: About { person: "Ann".into(), date: "today".into(), device },
            profile: Profile::uncalibrated(Side::Right).with_size(size).with_tracker(tracker),
            quality,
        };
        let text = plot(&saved);
        assert_eq!(text.lines().count(), 4 + 18);
        assert!(text.contains("hand      200 mm long, 90 mm broad; measured: ring 2 27.5 mm\n"));
        assert!(text.contains("stands 50 mm and 0.0 degrees off its usual place"), "{text}");
        assert!(text.starts_with("Ann, right hand, glove, today\n"));
        let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap();
        let bar = format!("{}{}{}", "█".repeat(10), "▓".repeat(10), "░".repeat(20));
        let want = format!("1.400   100.0   {bar}  2.0 (1.0 to 4.0)");
        assert!(line("index MPJ").ends_with(&want), "{text}");
        assert!(line("thumb IJ").ends_with("gain unobserved"));
        assert!(line("wrist yaw").ends_with("not calibrated"));
    }
}
