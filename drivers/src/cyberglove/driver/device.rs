//! Implements `Device` for [`CyberGlove`], with its settings as text for recordings.

use std::time::Duration;

use super::{CyberGlove, GloveInfo, GloveOptions, Stream};
use crate::DecodeCounts;
use crate::cyberglove::protocol::{GloveState, SamplePeriod, Switch};
use crate::cyberglove::record::{GloveSample, RecordShape};
use crate::cyberglove::sensor::SensorMask;
use crate::device::Device;
use crate::serial::{DeviceError, SerialLine};
use crate::settings_text::{SettingsError, SettingsText};
use crate::side::Side;

impl Device for CyberGlove {
    type Options = GloveOptions;
    type Sample = GloveSample;
    type Memory = ();
    const KIND: &'static str = "cyberglove";

    fn baud(options: &GloveOptions) -> u32 {
        options.baud
    }

    fn start(
        line: SerialLine,
        options: &GloveOptions,
        _memory: &mut (),
    ) -> Result<Self, DeviceError> {
        let mut glove = Self::on(line, options)?;
        glove.start_stream()?;
        glove.line.begin_anew();
        Ok(glove)
    }

    fn resume(line: SerialLine, settings: &str) -> Result<Self, DeviceError> {
        let (info, shape) = read(settings)
            .map_err(|source| DeviceError::Settings { path: line.path().to_owned(), source })?;
        let mut glove = Self::with(line, info, shape, &GloveOptions::default());
        glove.stream = Stream::Ordinary;
        Ok(glove)
    }

    fn abandon(self) {}

    fn settings(&self) -> String {
        let RecordShape { sensors, time_stamp, status_byte } = self.shape;
        let hand = self.info.hand.name();
        let [fitted, sent] = [self.info.hardware_mask, sensors].map(hexadecimal);
        let [time_stamp, status_byte] = [time_stamp, status_byte].map(|s| s as u8);
        format!(
            "hand={hand} fitted={fitted} sent={sent} time_stamp={time_stamp} status={status_byte}"
        )
    }

    fn next_sample(&mut self, patience: Duration) -> Result<Option<GloveSample>, DeviceError> {
        Self::next_sample(self, patience)
    }

    /// Sends the settings again, too: a unit that was switched off for a moment has lost them.
    fn wake(&mut self) -> Result<(), DeviceError> {
        self.set_up()?;
        self.start_stream()?;
        self.line.begin_anew();
        Ok(())
    }

    /// The period from the options, else 10 ms, a unit's usual period; the unit is not asked.
    fn period(&self) -> Duration {
        let hz = self.options.sample_period.and_then(SamplePeriod::hz).unwrap_or(100.0);
        Duration::from_secs_f64(1.0 / hz)
    }

    fn counts(&self) -> DecodeCounts {
        Self::counts(self)
    }
}

fn hexadecimal(mask: SensorMask) -> String {
    let [low, middle, high] = mask.to_wire();
    format!("{high:02x}{middle:02x}{low:02x}")
}

fn read(text: &str) -> Result<(GloveInfo, RecordShape), SettingsError> {
    let settings = SettingsText::new(text);
    let mask = |name| {
        settings.read(name, "a mask of 24 bits in hexadecimal", |text| {
            let bits = u32::from_str_radix(text, 16).ok().filter(|bits| *bits < 1 << 24)?;
            let [low, middle, high, _] = bits.to_le_bytes();
            Some(SensorMask::from_wire([low, middle, high]))
        })
    };
    let switch = |name| {
        settings.read(name, "0 or 1", |text| match text {
            "0" => Some(Switch::Off),
            "1" => Some(Switch::On),
            _ => None,
        })
    };
    let hand = settings.read("hand", "left or right", |text| match text {
        "left" => Some(Side::Left),
        "right" => Some(Side::Right),
        _ => None,
    })?;
    let (hardware_mask, sensors) = (mask("fitted")?, mask("sent")?);
    let info = GloveInfo {
        state: GloveState { is_initialised: true, is_plugged_in: true },
        n_sensors: hardware_mask.n_sensors(),
        hardware_mask,
        mask: sensors,
        hand,
        flags: None,
        version: None,
        description: None,
    };
    let shape =
        RecordShape { sensors, time_stamp: switch("time_stamp")?, status_byte: switch("status")? };
    Ok((info, shape))
}
