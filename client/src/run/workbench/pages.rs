//! What lies over the picture or beside it, one page at a time, and the menu.

use egui::Pos2;
use physics::ObjectSpec;

use super::Bench;
use super::command::Command;
use super::files::Files;
use super::found::Found;
use super::material::MaterialPanel;
use super::menu::Item;
use super::preferences::PreferencesPanel;
use super::signs::Colours;
use super::sources::SourcesPanel;
use super::{help, material, menu, objects, rules};
use crate::benchmark::Asked;
use crate::settings::Recent;
use crate::ui::keys;
use crate::window::Going;

/// What lies over the picture or beside it.
pub(super) enum Page {
    None,
    Help,
    Rules,
    Material(Box<MaterialPanel>),
    Benchmark,
    Objects,
    Sources(Box<SourcesPanel>),
    Preferences(Box<PreferencesPanel>),
    Files(Files),
    Found(Found),
}

impl Bench<'_> {
    /// Lays out what lies over the picture; says what was asked for, and hears nothing below it.
    pub(super) fn pages(&mut self, ui: &mut egui::Ui) -> Going {
        if self.question.is_some() {
            return self.ask(ui);
        }
        let Recent { things, recordings } = &self.kept.settings().recent;
        match &mut self.page {
            Page::None => {}
            Page::Help => {
                if help::help(ui) == Going::Over {
                    self.page = Page::None;
                }
                return Going::On;
            }
            Page::Benchmark => {
                if self.benchmark.page(ui) == Some(Asked::Close) {
                    self.page = Page::None;
                    self.has_news = true;
                }
                return Going::On;
            }
            Page::Files(files) => {
                let share = self.reading.as_ref().map(|reading| reading.share());
                let mut opening = self.kept.settings().opening;
                let asked = files.page(ui, &self.kept.settings().recent, &mut opening, share);
                self.kept.change(|settings| settings.opening = opening);
                if let Some(asked) = asked {
                    self.choose_file(asked);
                }
                return Going::On;
            }
            Page::Found(found) => {
                if found.page(ui) == Going::Over {
                    self.page = Page::None;
                }
                return Going::On;
            }
            Page::Objects => {
                let selected = self.scene.chosen.as_ref().map(|chosen| chosen.thing);
                match objects::panel(ui, &self.scene.things, selected, things) {
                    Some(objects::Asked::Close) => self.page = Page::None,
                    Some(asked) => self.choose_object(asked),
                    None => return self.beside_panel(ui),
                }
                return Going::On;
            }
            Page::Sources(panel) => {
                return match panel.panel(ui, &self.hand, recordings) {
                    Some(asked) => self.choose_source(asked),
                    None => self.beside_panel(ui),
                };
            }
            Page::Preferences(panel) => {
                return match panel.panel(ui, self.kept.settings(), &self.solver) {
                    Some(asked) => self.choose_preference(asked),
                    None => self.beside_panel(ui),
                };
            }
            Page::Material(panel) => {
                let now = self.scene.chosen.as_ref().map(|chosen| {
                    let ObjectSpec::Solid(solid) = &*chosen.spec;
                    *solid.material()
                });
                match now.and_then(|now| panel.panel(ui, &now)) {
                    Some(material::Asked::Matter(matter)) => self.remake(matter),
                    Some(material::Asked::Close) => self.page = Page::None,
                    None => return self.beside_panel(ui),
                }
                return Going::On;
            }
            Page::Rules => {
                match rules::panel(ui, &self.rules) {
                    Some(rules::Asked::Rules(rules)) => self.set_rules(rules),
                    Some(rules::Asked::Close) => self.page = Page::None,
                    None => return self.beside_panel(ui),
                }
                return Going::On;
            }
        }
        self.beside_panel(ui)
    }

    /// What is asked for where no page covers the picture: by menu or by keys.
    fn beside_panel(&mut self, ui: &egui::Ui) -> Going {
        if let Some(at) = asked_for_menu(ui) {
            self.menu = Some(at);
            menu::open(ui);
            ui.ctx().request_repaint();
        } else if let Some(at) = self.menu {
            match menu::menu(ui, at, |command| self.item(command)) {
                menu::Chosen::Nothing => {}
                menu::Chosen::Closed => self.menu = None,
                menu::Chosen::Command(command) => {
                    self.menu = None;
                    return self.follow(command, ui);
                }
            }
        }
        self.drive_by_keys(ui);
        self.seek_by_keys(ui);
        self.turn_by_keys(ui);
        for command in Command::pressed(ui) {
            let menu = self.menu.take();
            if !(command == Command::Exit && menu.is_some())
                && self.follow(command, ui) == Going::Over
            {
                return Going::Over;
            }
        }
        Going::On
    }

    /// How a command stands in the menu now.
    pub(super) fn item(&self, command: Command) -> Item {
        let switch = |is_on: bool| if is_on { Item::On } else { Item::Off };
        let if_any = |is_any: bool| if is_any { Item::Plain } else { Item::Idle };
        let chosen = self.scene.chosen.as_ref();
        let is_squeezed = chosen.is_some_and(|c| c.contacts.iter().any(Option::is_some));
        let has_kept = chosen.is_some_and(|chosen| chosen.n_kept > 0);
        let views = self.views();
        match command {
            Command::KeepShape => if_any(is_squeezed),
            Command::Undo | Command::Reset => if_any(has_kept),
            Command::Redo => if_any(chosen.is_some_and(|chosen| chosen.n_undone > 0)),
            Command::ReadFile | Command::SaveAs => if_any(chosen.is_some()),
            Command::Objects => switch(matches!(self.page, Page::Objects)),
            Command::Record => switch(self.recording.is_on()),
            Command::Mark => if_any(self.recording.is_on()),
            Command::Colours => switch(views.colours != Colours::Natural),
            Command::Forces => switch(views.forces),
            Command::Measures => switch(views.measures),
            Command::Align => match &self.headset {
                Some(headset) => switch(headset.align.is_wanted()),
                None => Item::Absent,
            },
            Command::Goggles
            | Command::Table
            | Command::Stance
            | Command::Larger
            | Command::Smaller => match &self.headset {
                Some(_) => Item::Plain,
                None => Item::Absent,
            },
            Command::Wireframe => switch(views.wireframe),
            Command::SphereTree => switch(views.sphere_tree),
            Command::RealHand => switch(views.real_hand),
            Command::Sources => switch(matches!(self.page, Page::Sources(_))),
            Command::PlayPause => if_any(self.hand.playback().is_some()),
            Command::MouseHand if self.drive.wanted().is_none() => Item::Idle,
            Command::MouseHand => switch(self.drive.is_mouse_on()),
            Command::Rules => switch(matches!(self.page, Page::Rules)),
            Command::Preferences => switch(matches!(self.page, Page::Preferences(_))),
            Command::Material => match chosen {
                Some(_) => switch(matches!(self.page, Page::Material(_))),
                None => Item::Idle,
            },
            Command::Snapshot | Command::Benchmark | Command::Help | Command::Exit => Item::Plain,
        }
    }
}

/// Where the menu was asked for, over the picture: by mouse, or by the key that other programs have for it.
fn asked_for_menu(ui: &egui::Ui) -> Option<Pos2> {
    let free = ui.available_rect_before_wrap();
    if keys::all_pressed(ui).contains(&(egui::Modifiers::SHIFT, egui::Key::F10)) {
        return Some(free.center());
    }
    let at = ui.input(|input| {
        input.pointer.secondary_clicked().then(|| input.pointer.interact_pos()).flatten()
    })?;
    let is_over_panel =
        ui.ctx().layer_id_at(at).is_some_and(|layer| layer.order != egui::Order::Background);
    (free.contains(at) && !is_over_panel).then_some(at)
}
