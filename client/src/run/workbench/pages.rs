//! The pages over or beside the picture, one at a time, and the menu.

use egui::Pos2;

use super::file_dialog::FileDialog;
use super::file_report::FileReport;
use super::hand_source_panel::HandSourcePanel;
use super::material_panel::MaterialPanel;
use super::menu::ItemState;
use super::menu_commands::Command;
use super::panels::{PanelContext, Panels};
use super::preferences_panel::PreferencesPanel;
use super::user_action::UserAction;
use super::{help_page, menu, rules_panel, thing_rotation, things_panel, timeline};
use crate::benchmark::PageRequest;
use crate::settings::ColourMode;
use crate::ui::keys;

/// A page over or beside the picture.
pub(super) enum Page {
    None,
    Help,
    Rules,
    Material(Box<MaterialPanel>),
    Benchmark,
    Things,
    HandSource(Box<HandSourcePanel>),
    Preferences(Box<PreferencesPanel>),
    FileDialog(FileDialog),
    FileReport(FileReport),
}

impl Panels {
    /// Lays out the open page and returns the user's actions. While a page covers the picture,
    /// commands below it get no keys.
    pub(super) fn pages(
        &mut self,
        ui: &mut egui::Ui,
        context: &PanelContext<'_>,
    ) -> Vec<UserAction> {
        if let Some(question) = &self.question {
            return Vec::from_iter(question.ask(ui).map(UserAction::Answer));
        }
        let PanelContext { scene_view, settings, .. } = context;
        let chosen = scene_view.scene.selected.as_ref();
        let asked = match &mut self.page {
            Page::None => None,
            Page::Help => return Vec::from_iter(help_page::help(ui)),
            Page::Benchmark => {
                let is_over = self.benchmark.page(ui) == Some(PageRequest::Close);
                return Vec::from_iter(is_over.then_some(UserAction::ClosePage));
            }
            Page::FileDialog(dialog) => {
                let share = context.files.reading.as_ref().map(|reading| reading.progress.share());
                let mut read_options = settings.read_options;
                let asked = dialog.page(ui, &settings.recent, &mut read_options, share);
                let read_options = (read_options != settings.read_options)
                    .then_some(UserAction::ReadOptions(read_options));
                return read_options.into_iter().chain(asked).collect();
            }
            Page::FileReport(report) => return Vec::from_iter(report.page(ui)),
            Page::Things => {
                let selected = chosen.map(|chosen| chosen.thing);
                things_panel::panel(ui, &scene_view.scene.things, selected, &settings.recent.things)
            }
            Page::HandSource(panel) => panel.panel(ui, context.hand, &settings.recent.recordings),
            Page::Preferences(panel) => {
                panel.panel(ui, settings, context.solver, &scene_view.fields())
            }
            Page::Material(panel) => chosen.and_then(|chosen| panel.panel(ui, &chosen.spec)),
            Page::Rules => {
                rules_panel::panel(ui, context.rules, chosen.map(|chosen| chosen.spec.grip()))
            }
        };
        match asked {
            Some(asked) => vec![asked],
            None => self.beside_page(ui, context),
        }
    }

    /// Returns the actions of menu and keys while no page covers the picture.
    fn beside_page(&mut self, ui: &egui::Ui, context: &PanelContext<'_>) -> Vec<UserAction> {
        if let Some(at) = asked_for_menu(ui) {
            self.menu = Some(at);
            menu::open(ui);
            ui.ctx().request_repaint();
        } else if let Some(at) = self.menu {
            match menu::menu(ui, at, |command| self.item(context, command)) {
                menu::MenuChoice::Nothing => {}
                menu::MenuChoice::Closed => self.menu = None,
                menu::MenuChoice::Command(command) => {
                    self.menu = None;
                    return vec![UserAction::Command(command)];
                }
            }
        }
        let PanelContext { scene_view, hand, .. } = context;
        let mut asked = Vec::new();
        if let (Some(closed), None) = (&scene_view.scene.mouse_hand_closed, self.menu) {
            asked.extend(hand.steering.asked_by_keys(ui, &scene_view.camera, closed));
        }
        if let Some(playback) = hand.playback() {
            asked.extend(timeline::asked_by_keys(ui, playback));
        }
        asked.extend(thing_rotation::asked_by_keys(ui, scene_view));
        for command in Command::pressed(ui) {
            let menu = self.menu.take();
            if !(command == Command::Exit && menu.is_some()) {
                asked.push(UserAction::Command(command));
            }
        }
        asked
    }

    /// Returns the state of a command in the menu.
    pub(super) fn item(&self, context: &PanelContext<'_>, command: Command) -> ItemState {
        let switch = |is_on: bool| if is_on { ItemState::On } else { ItemState::Off };
        let if_any = |is_any: bool| if is_any { ItemState::Plain } else { ItemState::Idle };
        let chosen = context.scene_view.scene.selected.as_ref();
        let is_squeezed = chosen.is_some_and(|chosen| !chosen.known_displacements.is_empty());
        let has_kept = chosen.is_some_and(|chosen| chosen.n_kept > 0);
        let has_moved = chosen.is_some_and(|chosen| chosen.has_moved);
        let views = &context.settings.views;
        match command {
            Command::KeepShape => if_any(is_squeezed),
            Command::Undo => if_any(has_kept),
            Command::Reset => if_any(has_kept || has_moved),
            Command::Redo => if_any(chosen.is_some_and(|chosen| chosen.n_undone > 0)),
            Command::ReadFile | Command::SaveAs => if_any(chosen.is_some()),
            Command::Things => switch(matches!(self.page, Page::Things)),
            Command::Record => switch(context.files.recording.is_on()),
            Command::Mark => if_any(context.files.recording.is_on()),
            Command::Colours => switch(views.colours != ColourMode::Natural),
            Command::Forces => switch(views.forces),
            Command::Measures => switch(views.measures),
            Command::Align => match context.headset {
                Some(headset) => switch(headset.link.align.is_wanted()),
                None => ItemState::Absent,
            },
            Command::HeadsetMenu
            | Command::Table
            | Command::Stance
            | Command::Larger
            | Command::Smaller => match context.headset {
                Some(_) => ItemState::Plain,
                None => ItemState::Absent,
            },
            Command::Wireframe => switch(views.wireframe),
            Command::SphereTree => switch(views.sphere_tree),
            Command::RealHand => switch(views.real_hand),
            Command::HandSource => switch(matches!(self.page, Page::HandSource(_))),
            Command::PlayPause => if_any(context.hand.playback().is_some()),
            Command::MouseHand if context.hand.steering.wanted().is_none() => ItemState::Idle,
            Command::MouseHand => switch(context.hand.steering.is_mouse_on()),
            Command::Rules => switch(matches!(self.page, Page::Rules)),
            Command::Preferences => switch(matches!(self.page, Page::Preferences(_))),
            Command::Material => match chosen {
                Some(_) => switch(matches!(self.page, Page::Material(_))),
                None => ItemState::Idle,
            },
            Command::Snapshot | Command::Benchmark | Command::Help | Command::Exit => {
                ItemState::Plain
            }
        }
    }
}

/// Position over the picture at which the user has requested the menu: by the right button, or by
/// the usual key of other programs.
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
