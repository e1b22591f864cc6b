//! Profiles of a run: the choice between a person's own profile and an uncalibrated one, and checks
//! that the profile fits the glove.

use calibration::profile_file::GloveMismatch;
use calibration::{GloveData, GloveModel, Profile, SavedProfile};
use drivers::{SensorCounts, SensorMask, Side};
use interaction::profiles::Profiles;
use interaction::scene::{StatusLevel, StatusLine};

/// The person's profiles, for each hand.
#[derive(Debug)]
pub struct ProfilesInUse {
    /// Name of the person; `None` for the anonymous person.
    person: Option<String>,
    left: ProfileSlot,
    right: ProfileSlot,
}

/// Loaded profile of one hand of a person.
#[derive(Debug)]
pub enum LoadedProfile {
    Saved(Box<SavedProfile>),
    /// There is no usable profile, for this reason.
    Missing(String),
}

#[derive(Debug)]
struct ProfileSlot {
    loaded: LoadedProfile,
    /// Profile of the same hand in an uncalibrated glove.
    uncalibrated: Profile,
    fit: ProfileFit,
    /// Sensors that were checked.
    mask: Option<SensorMask>,
    /// Number of consecutive samples that no hand can make.
    n_beyond: usize,
    /// True if a glove on this hand has sent a sample.
    is_worn: bool,
}

#[derive(Debug)]
enum ProfileFit {
    Fits,
    Refused(GloveMismatch),
}

/// Number of consecutive impossible samples at which a profile is refused: about half a second,
/// longer than a disturbance of the line.
const ENOUGH_BEYOND: usize = 50;

impl ProfilesInUse {
    /// Hands of average size in uncalibrated gloves.
    pub fn anonymous() -> Self {
        let slot = |hand| ProfileSlot::new(hand, LoadedProfile::Missing(String::new()));
        Self { person: None, left: slot(Side::Left), right: slot(Side::Right) }
    }

    pub fn of_person(name: &str, left: LoadedProfile, right: LoadedProfile) -> Self {
        Self {
            person: Some(name.to_owned()),
            left: ProfileSlot::new(Side::Left, left),
            right: ProfileSlot::new(Side::Right, right),
        }
    }

    /// Profiles from a journal, each hand with its uncalibrated profile.
    pub(super) fn recorded(
        person: Option<String>,
        left: (LoadedProfile, Profile),
        right: (LoadedProfile, Profile),
    ) -> Self {
        let slot = |hand, (loaded, uncalibrated)| ProfileSlot {
            uncalibrated,
            ..ProfileSlot::new(hand, loaded)
        };
        Self { person, left: slot(Side::Left, left), right: slot(Side::Right, right) }
    }

    /// Name of the person, if known.
    pub(super) fn person(&self) -> Option<&str> {
        self.person.as_deref()
    }

    pub(super) fn loaded(&self, hand: Side) -> &LoadedProfile {
        &self.slot(hand).loaded
    }

    /// Profile of a hand in an uncalibrated glove.
    pub(super) fn uncalibrated(&self, hand: Side) -> &Profile {
        &self.slot(hand).uncalibrated
    }

    /// Profiles of both hands before the first sample of a glove. The bones do not depend on the
    /// gloves.
    pub(super) fn both(&self) -> Profiles {
        Profiles { left: self.of(Side::Left).clone(), right: self.of(Side::Right).clone() }
    }

    /// The profile that makes the angles: the person's own if it fits the glove, otherwise the
    /// uncalibrated one.
    pub(super) fn of(&self, hand: Side) -> &Profile {
        let slot = self.slot(hand);
        match (&slot.loaded, &slot.fit) {
            (LoadedProfile::Saved(saved), ProfileFit::Fits) => &saved.profile,
            (LoadedProfile::Saved(_), ProfileFit::Refused(_)) | (LoadedProfile::Missing(_), _) => {
                &slot.uncalibrated
            }
        }
    }

    /// Checks that the profile fits the glove that sent this sample. Returns a complaint if there
    /// is a new one.
    pub(super) fn check_glove(&mut self, hand: Side, glove: &GloveData) -> Option<String> {
        let slot = match hand {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        };
        let is_new_hand = !std::mem::replace(&mut slot.is_worn, true);
        let complaint = match (&slot.loaded, glove) {
            // A glove that calibrates itself needs no gains from a profile.
            (_, GloveData::Curls(_)) => None,
            (LoadedProfile::Missing(why), GloveData::Counts(_)) => is_new_hand.then(|| why.clone()),
            (LoadedProfile::Saved(_), GloveData::Counts(counts)) => slot.check_glove(hand, counts),
        }?;
        let person = self.person.as_ref()?;
        Some(format!("the profile of {person} is not used: {complaint}"))
    }

    /// The reason why a profile is refused, if it is.
    pub(super) fn refusal(&self) -> Option<String> {
        let person = self.person.as_ref()?;
        let mismatch = self.worn().find_map(ProfileSlot::reason)?;
        Some(format!("the profile of {person} does not fit: {mismatch}"))
    }

    /// Lines of the status panel; none for the anonymous person, or before the first sample of a
    /// glove.
    pub(super) fn lines(&self) -> impl Iterator<Item = StatusLine> {
        let person = self.person.iter();
        person.flat_map(|person| self.worn().map(|slot| slot.line(person)))
    }

    fn worn(&self) -> impl Iterator<Item = &ProfileSlot> {
        [&self.left, &self.right].into_iter().filter(|slot| slot.is_worn)
    }

    fn slot(&self, hand: Side) -> &ProfileSlot {
        match hand {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }
}

impl ProfileSlot {
    fn line(&self, person: &str) -> StatusLine {
        let (level, text) = match (&self.loaded, &self.fit) {
            (LoadedProfile::Missing(why), _) => {
                (StatusLevel::Waiting, format!("{why}; an average hand is used"))
            }
            (LoadedProfile::Saved(saved), ProfileFit::Fits) => {
                (StatusLevel::Good, format!("{person}, {} hand", saved.profile.hand().name()))
            }
            (LoadedProfile::Saved(_), ProfileFit::Refused(mismatch)) => (
                StatusLevel::Bad,
                format!("{person}'s profile is refused: {mismatch}; angles are uncalibrated"),
            ),
        };
        StatusLine { name: "profile", level, text }
    }

    fn new(hand: Side, loaded: LoadedProfile) -> Self {
        let uncalibrated = match &loaded {
            // The size of the hand and the tracker's place do not depend on the glove.
            LoadedProfile::Saved(saved) => {
                saved.profile.clone().with_glove(GloveModel::uncalibrated())
            }
            LoadedProfile::Missing(_) => Profile::uncalibrated(hand),
        };
        Self {
            loaded,
            uncalibrated,
            fit: ProfileFit::Fits,
            mask: None,
            n_beyond: 0,
            is_worn: false,
        }
    }

    fn check_glove(&mut self, hand: Side, counts: &SensorCounts) -> Option<String> {
        let LoadedProfile::Saved(saved) = &self.loaded else { return None };
        let mask = SensorMask::of(counts.iter().map(|(sensor, _)| sensor));
        if self.mask.replace(mask) != Some(mask) {
            self.n_beyond = 0;
            self.fit = match saved.fits(mask, hand) {
                Ok(()) => ProfileFit::Fits,
                Err(mismatch) => ProfileFit::Refused(mismatch),
            };
            return self.reason();
        }
        // A refused profile stays refused: a hand must not change while it holds an object.
        if matches!(self.fit, ProfileFit::Refused(_)) {
            return None;
        }
        match saved.fits_counts(counts) {
            Ok(()) => self.n_beyond = 0,
            Err(mismatch) => {
                self.n_beyond += 1;
                if self.n_beyond >= ENOUGH_BEYOND {
                    self.fit = ProfileFit::Refused(mismatch);
                    return self.reason();
                }
            }
        }
        None
    }

    fn reason(&self) -> Option<String> {
        match &self.fit {
            ProfileFit::Fits => None,
            ProfileFit::Refused(mismatch) => Some(mismatch.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use calibration::{About, Device};
    use drivers::Sensor;

    use super::*;

    fn anna(mask: SensorMask) -> ProfilesInUse {
        let device = Device { kind: "test".into(), mask, firmware: None };
        let mut glove = GloveModel::uncalibrated();
        glove.sensor_mut(Sensor::IndexMpj).map.offset = 80.0;
        let saved = SavedProfile {
            about: About { person: "anna".into(), date: "today".into(), device },
            profile: Profile::uncalibrated(Side::Right).with_glove(glove),
            quality: [None; Sensor::ALL.len()],
        };
        let none = LoadedProfile::Missing("anna has none for the left hand".into());
        ProfilesInUse::of_person("anna", none, LoadedProfile::Saved(Box::new(saved)))
    }

    /// All sensors of a glove with 22 at the count of a straight joint, except for the index's
    /// knuckle.
    fn counts(index_mpj: u8) -> GloveData {
        let mut slots = [0; Sensor::ALL.len()];
        for sensor in SensorMask::GLOVE_22.sensors() {
            slots[sensor.bit()] = calibration::SensorMap::default_for(sensor).offset as u8;
        }
        slots[Sensor::IndexMpj.bit()] = index_mpj;
        GloveData::Counts(SensorCounts::from_slots(slots))
    }

    fn knuckle(profiles: &ProfilesInUse, hand: Side) -> f64 {
        let GloveData::Counts(counts) = counts(110) else { panic!("they are counts") };
        profiles.of(hand).joint_angles(&counts).fingers[0].mpj.to_degrees()
    }

    fn levels(profiles_in_use: &ProfilesInUse) -> Vec<StatusLevel> {
        profiles_in_use.lines().map(|line| line.level).collect()
    }

    #[test]
    fn a_profile_that_fits_is_used() {
        let mut anna = anna(SensorMask::GLOVE_22);
        assert_eq!(anna.check_glove(Side::Right, &counts(110)), None);
        assert!((knuckle(&anna, Side::Right) - 42.0).abs() < 1e-9);
        assert_eq!(anna.refusal(), None);
        assert_eq!(levels(&anna), [StatusLevel::Good]);
        // The other hand has no profile; one message tells that, and the run goes on.
        let told = anna.check_glove(Side::Left, &counts(110)).unwrap();
        assert!(told.contains("none for the left hand"), "{told}");
        assert_eq!(anna.check_glove(Side::Left, &counts(110)), None);
        assert_eq!(levels(&anna), [StatusLevel::Waiting, StatusLevel::Good]);
        assert_eq!(anna.refusal(), None);
    }

    #[test]
    fn a_profile_of_a_glove_with_other_sensors_is_refused_at_once() {
        let mut anna = anna(SensorMask::GLOVE_18);
        let told = anna.check_glove(Side::Right, &counts(110)).unwrap();
        assert!(told.contains("18 sensors, this one has 22"), "{told}");
        assert_eq!(anna.check_glove(Side::Right, &counts(110)), None, "said once");
        assert!((knuckle(&anna, Side::Right) - 14.0).abs() < 1e-9, "uncalibrated");
        let line = anna.lines().next().unwrap();
        assert_eq!(line.level, StatusLevel::Bad);
        assert!(line.text.contains("index DIJ"), "{}", line.text);
        assert!(anna.refusal().unwrap().contains("anna does not fit"));
    }

    #[test]
    fn counts_that_no_hand_can_make_are_a_disturbance_first_and_then_a_refusal() {
        let mut anna = anna(SensorMask::GLOVE_22);
        assert_eq!(anna.check_glove(Side::Right, &counts(110)), None);
        let told = |anna: &mut ProfilesInUse, n: usize| {
            (0..n).find_map(|_| anna.check_glove(Side::Right, &counts(255)))
        };
        assert_eq!(told(&mut anna, ENOUGH_BEYOND - 1), None);
        assert_eq!(anna.check_glove(Side::Right, &counts(110)), None);
        assert_eq!(told(&mut anna, ENOUGH_BEYOND - 1), None);
        let told = told(&mut anna, 1).unwrap();
        assert!(told.contains("index MPJ would be at 245 degrees"), "{told}");
        anna.check_glove(Side::Right, &counts(110));
        assert!(anna.refusal().is_some(), "once refused, it stays so");
    }

    #[test]
    fn without_a_profile_there_is_no_line() {
        let mut anonymous = ProfilesInUse::anonymous();
        assert_eq!(anonymous.check_glove(Side::Right, &counts(110)), None);
        assert!(anonymous.lines().next().is_none() && anonymous.refusal().is_none());
    }
}
