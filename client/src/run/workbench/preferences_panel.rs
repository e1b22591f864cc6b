//! The panel of settings without a panel of their own: look, solver, and reset.

use egui::{DragValue, Key, RichText, TextEdit, Ui};
use interaction::scene::OfferedField;

use super::user_action::UserAction;
use crate::settings::{self, ColourMode, Settings, ThemeChoice};
use crate::ui::side_panel::{heading, option, row, scrolled, side_panel};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{ButtonWeight, KeyButton, key_button};
use crate::wiring::SolverChoice;

/// State of the panel.
pub(super) struct PreferencesPanel {
    /// Address of the server as typed.
    server: String,
    is_remote: bool,
    threads: Option<u16>,
    memory_mb: Option<u32>,
}

const WIDTH: f32 = 380.0;
/// Usual address of a server.
const USUAL_SERVER: &str = "http://127.0.0.1:50551";
/// Usual limit of memory per thing, in MB.
const USUAL_MEMORY: u32 = 6000;

impl PreferencesPanel {
    /// Starts with the present solver.
    pub(super) fn new(now: &SolverChoice) -> Self {
        let server = now.server.clone().unwrap_or_else(|| USUAL_SERVER.to_owned());
        let SolverChoice { threads, memory_mb, .. } = *now;
        Self { server, is_remote: now.server.is_some(), threads, memory_mb }
    }

    /// Lays out the panel at the right: look, solver, and reset.
    pub(super) fn panel(
        &mut self,
        ui: &mut Ui,
        settings: &Settings,
        solver: &SolverChoice,
        fields: &[OfferedField],
    ) -> Option<UserAction> {
        side_panel(ui, "Settings", WIDTH, |ui, palette| {
            let words = "Settings are saved for the next run.";
            ui.label(RichText::new(words).color(palette.quiet));
            let mut asked = None;
            scrolled(ui, |ui| {
                asked = look(ui, palette, settings, fields);
                ui.add_space(style::GAP);
                asked = asked.take().or(self.solver(ui, palette, solver));
                ui.add_space(style::GAP);
                heading(ui, palette, "settings file");
                let path = settings::path();
                let path = path.map_or_else(|| "none".to_owned(), |p| p.display().to_string());
                ui.add(egui::Label::new(RichText::new(path).size(style::SMALL)).wrap());
                let words = "Other settings: hand I, grasp rules R, material Ctrl+M.";
                heading(ui, palette, words);
            });
            ui.horizontal(|ui| {
                let close =
                    KeyButton { words: "Close", key: Key::Escape, weight: ButtonWeight::Primary };
                if key_button(ui, &close) {
                    asked = Some(UserAction::ClosePage);
                }
                if ui.button("Reset all settings ...").clicked() {
                    asked = Some(UserAction::ResetSettings);
                }
            });
            asked
        })
    }

    fn solver(&mut self, ui: &mut Ui, palette: &Palette, now: &SolverChoice) -> Option<UserAction> {
        heading(ui, palette, "solver; the old one works until the new one is ready");
        ui.horizontal(|ui| {
            for (is_remote, words) in [(false, "This process"), (true, "A server")] {
                if option(ui, self.is_remote == is_remote, words) {
                    self.is_remote = is_remote;
                }
            }
        });
        if self.is_remote {
            row(ui, "Address or pass", |ui| {
                let field = TextEdit::singleline(&mut self.server).hint_text(USUAL_SERVER);
                let field = field.background_color(palette.card).desired_width(220.0);
                ui.add(field);
            });
        } else {
            row(ui, "Threads", |ui| {
                let mut is_usual = self.threads.is_none();
                if let Some(threads) = &mut self.threads {
                    ui.add(DragValue::new(threads).range(1..=1024).speed(0.05));
                }
                if option(ui, is_usual, "one per core") {
                    is_usual = !is_usual;
                    self.threads = (!is_usual).then(cores);
                }
            });
            row(ui, "Memory per object", |ui| {
                let mut is_usual = self.memory_mb.is_none();
                if let Some(memory) = &mut self.memory_mb {
                    ui.add(DragValue::new(memory).range(1..=1_000_000).speed(16).suffix(" MB"));
                }
                if option(ui, is_usual, "6 GB") {
                    is_usual = !is_usual;
                    self.memory_mb = (!is_usual).then_some(USUAL_MEMORY);
                }
            });
        }
        let wanted = match self.is_remote {
            true => {
                let server = Some(self.server.trim().to_owned()).filter(|text| !text.is_empty());
                server.map(|text| SolverChoice {
                    server: Some(text),
                    threads: None,
                    memory_mb: None,
                })
            }
            false => {
                let (threads, memory_mb) = (self.threads, self.memory_mb);
                Some(SolverChoice { server: None, threads, memory_mb })
            }
        };
        let wanted = wanted.filter(|wanted| wanted != now);
        let apply = ui.add_enabled(wanted.is_some(), egui::Button::new("Use this solver"));
        wanted.filter(|_| apply.clicked()).map(UserAction::Solver)
    }
}

fn cores() -> u16 {
    std::thread::available_parallelism().map_or(1, |n| u16::try_from(n.get()).unwrap_or(u16::MAX))
}

fn look(
    ui: &mut Ui,
    palette: &Palette,
    settings: &Settings,
    fields: &[OfferedField],
) -> Option<UserAction> {
    let mut asked = None;
    heading(ui, palette, "colours of the window");
    ui.horizontal(|ui| {
        for theme in ThemeChoice::ALL {
            if option(ui, settings.theme == theme, theme.name()) {
                asked = Some(UserAction::Theme(theme));
            }
        }
    });
    ui.add_space(style::GAP);
    heading(ui, palette, "colours of objects, and overlays");
    let mut views = settings.views.clone();
    ui.horizontal_wrapped(|ui| {
        for colours in ColourMode::offered(fields) {
            if option(ui, views.colours == colours, colours.name()) {
                views.colours = colours;
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        for (is_on, words) in [
            (&mut views.forces, "forces"),
            (&mut views.measures, "measures"),
            (&mut views.wireframe, "wireframe"),
            (&mut views.sphere_tree, "sphere tree"),
            (&mut views.real_hand, "real hand"),
        ] {
            if option(ui, *is_on, words) {
                *is_on = !*is_on;
            }
        }
    });
    if views != settings.views {
        asked = Some(UserAction::ViewOptions(views));
    }
    asked
}
