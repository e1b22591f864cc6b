//! The person's profiles in a journal, bit for bit.
//!
//! A profile's own file is made for people and rounds its numbers. Identical poses need all digits.

use calibration::glove_model::{Bend, Leak, SensorModel};
use calibration::{
    About, Device, EndJointRule, GloveModel, HandSize, JointLimits, Profile, SavedProfile,
    SensorMap, TrackerTransforms,
};
use drivers::{Sensor, SensorMask, Side};
use serde::{Deserialize, Serialize};

use super::JournalError;
use super::lines::SideFile;
use super::pose_numbers::{placed, pose};
use crate::session::profiles_in_use::{LoadedProfile, ProfilesInUse};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::session) struct PersonFile {
    name: Option<String>,
    left: HandFile,
    right: HandFile,
}

/// Profiles of one hand.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HandFile {
    /// The person's own calibration.
    own: Option<SavedProfileFile>,
    /// Reason why there is no calibration.
    missing: Option<String>,
    /// Profile of the same hand in an uncalibrated glove.
    plain: ProfileFile,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedProfileFile {
    date: String,
    glove: String,
    /// Sensors of the calibrated glove, in the form of the glove's mask.
    mask: [u8; 3],
    profile: ProfileFile,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    hand: SideFile,
    limits: LimitsFile,
    end_joints: EndJointsFile,
    size: SizeFile,
    world_from_source: [f64; 7],
    sensor_from_wrist: [f64; 7],
    /// Sensors in the order of the glove's mask bits.
    sensors: Vec<SensorFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::session) struct SizeFile {
    length: f64,
    breadth: f64,
    segments: [[Option<f64>; 3]; 5],
    /// Absent in journals of earlier versions.
    #[serde(default)]
    radii: [[Option<f64>; 3]; 5],
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SensorFile {
    gain: f64,
    offset: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    leaks: Vec<LeakFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bend: Option<[f64; 2]>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LeakFile {
    /// Mask bit.
    from: usize,
    share: f64,
    around: f64,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LimitsFile {
    Off,
    Soft,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EndJointsFile {
    Maker,
    Weighted,
    Mean,
    TwoThirds,
}

impl From<&ProfilesInUse> for PersonFile {
    fn from(profiles_in_use: &ProfilesInUse) -> Self {
        let hand = |side: Side| {
            let plain = profiles_in_use.uncalibrated(side).into();
            match profiles_in_use.loaded(side) {
                LoadedProfile::Saved(saved) => {
                    HandFile { own: Some((&**saved).into()), missing: None, plain }
                }
                LoadedProfile::Missing(why) => {
                    HandFile { own: None, missing: Some(why.clone()), plain }
                }
            }
        };
        let name = profiles_in_use.person().map(str::to_owned);
        Self { name, left: hand(Side::Left), right: hand(Side::Right) }
    }
}

impl PersonFile {
    pub(in crate::session) fn profiles_in_use(self) -> Result<ProfilesInUse, JournalError> {
        let name = self.name.clone().unwrap_or_default();
        let hand = |file: HandFile, side: Side| {
            let own = match (file.own, file.missing) {
                (Some(own), None) => LoadedProfile::Saved(Box::new(own.saved(&name, side)?)),
                (None, Some(why)) => LoadedProfile::Missing(why),
                (Some(_), Some(_)) | (None, None) => return Err(JournalError::Profile("hand")),
            };
            Ok((own, file.plain.profile(side)?))
        };
        let (left, right) = (hand(self.left, Side::Left)?, hand(self.right, Side::Right)?);
        Ok(ProfilesInUse::recorded(self.name, left, right))
    }
}

impl From<&SavedProfile> for SavedProfileFile {
    fn from(saved: &SavedProfile) -> Self {
        let Device { kind, mask, .. } = &saved.about.device;
        Self {
            date: saved.about.date.clone(),
            glove: kind.clone(),
            mask: mask.to_wire(),
            profile: (&saved.profile).into(),
        }
    }
}

impl SavedProfileFile {
    fn saved(self, person: &str, side: Side) -> Result<SavedProfile, JournalError> {
        let mask = SensorMask::from_wire(self.mask);
        let device = Device { kind: self.glove, mask, firmware: None };
        Ok(SavedProfile {
            about: About { person: person.to_owned(), date: self.date, device },
            profile: self.profile.profile(side)?,
            quality: [None; Sensor::ALL.len()],
        })
    }
}

impl From<&Profile> for ProfileFile {
    fn from(profile: &Profile) -> Self {
        let (glove, tracker) = (profile.glove(), profile.tracker());
        Self {
            hand: profile.hand().into(),
            limits: match profile.limits() {
                JointLimits::Off => LimitsFile::Off,
                JointLimits::Soft => LimitsFile::Soft,
            },
            end_joints: match glove.end_joints {
                EndJointRule::Maker => EndJointsFile::Maker,
                EndJointRule::Weighted => EndJointsFile::Weighted,
                EndJointRule::Mean => EndJointsFile::Mean,
                EndJointRule::TwoThirds => EndJointsFile::TwoThirds,
            },
            size: profile.size().into(),
            world_from_source: placed(&tracker.world_from_source),
            sensor_from_wrist: placed(&tracker.sensor_from_wrist),
            sensors: Sensor::ALL.iter().map(|sensor| glove.sensor(*sensor).into()).collect(),
        }
    }
}

impl ProfileFile {
    fn profile(self, side: Side) -> Result<Profile, JournalError> {
        if Side::from(self.hand) != side {
            return Err(JournalError::Profile("hand"));
        }
        let size = self.size.size()?;
        let mut glove = GloveModel::uncalibrated();
        glove.end_joints = match self.end_joints {
            EndJointsFile::Maker => EndJointRule::Maker,
            EndJointsFile::Weighted => EndJointRule::Weighted,
            EndJointsFile::Mean => EndJointRule::Mean,
            EndJointsFile::TwoThirds => EndJointRule::TwoThirds,
        };
        if self.sensors.len() != Sensor::ALL.len() {
            return Err(JournalError::Profile("list of sensors"));
        }
        for (sensor, file) in Sensor::ALL.into_iter().zip(self.sensors) {
            *glove.sensor_mut(sensor) = file.model()?;
        }
        let limits = match self.limits {
            LimitsFile::Off => JointLimits::Off,
            LimitsFile::Soft => JointLimits::Soft,
        };
        let tracker = TrackerTransforms {
            world_from_source: pose(&self.world_from_source)?,
            sensor_from_wrist: pose(&self.sensor_from_wrist)?,
        };
        Ok(Profile::uncalibrated(side)
            .with_glove(glove)
            .with_limits(limits)
            .with_size(size)
            .with_tracker(tracker))
    }
}

impl From<&HandSize> for SizeFile {
    fn from(size: &HandSize) -> Self {
        let HandSize { length, breadth, segments, radii } = *size;
        Self { length, breadth, segments, radii }
    }
}

impl SizeFile {
    pub(in crate::session) fn size(self) -> Result<HandSize, JournalError> {
        let Self { length, breadth, segments, radii } = self;
        let size = HandSize { length, breadth, segments, radii };
        // Sizes of human hands, divided by the world scale.
        let is_length = |metres: &f64| (1e-4..2.0).contains(metres);
        let measured = segments.iter().chain(&radii).flatten().flatten();
        if !measured.chain([&length, &breadth]).all(is_length) {
            return Err(JournalError::Profile("size"));
        }
        Ok(size)
    }
}

impl From<&SensorModel> for SensorFile {
    fn from(model: &SensorModel) -> Self {
        let SensorModel { map, leaks, bend } = model;
        let leak = |leak: &Leak| LeakFile {
            from: leak.from.bit(),
            share: leak.share,
            around: leak.around,
        };
        Self {
            gain: map.gain,
            offset: map.offset,
            leaks: leaks.iter().flatten().map(leak).collect(),
            bend: (*bend != Bend::default()).then_some([bend.linear, bend.quadratic]),
        }
    }
}

impl SensorFile {
    fn model(self) -> Result<SensorModel, JournalError> {
        let [linear, quadratic] = self.bend.unwrap_or_default();
        let of_leaks = self.leaks.iter().flat_map(|leak| [leak.share, leak.around]);
        let mut numbers = of_leaks.chain([self.gain, self.offset, linear, quadratic]);
        if !numbers.all(f64::is_finite) || self.leaks.len() > 2 {
            return Err(JournalError::Profile("sensor"));
        }
        let mut leaks = [None; 2];
        for (place, file) in leaks.iter_mut().zip(&self.leaks) {
            let from = *Sensor::ALL.get(file.from).ok_or(JournalError::Profile("sensor"))?;
            *place = Some(Leak { from, share: file.share, around: file.around });
        }
        let map = SensorMap { gain: self.gain, offset: self.offset };
        Ok(SensorModel { map, leaks, bend: Bend { linear, quadratic } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Isometry3, Vector3};

    /// A profile with an unusual number in every place.
    fn odd(side: Side) -> Profile {
        let mut glove = GloveModel::uncalibrated();
        for sensor in Sensor::ALL {
            let model = glove.sensor_mut(sensor);
            model.map.gain *= 1.0 + 1e-16_f64.sqrt() * (sensor.bit() as f64 + 1.0);
            model.map.offset += 1.0 / 3.0;
        }
        let sensor = glove.sensor_mut(Sensor::ThumbRoll);
        sensor.leaks[0] = Some(Leak { from: Sensor::ThumbMpj, share: 0.1, around: 100.7 });
        glove.sensor_mut(Sensor::RingMiddleAbduction).bend = Bend { linear: 0.3, quadratic: -0.1 };
        glove.end_joints = EndJointRule::TwoThirds;
        let mut size = HandSize::scaled(0.1777, 0.0811);
        size.radii[2][1] = Some(0.007 + 1e-18_f64.sqrt());
        let turned =
            |x: f64| Isometry3::new(Vector3::new(x, 0.1, 1.0 / 7.0), Vector3::repeat(0.3 * x));
        let tracker =
            TrackerTransforms { world_from_source: turned(0.7), sensor_from_wrist: turned(-0.9) };
        Profile::uncalibrated(side)
            .with_glove(glove)
            .with_limits(JointLimits::Soft)
            .with_size(size)
            .with_tracker(tracker)
    }

    #[test]
    fn a_profile_comes_back_to_the_last_bit() {
        let device = Device { kind: "test".into(), mask: SensorMask::GLOVE_18, firmware: None };
        let about = About { person: "anna".into(), date: "today".into(), device };
        let quality = [None; Sensor::ALL.len()];
        let saved = SavedProfile { about, profile: odd(Side::Right), quality };
        let missing = LoadedProfile::Missing("anna has none for the left hand".into());
        let anna = ProfilesInUse::of_person(
            "anna",
            missing,
            LoadedProfile::Saved(Box::new(saved.clone())),
        );
        let text = serde_json::to_string(&PersonFile::from(&anna)).unwrap();
        let file: PersonFile = serde_json::from_str(&text).unwrap();
        let again = file.profiles_in_use().unwrap();
        assert_eq!(again.person(), Some("anna"));
        assert!(matches!(again.loaded(Side::Right), LoadedProfile::Saved(own) if **own == saved));
        let left = again.loaded(Side::Left);
        assert!(matches!(left, LoadedProfile::Missing(why) if why.contains("none for")));
        for side in [Side::Left, Side::Right] {
            assert_eq!(again.uncalibrated(side), anna.uncalibrated(side));
        }
    }

    #[test]
    fn an_invalid_profile_is_refused() {
        let anonymous = PersonFile::from(&ProfilesInUse::anonymous());
        let text = serde_json::to_string(&anonymous).unwrap();
        let check = |from: &str, to: &str, expected: &str| {
            assert!(text.contains(from), "{from} is not in {text}");
            let file: PersonFile = serde_json::from_str(&text.replacen(from, to, 1)).unwrap();
            let error =
                file.profiles_in_use().err().map_or_else(String::new, |error| error.to_string());
            assert!(error.contains(expected), "{error:?} does not say {expected:?}");
        };
        check(r#""length":0.185"#, r#""length":0.0"#, "size");
        check(r#""hand":"left""#, r#""hand":"right""#, "hand");
        check(r#""missing":"""#, r#""missing":null"#, "hand");
    }
}
