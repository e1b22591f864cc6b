//! Devices on serial ports in the panel of sources: found or typed.

use egui::{DragValue, RichText, TextEdit, Ui};

use super::super::user_action::UserAction;
use super::HandSourcePanel;
use crate::command_line::{DeviceOptions, DeviceSource, GloveModel, HandPosition, SecondHand};
use crate::devices::{FoundDevice, FoundKind, FoundPort};
use crate::ui::side_panel::{heading, option, row};
use crate::ui::style::{self, Palette};
use crate::wiring::HandChoice;

/// State of the search for devices on ports.
pub(super) enum PortSearch {
    NotYet,
    GoesOn,
    Done(Vec<FoundPort>),
}

impl HandSourcePanel {
    /// Shows the found ports. Enters the first glove and the first tracker in the fields.
    pub(in crate::run::workbench) fn offer(&mut self, found: Vec<FoundPort>) {
        let mut is_taken = [false; 2];
        for port in &found {
            let Some(device) = port.device else { continue };
            let kind = usize::from(device.kind == FoundKind::Tracker);
            if !std::mem::replace(&mut is_taken[kind], true) {
                self.take_device(&port.path, device);
            }
        }
        self.found = PortSearch::Done(found);
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

    pub(super) fn on_ports(
        &mut self,
        ui: &mut Ui,
        palette: &Palette,
        has_headset: bool,
    ) -> Option<UserAction> {
        let mut asked = None;
        heading(ui, palette, "devices on serial ports");
        let mut taken = None;
        match &self.found {
            PortSearch::NotYet => {
                if ui.button("Look for devices").clicked() {
                    asked = Some(UserAction::SearchPorts);
                }
            }
            PortSearch::GoesOn => {
                ui.label(
                    RichText::new("searching all ports; this takes a while ...")
                        .color(palette.quiet),
                );
            }
            PortSearch::Done(found) => {
                if found.is_empty() {
                    let words = "No serial port and no running emulator was found.";
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
                    asked = Some(UserAction::SearchPorts);
                }
            }
        }
        if let Some((path, device)) = taken {
            self.take_device(&path, device);
        }
        let DeviceOptions { glove_baud, tracker_baud, glove_model, .. } = &mut self.devices;
        field(ui, "Glove", "/dev/ttyUSB0", &mut self.glove, Some(glove_baud));
        field(ui, "Tracker", "none", &mut self.tracker, Some(tracker_baud));
        field(ui, "Second glove", "none", &mut self.second_glove, None);
        row(ui, "Kind of glove", |ui| {
            for model in [GloveModel::Opengloves, GloveModel::Cyberglove] {
                if option(ui, *glove_model == model, model.name()) {
                    *glove_model = model;
                }
            }
        });
        if self.tracker.trim().is_empty() {
            self.position_row(ui, has_headset);
        }
        let choice = self.ports();
        let use_them = ui.add_enabled(choice.is_some(), egui::Button::new("Use these devices"));
        if use_them.clicked() {
            asked = choice.map(UserAction::Hand);
        }
        asked
    }

    /// What moves a hand whose glove has no tracker.
    fn position_row(&mut self, ui: &mut Ui, has_headset: bool) {
        row(ui, "Moved by", |ui| {
            let now = self.devices.position.unwrap_or(HandPosition::Mouse);
            for position in [HandPosition::Headset, HandPosition::Mouse] {
                if position == HandPosition::Headset && !has_headset {
                    continue;
                }
                if option(ui, now == position, position.name()) {
                    self.devices.position = Some(position);
                }
            }
        });
    }

    /// The source in the fields, if they name a glove. Without a tracker, mouse or headset move the
    /// hand.
    fn ports(&self) -> Option<HandChoice> {
        let source = |text: &str| text.trim().parse::<DeviceSource>().ok();
        let (glove, tracker) = (source(&self.glove)?, source(&self.tracker));
        let position = self.devices.position.unwrap_or(HandPosition::Mouse);
        let position = tracker.is_none().then_some(position);
        let devices = self.devices.clone();
        let devices = DeviceOptions { glove: Some(glove), tracker, position, ..devices };
        let second = SecondHand { second_glove: source(&self.second_glove), second_tracker: None };
        Some(HandChoice::Ports { devices, second })
    }
}

/// A field for a port, and one for its line speed.
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

#[cfg(test)]
mod tests {
    use drivers::Side;

    use super::*;

    fn port(path: &str, kind: Option<FoundKind>) -> FoundPort {
        let device = kind.map(|kind| FoundDevice { kind, baud: 38_400 });
        FoundPort { path: path.to_owned(), words: String::new(), device }
    }

    #[test]
    fn what_was_found_first_is_taken_up_and_can_be_opened() {
        let mut panel = HandSourcePanel::new(&HandChoice::Mouse(Side::Right));
        assert_eq!(panel.ports(), None);
        panel.offer(vec![
            port("/dev/a", None),
            port("/dev/b", Some(FoundKind::Tracker)),
            port("/dev/c", Some(FoundKind::Glove(GloveModel::Opengloves))),
            port("/dev/d", Some(FoundKind::Glove(GloveModel::Cyberglove))),
        ]);
        let Some(HandChoice::Ports { devices, second }) = panel.ports() else { panic!() };
        assert_eq!(devices.glove, Some(DeviceSource::Port("/dev/c".to_owned())));
        assert_eq!(devices.tracker, Some(DeviceSource::Port("/dev/b".to_owned())));
        assert_eq!(devices.glove_model, GloveModel::Opengloves);
        assert_eq!((devices.glove_baud, devices.tracker_baud), (38_400, 38_400));
        assert_eq!(second, SecondHand::default());
        assert_eq!(devices.position, None);
        // A panel that is opened again starts with the same devices.
        let again = HandSourcePanel::new(&HandChoice::Ports { devices, second });
        assert_eq!(again.ports(), panel.ports());
    }

    #[test]
    fn a_glove_that_was_found_alone_can_be_moved_by_the_mouse() {
        let mut panel = HandSourcePanel::new(&HandChoice::Mouse(Side::Right));
        panel.offer(vec![port("/dev/a", Some(FoundKind::Glove(GloveModel::Cyberglove)))]);
        let choice = panel.ports().unwrap();
        assert!(choice.is_glove_moved_by_mouse(), "{choice:?}");
        panel.devices.position = Some(HandPosition::Headset);
        let by_headset = panel.ports().unwrap();
        assert!(by_headset.needs_headset(), "{by_headset:?}");
        assert_eq!(HandSourcePanel::new(&by_headset).ports(), Some(by_headset));
        panel.tracker = "/dev/b".to_owned();
        assert!(!panel.ports().unwrap().needs_headset(), "a tracker moves it");
    }
}
