//! Sources of the devices, decided and checked before any port is opened or any file is written.

use std::path::PathBuf;

use anyhow::bail;

use crate::command_line::{DeviceOptions, DeviceSource, SecondHand};
use crate::wiring::hand_choice::port_at;

/// Source of each device.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DeviceSources {
    pub(super) glove: DeviceSource,
    pub(super) tracker: DeviceSource,
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
/// explicitly.
pub(super) fn device_sources(
    devices: &DeviceOptions,
    second: &SecondHand,
) -> anyhow::Result<DeviceSources> {
    let (glove, tracker) = match (&devices.glove, &devices.tracker) {
        (Some(glove), Some(tracker)) => (glove.clone(), tracker.clone()),
        (None, None)
        | (Some(DeviceSource::Emulated), None)
        | (None, Some(DeviceSource::Emulated)) => (DeviceSource::Emulated, DeviceSource::Emulated),
        (Some(DeviceSource::Port(_)), None) => {
            bail!("--glove needs a --tracker with it: a port, or `emulated`")
        }
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
            ("tracker", Some(&self.tracker)),
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
        device_sources(&parsed.squeeze.devices, &parsed.squeeze.second)
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
        assert_eq!(one, DeviceSources { glove: port("a"), tracker: port("b"), second: None });
    }

    #[test]
    fn what_cannot_be_is_refused_in_words() {
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
        check("--glove a", "needs a --tracker");
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
