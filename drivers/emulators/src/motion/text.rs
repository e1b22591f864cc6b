//! The text form of motions, for script files.
//!
//! A script has one statement per line; `#` begins a comment. Angles are in degrees with flexion
//! positive, positions in centimetres in the transmitter's frame (x forward, y right, z down),
//! times in seconds. A keyframe begins as a copy of the one before it, so that only changes are
//! written:
//!
//! ```text
//! period 4                    # seconds after which the motion repeats
//! keyframe 0 open             # a time and a name
//!   position 30 5 -20         # x y z of the receiver on the wrist
//!   turn 90 0 0               # azimuth, elevation and roll of that receiver
//! keyframe 2 closed
//!   thumb 60 20 25 40         # roll, MPJ, IJ, abduction
//!   index 45 50 25            # MPJ, PIJ, DIJ; likewise middle, ring and pinkie
//!   spread 0 0 0              # middle-index, ring-middle, pinkie-ring
//!   palm 10                   # arch
//!   wrist 0 0                 # pitch, yaw
//! ```
//!
//! Instead of `turn`, `quaternion` takes four numbers, scalar first, and normalises them.

use super::{HandState, Keyframe, Motion, MotionError};

/// Error in a script, with its line.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ScriptError {
    /// Number of the line, from 1; the last line for problems of the whole script.
    pub line: usize,
    #[source]
    pub problem: ScriptProblem,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScriptProblem {
    #[error(
        "no statement is called {0:?}; expected period, keyframe, thumb, index, middle, ring, \
         pinkie, spread, palm, wrist, position, turn or quaternion"
    )]
    Statement(String),
    #[error("{statement} takes {wanted}, got {got} numbers")]
    Count { statement: &'static str, wanted: &'static str, got: usize },
    #[error("expected a number from -{LARGEST} to {LARGEST}, got {0:?}")]
    Number(String),
    #[error("{0} comes before the first keyframe")]
    NoKeyframe(&'static str),
    #[error("a quaternion of length 0 is not an attitude")]
    NoAttitude,
    #[error("the script has no period")]
    NoPeriod,
    #[error(transparent)]
    Motion(#[from] MotionError),
}

/// Largest size of any number in a script.
const LARGEST: f64 = 10_000.0;

impl Motion {
    /// Reads a script; the module's documentation describes its form.
    pub fn from_text(text: &str) -> Result<Self, ScriptError> {
        let mut script = Script { period: None, keyframes: Vec::new() };
        let mut n_lines = 0;
        for line in text.lines() {
            n_lines += 1;
            let statement = line.split('#').next().unwrap_or_default();
            script.take(statement).map_err(|problem| ScriptError { line: n_lines, problem })?;
        }
        let whole = script.period.ok_or(ScriptProblem::NoPeriod);
        whole
            .and_then(|period| Ok(Self::new(script.keyframes, period)?))
            .map_err(|problem| ScriptError { line: n_lines.max(1), problem })
    }
}

impl Motion {
    /// The script of this motion, with every keyframe in full.
    ///
    /// Read again it gives the same motion, except for the last digits of attitudes. The script of
    /// a puppet holds only its first state.
    pub fn to_text(&self) -> String {
        let mut text = format!("period {}\n", self.period());
        for Keyframe { seconds, state, name } in self.keyframes() {
            // A `#` or a line end in a name would end the name when it is read again.
            let name = name.replace(['#', '\n', '\r'], " ");
            text.push_str(&format!("keyframe {seconds} {name}\n"));
            for (statement, first_bit, n_angles, _) in ANGLES {
                let angles =
                    (0..n_angles).map(|i| state.angles_deg[first_bit + i * step(statement)]);
                text.push_str(&line(statement, angles));
            }
            text.push_str(&line("position", state.receiver_position_cm));
            text.push_str(&line("quaternion", state.receiver_quaternion));
        }
        text
    }
}

fn line(statement: &str, numbers: impl IntoIterator<Item = f64>) -> String {
    let numbers: String = numbers.into_iter().map(|number| format!(" {number}")).collect();
    format!("  {statement}{numbers}\n")
}

/// Step from one mask bit of a statement's angles to the next.
fn step(statement: &str) -> usize {
    if statement == "spread" { 4 } else { 1 }
}

struct Script {
    period: Option<f64>,
    keyframes: Vec<Keyframe>,
}

/// Statements that set angles: name, first mask bit, number of angles, and their description.
const ANGLES: [(&str, usize, usize, &str); 8] = [
    ("thumb", 0, 4, "roll, MPJ, IJ and abduction"),
    ("index", 4, 3, "MPJ, PIJ and DIJ"),
    ("middle", 8, 3, "MPJ, PIJ and DIJ"),
    ("ring", 12, 3, "MPJ, PIJ and DIJ"),
    ("pinkie", 16, 3, "MPJ, PIJ and DIJ"),
    ("palm", 20, 1, "one angle"),
    ("wrist", 21, 2, "pitch and yaw"),
    // The bits of these angles are not adjacent.
    ("spread", 11, 3, "three angles between neighbours"),
];

impl Script {
    fn take(&mut self, line: &str) -> Result<(), ScriptProblem> {
        let mut words = line.split_whitespace();
        let Some(statement) = words.next() else { return Ok(()) };
        match statement {
            "period" => {
                let [period] = numbers("period", "one number of seconds", words)?;
                self.period = Some(period);
            }
            "keyframe" => {
                let [seconds] = numbers("keyframe", "a time and a name", words.by_ref().take(1))?;
                let name = words.collect::<Vec<_>>().join(" ");
                let state = self.keyframes.last().map_or(HandState::FLAT, |last| last.state);
                self.keyframes.push(Keyframe { seconds, state, name: name.into() });
            }
            "position" => {
                let place = numbers("position", "x, y and z", words)?;
                self.state("position")?.receiver_position_cm = place;
            }
            "turn" => {
                let angles_deg = numbers("turn", "azimuth, elevation and roll", words)?;
                self.state("turn")?.receiver_quaternion = attitude(angles_deg);
            }
            "quaternion" => {
                let parts: [f64; 4] = numbers("quaternion", "four numbers, scalar first", words)?;
                let length = parts.iter().map(|part| part * part).sum::<f64>().sqrt();
                if length < 1e-6 {
                    return Err(ScriptProblem::NoAttitude);
                }
                let state = self.state("quaternion")?;
                state.receiver_quaternion = parts.map(|part| part / length);
            }
            other => self.take_angles(other, words)?,
        }
        Ok(())
    }

    fn take_angles<'a>(
        &mut self,
        statement: &str,
        words: impl Iterator<Item = &'a str>,
    ) -> Result<(), ScriptProblem> {
        let known = ANGLES.iter().find(|(name, ..)| *name == statement);
        let Some((statement, first_bit, n_angles, wanted)) = known else {
            return Err(ScriptProblem::Statement(statement.to_owned()));
        };
        let angles = words.map(number).collect::<Result<Vec<_>, _>>()?;
        if angles.len() != *n_angles {
            return Err(ScriptProblem::Count { statement, wanted, got: angles.len() });
        }
        let state = self.state(statement)?;
        for (place, angle_deg) in angles.into_iter().enumerate() {
            state.angles_deg[first_bit + place * step(statement)] = angle_deg;
        }
        Ok(())
    }

    fn state(&mut self, statement: &'static str) -> Result<&mut HandState, ScriptProblem> {
        let keyframe = self.keyframes.last_mut().ok_or(ScriptProblem::NoKeyframe(statement))?;
        Ok(&mut keyframe.state)
    }
}

fn numbers<'a, const N: usize>(
    statement: &'static str,
    wanted: &'static str,
    words: impl Iterator<Item = &'a str>,
) -> Result<[f64; N], ScriptProblem> {
    let numbers = words.map(number).collect::<Result<Vec<_>, _>>()?;
    let got = numbers.len();
    numbers.try_into().map_err(|_| ScriptProblem::Count { statement, wanted, got })
}

fn number(word: &str) -> Result<f64, ScriptProblem> {
    let number = word.parse().ok().filter(|number: &f64| number.abs() <= LARGEST);
    number.ok_or_else(|| ScriptProblem::Number(word.to_owned()))
}

/// Quaternion of the tracker's angles: about z, then the new y, then the new x.
fn attitude(angles_deg: [f64; 3]) -> [f64; 4] {
    let [(sa, ca), (se, ce), (sr, cr)] =
        angles_deg.map(|angle_deg| (angle_deg.to_radians() / 2.0).sin_cos());
    [
        ca * ce * cr + sa * se * sr,
        ca * ce * sr - sa * se * cr,
        ca * se * cr + sa * ce * sr,
        sa * ce * cr - ca * se * sr,
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SCRIPT: &str = "\
        period 4
        keyframe 0 open          # a comment
          position 30 5 -20
          turn 90 0 0

        keyframe 2 tightly closed
          thumb 60 20 25 40
          ring 45 50 25
          spread 1 2 3
          palm 10
          wrist -5 6
    ";

    #[test]
    fn a_script_becomes_a_motion() {
        let motion = Motion::from_text(SCRIPT).unwrap();
        assert_eq!(motion.period(), 4.0);
        let closed = &motion.keyframes()[1];
        assert_eq!((closed.seconds, closed.name.as_ref()), (2.0, "tightly closed"));
        let angles = closed.state.angles_deg;
        assert_eq!(angles[..4], [60.0, 20.0, 25.0, 40.0]);
        assert_eq!(angles[12..16], [45.0, 50.0, 25.0, 2.0]);
        assert_eq!((angles[11], angles[19], angles[20]), (1.0, 3.0, 10.0));
        assert_eq!(angles[21..23], [-5.0, 6.0]);
        // Values that the second keyframe does not set stay the same.
        assert_eq!(closed.state.receiver_position_cm, [30.0, 5.0, -20.0]);
        let half = std::f64::consts::FRAC_1_SQRT_2;
        assert!((closed.state.receiver_quaternion[3] - half).abs() < 1e-12);
    }

    #[test]
    fn a_motion_comes_back_from_its_script() {
        for motion in [
            Motion::grasp_and_squeeze(),
            Motion::grasp_and_squeeze().mirrored(-12.5),
            Motion::named("spread").unwrap(),
        ] {
            let again = Motion::from_text(&motion.to_text()).unwrap();
            assert_eq!(again.period(), motion.period());
            for step in 0..100 {
                let seconds = 0.1 * f64::from(step);
                let (one, two) = (motion.state_at(seconds), again.state_at(seconds));
                assert_eq!(one.receiver_position_cm, two.receiver_position_cm);
                // Bits 7 and 23 have no sensor.
                for bit in (0..23).filter(|bit| *bit != 7) {
                    assert_eq!(
                        one.angles_deg[bit], two.angles_deg[bit],
                        "bit {bit} at {seconds} s"
                    );
                }
                let turns = one.receiver_quaternion.iter().zip(two.receiver_quaternion);
                let apart = turns.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                // Reading normalises it; the quaternions in the source have only ten digits.
                assert!(apart < 1e-9, "{apart:e} at {seconds} s");
            }
        }
    }

    #[test]
    fn errors_name_the_line_and_what_was_expected() {
        let check = |text: &str, wanted: &str| {
            let error = Motion::from_text(text).unwrap_err().to_string();
            assert!(error.starts_with(wanted), "{text:?}: {error}");
        };
        check("", "line 1: the script has no period");
        check("period 4", "line 1: a motion needs a keyframe");
        check("period 4\nwave 3", "line 2: no statement is called \"wave\"; expected period");
        check("period x", "line 1: expected a number from -10000 to 10000, got \"x\"");
        check("period nan", "line 1: expected a number");
        check("index 1 2 3", "line 1: index comes before the first keyframe");
        check("keyframe 0\nindex 1 2", "line 2: index takes MPJ, PIJ and DIJ, got 2 numbers");
        check("keyframe", "line 1: keyframe takes a time and a name, got 0 numbers");
        check("keyframe 0\nquaternion 0 0 0 0", "line 2: a quaternion of length 0");
        check("keyframe 5 late\nperiod 4", "line 2: keyframe late at 5 s is out of order");
    }

    proptest! {
        #[test]
        fn any_text_is_a_motion_or_an_error(
            text in "((period|keyframe|index|turn|quaternion|palm) ?[-0-9. e]{0,12}\n?){0,8}|\\PC*"
        ) {
            if let Ok(motion) = Motion::from_text(&text) {
                let state = motion.state_at(1.0);
                prop_assert!(state.angles_deg.iter().all(|angle| angle.is_finite()));
            }
        }
    }
}
