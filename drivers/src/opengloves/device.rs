//! Implements `Device` for [`OpenGlove`], with its settings as text for recordings.

use std::num::NonZeroU16;
use std::time::Duration;

use super::driver::OpenGlove;
use super::protocol::OpenGloveSettings;
use super::sample::{OpenGloveInfo, OpenGloveSample};
use crate::DecodeCounts;
use crate::device::Device;
use crate::serial::{DeviceError, SerialLine};
use crate::settings_text::{SettingsError, SettingsText};
use crate::side::Side;

/// Settings with which a glove is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenGloveOptions {
    pub baud: u32,
    pub scales: OpenGloveSettings,
}

impl Default for OpenGloveOptions {
    fn default() -> Self {
        Self { baud: OpenGlove::BAUD, scales: OpenGloveSettings::default() }
    }
}

impl Device for OpenGlove {
    type Options = OpenGloveOptions;
    type Sample = OpenGloveSample;
    type Memory = ();
    const KIND: &'static str = "opengloves";

    fn baud(options: &OpenGloveOptions) -> u32 {
        options.baud
    }

    fn start(
        line: SerialLine,
        options: &OpenGloveOptions,
        _memory: &mut (),
    ) -> Result<Self, DeviceError> {
        let mut glove = Self::on(line, options.scales)?;
        glove.begin_anew();
        Ok(glove)
    }

    fn resume(line: SerialLine, settings: &str) -> Result<Self, DeviceError> {
        let (scales, info) = read(settings)
            .map_err(|source| DeviceError::Settings { path: line.path().to_owned(), source })?;
        Ok(Self::with(line, scales, info))
    }

    fn abandon(self) {}

    fn settings(&self) -> String {
        let hand = match self.info().hand {
            Some(Side::Left) => "left",
            Some(Side::Right) => "right",
            None => "unknown",
        };
        let OpenGloveSettings { max_analog, force_range } = self.scales();
        format!("hand={hand} max_analog={max_analog} force_range={force_range}")
    }

    fn next_sample(&mut self, patience: Duration) -> Result<Option<OpenGloveSample>, DeviceError> {
        Self::next_sample(self, patience)
    }

    fn wake(&mut self) -> Result<(), DeviceError> {
        self.start_stream()?;
        self.begin_anew();
        Ok(())
    }

    /// The longest usual period: firmware sends every 10 to 20 ms.
    fn period(&self) -> Duration {
        Duration::from_millis(20)
    }

    fn counts(&self) -> DecodeCounts {
        Self::counts(self)
    }
}

fn read(text: &str) -> Result<(OpenGloveSettings, OpenGloveInfo), SettingsError> {
    let settings = SettingsText::new(text);
    let number = |name| {
        settings.read(name, "a number from 1 to 65535", |text| text.parse::<NonZeroU16>().ok())
    };
    let hand = settings.read("hand", "left, right or unknown", |text| match text {
        "left" => Some(Some(Side::Left)),
        "right" => Some(Some(Side::Right)),
        "unknown" => Some(None),
        _ => None,
    })?;
    let scales = OpenGloveSettings {
        max_analog: number("max_analog")?,
        force_range: number("force_range")?,
    };
    Ok((scales, OpenGloveInfo { hand, ..OpenGloveInfo::default() }))
}
