//! Rows to show for each kind of device, one per value.

use drivers::{
    Condition, CyberGlove, Fastrak, GloveSample, OpenGlove, OpenGloveSample, Sensor, TrackerSample,
};

use crate::input::InputDevice;

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) label: String,
    pub(super) value: String,
    /// Length of its bar, between 0 and 1, if it has one.
    pub(super) share: Option<f64>,
}

/// A device whose samples can be shown.
pub(super) trait Watchable: InputDevice {
    /// Newest values.
    type Newest: Default + Send;

    fn take(&self, sample: Self::Sample, shown: &mut Self::Newest);
    fn rows(shown: &Self::Newest) -> Vec<Row>;
}

impl Watchable for CyberGlove {
    type Newest = Option<GloveSample>;

    fn take(&self, sample: GloveSample, shown: &mut Option<GloveSample>) {
        *shown = Some(sample);
    }

    fn rows(shown: &Option<GloveSample>) -> Vec<Row> {
        let Some(sample) = shown else { return Vec::new() };
        let sensor = |sensor: Sensor| {
            let count = sample.counts.get(sensor)?;
            Some(Row {
                label: sensor.name().to_owned(),
                value: count.to_string(),
                share: Some(f64::from(count) / 255.0),
            })
        };
        let mut rows: Vec<Row> = Sensor::ALL.into_iter().filter_map(sensor).collect();
        if !sample.conditions.is_plugged_in {
            rows.push(note("glove", "not plugged into its unit"));
        }
        if sample.conditions.is_too_fast {
            rows.push(note("rate", "faster than the unit can sample"));
        }
        rows
    }
}

impl Watchable for OpenGlove {
    type Newest = Option<OpenGloveSample>;

    fn take(&self, sample: OpenGloveSample, shown: &mut Option<OpenGloveSample>) {
        *shown = Some(sample);
    }

    fn rows(shown: &Option<OpenGloveSample>) -> Vec<Row> {
        let Some(sample) = shown else { return Vec::new() };
        let row = |label: String, share: f32| Row {
            label,
            value: format!("{share:.2}"),
            share: Some(f64::from(share)),
        };
        let mut rows = Vec::new();
        for (i, finger) in ["thumb", "index", "middle", "ring", "pinkie"].into_iter().enumerate() {
            rows.extend(sample.curl[i].map(|curl| row(format!("{finger} curl"), curl)));
            for (joint, bend) in (1..).zip(sample.joints[i]) {
                rows.extend(bend.map(|bend| row(format!("{finger} joint {joint}"), bend)));
            }
            rows.extend(sample.splay[i].map(|splay| Row {
                share: Some(f64::from(splay + 1.0) / 2.0),
                ..row(format!("{finger} splay"), splay)
            }));
        }
        rows
    }
}

impl Watchable for Fastrak {
    /// Poses of stations 1 to 4.
    type Newest = [Option<TrackerSample>; 4];

    fn take(&self, sample: TrackerSample, shown: &mut [Option<TrackerSample>; 4]) {
        shown[usize::from(sample.station.clamp(1, 4)) - 1] = Some(sample);
    }

    fn rows(shown: &[Option<TrackerSample>; 4]) -> Vec<Row> {
        shown.iter().flatten().flat_map(pose).collect()
    }
}

/// Formats lengths in millimetres and angles in degrees.
fn pose(sample: &TrackerSample) -> Vec<Row> {
    /// Full range of a bar, in millimetres: a FASTRAK is inaccurate beyond it.
    const REACH: f64 = 1000.0;
    let station = sample.station;
    let position = sample.source_from_sensor.translation.vector * 1e3;
    let (roll, elevation, azimuth) = sample.source_from_sensor.rotation.euler_angles();
    let length = |axis: &str, mm: f64| Row {
        label: format!("{station} {axis}"),
        value: format!("{mm:8.1} mm"),
        share: Some((mm / REACH).clamp(-1.0, 1.0) * 0.5 + 0.5),
    };
    let angle = |name: &str, radians: f64, most_deg: f64| Row {
        label: format!("{station} {name}"),
        value: format!("{:8.1} deg", radians.to_degrees()),
        share: Some(radians.to_degrees() / most_deg * 0.5 + 0.5),
    };
    let mut rows = vec![
        length("x forward", position.x),
        length("y right", position.y),
        length("z down", position.z),
        angle("azimuth", azimuth, 180.0),
        angle("elevation", elevation, 90.0),
        angle("roll", roll, 180.0),
    ];
    let (how, letter) = match sample.condition {
        Condition::Good => return rows,
        Condition::Warning(letter) => ("usable", letter),
        Condition::Degraded(letter) => ("doubtful", letter),
        Condition::Invalid(letter) => ("invalid", letter),
    };
    let why = sample.condition.fault().unwrap_or("unknown");
    rows.push(note(&format!("{station} condition"), &format!("{how}: {why} ({letter})")));
    rows
}

fn note(label: &str, value: &str) -> Row {
    Row { label: label.to_owned(), value: value.to_owned(), share: None }
}
