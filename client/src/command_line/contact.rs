//! Options that choose how hands hold objects.

use clap::{Args, ValueEnum};
use physics::Grip;
use physics::contact::{ContactSettings, Friction};

/// Largest coefficient of friction that can be asked for.
pub(crate) const MOST_FRICTION: f64 = 5.0;

/// Softness of the hands' skin that can be asked for, in mm/kPa: from leather to a thick cushion.
pub(crate) const SKIN_SOFTNESS: [f64; 2] = [0.01, 1.0];

/// Largest distance between points of the skin that hands touch, in metres. Five fingers that
/// squeeze deep into soft matter then have some 150 points, which are solved in real time.
const SPACING: f64 = 4e-3;

/// Millimetres per kilopascal in m/Pa.
const MM_PER_KPA: f64 = 1e-6;

/// Options for the way in which hands hold objects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Args)]
pub struct ContactChoice {
    /// Way in which hands hold objects [default: thesis]
    #[arg(long, value_name = "GRIP")]
    pub grip: Option<GripChoice>,
    /// True if the grip comes from the settings: things that cannot have it get the other one.
    #[arg(skip)]
    pub is_kept: bool,
    /// Coefficient of friction between hands and objects, under `--grip friction` [default: 0.6]
    #[arg(long, value_name = "MU", allow_negative_numbers = true, value_parser = coefficient)]
    pub friction: Option<f64>,
    /// Softness of the hands' skin, under `--grip friction`: its depth under a pressure of 1 kPa
    /// [default: 0.1]
    #[arg(long, value_name = "MM_PER_KPA", allow_negative_numbers = true, value_parser = softness)]
    pub skin_softness: Option<f64>,
}

/// A way in which hands hold objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GripChoice {
    /// Objects have weight and lie on the table; every part of a hand pushes them, sticks to them
    /// and slips
    Friction,
    /// Fingertips take an object by the rules of grasping and move the nodes that they hold; it has
    /// no weight
    Thesis,
}

impl GripChoice {
    pub const ALL: [Self; 2] = [Self::Friction, Self::Thesis];

    pub fn name(self) -> &'static str {
        match self {
            Self::Friction => "friction",
            Self::Thesis => "thesis",
        }
    }
}

impl From<GripChoice> for Grip {
    fn from(choice: GripChoice) -> Self {
        match choice {
            GripChoice::Friction => Self::Contact,
            GripChoice::Thesis => Self::Nodes,
        }
    }
}

impl From<Grip> for GripChoice {
    fn from(grip: Grip) -> Self {
        match grip {
            Grip::Contact => Self::Friction,
            Grip::Nodes => Self::Thesis,
        }
    }
}

impl ContactChoice {
    /// Grip of new objects.
    pub fn grip(&self) -> Grip {
        self.grip.unwrap_or(GripChoice::Thesis).into()
    }

    /// Settings of contact, with the usual ones where nothing is chosen.
    pub fn settings(&self) -> ContactSettings {
        let usual = ContactSettings { spacing: Some(SPACING), ..ContactSettings::default() };
        let settings = match self.skin_softness {
            Some(softness) => with_skin_softness(usual, softness),
            None => usual,
        };
        ContactSettings { friction: self.friction.map_or(usual.friction, Friction::of), ..settings }
    }
}

/// Changes the softness of the hands' skin, in mm/kPa.
pub(crate) fn with_skin_softness(mut settings: ContactSettings, softness: f64) -> ContactSettings {
    let compliance = softness * MM_PER_KPA;
    (settings.pad.normal, settings.pad.tangential) = (compliance, compliance);
    settings
}

/// Softness of the hands' skin, in mm/kPa.
pub(crate) fn skin_softness(settings: &ContactSettings) -> f64 {
    // Rounded, so that a typed value is shown unchanged.
    (settings.pad.normal / MM_PER_KPA * 1e9).round() / 1e9
}

fn coefficient(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(mu) if (0.0..=MOST_FRICTION).contains(&mu) => Ok(mu),
        Ok(_) | Err(_) => Err(format!("expected a number from 0 to {MOST_FRICTION}")),
    }
}

fn softness(text: &str) -> Result<f64, String> {
    let [least, most] = SKIN_SOFTNESS;
    match text.parse() {
        Ok(softness) if (least..=most).contains(&softness) => Ok(softness),
        Ok(_) | Err(_) => Err(format!("expected millimetres per kilopascal, {least} to {most}")),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::command_line::CommandLine;

    fn parsed(flags: &str) -> Result<ContactChoice, String> {
        let line = format!("palpate {flags}");
        let parsed = CommandLine::try_parse_from(line.split_whitespace());
        parsed.map(|line| line.squeeze.run.contact).map_err(|e| e.to_string())
    }

    #[test]
    fn flags_become_settings_of_contact() {
        let usual = parsed("").unwrap();
        assert_eq!(
            (usual.grip(), usual.settings()),
            (Grip::Nodes, ContactSettings { spacing: Some(4e-3), ..ContactSettings::default() })
        );
        let own = parsed("--grip friction --friction 0.9 --skin-softness 0.05").unwrap();
        let settings = own.settings();
        assert_eq!((own.grip(), settings.friction), (Grip::Contact, Friction::of(0.9)));
        assert!((settings.pad.normal - 5e-8).abs() < 1e-20);
        assert_eq!(skin_softness(&settings), 0.05);
    }

    #[test]
    fn impossible_numbers_are_refused_with_what_is_expected() {
        for (flags, expected) in [
            ("--friction -0.1", "a number from 0 to 5"),
            ("--friction NaN", "a number from 0 to 5"),
            ("--skin-softness 0", "0.01 to 1"),
            ("--skin-softness inf", "0.01 to 1"),
            ("--grip glue", "friction, thesis"),
        ] {
            let error = parsed(flags).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
