//! Grip and settings of contact in a journal.

use physics::Grip;
use physics::contact::{ContactSettings, Friction, Pad};
use serde::{Deserialize, Serialize};

/// How hands hold a thing.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::session) enum GripFile {
    /// By nodes, as in all journals before version 4.
    #[default]
    Nodes,
    Contact,
}

/// Settings of contact.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::session) struct ContactFile {
    /// Absent if the nodes are the points.
    spacing: Option<f64>,
    local_compliance: bool,
    tolerance: f64,
    sweeps: u32,
    quasi_static: bool,
    /// Coefficients of sticking and sliding.
    hands: [f64; 2],
    table: [f64; 2],
    /// Compliance along and across the normal, in m/Pa.
    pad: [f64; 2],
    /// In metres; absent if there is no bone.
    pad_thickness: Option<f64>,
}

impl From<Grip> for GripFile {
    fn from(grip: Grip) -> Self {
        match grip {
            Grip::Nodes => Self::Nodes,
            Grip::Contact => Self::Contact,
        }
    }
}

impl From<GripFile> for Grip {
    fn from(grip: GripFile) -> Self {
        match grip {
            GripFile::Nodes => Self::Nodes,
            GripFile::Contact => Self::Contact,
        }
    }
}

impl Default for ContactFile {
    fn default() -> Self {
        (&ContactSettings::default()).into()
    }
}

impl From<&ContactSettings> for ContactFile {
    fn from(settings: &ContactSettings) -> Self {
        let Pad { normal, tangential, thickness } = settings.pad;
        Self {
            spacing: settings.spacing,
            local_compliance: settings.has_local_compliance,
            tolerance: settings.tolerance,
            sweeps: settings.most_sweeps,
            quasi_static: settings.is_quasi_static,
            hands: [settings.friction.sticking, settings.friction.sliding],
            table: [settings.table_friction.sticking, settings.table_friction.sliding],
            pad: [normal, tangential],
            // JSON has no infinity.
            pad_thickness: thickness.is_finite().then_some(thickness),
        }
    }
}

/// The numbers are checked when a thing gets them.
impl From<ContactFile> for ContactSettings {
    fn from(file: ContactFile) -> Self {
        let friction = |[sticking, sliding]: [f64; 2]| Friction { sticking, sliding };
        let [normal, tangential] = file.pad;
        let thickness = file.pad_thickness.unwrap_or(f64::INFINITY);
        Self {
            spacing: file.spacing,
            has_local_compliance: file.local_compliance,
            tolerance: file.tolerance,
            most_sweeps: file.sweeps,
            is_quasi_static: file.quasi_static,
            friction: friction(file.hands),
            table_friction: friction(file.table),
            pad: Pad { normal, tangential, thickness },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_from_a_journal() {
        let own = ContactSettings {
            spacing: None,
            friction: Friction { sticking: 0.9, sliding: 0.1 + 0.2 },
            pad: Pad::soft(3e-8),
            ..ContactSettings::default()
        };
        for settings in [ContactSettings::default(), own] {
            let line = serde_json::to_string(&ContactFile::from(&settings)).unwrap();
            let file: ContactFile = serde_json::from_str(&line).unwrap();
            assert_eq!(ContactSettings::from(file), settings, "{line}");
        }
    }
}
