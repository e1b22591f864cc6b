//! A person's profiles in a run: which one makes the angles, and whether it fits the glove that is
//! worn.

use calibration::file::Misfit;
use calibration::{GloveData, GloveModel, Profile, SavedProfile};
use drivers::{Hand, SensorCounts, SensorMask};
use interaction::profiles::Profiles;
use interaction::scene::{Level, StatusLine};

/// The person's calibration, for whichever hands the gloves are on.
#[derive(Debug)]
pub struct Fitting {
    /// Whose; `None` if nobody was named.
    person: Option<String>,
    left: Slot,
    right: Slot,
}

/// What is known of one hand of a person.
#[derive(Debug)]
pub enum Own {
    Saved(Box<SavedProfile>),
    /// There is no profile that could be used; says why.
    Missing(String),
}

#[derive(Debug)]
struct Slot {
    own: Own,
    /// The same hand in a glove that nobody has calibrated.
    plain: Profile,
    verdict: Verdict,
    /// The sensors that were judged.
    mask: Option<SensorMask>,
    /// Samples in a row that no hand can make.
    n_beyond: usize,
    /// Whether a glove on this hand has spoken.
    is_worn: bool,
}

#[derive(Debug)]
enum Verdict {
    Fits,
    Refused(Misfit),
}

/// So many samples in a row, about half a second, are no disturbance of the line.
const ENOUGH_BEYOND: usize = 50;

impl Fitting {
    /// Hands of average size in gloves that nobody has calibrated.
    pub fn of_nobody() -> Self {
        let slot = |hand| Slot::new(hand, Own::Missing(String::new()));
        Self { person: None, left: slot(Hand::Left), right: slot(Hand::Right) }
    }

    pub fn of_person(name: &str, left: Own, right: Own) -> Self {
        Self {
            person: Some(name.to_owned()),
            left: Slot::new(Hand::Left, left),
            right: Slot::new(Hand::Right, right),
        }
    }

    /// The same from a journal, each hand with what it is without a calibration.
    pub(super) fn recorded(
        person: Option<String>,
        left: (Own, Profile),
        right: (Own, Profile),
    ) -> Self {
        let slot = |hand, (own, plain)| Slot { plain, ..Slot::new(hand, own) };
        Self { person, left: slot(Hand::Left, left), right: slot(Hand::Right, right) }
    }

    /// Whose hands they are, if somebody was named.
    pub(super) fn person(&self) -> Option<&str> {
        self.person.as_deref()
    }

    pub(super) fn own(&self, hand: Hand) -> &Own {
        &self.slot(hand).own
    }

    /// A hand in a glove that nobody has calibrated.
    pub(super) fn plain(&self, hand: Hand) -> &Profile {
        &self.slot(hand).plain
    }

    /// What is known of both hands before any glove has spoken. The bones stay the same whatever
    /// the gloves say.
    pub(super) fn profiles(&self) -> Profiles {
        Profiles { left: self.of(Hand::Left).clone(), right: self.of(Hand::Right).clone() }
    }

    /// What makes the angles: the person's own profile if it fits the glove, else the same hand
    /// uncalibrated.
    pub(super) fn of(&self, hand: Hand) -> &Profile {
        let slot = self.slot(hand);
        match (&slot.own, &slot.verdict) {
            (Own::Saved(saved), Verdict::Fits) => &saved.profile,
            (Own::Saved(_), Verdict::Refused(_)) | (Own::Missing(_), _) => &slot.plain,
        }
    }

    /// Looks whether the profile can be of the glove that says this; tells what is new about that.
    pub(super) fn judge(&mut self, hand: Hand, glove: &GloveData) -> Option<String> {
        let slot = match hand {
            Hand::Left => &mut self.left,
            Hand::Right => &mut self.right,
        };
        let is_new_hand = !std::mem::replace(&mut slot.is_worn, true);
        let news = match (&slot.own, glove) {
            // A glove that calibrates itself needs nobody's gains.
            (_, GloveData::Curls(_)) => None,
            (Own::Missing(why), GloveData::Counts(_)) => is_new_hand.then(|| why.clone()),
            (Own::Saved(_), GloveData::Counts(counts)) => slot.judge(hand, counts),
        }?;
        let person = self.person.as_ref()?;
        Some(format!("the profile of {person} is not used: {news}"))
    }

    /// Why a profile must not be used, if that is so.
    pub(super) fn refusal(&self) -> Option<String> {
        let person = self.person.as_ref()?;
        let misfit = self.worn().find_map(Slot::reason)?;
        Some(format!("the profile of {person} does not fit: {misfit}"))
    }

    /// Lines of the status panel; none if nobody was named or no glove has spoken.
    pub(super) fn lines(&self) -> impl Iterator<Item = StatusLine> {
        let person = self.person.iter();
        person.flat_map(|person| self.worn().map(|slot| slot.line(person)))
    }

    fn worn(&self) -> impl Iterator<Item = &Slot> {
        [&self.left, &self.right].into_iter().filter(|slot| slot.is_worn)
    }

    fn slot(&self, hand: Hand) -> &Slot {
        match hand {
            Hand::Left => &self.left,
            Hand::Right => &self.right,
        }
    }
}

impl Slot {
    fn line(&self, person: &str) -> StatusLine {
        let (level, text) = match (&self.own, &self.verdict) {
            (Own::Missing(why), _) => (Level::Waiting, format!("{why}; an average hand is used")),
            (Own::Saved(saved), Verdict::Fits) => {
                (Level::Good, format!("{person}, {} hand", saved.profile.hand().name()))
            }
            (Own::Saved(_), Verdict::Refused(misfit)) => {
                (Level::Bad, format!("{person}'s is refused: {misfit}; angles are uncalibrated"))
            }
        };
        StatusLine { name: "profile", level, text }
    }

    fn new(hand: Hand, own: Own) -> Self {
        let plain = match &own {
            // The size of the hand and the tracker's place do not depend on the glove.
            Own::Saved(saved) => saved.profile.clone().with_glove(GloveModel::uncalibrated()),
            Own::Missing(_) => Profile::uncalibrated(hand),
        };
        Self { own, plain, verdict: Verdict::Fits, mask: None, n_beyond: 0, is_worn: false }
    }

    fn judge(&mut self, hand: Hand, counts: &SensorCounts) -> Option<String> {
        let Own::Saved(saved) = &self.own else { return None };
        let mask = SensorMask::of(counts.iter().map(|(sensor, _)| sensor));
        if self.mask.replace(mask) != Some(mask) {
            self.n_beyond = 0;
            self.verdict = match saved.fits(mask, hand) {
                Ok(()) => Verdict::Fits,
                Err(misfit) => Verdict::Refused(misfit),
            };
            return self.reason();
        }
        // Once refused, it stays so: a hand must not change under the object that it holds.
        if matches!(self.verdict, Verdict::Refused(_)) {
            return None;
        }
        match saved.fits_counts(counts) {
            Ok(()) => self.n_beyond = 0,
            Err(misfit) => {
                self.n_beyond += 1;
                if self.n_beyond >= ENOUGH_BEYOND {
                    self.verdict = Verdict::Refused(misfit);
                    return self.reason();
                }
            }
        }
        None
    }

    fn reason(&self) -> Option<String> {
        match &self.verdict {
            Verdict::Fits => None,
            Verdict::Refused(misfit) => Some(misfit.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use calibration::{About, Device};
    use drivers::Sensor;

    use super::*;

    fn anna(mask: SensorMask) -> Fitting {
        let device = Device { kind: "test".into(), mask, firmware: None };
        let mut glove = GloveModel::uncalibrated();
        glove.sensor_mut(Sensor::IndexMpj).map.offset = 80.0;
        let saved = SavedProfile {
            about: About { person: "anna".into(), date: "today".into(), device },
            profile: Profile::uncalibrated(Hand::Right).with_glove(glove),
            quality: [None; Sensor::ALL.len()],
        };
        let none = Own::Missing("anna has none for the left hand".into());
        Fitting::of_person("anna", none, Own::Saved(Box::new(saved)))
    }

    /// Every sensor of a glove with 22 at the count of a straight joint, but the index's knuckle.
    fn counts(index_mpj: u8) -> GloveData {
        let mut slots = [0; Sensor::ALL.len()];
        for sensor in SensorMask::GLOVE_22.sensors() {
            slots[sensor.bit()] = calibration::SensorMap::default_for(sensor).offset as u8;
        }
        slots[Sensor::IndexMpj.bit()] = index_mpj;
        GloveData::Counts(SensorCounts::from_slots(slots))
    }

    fn knuckle(profiles: &Fitting, hand: Hand) -> f64 {
        let GloveData::Counts(counts) = counts(110) else { panic!("they are counts") };
        profiles.of(hand).joint_angles(&counts).fingers[0].mpj.to_degrees()
    }

    fn levels(fitting: &Fitting) -> Vec<Level> {
        fitting.lines().map(|line| line.level).collect()
    }

    #[test]
    fn a_profile_that_fits_is_used() {
        let mut anna = anna(SensorMask::GLOVE_22);
        assert_eq!(anna.judge(Hand::Right, &counts(110)), None);
        assert!((knuckle(&anna, Hand::Right) - 42.0).abs() < 1e-9);
        assert_eq!(anna.refusal(), None);
        assert_eq!(levels(&anna), [Level::Good]);
        // The other hand has none; that is said once and is no reason to stop.
        let told = anna.judge(Hand::Left, &counts(110)).unwrap();
        assert!(told.contains("none for the left hand"), "{told}");
        assert_eq!(anna.judge(Hand::Left, &counts(110)), None);
        assert_eq!(levels(&anna), [Level::Waiting, Level::Good]);
        assert_eq!(anna.refusal(), None);
    }

    #[test]
    fn a_profile_of_a_glove_with_other_sensors_is_refused_at_once() {
        let mut anna = anna(SensorMask::GLOVE_18);
        let told = anna.judge(Hand::Right, &counts(110)).unwrap();
        assert!(told.contains("18 sensors, this one has 22"), "{told}");
        assert_eq!(anna.judge(Hand::Right, &counts(110)), None, "said once");
        assert!((knuckle(&anna, Hand::Right) - 14.0).abs() < 1e-9, "uncalibrated");
        let line = anna.lines().next().unwrap();
        assert_eq!(line.level, Level::Bad);
        assert!(line.text.contains("index DIJ"), "{}", line.text);
        assert!(anna.refusal().unwrap().contains("anna does not fit"));
    }

    #[test]
    fn counts_that_no_hand_can_make_are_a_disturbance_first_and_then_a_refusal() {
        let mut anna = anna(SensorMask::GLOVE_22);
        assert_eq!(anna.judge(Hand::Right, &counts(110)), None);
        let told = |anna: &mut Fitting, n: usize| {
            (0..n).find_map(|_| anna.judge(Hand::Right, &counts(255)))
        };
        assert_eq!(told(&mut anna, ENOUGH_BEYOND - 1), None);
        assert_eq!(anna.judge(Hand::Right, &counts(110)), None);
        assert_eq!(told(&mut anna, ENOUGH_BEYOND - 1), None);
        let told = told(&mut anna, 1).unwrap();
        assert!(told.contains("index MPJ would be at 245 degrees"), "{told}");
        anna.judge(Hand::Right, &counts(110));
        assert!(anna.refusal().is_some(), "once refused, it stays so");
    }

    #[test]
    fn nobody_in_particular_has_no_line() {
        let mut nobody = Fitting::of_nobody();
        assert_eq!(nobody.judge(Hand::Right, &counts(110)), None);
        assert!(nobody.lines().next().is_none() && nobody.refusal().is_none());
    }
}
