//! The panel to choose the source of the hand.

mod ports;

use std::path::PathBuf;

use drivers::Side;
use egui::{Key, RichText, Ui};
use emulators::Motion;

use self::ports::PortSearch;
use super::file_dialog::FilePurpose;
use super::hand_source::HandSourceState;
use super::user_action::UserAction;
use crate::command_line::{DeviceOptions, DeviceSource, SecondHand};
use crate::ui::side_panel::{heading, option, row, scrolled, side_panel};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{ButtonWeight, KeyButton, key_button};
use crate::wiring::{EmulatedPerformance, HandChoice};

/// State of the panel.
pub(super) struct HandSourcePanel {
    /// Models and line speeds as typed or found.
    devices: DeviceOptions,
    /// Port of the glove as typed or found.
    glove: String,
    /// Port of the tracker as typed or found.
    tracker: String,
    /// Port of the second glove as typed.
    second_glove: String,
    /// True if both hands have emulated devices.
    is_both: bool,
    found: PortSearch,
    /// Names of the people with a calibration.
    people: Vec<String>,
}

const WIDTH: f32 = 400.0;
/// Label of the script that takes the object.
const TAKES: &str = "takes the object";

impl HandSourcePanel {
    /// Starts with the entries of the present source.
    pub(super) fn new(now: &HandChoice) -> Self {
        let mut panel = Self {
            devices: DeviceOptions::default(),
            glove: String::new(),
            tracker: String::new(),
            second_glove: String::new(),
            is_both: false,
            found: PortSearch::NotYet,
            people: Vec::new(),
        };
        panel.take_up(now);
        panel
    }

    pub(super) fn take_up(&mut self, now: &HandChoice) {
        let path = |source: &Option<DeviceSource>| match source {
            Some(DeviceSource::Port(path)) => path.clone(),
            Some(DeviceSource::Emulated) => "emulated".to_owned(),
            None => String::new(),
        };
        match now {
            HandChoice::Ports { devices, second } => {
                (self.glove, self.tracker) = (path(&devices.glove), path(&devices.tracker));
                self.second_glove = path(&second.second_glove);
                self.devices = devices.clone();
            }
            HandChoice::Emulated(EmulatedPerformance { second, .. }) => {
                self.is_both = second.second_glove.is_some();
            }
            HandChoice::Mouse(_) | HandChoice::Headset | HandChoice::Recording(_) => {}
        }
    }

    pub(super) fn offer_people(&mut self, people: Vec<String>) {
        self.people = people;
    }

    pub(super) fn searching(&mut self) {
        self.found = PortSearch::GoesOn;
    }

    /// Lays out the panel at the right: all sources of a hand.
    pub(super) fn panel(
        &mut self,
        ui: &mut Ui,
        now: &HandSourceState,
        recordings: &[PathBuf],
    ) -> Option<UserAction> {
        side_panel(ui, "Hand", WIDTH, |ui, palette| {
            let words = match now.opening() {
                Some(opening) => format!("Opening {} ...", opening.name()),
                None => format!("From {}.", now.choice().name()),
            };
            let words = RichText::new(words).color(palette.quiet);
            ui.add(egui::Label::new(words).truncate());
            let mut asked = None;
            scrolled(ui, |ui| {
                asked = self.without_glove(ui, palette, now);
                ui.add_space(style::GAP);
                asked = asked.take().or(self.on_ports(ui, palette, now.has_headset()));
                ui.add_space(style::GAP);
                asked = asked.take().or(of_recordings(ui, palette, recordings));
                ui.add_space(style::GAP);
                asked = asked.take().or(self.whose(ui, palette, now.person()));
            });
            let close =
                KeyButton { words: "Close", key: Key::Escape, weight: ButtonWeight::Primary };
            if key_button(ui, &close) {
                asked = Some(UserAction::ClosePage);
            }
            asked
        })
    }

    fn without_glove(
        &mut self,
        ui: &mut Ui,
        palette: &Palette,
        now: &HandSourceState,
    ) -> Option<UserAction> {
        let mut asked = None;
        heading(ui, palette, "without a glove: mouse and keys move a hand");
        ui.horizontal(|ui| {
            for (side, words) in [(Side::Left, "Left hand"), (Side::Right, "Right hand")] {
                if option(ui, *now.choice() == HandChoice::Mouse(side), words) {
                    asked = Some(UserAction::Hand(HandChoice::Mouse(side)));
                }
            }
            if now.has_headset() && option(ui, *now.choice() == HandChoice::Headset, "Headset") {
                asked = Some(UserAction::Hand(HandChoice::Headset));
            }
        });
        ui.add_space(style::GAP);
        heading(ui, palette, "emulated glove and tracker: their script");
        let performed = match now.choice() {
            HandChoice::Emulated(performance) => Some(performance),
            _ => None,
        };
        let script = performed.map(|performance| performance.script.as_deref());
        let mut wanted = None;
        ui.horizontal_wrapped(|ui| {
            if option(ui, script == Some(None), TAKES) {
                wanted = Some(None);
            }
            for name in Motion::NAMES {
                if option(ui, script == Some(Some(name)), name) {
                    wanted = Some(Some(name.to_owned()));
                }
            }
            let is_file = script.flatten().is_some_and(|name| !Motion::NAMES.contains(&name));
            if option(ui, is_file, "from a file ...") {
                asked = Some(UserAction::OpenFileDialog(FilePurpose::Script));
            }
        });
        ui.horizontal(|ui| {
            for (both, words) in [(false, "one hand"), (true, "both hands")] {
                if option(ui, self.is_both == both, words) && self.is_both != both {
                    self.is_both = both;
                    let script = script.map(|script| script.map(str::to_owned));
                    wanted = wanted.take().or(script);
                }
            }
        });
        if let Some(script) = wanted {
            let second_glove = self.is_both.then_some(DeviceSource::Emulated);
            let second = SecondHand { second_glove, second_tracker: None };
            let performance =
                EmulatedPerformance { script, second, devices: DeviceOptions::default() };
            asked = Some(UserAction::Hand(HandChoice::Emulated(performance)));
        }
        asked
    }

    fn whose(&self, ui: &mut Ui, palette: &Palette, now: Option<&str>) -> Option<UserAction> {
        let mut asked = None;
        heading(ui, palette, "calibration of a person, by palpate calibrate");
        ui.horizontal_wrapped(|ui| {
            if option(ui, now.is_none(), "none") && now.is_some() {
                asked = Some(UserAction::Person(None));
            }
            for person in &self.people {
                if option(ui, now == Some(person.as_str()), person) && now != Some(person) {
                    asked = Some(UserAction::Person(Some(person.clone())));
                }
            }
        });
        asked
    }
}

fn of_recordings(ui: &mut Ui, palette: &Palette, recordings: &[PathBuf]) -> Option<UserAction> {
    let mut asked = None;
    heading(ui, palette, "a recording, with a time line");
    for file in recordings {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if row(ui, &name, |ui| ui.button("play").clicked()) {
            asked = Some(UserAction::Play(file.clone()));
        }
    }
    if ui.button("Recording ...").clicked() {
        asked = Some(UserAction::OpenFileDialog(FilePurpose::Play));
    }
    asked
}
