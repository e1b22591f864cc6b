//! Sources of the devices, decided and checked before any port is opened or any file is written.

use std::path::PathBuf;

use anyhow::bail;

use crate::command_line::{DeviceOptions, DeviceSource, SecondHand};
use crate::wiring::hand_choice::port_at;

/// Source of each device.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DeviceSources {
    pub(super) glove: DeviceSource,
    /// `None` if something else tells where the hand is, or nothing does.
    pub(super) tracker: Option<DeviceSource>,
    pub(super) second: Option<SecondDeviceSources>,
}

/// Sources of the devices of a second hand.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SecondDeviceSources {
    pub(super) glove: DeviceSource,
    /// `None` for the second station of the first hand's tracker.
    pub(super) tracker: Option<DeviceSource>,
}

/// All devices are emulated if none is given. A mix of real and emulated devices must be requested
/// explicitly. A glove's port without a tracker's is a glove without a tracker.
pub(super) fn device_sources(
    devices: &DeviceOptions,
    second: &SecondHand,
) -> anyhow::Result<DeviceSources> {
    let emulated = || DeviceSource::Emulated;
    let (glove, tracker) = match (&devices.glove, &devices.tracker) {
        (_, Some(_)) if devices.position.is_some() => {
            bail!("--hand-position and --tracker were both given, expected only one")
        }
        (Some(glove), Some(tracker)) => (glove.clone(), Some(tracker.clone())),
        (glove, None) if devices.position.is_some() => {
            (glove.clone().unwrap_or_else(emulated), None)
        }
        (None, None)
        | (Some(DeviceSource::Emulated), None)
        | (None, Some(DeviceSource::Emulated)) => (emulated(), Some(emulated())),
        (Some(glove @ DeviceSource::Port(_)), None) => (glove.clone(), None),
        (None, Some(DeviceSource::Port(_))) => {
            bail!("--tracker needs a --glove with it: a port, or `emulated`")
        }
    };
    let second = match (&second.second_glove, &second.second_tracker) {
        (None, None) => None,
        (None, Some(_)) => {
            bail!("--second-tracker needs a --second-glove with it: a port, or `emulated`")
        }
        (Some(DeviceSource::Port(_)), _) if devices.glove.is_none() => {
            bail!("--second-glove needs a --glove and a --tracker with it: ports, or `emulated`")
        }
        (Some(_), None) if tracker.is_none() => bail!(
            "--second-glove needs a --tracker: without one, only one hand can be moved, by mouse or \
             headset"
        ),
        (Some(_), Some(_)) if tracker.is_none() => {
            bail!("--second-tracker needs a --tracker for the first hand: a port, or `emulated`")
        }
        (Some(glove), tracker) => {
            Some(SecondDeviceSources { glove: glove.clone(), tracker: tracker.clone() })
        }
    };
    let sources = DeviceSources { glove, tracker, second };
    sources.check_ports()?;
    Ok(sources)
}

impl DeviceSources {
    /// Two devices on one port would each get a part of the other's bytes.
    fn check_ports(&self) -> anyhow::Result<()> {
        let second = self.second.as_ref();
        let devices = [
            ("glove", Some(&self.glove)),
            ("tracker", self.tracker.as_ref()),
            ("second glove", second.map(|second| &second.glove)),
            ("second tracker", second.and_then(|second| second.tracker.as_ref())),
        ];
        let mut taken: Vec<(&str, PathBuf)> = Vec::new();
        for (name, source) in devices {
            let Some(DeviceSource::Port(path)) = source else { continue };
            let port = port_at(path);
            if let Some((other, _)) = taken.iter().find(|(_, taken)| *taken == port) {
                bail!("{other} and {name} cannot both be at {path}");
            }
            taken.push((name, port));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::command_line::CommandLine;

    fn sources_of(line: &str) -> anyhow::Result<DeviceSources> {
        let words = line.split_ascii_whitespace();
        let parsed = CommandLine::try_parse_from(std::iter::once("palpate").chain(words)).unwrap();
        let position = parsed.squeeze.hand_position;
        let devices = DeviceOptions { position, ..parsed.squeeze.devices };
        device_sources(&devices, &parsed.squeeze.second)
    }

    fn port(path: &str) -> DeviceSource {
        DeviceSource::Port(path.to_owned())
    }

    #[test]
    fn a_second_hand_shares_the_tracker_unless_it_has_its_own() {
        let check = |line: &str, glove: DeviceSource, tracker: Option<DeviceSource>| {
            let want = Some(SecondDeviceSources { glove, tracker });
            assert_eq!(sources_of(line).unwrap().second, want, "{line}");
        };
        check("--glove a --tracker b --second-glove c", port("c"), None);
        check(
            "--glove a --tracker b --second-glove c --second-tracker d",
            port("c"),
            Some(port("d")),
        );
        check("--second-glove emulated", DeviceSource::Emulated, None);
        let one = sources_of("--glove a --tracker b").unwrap();
        let tracker = Some(port("b"));
        assert_eq!(one, DeviceSources { glove: port("a"), tracker, second: None });
    }

    #[test]
    fn a_glove_needs_no_tracker() {
        let check = |line: &str, glove: DeviceSource, tracker: Option<DeviceSource>| {
            let want = DeviceSources { glove, tracker, second: None };
            assert_eq!(sources_of(line).unwrap(), want, "{line}");
        };
        let emulated = || DeviceSource::Emulated;
        check("--glove a", port("a"), None);
        check("--glove a --hand-position headset", port("a"), None);
        check("--glove a --tracker emulated", port("a"), Some(emulated()));
        check("--hand-position mouse", emulated(), None);
        check("--glove emulated --hand-position mouse", emulated(), None);
        check("--glove emulated", emulated(), Some(emulated()));
    }

    #[test]
    fn contradicting_devices_are_refused_with_the_reason() {
        let check = |line: &str, want: &str| {
            let error = sources_of(line).unwrap_err().to_string();
            assert!(error.contains(want), "{line}: {error}");
        };
        check("--glove a --tracker a", "glove and tracker cannot both be at a");
        check(
            "--glove a --tracker b --second-glove a",
            "glove and second glove cannot both be at a",
        );
        check(
            "--glove a --tracker b --second-glove c --second-tracker b",
            "tracker and second tracker",
        );
        check("--glove a --tracker b --second-tracker c", "needs a --second-glove");
        check("--second-glove c", "needs a --glove and a --tracker");
        check("--tracker a", "needs a --glove");
        check("--glove a --second-glove b", "only one hand can be moved");
        check("--glove a --second-glove b --second-tracker c", "needs a --tracker for the first");
    }

    #[test]
    fn another_name_of_a_port_is_the_same_port() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["port", "by-id"].map(|name| folder.path().join(name));
        std::fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let line =
            format!("--glove {} --tracker b --second-glove {}", file.display(), link.display());
        assert!(sources_of(&line).is_err());
    }
}
