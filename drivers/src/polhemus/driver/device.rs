//! Implements `Device` for [`Fastrak`], with its settings as text for recordings.

use std::time::Duration;

use super::start_up::{self, Timeouts};
use super::{Fastrak, FastrakInfo, FoundState, TrackerOptions};
use crate::DecodeCounts;
use crate::device::Device;
use crate::polhemus::output::{OutputItem, OutputList, StylusWidth};
use crate::polhemus::record::{PackedAngle, TrackerSample};
use crate::polhemus::settings::Form;
use crate::serial::{DeviceError, SerialLine};
use crate::settings_text::{SettingsError, SettingsText};

/// Time in which the unit measures one pose; with several stations they take turns.
const CYCLE: Duration = Duration::from_micros(8333);

impl Device for Fastrak {
    type Options = TrackerOptions;
    type Sample = TrackerSample;
    type Memory = Option<FoundState>;
    const KIND: &'static str = "fastrak";
    /// Enough to set up a unit to the end and to put it back.
    const FAREWELL: Duration = Duration::from_secs(4);
    const IS_PUT_BACK: bool = true;

    fn baud(options: &TrackerOptions) -> u32 {
        options.baud
    }

    fn start(
        line: SerialLine,
        options: &TrackerOptions,
        memory: &mut Self::Memory,
    ) -> Result<Self, DeviceError> {
        let mut tracker = Self::on_remembering(line, options, memory)?;
        if let Err(error) = tracker.start_stream() {
            // The next tracker on this line must put back what this one cannot.
            *memory = tracker.abandon();
            return Err(error);
        }
        tracker.line.begin_anew();
        Ok(tracker)
    }

    fn resume(line: SerialLine, settings: &str) -> Result<Self, DeviceError> {
        let (info, options) = read(settings)
            .map_err(|source| DeviceError::Settings { path: line.path().to_owned(), source })?;
        let timeouts = Timeouts::at(options.baud);
        let line = start_up::resumed_line(line, &options, &info.stations, timeouts)?;
        let mut tracker = Self::with(line, info, &options, timeouts);
        tracker.is_streaming = true;
        Ok(tracker)
    }

    fn settings(&self) -> String {
        let TrackerOptions { form, list, stylus_width, packed_angle, .. } = &self.options;
        let form = match form {
            Form::Ascii => "ascii",
            Form::Binary => "binary",
        };
        let stylus = match stylus_width {
            StylusWidth::One => 1,
            StylusWidth::Two => 2,
            StylusWidth::Three => 3,
        };
        let packed = match packed_angle {
            PackedAngle::HalfTurn => 180,
            PackedAngle::FullTurn => 360,
        };
        let stations = listed(self.info.stations.iter().copied());
        let items = listed(list.items().iter().map(|item| item.number()));
        format!("stations={stations} form={form} items={items} stylus={stylus} packed={packed}")
    }

    fn next_sample(&mut self, patience: Duration) -> Result<Option<TrackerSample>, DeviceError> {
        Self::next_sample(self, patience)
    }

    fn abandon(mut self) -> Self::Memory {
        self.found.take()
    }

    fn left_behind(memory: &Self::Memory, options: &TrackerOptions) -> Option<String> {
        memory.as_ref()?.changes(options)
    }

    fn wake(&mut self) -> Result<(), DeviceError> {
        self.restart_stream()?;
        self.line.begin_anew();
        Ok(())
    }

    fn period(&self) -> Duration {
        CYCLE
    }

    fn counts(&self) -> DecodeCounts {
        Self::counts(self)
    }
}

fn listed(numbers: impl Iterator<Item = u8>) -> String {
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(",")
}

fn read(text: &str) -> Result<(FastrakInfo, TrackerOptions), SettingsError> {
    let settings = SettingsText::new(text);
    let numbers = |text: &str| -> Option<Vec<u8>> {
        text.split(',').map(|number| number.parse().ok()).collect()
    };
    let stations = settings.read("stations", "stations from 1 to 4", |text| {
        numbers(text).filter(|stations| stations.iter().all(|s| (1..=4).contains(s)))
    })?;
    let form = settings.read("form", "ascii or binary", |text| match text {
        "ascii" => Some(Form::Ascii),
        "binary" => Some(Form::Binary),
        _ => None,
    })?;
    let list = settings.read("items", "an output list with poses", |text| {
        let items: Option<Vec<OutputItem>> =
            numbers(text)?.into_iter().map(OutputItem::from_number).collect();
        OutputList::new(items?).ok().filter(|list| list.check_for_poses().is_ok())
    })?;
    let stylus_width = settings.read("stylus", "1, 2 or 3", |text| match text {
        "1" => Some(StylusWidth::One),
        "2" => Some(StylusWidth::Two),
        "3" => Some(StylusWidth::Three),
        _ => None,
    })?;
    let packed_angle = settings.read("packed", "180 or 360", |text| match text {
        "180" => Some(PackedAngle::HalfTurn),
        "360" => Some(PackedAngle::FullTurn),
        _ => None,
    })?;
    let (version, id) = (String::new(), String::new());
    let info = FastrakInfo { version, id, stations, earlier_fault: None };
    let options =
        TrackerOptions { form, list, stylus_width, packed_angle, ..TrackerOptions::default() };
    Ok((info, options))
}
