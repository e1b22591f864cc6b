//! Serialised form of a profile, with the conversions in both directions.

mod check;
mod sensor;

use drivers::{Sensor, SensorMask, Side};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use serde::{Deserialize, Serialize};

use super::{About, Device, FORMAT, FileError, SavedProfile};
use crate::glove_model::{EndJointRule, GloveModel};
use crate::joint_limits::JointLimits;
use crate::joints::Finger;
use crate::profile::Profile;
use crate::skeleton::HandSize;
use crate::skeleton::size::{BREADTH_MM, LENGTH_MM, RADIUS_MM, SEGMENT_MM};
use crate::tracker::TrackerTransforms;
use check::{number, text, value};
use sensor::SensorText;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileText {
    format: i64,
    person: String,
    hand: HandText,
    date: String,
    units: Units,
    device: DeviceText,
    output: OutputText,
    hand_size: SizeText,
    tracker: TrackerText,
    sensor: Vec<SensorText>,
}

/// The version number only, which decides how to read the rest.
#[derive(Deserialize)]
struct FormatText {
    format: i64,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum HandText {
    Left,
    Right,
}

#[derive(Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Units {
    angle: String,
    gain: String,
    length: String,
    turn: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceText {
    kind: String,
    sensor_mask: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    firmware: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputText {
    joint_limits: LimitsText,
    end_joints: EndJointText,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LimitsText {
    Off,
    Soft,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EndJointText {
    Maker,
    Weighted,
    Mean,
    TwoThirds,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SizeText {
    length: f64,
    breadth: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    measured: Vec<SegmentText>,
}

/// A segment that was measured; segments are counted from 1, from the base of the digit.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SegmentText {
    digit: String,
    segment: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    radius: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrackerText {
    world_from_source: PlacementText,
    sensor_from_wrist: PlacementText,
    /// Pose on the stage of a headset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stage_from_source: Option<PlacementText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlacementText {
    position: [f64; 3],
    turn: [f64; 4],
}

const HEADER: &str =
    "# A person's hand in a glove. angle = gain * (count - offset - leaks - bend)\n\n";

/// Range of positions, in millimetres.
const PLACE_MM: (f64, f64) = (-1e4, 1e4);

pub(super) fn write(saved: &SavedProfile) -> String {
    let SavedProfile { about, profile, .. } = saved;
    let [low, middle, high] = about.device.mask.to_wire();
    let twin = ProfileText {
        format: FORMAT,
        person: about.person.clone(),
        hand: match profile.hand() {
            Side::Left => HandText::Left,
            Side::Right => HandText::Right,
        },
        date: about.date.clone(),
        units: Units::ours(),
        device: DeviceText {
            kind: about.device.kind.clone(),
            sensor_mask: format!("0x{high:02X}{middle:02X}{low:02X}"),
            firmware: about.device.firmware.clone(),
        },
        output: OutputText {
            joint_limits: match profile.limits() {
                JointLimits::Off => LimitsText::Off,
                JointLimits::Soft => LimitsText::Soft,
            },
            end_joints: match profile.glove().end_joints {
                EndJointRule::Maker => EndJointText::Maker,
                EndJointRule::Weighted => EndJointText::Weighted,
                EndJointRule::Mean => EndJointText::Mean,
                EndJointRule::TwoThirds => EndJointText::TwoThirds,
            },
        },
        hand_size: SizeText::of(profile.size()),
        tracker: TrackerText {
            world_from_source: PlacementText::of(&profile.tracker().world_from_source),
            sensor_from_wrist: PlacementText::of(&profile.tracker().sensor_from_wrist),
            stage_from_source: profile.stage_from_source().as_ref().map(PlacementText::of),
        },
        sensor: about
            .device
            .mask
            .sensors()
            .map(|s| SensorText::of(s, profile.glove().sensor(s), saved.quality[s.bit()]))
            .collect(),
    };
    let body = toml::to_string(&twin).expect("strings, numbers and tables are all that TOML needs");
    format!("{HEADER}{body}")
}

pub(super) fn read(source: &str) -> Result<SavedProfile, FileError> {
    let syntax = |error: toml::de::Error| check::syntax(source, &error);
    let FormatText { format } = toml::from_str(source).map_err(syntax)?;
    if format != FORMAT {
        return Err(FileError::Format { got: format });
    }
    let twin: ProfileText = toml::from_str(source).map_err(syntax)?;
    if twin.units != Units::ours() {
        let want = "angle degree, gain degree per count, length millimetre, turn w x y z";
        return Err(value("units", "others", want));
    }
    let hand = match twin.hand {
        HandText::Left => Side::Left,
        HandText::Right => Side::Right,
    };
    let mask = twin.device.mask()?;
    let mut glove = GloveModel::uncalibrated();
    glove.end_joints = match twin.output.end_joints {
        EndJointText::Maker => EndJointRule::Maker,
        EndJointText::Weighted => EndJointRule::Weighted,
        EndJointText::Mean => EndJointRule::Mean,
        EndJointText::TwoThirds => EndJointRule::TwoThirds,
    };
    let quality = sensor::read_all(&twin.sensor, mask, &mut glove)?;
    let limits = match twin.output.joint_limits {
        LimitsText::Off => JointLimits::Off,
        LimitsText::Soft => JointLimits::Soft,
    };
    let tracker = TrackerTransforms {
        world_from_source: twin.tracker.world_from_source.isometry("world_from_source")?,
        sensor_from_wrist: twin.tracker.sensor_from_wrist.isometry("sensor_from_wrist")?,
    };
    let stage = twin.tracker.stage_from_source.as_ref();
    let stage_from_source = stage.map(|stage| stage.isometry("stage_from_source")).transpose()?;
    let profile = Profile::uncalibrated(hand)
        .with_glove(glove)
        .with_limits(limits)
        .with_size(twin.hand_size.size()?)
        .with_tracker(tracker)
        .with_stage(stage_from_source);
    let device = Device {
        kind: text("device.kind", twin.device.kind)?,
        mask,
        firmware: twin.device.firmware.map(|f| text("device.firmware", f)).transpose()?,
    };
    let about =
        About { person: text("person", twin.person)?, date: text("date", twin.date)?, device };
    Ok(SavedProfile { about, profile, quality })
}

impl Units {
    fn ours() -> Self {
        Self {
            angle: "degree".into(),
            gain: "degree per count".into(),
            length: "millimetre".into(),
            turn: "quaternion w x y z".into(),
        }
    }
}

impl DeviceText {
    fn mask(&self) -> Result<SensorMask, FileError> {
        let digits = self.sensor_mask.strip_prefix("0x").filter(|digits| digits.len() == 6);
        let wrong = || {
            value(
                "device.sensor_mask",
                &self.sensor_mask,
                "0x and six hexadecimal digits, not all 0",
            )
        };
        // Without this check, a sign would be accepted as a digit.
        let digits =
            digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit())).ok_or_else(wrong)?;
        let bits = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
        let [low, middle, high, _] = bits.to_le_bytes();
        if bits == 0 { Err(wrong()) } else { Ok(SensorMask::from_wire([low, middle, high])) }
    }
}

impl SizeText {
    fn of(size: &HandSize) -> Self {
        let mut measured = Vec::new();
        for finger in Finger::ALL {
            for place in 0..3 {
                let of = |known: &[[Option<f64>; 3]; 5]| {
                    known[finger.index()][place].map(|metres| tidy(metres * 1e3))
                };
                let (length, radius) = (of(&size.segments), of(&size.radii));
                if length.is_some() || radius.is_some() {
                    let (digit, segment) = (finger.name().into(), place + 1);
                    measured.push(SegmentText { digit, segment, length, radius });
                }
            }
        }
        let (length, breadth) = (tidy(size.length * 1e3), tidy(size.breadth * 1e3));
        Self { length, breadth, measured }
    }

    fn size(&self) -> Result<HandSize, FileError> {
        let mut size = HandSize::scaled(
            number("hand_size.length", self.length, LENGTH_MM)? * 1e-3,
            number("hand_size.breadth", self.breadth, BREADTH_MM)? * 1e-3,
        );
        size.check().map_err(|error| value("hand_size", error, "a hand's proportions"))?;
        for SegmentText { digit, segment, length, radius } in &self.measured {
            let finger = Finger::ALL
                .into_iter()
                .find(|finger| finger.name() == digit)
                .ok_or_else(|| value("hand_size.measured.digit", digit, "thumb to pinkie"))?;
            let place = segment
                .checked_sub(1)
                .filter(|place| *place < 3)
                .ok_or_else(|| value("hand_size.measured.segment", segment, "1 to 3"))?;
            let metres = |name: &str, mm: Option<f64>, range| {
                mm.map(|mm| Ok(number(name, mm, range)? * 1e-3)).transpose()
            };
            size.segments[finger.index()][place] =
                metres("hand_size.measured.length", *length, SEGMENT_MM)?;
            size.radii[finger.index()][place] =
                metres("hand_size.measured.radius", *radius, RADIUS_MM)?;
        }
        Ok(size)
    }
}

impl PlacementText {
    fn of(placement: &Isometry3<f64>) -> Self {
        let turn = placement.rotation;
        Self {
            position: placement.translation.vector.map(|metres| tidy(metres * 1e3)).into(),
            // Nine digits, so that the length stays one.
            turn: [turn.w, turn.i, turn.j, turn.k].map(|part| (part * 1e9).round() * 1e-9),
        }
    }

    fn isometry(&self, name: &str) -> Result<Isometry3<f64>, FileError> {
        for millimetres in self.position {
            number(&format!("tracker.{name}.position"), millimetres, PLACE_MM)?;
        }
        let [w, i, j, k] = self.turn;
        let turn = Quaternion::new(w, i, j, k);
        let is_turn = (turn.norm() - 1.0).abs() < 1e-3;
        let [x, y, z] = self.position.map(|millimetres| millimetres * 1e-3);
        match UnitQuaternion::try_new(turn, 0.5) {
            Some(rotation) if is_turn => {
                Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
            }
            _ => Err(value(&format!("tracker.{name}.turn"), turn, "a quaternion of length 1")),
        }
    }
}

/// Rounds to a millionth, for readability.
fn tidy(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// Sensor with this name in files and texts.
fn sensor_named(name: &str) -> Option<Sensor> {
    Sensor::ALL.into_iter().find(|sensor| sensor.name() == name)
}
