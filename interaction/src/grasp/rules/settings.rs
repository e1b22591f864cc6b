//! All rules with their names and values, as in flags, files and panels.

use calibration::Finger;

use super::{AfterRelease, AtSkin, GraspRules, Patch};

/// One rule: its name, its meaning, and conversions from and to text.
pub struct RuleSetting {
    pub name: &'static str,
    /// Help text.
    pub meaning: &'static str,
    /// Values that the rule can have. The panel of rules derives its controls from this text.
    pub expected: &'static str,
    read: fn(&GraspRules) -> String,
    write: fn(&mut GraspRules, &str) -> Option<()>,
}

/// Reason why a rule cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("expected RULE=VALUE, found {0:?}")]
    Form(String),
    #[error("no rule is called {name:?}, expected one of {}", names())]
    Unknown { name: String },
    #[error("{name} cannot be {value:?}, expected {expected}")]
    Value { name: &'static str, value: String, expected: &'static str },
    #[error(
        "the rules contradict each other, expected {0}: \
         otherwise a hand would take and drop the object again and again"
    )]
    Together(&'static str),
}

const MILLIMETRES: &str = "millimetres from 0 to 100";
const DEGREES: &str = "degrees from 0 to 180";
const COUNT: &str = "a number of fingers from 0 to 5";
const HOLDERS: &str = "a number of fingers from 1 to 5 (at most the number of attach-fingers)";
const ENOUGH: &str =
    "a number of fingers from 3 to 5 (fewer, or three in a line, leave the object free to turn)";

impl RuleSetting {
    /// All rules, in the order in which they matter during a grasp.
    pub const ALL: [Self; 16] = [
        Self {
            name: "attach-fingers",
            meaning: "the hand takes the object when all of these fingers touch it",
            expected: "names such as index+middle+ring",
            read: |rules| {
                rules.attach_fingers.iter().map(|f| f.name()).collect::<Vec<_>>().join("+")
            },
            write: |rules, text| {
                let named = |name: &str| Finger::ALL.into_iter().find(|f| f.name() == name);
                let mut fingers: Vec<Finger> = text.split('+').map(named).collect::<Option<_>>()?;
                fingers.sort_by_key(|finger| finger.index());
                fingers.dedup();
                rules.attach_fingers = fingers;
                Some(())
            },
        },
        Self {
            name: "hold-on-with",
            meaning: "the hand drops the object when fewer attach-fingers than this hold it",
            expected: HOLDERS,
            read: |rules| rules.hold_on_with.to_string(),
            write: |rules, text| {
                rules.hold_on_with = fingers(text).filter(|n| *n >= 1)?;
                Some(())
            },
        },
        Self {
            name: "deform-with",
            meaning: "the object begins to deform when this many fingertips hold it",
            expected: ENOUGH,
            read: |rules| rules.deform_with.to_string(),
            write: |rules, text| {
                rules.deform_with = fingers(text).filter(|n| *n >= 3)?;
                Some(())
            },
        },
        Self {
            name: "keep-deforming-with",
            meaning: "the object goes on deforming while at least this many fingertips hold it",
            expected: COUNT,
            read: |rules| rules.keep_deforming_with.to_string(),
            write: |rules, text| fingers(text).map(|n| rules.keep_deforming_with = n),
        },
        Self {
            name: "release-gap-mm",
            meaning: "a finger releases the object when it is this far outside of where it touched",
            expected: MILLIMETRES,
            read: |rules| in_millimetres(rules.release_gap),
            write: |rules, text| millimetres(text).map(|gap| rules.release_gap = gap),
        },
        Self {
            name: "open-hand-deg",
            meaning: "a hand is open and holds nothing while its fingers bend less than this \
                      on average",
            expected: DEGREES,
            read: |rules| in_degrees(rules.open_hand),
            write: |rules, text| degrees(text).map(|bend| rules.open_hand = bend),
        },
        Self {
            name: "reopening-deg",
            meaning: "a hand that has closed by this angle since it took the object drops it when \
                      it is as open again as then",
            expected: DEGREES,
            read: |rules| in_degrees(rules.reopening),
            write: |rules, text| degrees(text).map(|bend| rules.reopening = bend),
        },
        Self {
            name: "touch-gap-mm",
            meaning: "a finger that touches keeps touching until it is this far from the skin",
            expected: MILLIMETRES,
            read: |rules| in_millimetres(rules.touch_gap),
            write: |rules, text| millimetres(text).map(|gap| rules.touch_gap = gap),
        },
        Self {
            name: "clear-gap-mm",
            meaning: "a touch ends at once when all fingertips are farther than this from the skin",
            expected: MILLIMETRES,
            read: |rules| in_millimetres(rules.clear_gap),
            write: |rules, text| millimetres(text).map(|gap| rules.clear_gap = gap),
        },
        Self {
            name: "linger-s",
            meaning: "a touch also ends when no fingertip has touched for this time",
            expected: "seconds from 0 to 10",
            read: |rules| rules.linger.to_string(),
            write: |rules, text| number(text, 10.0).map(|linger| rules.linger = linger),
        },
        Self {
            name: "lost-hand-s",
            meaning: "the hand drops the object when its devices have sent nothing for this time",
            expected: "seconds from 0.25 to 60",
            read: |rules| rules.lost_hand.to_string(),
            write: |rules, text| {
                let seconds = number(text, 60.0).filter(|seconds| *seconds >= 0.25)?;
                rules.lost_hand = seconds;
                Some(())
            },
        },
        Self {
            name: "patch",
            meaning: "a fingertip holds the nearest node, or all nodes under its disc",
            expected: "node or disc",
            read: |rules| word(PATCHES, rules.patch),
            write: |rules, text| meant(PATCHES, text).map(|patch| rules.patch = patch),
        },
        Self {
            name: "disc",
            meaning: "radius of that disc, as a multiple of the fingertip's radius",
            expected: "a number from 0 to 3",
            read: |rules| rules.disc.to_string(),
            write: |rules, text| number(text, 3.0).map(|disc| rules.disc = disc),
        },
        Self {
            name: "release",
            meaning: "an object that is let go springs back, or keeps the shape that it has",
            expected: "springs or keeps",
            read: |rules| word(RELEASES, rules.release),
            write: |rules, text| meant(RELEASES, text).map(|release| rules.release = release),
        },
        Self {
            name: "fingers",
            meaning: "the drawn fingers stop at the skin, or pass through it",
            expected: "stop or pass",
            read: |rules| word(AT_SKIN, rules.fingers),
            write: |rules, text| meant(AT_SKIN, text).map(|fingers| rules.fingers = fingers),
        },
        Self {
            name: "palm",
            meaning: "the drawn palm stops at the skin, or passes through it",
            expected: "stop or pass",
            read: |rules| word(AT_SKIN, rules.palm),
            write: |rules, text| meant(AT_SKIN, text).map(|palm| rules.palm = palm),
        },
    ];

    /// The rule's value, in the form that [`GraspRules::set`] takes.
    pub fn value(&self, rules: &GraspRules) -> String {
        (self.read)(rules)
    }
}

impl GraspRules {
    /// Sets a rule by its name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), RuleError> {
        let Some(setting) = RuleSetting::ALL.iter().find(|setting| setting.name == name) else {
            return Err(RuleError::Unknown { name: name.to_owned() });
        };
        let RuleSetting { name, expected, .. } = *setting;
        (setting.write)(self, value).ok_or_else(|| RuleError::Value {
            name,
            value: value.to_owned(),
            expected,
        })
    }

    /// The default rules with these changes, each as `RULE=VALUE`.
    pub fn with(changes: &[impl AsRef<str>]) -> Result<Self, RuleError> {
        let mut rules = Self::default();
        for change in changes.iter().map(AsRef::as_ref) {
            let (name, value) =
                change.split_once('=').ok_or_else(|| RuleError::Form(change.to_owned()))?;
            rules.set(name.trim(), value.trim())?;
        }
        rules.check()?;
        Ok(rules)
    }

    /// Returns an error if the rules contradict each other.
    pub fn check(&self) -> Result<(), RuleError> {
        if !(1..=self.attach_fingers.len()).contains(&self.hold_on_with) {
            Err(RuleError::Together("hold-on-with from 1 to the number of attach-fingers"))
        } else if self.keep_deforming_with > self.deform_with {
            Err(RuleError::Together("keep-deforming-with not above deform-with"))
        } else if self.touch_gap > self.clear_gap {
            Err(RuleError::Together("touch-gap-mm not above clear-gap-mm"))
        } else {
            Ok(())
        }
    }

    /// Help page: each rule with its default value, its meaning and its possible values.
    pub fn help() -> String {
        let rules = Self::default();
        let mut page = String::from("Rules of grasping, with their default values:\n");
        for setting in &RuleSetting::ALL {
            let rule = format!("{}={}", setting.name, setting.value(&rules));
            let (meaning, expected) = (setting.meaning, setting.expected);
            page.push_str(&format!("  {rule:<34}{meaning}; {expected}\n"));
        }
        page
    }

    /// All rules, each as `RULE=VALUE`.
    pub fn in_words(&self) -> Vec<String> {
        RuleSetting::ALL
            .iter()
            .map(|setting| format!("{}={}", setting.name, setting.value(self)))
            .collect()
    }
}

const PATCHES: &[(&str, Patch)] = &[("node", Patch::Node), ("disc", Patch::Disc)];
const RELEASES: &[(&str, AfterRelease)] =
    &[("springs", AfterRelease::Springs), ("keeps", AfterRelease::Keeps)];
const AT_SKIN: &[(&str, AtSkin)] = &[("stop", AtSkin::Stops), ("pass", AtSkin::Passes)];

fn names() -> String {
    RuleSetting::ALL.map(|setting| setting.name).join(", ")
}

fn word<T: PartialEq>(words: &[(&str, T)], value: T) -> String {
    words.iter().find(|(_, v)| *v == value).map_or_else(String::new, |(word, _)| (*word).to_owned())
}

fn meant<T: Copy>(words: &[(&str, T)], text: &str) -> Option<T> {
    words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
}

fn fingers(text: &str) -> Option<usize> {
    text.parse().ok().filter(|n| *n <= 5)
}

fn number(text: &str, most: f64) -> Option<f64> {
    text.parse().ok().filter(|x| (0.0..=most).contains(x))
}

fn millimetres(text: &str) -> Option<f64> {
    number(text, 100.0).map(|mm| mm * 1e-3)
}

fn degrees(text: &str) -> Option<f64> {
    number(text, 180.0).map(f64::to_radians)
}

fn in_degrees(radians: f64) -> String {
    ((radians.to_degrees() * 1e6).round() / 1e6).to_string()
}

fn in_millimetres(metres: f64) -> String {
    // Rounded to nanometres, so that a typed value is shown unchanged.
    ((metres * 1e9).round() / 1e6).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_comes_back_from_its_words() {
        let mut rules = GraspRules::default();
        let changes = [
            "attach-fingers=thumb+index",
            "hold-on-with=1",
            "deform-with=3",
            "keep-deforming-with=2",
            "release-gap-mm=4.25",
            "open-hand-deg=12.5",
            "reopening-deg=30",
            "touch-gap-mm=1",
            "clear-gap-mm=9",
            "linger-s=0.5",
            "lost-hand-s=0.75",
            "patch=disc",
            "disc=1.2",
            "release=keeps",
            "fingers=pass",
            "palm=stop",
        ];
        for change in changes {
            let before = rules.clone();
            let (name, value) = change.split_once('=').unwrap();
            rules.set(name, value).unwrap();
            assert_ne!(rules, before, "{change} changes nothing");
        }
        assert_eq!(rules.in_words(), changes);
        assert_eq!(GraspRules::with(&rules.in_words()).unwrap(), rules);
        let unchanged: [&str; 0] = [];
        assert_eq!(GraspRules::with(&unchanged).unwrap(), GraspRules::default());
    }

    fn check_refused(change: &str, expected: &str) {
        let error = GraspRules::with(&[change]).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn invalid_rules_are_refused_with_the_reason() {
        check_refused("patch", "expected RULE=VALUE");
        check_refused("patches=node", "expected one of attach-fingers");
        check_refused("patch=square", "expected node or disc");
        check_refused("hold-on-with=6", "a number of fingers from 1 to 5");
        check_refused("deform-with=6", "a number of fingers from 3 to 5");
        check_refused("deform-with=2", "leave the object free to turn");
        check_refused("release-gap-mm=-1", "millimetres");
        check_refused("linger-s=NaN", "seconds");
        check_refused("lost-hand-s=0", "from 0.25");
        check_refused("attach-fingers=index+toe", "names such as");
        check_refused("attach-fingers=", "names such as");
        check_refused("attach-fingers=index", "hold-on-with from 1");
        let error = GraspRules::with(&["deform-with=3", "keep-deforming-with=4"]).unwrap_err();
        assert!(error.to_string().contains("keep-deforming-with not above"), "{error}");
        check_refused("touch-gap-mm=7", "clear-gap-mm");
    }
}
