//! The panel in which it is chosen where the hand comes from.

mod ports;

use std::path::PathBuf;

use drivers::Hand as Side;
use egui::{Key, RichText, Ui};
use emulators::Motion;

use self::ports::Search;
use super::ask::Ask;
use super::files::Purpose;
use super::hand::HandNow;
use crate::command_line::{Devices, SecondHand, Source};
use crate::ui::side::{heading, option, row, scrolled, side_panel};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{Action, Weight, action};
use crate::wiring::{HandChoice, Performance};

/// What stands in the panel.
pub(super) struct SourcesPanel {
    /// As typed, or as found.
    devices: Devices,
    glove: String,
    tracker: String,
    second_glove: String,
    /// Whether emulated devices are those of both hands.
    is_both: bool,
    found: Search,
    /// Who has a calibration.
    people: Vec<String>,
}

const WIDTH: f32 = 400.0;
/// What stands for the script that takes the thing.
const TAKES: &str = "takes the thing";

impl SourcesPanel {
    /// Begins with what is there now.
    pub(super) fn new(now: &HandChoice) -> Self {
        let mut panel = Self {
            devices: Devices::default(),
            glove: String::new(),
            tracker: String::new(),
            second_glove: String::new(),
            is_both: false,
            found: Search::NotYet,
            people: Vec::new(),
        };
        panel.take_up(now);
        panel
    }

    pub(super) fn take_up(&mut self, now: &HandChoice) {
        let path = |source: &Option<Source>| match source {
            Some(Source::Port(path)) => path.clone(),
            Some(Source::Emulated) => "emulated".to_owned(),
            None => String::new(),
        };
        match now {
            HandChoice::Ports { devices, second } => {
                (self.glove, self.tracker) = (path(&devices.glove), path(&devices.tracker));
                self.second_glove = path(&second.second_glove);
                self.devices = devices.clone();
            }
            HandChoice::Emulated(Performance { second, .. }) => {
                self.is_both = second.second_glove.is_some();
            }
            HandChoice::Mouse(_) | HandChoice::Headset | HandChoice::Recording(_) => {}
        }
    }

    pub(super) fn offer_people(&mut self, people: Vec<String>) {
        self.people = people;
    }

    pub(super) fn searching(&mut self) {
        self.found = Search::GoesOn;
    }

    /// At the right: what a hand can come from.
    pub(super) fn panel(
        &mut self,
        ui: &mut Ui,
        now: &HandNow,
        recordings: &[PathBuf],
    ) -> Option<Ask> {
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
                asked = asked.take().or(self.on_ports(ui, palette));
                ui.add_space(style::GAP);
                asked = asked.take().or(of_recordings(ui, palette, recordings));
                ui.add_space(style::GAP);
                asked = asked.take().or(self.whose(ui, palette, now.person()));
            });
            let close = Action { words: "Close", key: Key::Escape, weight: Weight::Primary };
            if action(ui, &close) {
                asked = Some(Ask::ClosePage);
            }
            asked
        })
    }

    fn without_glove(&mut self, ui: &mut Ui, palette: &Palette, now: &HandNow) -> Option<Ask> {
        let mut asked = None;
        heading(ui, palette, "no glove: mouse and keys move a hand");
        ui.horizontal(|ui| {
            for (side, words) in [(Side::Left, "Left hand"), (Side::Right, "Right hand")] {
                if option(ui, *now.choice() == HandChoice::Mouse(side), words) {
                    asked = Some(Ask::Hand(HandChoice::Mouse(side)));
                }
            }
            if now.has_headset() && option(ui, *now.choice() == HandChoice::Headset, "Headset") {
                asked = Some(Ask::Hand(HandChoice::Headset));
            }
        });
        ui.add_space(style::GAP);
        heading(ui, palette, "emulated glove and tracker: what they perform");
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
                asked = Some(Ask::Find(Purpose::Script));
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
            let second_glove = self.is_both.then_some(Source::Emulated);
            let second = SecondHand { second_glove, second_tracker: None };
            let performance = Performance { script, second, devices: Devices::default() };
            asked = Some(Ask::Hand(HandChoice::Emulated(performance)));
        }
        asked
    }

    fn whose(&self, ui: &mut Ui, palette: &Palette, now: Option<&str>) -> Option<Ask> {
        let mut asked = None;
        heading(ui, palette, "whose calibration; palpate calibrate makes one");
        ui.horizontal_wrapped(|ui| {
            if option(ui, now.is_none(), "nobody's") && now.is_some() {
                asked = Some(Ask::Person(None));
            }
            for person in &self.people {
                if option(ui, now == Some(person.as_str()), person) && now != Some(person) {
                    asked = Some(Ask::Person(Some(person.clone())));
                }
            }
        });
        asked
    }
}

fn of_recordings(ui: &mut Ui, palette: &Palette, recordings: &[PathBuf]) -> Option<Ask> {
    let mut asked = None;
    heading(ui, palette, "a recording, with a time line");
    for file in recordings {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if row(ui, &name, |ui| ui.button("play").clicked()) {
            asked = Some(Ask::Play(file.clone()));
        }
    }
    if ui.button("Recording ...").clicked() {
        asked = Some(Ask::Find(Purpose::Play));
    }
    asked
}
