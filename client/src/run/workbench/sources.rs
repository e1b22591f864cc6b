//! The panel in which it is chosen where the hand comes from.

use std::path::PathBuf;

use drivers::Hand as Side;
use egui::{DragValue, Key, RichText, TextEdit, Ui};
use emulators::Motion;

use super::hand::HandNow;
use crate::command_line::{Devices, GloveModel, SecondHand, Source};
use crate::devices::{FoundDevice, FoundKind, FoundPort};
use crate::ui::side::{heading, option, row, scrolled, side_panel};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{Action, Weight, action};
use crate::wiring::{HandChoice, Performance};

/// What the person does in the panel.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Asked {
    Hand(HandChoice),
    /// Whose it is; nobody's in particular if nobody is named.
    Person(Option<String>),
    /// Asks all ports what is on them.
    Search,
    FindRecording,
    FindScript,
    Play(PathBuf),
    Close,
}

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

enum Search {
    NotYet,
    GoesOn,
    Done(Vec<FoundPort>),
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

    /// What was found; the first glove and the first tracker are taken up.
    pub(super) fn offer(&mut self, found: Vec<FoundPort>) {
        let mut is_taken = [false; 2];
        for port in &found {
            let Some(device) = port.device else { continue };
            let kind = usize::from(device.kind == FoundKind::Tracker);
            if !std::mem::replace(&mut is_taken[kind], true) {
                self.take_device(&port.path, device);
            }
        }
        self.found = Search::Done(found);
    }

    fn take_device(&mut self, path: &str, FoundDevice { kind, baud }: FoundDevice) {
        match kind {
            FoundKind::Glove(model) => {
                path.clone_into(&mut self.glove);
                (self.devices.glove_model, self.devices.glove_baud) = (model, baud);
            }
            FoundKind::Tracker => {
                path.clone_into(&mut self.tracker);
                self.devices.tracker_baud = baud;
            }
        }
    }

    /// At the right: what a hand can come from.
    pub(super) fn panel(
        &mut self,
        ui: &mut Ui,
        now: &HandNow,
        recordings: &[PathBuf],
    ) -> Option<Asked> {
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
                asked = Some(Asked::Close);
            }
            asked
        })
    }

    fn without_glove(&mut self, ui: &mut Ui, palette: &Palette, now: &HandNow) -> Option<Asked> {
        let mut asked = None;
        heading(ui, palette, "no glove: mouse and keys move a hand");
        ui.horizontal(|ui| {
            for (side, words) in [(Side::Left, "Left hand"), (Side::Right, "Right hand")] {
                if option(ui, *now.choice() == HandChoice::Mouse(side), words) {
                    asked = Some(Asked::Hand(HandChoice::Mouse(side)));
                }
            }
            if now.has_headset() && option(ui, *now.choice() == HandChoice::Headset, "Headset") {
                asked = Some(Asked::Hand(HandChoice::Headset));
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
                asked = Some(Asked::FindScript);
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
            asked = Some(Asked::Hand(HandChoice::Emulated(performance)));
        }
        asked
    }

    fn on_ports(&mut self, ui: &mut Ui, palette: &Palette) -> Option<Asked> {
        let mut asked = None;
        heading(ui, palette, "devices on serial ports");
        let mut taken = None;
        match &self.found {
            Search::NotYet => {
                if ui.button("Look for devices").clicked() {
                    asked = Some(Asked::Search);
                }
            }
            Search::GoesOn => {
                ui.label(
                    RichText::new("asking all ports, which takes a while ...").color(palette.quiet),
                );
            }
            Search::Done(found) => {
                if found.is_empty() {
                    let words = "This machine has no serial port, and no emulator runs.";
                    ui.label(RichText::new(words).color(palette.quiet));
                }
                for port in found {
                    let is_chosen = port.path == self.glove || port.path == self.tracker;
                    let words = format!("{}\n{}", port.path, port.words);
                    let colour = if is_chosen { palette.on_accent } else { palette.words };
                    let words = RichText::new(words).size(style::SMALL).color(colour);
                    let label = egui::Button::selectable(is_chosen, words).wrap();
                    let clicked = ui.add_enabled(port.device.is_some(), label).clicked();
                    if let (true, Some(device)) = (clicked, port.device) {
                        taken = Some((port.path.clone(), device));
                    }
                }
                if ui.button("Look again").clicked() {
                    asked = Some(Asked::Search);
                }
            }
        }
        if let Some((path, device)) = taken {
            self.take_device(&path, device);
        }
        let Devices { glove_baud, tracker_baud, glove_model, .. } = &mut self.devices;
        field(ui, "Glove", "/dev/ttyUSB0", &mut self.glove, Some(glove_baud));
        field(ui, "Tracker", "/dev/ttyUSB1", &mut self.tracker, Some(tracker_baud));
        field(ui, "Second glove", "none", &mut self.second_glove, None);
        row(ui, "Kind of glove", |ui| {
            for model in [GloveModel::Opengloves, GloveModel::Cyberglove] {
                if option(ui, *glove_model == model, model.name()) {
                    *glove_model = model;
                }
            }
        });
        let choice = self.ports();
        let use_them = ui.add_enabled(choice.is_some(), egui::Button::new("Use these devices"));
        if use_them.clicked() {
            asked = choice.map(Asked::Hand);
        }
        asked
    }

    fn whose(&self, ui: &mut Ui, palette: &Palette, now: Option<&str>) -> Option<Asked> {
        let mut asked = None;
        heading(ui, palette, "whose calibration; palpate calibrate makes one");
        ui.horizontal_wrapped(|ui| {
            if option(ui, now.is_none(), "nobody's") && now.is_some() {
                asked = Some(Asked::Person(None));
            }
            for person in &self.people {
                if option(ui, now == Some(person.as_str()), person) && now != Some(person) {
                    asked = Some(Asked::Person(Some(person.clone())));
                }
            }
        });
        asked
    }

    /// What stands in the fields, if that can be opened.
    fn ports(&self) -> Option<HandChoice> {
        let source = |text: &str| text.trim().parse::<Source>().ok();
        let (glove, tracker) = (source(&self.glove)?, source(&self.tracker)?);
        let devices =
            Devices { glove: Some(glove), tracker: Some(tracker), ..self.devices.clone() };
        let second = SecondHand { second_glove: source(&self.second_glove), second_tracker: None };
        Some(HandChoice::Ports { devices, second })
    }
}

/// A port, and its line speed.
fn field(ui: &mut Ui, name: &str, hint: &str, path: &mut String, baud: Option<&mut u32>) {
    row(ui, name, |ui| {
        if let Some(baud) = baud {
            ui.add(DragValue::new(baud).range(300..=4_000_000).speed(100).suffix(" baud"));
        }
        let ground = style::palette(ui.ctx()).card;
        let edit = TextEdit::singleline(path).hint_text(hint).background_color(ground);
        ui.add(edit.desired_width(168.0));
    });
}

fn of_recordings(ui: &mut Ui, palette: &Palette, recordings: &[PathBuf]) -> Option<Asked> {
    let mut asked = None;
    heading(ui, palette, "a recording, with a time line");
    for file in recordings {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if row(ui, &name, |ui| ui.button("play").clicked()) {
            asked = Some(Asked::Play(file.clone()));
        }
    }
    if ui.button("Recording ...").clicked() {
        asked = Some(Asked::FindRecording);
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(path: &str, kind: Option<FoundKind>) -> FoundPort {
        let device = kind.map(|kind| FoundDevice { kind, baud: 38_400 });
        FoundPort { path: path.to_owned(), words: String::new(), device }
    }

    #[test]
    fn what_was_found_first_is_taken_up_and_can_be_opened() {
        let mut panel = SourcesPanel::new(&HandChoice::Mouse(Side::Right));
        assert_eq!(panel.ports(), None);
        panel.offer(vec![
            port("/dev/a", None),
            port("/dev/b", Some(FoundKind::Tracker)),
            port("/dev/c", Some(FoundKind::Glove(GloveModel::Opengloves))),
            port("/dev/d", Some(FoundKind::Glove(GloveModel::Cyberglove))),
        ]);
        let Some(HandChoice::Ports { devices, second }) = panel.ports() else { panic!() };
        assert_eq!(devices.glove, Some(Source::Port("/dev/c".to_owned())));
        assert_eq!(devices.tracker, Some(Source::Port("/dev/b".to_owned())));
        assert_eq!(devices.glove_model, GloveModel::Opengloves);
        assert_eq!((devices.glove_baud, devices.tracker_baud), (38_400, 38_400));
        assert_eq!(second, SecondHand::default());
        // Opened again, it begins with them.
        let again = SourcesPanel::new(&HandChoice::Ports { devices, second });
        assert_eq!(again.ports(), panel.ports());
    }
}
