//! What a person has set: kept on the disk as it changes, and the panel for what has none of its own.

use std::time::{Duration, Instant};

use egui::{DragValue, Key, RichText, TextEdit, Ui};
use engine::Solvers;
use interaction::grasp::GraspRules;

use super::question::Question;
use super::signs::{Colours, Views};
use super::{Bench, Page};
use crate::session::Request;
use crate::settings::{self, Settings, SolverChoice, ThemeChoice};
use crate::ui::side::{heading, option, row, scrolled, side_panel};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{Action, Weight, action};
use crate::window::Going;

/// The settings, and what of them is on the disk.
pub(super) struct Kept {
    settings: Settings,
    /// When they last changed, if that is not on the disk yet.
    changed: Option<Instant>,
    /// Whether they are on their way to the disk.
    is_writing: bool,
    /// Whether it was said that they cannot be kept: once is enough.
    is_complained: bool,
}

/// A value that is dragged is not written at every step.
const SETTLED: Duration = Duration::from_millis(400);

impl Kept {
    pub(super) fn new(settings: Settings) -> Self {
        Self { settings, changed: None, is_writing: false, is_complained: false }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes something, which is written soon if it makes a difference.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Settings)) {
        let before = self.settings.clone();
        change(&mut self.settings);
        if self.settings != before {
            self.changed = Some(Instant::now());
        }
    }

    /// What is to be written now.
    fn take_due(&mut self) -> Option<Settings> {
        if self.is_writing {
            return None;
        }
        self.changed.take_if(|since| since.elapsed() >= SETTLED)?;
        self.is_writing = true;
        Some(self.settings.clone())
    }
}

/// What the person does in the panel.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Asked {
    Theme(ThemeChoice),
    Views(Views),
    Solver(SolverChoice),
    /// Everything as at first.
    Reset,
    Close,
}

/// What stands in the panel.
pub(super) struct PreferencesPanel {
    /// As typed.
    server: String,
    is_remote: bool,
    threads: Option<u16>,
    memory_mb: Option<u32>,
}

const WIDTH: f32 = 380.0;
/// What a server usually listens on.
const USUAL_SERVER: &str = "http://127.0.0.1:50551";
/// What one thing may take if nothing is said, in MB.
const USUAL_MEMORY: u32 = 6144;

impl PreferencesPanel {
    /// Begins with who solves now.
    pub(super) fn new(now: &SolverChoice) -> Self {
        let server = now.server.clone().unwrap_or_else(|| USUAL_SERVER.to_owned());
        let SolverChoice { threads, memory_mb, .. } = *now;
        Self { server, is_remote: now.server.is_some(), threads, memory_mb }
    }

    /// At the right: look, solver, and the way back.
    pub(super) fn panel(
        &mut self,
        ui: &mut Ui,
        settings: &Settings,
        solver: &SolverChoice,
    ) -> Option<Asked> {
        side_panel(ui, "Settings", WIDTH, |ui, palette| {
            let words = "They are kept for the next time.";
            ui.label(RichText::new(words).color(palette.quiet));
            let mut asked = None;
            scrolled(ui, |ui| {
                asked = look(ui, palette, settings);
                ui.add_space(style::GAP);
                asked = asked.take().or(self.solver(ui, palette, solver));
                ui.add_space(style::GAP);
                heading(ui, palette, "where they are");
                let path = settings::path();
                let path = path.map_or_else(|| "nowhere".to_owned(), |p| p.display().to_string());
                ui.add(egui::Label::new(RichText::new(path).size(style::SMALL)).wrap());
                let words = "Hand: I. Grasp rules: R. Material: Ctrl+M.";
                heading(ui, palette, words);
            });
            ui.horizontal(|ui| {
                let close = Action { words: "Close", key: Key::Escape, weight: Weight::Primary };
                if action(ui, &close) {
                    asked = Some(Asked::Close);
                }
                if ui.button("Everything as in the beginning").clicked() {
                    asked = Some(Asked::Reset);
                }
            });
            asked
        })
    }

    fn solver(&mut self, ui: &mut Ui, palette: &Palette, now: &SolverChoice) -> Option<Asked> {
        heading(ui, palette, "who solves; things go on until the other one is ready");
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
            row(ui, "Memory for a thing", |ui| {
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
        let apply = ui.add_enabled(wanted.is_some(), egui::Button::new("Solve so"));
        wanted.filter(|_| apply.clicked()).map(Asked::Solver)
    }
}

fn cores() -> u16 {
    std::thread::available_parallelism().map_or(1, |n| u16::try_from(n.get()).unwrap_or(u16::MAX))
}

fn look(ui: &mut Ui, palette: &Palette, settings: &Settings) -> Option<Asked> {
    let mut asked = None;
    heading(ui, palette, "colours of the window");
    ui.horizontal(|ui| {
        for theme in ThemeChoice::ALL {
            if option(ui, settings.theme == theme, theme.name()) {
                asked = Some(Asked::Theme(theme));
            }
        }
    });
    ui.add_space(style::GAP);
    heading(ui, palette, "colours of things, and what is shown with them");
    let mut views = settings.views;
    ui.horizontal_wrapped(|ui| {
        for colours in Colours::ALL {
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
        asked = Some(Asked::Views(views));
    }
    asked
}

impl Bench<'_> {
    /// Does what the person asks for in the panel.
    pub(super) fn choose_preference(&mut self, asked: Asked) -> Going {
        self.has_news = true;
        match asked {
            Asked::Close => self.page = Page::None,
            Asked::Theme(theme) => self.kept.change(|settings| settings.theme = theme),
            Asked::Views(views) => self.kept.change(|settings| settings.views = views),
            Asked::Solver(choice) => {
                let begun = self.clerk.open_solvers(choice);
                self.complain(begun);
            }
            Asked::Reset => self.question = Some(Question::Reset),
        }
        Going::On
    }

    /// Another solver is ready to take over, or it is not.
    pub(super) fn take_solvers(&mut self, choice: SolverChoice, solvers: Result<Solvers, String>) {
        match solvers {
            Ok(solvers) => {
                if !self.request(Request::Solvers(solvers.clone())) {
                    return;
                }
                // A file is known by its whole path, wherever the program is started the next time.
                let choice = match &solvers {
                    Solvers::Remote(url) => SolverChoice { server: Some(url.name()), ..choice },
                    Solvers::Embedded(_) => choice,
                };
                let words = match &choice.server {
                    Some(server) => format!("solved by {server} from now on"),
                    None => "solved in this process from now on".to_owned(),
                };
                self.kept.change(|settings| settings.solver = choice.clone());
                (self.solvers, self.solver) = (solvers, choice);
                self.say(Ok(words));
            }
            Err(why) => self.say(Err(format!("the solver stays as it was: {why}"))),
        }
    }

    /// Everything as at first; what stands on the table stays.
    pub(super) fn reset_settings(&mut self) {
        self.kept.change(|settings| *settings = Settings::default());
        if self.rules != GraspRules::default() {
            self.set_rules(GraspRules::default());
        }
        if self.solver != SolverChoice::default() {
            let begun = self.clerk.open_solvers(SolverChoice::default());
            self.complain(begun);
        }
        self.page = Page::None;
        self.say(Ok("all settings are as in the beginning".to_owned()));
    }

    /// Writes what has changed, when it has settled.
    pub(super) fn keep_settings(&mut self) {
        let Some(settings) = self.kept.take_due() else { return };
        if self.clerk.keep(settings).is_err() {
            // Tried again later.
            self.kept.is_writing = false;
            self.kept.changed = Some(Instant::now());
        }
    }

    pub(super) fn settings_kept(&mut self, result: Result<(), String>) {
        self.kept.is_writing = false;
        if let Err(why) = result
            && !std::mem::replace(&mut self.kept.is_complained, true)
        {
            self.say(Err(format!("settings are not kept: {why}")));
        }
    }

    /// The window closes: what is not on the disk yet goes there now.
    pub(in crate::run) fn end_settings(&mut self) {
        // An older copy may be on its way to the disk, and must not come last.
        drop(std::mem::take(&mut self.clerk));
        if (self.kept.changed.take().is_some() || self.kept.is_writing)
            && let Err(e) = self.kept.settings.save()
        {
            tracing::warn!("settings are not kept: {e}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_written_and_only_when_they_have_settled() {
        let mut kept = Kept::new(Settings::default());
        kept.change(|settings| settings.theme = ThemeChoice::System);
        assert!(kept.changed.is_none(), "nothing is different");
        kept.change(|settings| settings.theme = ThemeChoice::Light);
        assert_eq!(kept.take_due(), None);
        kept.changed = Instant::now().checked_sub(SETTLED);
        assert_eq!(kept.take_due().map(|settings| settings.theme), Some(ThemeChoice::Light));
        assert!(kept.is_writing && kept.changed.is_none());
        // One after the other.
        kept.change(|settings| settings.theme = ThemeChoice::Dark);
        kept.changed = Instant::now().checked_sub(SETTLED);
        assert_eq!(kept.take_due(), None);
    }
}
