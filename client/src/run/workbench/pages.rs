//! What lies over the picture or beside it, one page at a time, and the menu.

use egui::Pos2;

use super::ask::Ask;
use super::command::Command;
use super::files::Files;
use super::found::Found;
use super::material::MaterialPanel;
use super::menu::Item;
use super::panels::{Known, Panels};
use super::preferences::PreferencesPanel;
use super::sources::SourcesPanel;
use super::{help, menu, objects, rules, timeline, turning};
use crate::benchmark::Asked;
use crate::settings::Colours;
use crate::ui::keys;

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

impl Panels {
    /// Lays out what lies over the picture or beside it; gives what is asked for, and hears nothing
    /// below a page.
    pub(super) fn pages(&mut self, ui: &mut egui::Ui, known: &Known<'_>) -> Vec<Ask> {
        if let Some(question) = &self.question {
            return Vec::from_iter(question.ask(ui).map(Ask::Answer));
        }
        let Known { picture, settings, .. } = known;
        let chosen = picture.scene.chosen.as_ref();
        let asked = match &mut self.page {
            Page::None => None,
            Page::Help => return Vec::from_iter(help::help(ui)),
            Page::Benchmark => {
                let is_over = self.benchmark.page(ui) == Some(Asked::Close);
                return Vec::from_iter(is_over.then_some(Ask::ClosePage));
            }
            Page::Files(files) => {
                let share = known.files.reading.as_ref().map(|reading| reading.progress.share());
                let mut opening = settings.opening;
                let asked = files.page(ui, &settings.recent, &mut opening, share);
                let opening = (opening != settings.opening).then_some(Ask::Opening(opening));
                return opening.into_iter().chain(asked).collect();
            }
            Page::Found(found) => return Vec::from_iter(found.page(ui)),
            Page::Objects => {
                let selected = chosen.map(|chosen| chosen.thing);
                objects::panel(ui, &picture.scene.things, selected, &settings.recent.things)
            }
            Page::Sources(panel) => panel.panel(ui, known.hand, &settings.recent.recordings),
            Page::Preferences(panel) => panel.panel(ui, settings, known.solver, &picture.fields()),
            Page::Material(panel) => {
                let now = chosen.map(|chosen| *chosen.spec.material());
                now.and_then(|now| panel.panel(ui, &now))
            }
            Page::Rules => rules::panel(ui, known.rules),
        };
        match asked {
            Some(asked) => vec![asked],
            None => self.beside_page(ui, known),
        }
    }

    /// What is asked for where no page covers the picture: by menu or by keys.
    fn beside_page(&mut self, ui: &egui::Ui, known: &Known<'_>) -> Vec<Ask> {
        if let Some(at) = asked_for_menu(ui) {
            self.menu = Some(at);
            menu::open(ui);
            ui.ctx().request_repaint();
        } else if let Some(at) = self.menu {
            match menu::menu(ui, at, |command| self.item(known, command)) {
                menu::Chosen::Nothing => {}
                menu::Chosen::Closed => self.menu = None,
                menu::Chosen::Command(command) => {
                    self.menu = None;
                    return vec![Ask::Command(command)];
                }
            }
        }
        let Known { picture, hand, .. } = known;
        let mut asked = Vec::new();
        if let (Some(closed), None) = (&picture.scene.driven, self.menu) {
            asked.extend(hand.drive.asked_by_keys(ui, &picture.camera, closed));
        }
        if let Some(playback) = hand.playback() {
            asked.extend(timeline::asked_by_keys(ui, playback));
        }
        asked.extend(turning::asked_by_keys(ui, picture));
        for command in Command::pressed(ui) {
            let menu = self.menu.take();
            if !(command == Command::Exit && menu.is_some()) {
                asked.push(Ask::Command(command));
            }
        }
        asked
    }

    /// How a command stands in the menu now.
    pub(super) fn item(&self, known: &Known<'_>, command: Command) -> Item {
        let switch = |is_on: bool| if is_on { Item::On } else { Item::Off };
        let if_any = |is_any: bool| if is_any { Item::Plain } else { Item::Idle };
        let chosen = known.picture.scene.chosen.as_ref();
        let is_squeezed = chosen.is_some_and(|chosen| !chosen.known.is_empty());
        let has_kept = chosen.is_some_and(|chosen| chosen.n_kept > 0);
        let has_moved = chosen.is_some_and(|chosen| chosen.has_moved);
        let views = &known.settings.views;
        match command {
            Command::KeepShape => if_any(is_squeezed),
            Command::Undo => if_any(has_kept),
            Command::Reset => if_any(has_kept || has_moved),
            Command::Redo => if_any(chosen.is_some_and(|chosen| chosen.n_undone > 0)),
            Command::ReadFile | Command::SaveAs => if_any(chosen.is_some()),
            Command::Objects => switch(matches!(self.page, Page::Objects)),
            Command::Record => switch(known.files.recording.is_on()),
            Command::Mark => if_any(known.files.recording.is_on()),
            Command::Colours => switch(views.colours != Colours::Natural),
            Command::Forces => switch(views.forces),
            Command::Measures => switch(views.measures),
            Command::Align => match known.headset {
                Some(headset) => switch(headset.link.align.is_wanted()),
                None => Item::Absent,
            },
            Command::Goggles
            | Command::Table
            | Command::Stance
            | Command::Larger
            | Command::Smaller => match known.headset {
                Some(_) => Item::Plain,
                None => Item::Absent,
            },
            Command::Wireframe => switch(views.wireframe),
            Command::SphereTree => switch(views.sphere_tree),
            Command::RealHand => switch(views.real_hand),
            Command::Sources => switch(matches!(self.page, Page::Sources(_))),
            Command::PlayPause => if_any(known.hand.playback().is_some()),
            Command::MouseHand if known.hand.drive.wanted().is_none() => Item::Idle,
            Command::MouseHand => switch(known.hand.drive.is_mouse_on()),
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

/// Where the menu was asked for, over the picture: by mouse, or by the key that other programs have
/// for it.
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
