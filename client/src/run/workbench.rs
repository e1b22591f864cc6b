//! The window of a session: shows the newest scene and the measures of the fingers, and carries out
//! the user's commands.
//!
//! The parts of its state, each in a module with the functions that change it:
//!
//! - `session_channels`: the channels between the window and the session;
//! - `scene_view`: the scene as received and as shown; `annotations`: colours, arrows and lines in
//!   it; `squeeze_history`: measures of the last seconds; `redraw`: detects changes;
//!   `thing_rotation`: a thing that is turned by dragging;
//! - `hand_source`: the source of the hand, and changes of it; `hand_steering`: the hand that mouse
//!   and keys move;
//! - `file_actions`: reading and writing files; `recording`: recording to a file; `thing_actions`:
//!   the things on the table;
//! - `headset_view`: the headset's picture in the window; `headset_menu`: the menu in the headset;
//! - `panels`: all panels over and beside the picture; `pages`: the one page that is open;
//! - `settings_store`: the user's settings; `solver`: the solver in use;
//! - `jobs`: slow work, on other threads; `thing_files`: things from files, and shapes to files.
//!
//! A panel changes only its own state. It returns everything else as a `user_action`, which
//! `apply_action` carries out:
//!
//! - `menu_commands`: the commands of menu and keys, with their words; `menu`, `help_page`: list
//!   them; `question`: asks before something is lost;
//! - `things_panel`, `material_panel`, `rules_panel`, `hand_source_panel`, `preferences_panel`,
//!   `file_dialog`, `file_report`: the pages;
//! - `timeline`, `force_graph`, `colour_legend`, `notice`, `latency_line`: small panels beside and
//!   over the picture.

mod annotations;
mod apply_action;
mod colour_legend;
mod file_actions;
mod file_dialog;
mod file_report;
mod force_graph;
mod hand_source;
mod hand_source_panel;
mod hand_steering;
mod headset_menu;
mod headset_view;
mod help_page;
mod jobs;
mod latency_line;
mod material_panel;
mod menu;
mod menu_commands;
mod notice;
mod pages;
mod panels;
mod preferences_panel;
mod question;
mod recording;
mod redraw;
mod rules_panel;
mod scene_view;
mod session_channels;
mod settings_store;
mod solver;
mod squeeze_history;
mod thing_actions;
mod thing_files;
mod thing_rotation;
mod things_panel;
mod timeline;
mod user_action;

pub(crate) use help_page::{KeyGroup, key_groups};

use std::path::Path;
use std::sync::Arc;

use drivers::recorder::Recorder;
use egui::ThemePreference;
use engine::SolverLocation;
use interaction::grasp::GraspRules;
use interaction::scene::Scene;

pub(super) use self::annotations::Annotations;
pub(super) use self::colour_legend::legend;
use self::file_actions::FileState;
use self::hand_source::HandSourceState;
use self::headset_view::HeadsetView;
use self::jobs::BackgroundJobs;
use self::pages::Page;
use self::panels::Panels;
use self::question::Question;
use self::redraw::Redraw;
use self::scene_view::SceneView;
pub(super) use self::session_channels::{HandThreadFlags, NewScene, SessionChannels};
use self::settings_store::SettingsStore;
use self::solver::CurrentSolver;
pub(super) use self::squeeze_history::{SqueezeHistory, SqueezeMoment};
use self::thing_rotation::ThingRotation;
use crate::render::{Camera, Viewpoint};
use crate::settings::{ColourMode, Settings, ThemeChoice, ViewOptions};
use crate::vr::HeadsetLink;
use crate::window::{EventUse, MouseAction, MouseEvent, PictureCamera, WindowContent, WindowFlow};
use crate::wiring::{HandSourceContext, InitialHand, SolverChoice};

/// The window's side of a session.
pub(super) struct Workbench<'a> {
    channels: SessionChannels,
    scene_view: SceneView,
    hand: HandSourceState,
    files: FileState<'a>,
    headset: Option<HeadsetView>,
    panels: Panels,
    /// The user's settings, and whether they are saved.
    settings: SettingsStore,
    /// The current grasp rules.
    rules: GraspRules,
    solver: CurrentSolver,
    /// The thing that is being turned by dragging.
    rotation: Option<ThingRotation>,
    jobs: BackgroundJobs,
}

/// The window's connection to the run.
pub(super) struct SessionConnection {
    pub(super) channels: SessionChannels,
    pub(super) solvers: SolverLocation,
    /// Context for opening other sources of hands.
    pub(super) hand_context: HandSourceContext,
}

/// The initial state of the window.
pub(super) struct WorkbenchSetup<'a> {
    pub(super) settings: Settings,
    /// Message to show at once, such as an unusable settings file.
    pub(super) trouble: Option<String>,
    pub(super) rules: GraspRules,
    pub(super) hand: InitialHand,
    pub(super) person: Option<String>,
    pub(super) solver: SolverChoice,
    pub(super) recorder: Option<&'a Recorder>,
}

impl<'a> Workbench<'a> {
    pub(super) fn new(connection: SessionConnection, setup: WorkbenchSetup<'a>) -> Self {
        let SessionConnection { channels, solvers, hand_context } = connection;
        Self {
            channels,
            scene_view: SceneView::default(),
            hand: HandSourceState::new(setup.hand, setup.person, hand_context),
            files: FileState::new(setup.recorder),
            headset: None,
            panels: Panels::new(setup.trouble),
            settings: SettingsStore::new(setup.settings),
            rules: setup.rules,
            solver: CurrentSolver { solvers, choice: setup.solver },
            rotation: None,
            jobs: BackgroundJobs::default(),
        }
    }

    /// Shows the view of this headset while it is worn.
    pub(super) fn mirror(&mut self, headset: &Arc<HeadsetLink>) {
        self.headset = Some(HeadsetView::new(headset));
    }

    fn views(&self) -> &ViewOptions {
        &self.settings.current().views
    }

    /// Updates only the words beside the picture.
    fn explain_status(&mut self) {
        self.scene_view.explain_status(self.files.recording.line());
        self.panels.has_news = true;
    }

    fn say(&mut self, words: Result<String, String>) {
        self.panels.say(words);
    }
}

impl WindowContent for Workbench<'_> {
    fn scene(&mut self, camera: &Camera) -> Option<Arc<Scene>> {
        self.scene_view.camera = *camera;
        self.channels.request_fields(matches!(self.views().colours, ColourMode::Field(_)));
        self.take_job_results();
        self.watch_recording();
        self.save_due_settings();
        self.turn_thing();
        self.channels.squeezes.try_iter().for_each(|squeeze| self.scene_view.history.add(squeeze));
        let redraw =
            self.channels.scenes.take().map_or(Redraw::None, |new| self.scene_view.take(new));
        if redraw != Redraw::None {
            self.files.shapes.see(&self.scene_view.scene.things);
        }
        let views = self.views().clone();
        match self.scene_view.redraw_with_views(redraw, &views) {
            Redraw::None => None,
            Redraw::Panels => {
                self.explain_status();
                None
            }
            Redraw::Picture => {
                self.channels.show_in_headset(&views);
                Some(self.scene_view.explain(&views, self.files.recording.line()))
            }
        }
    }

    fn viewpoint(&self, camera: &Camera, aspect: f64) -> Viewpoint {
        match self.headset.as_ref().and_then(|headset| headset.mirrored.as_ref()) {
            Some(mirror) => mirror.viewpoint(aspect),
            None => self.eye(camera, aspect).viewpoint(aspect),
        }
    }

    fn has_news(&mut self) -> bool {
        let is_measured = self.panels.benchmark.take_news();
        // Two solvers at once would disturb each other, so the hand rests whichever page is open.
        self.channels.rest(self.panels.benchmark.is_running());
        let is_pointed_at = self.lay_out_board();
        let has_news = std::mem::take(&mut self.panels.has_news) || is_measured || is_pointed_at;
        let is_moved = self.headset.as_mut().is_some_and(HeadsetView::look);
        has_news || is_moved
    }

    fn is_over(&self) -> bool {
        self.headset.as_ref().is_some_and(|headset| headset.flow == WindowFlow::Close)
    }

    fn panels(&mut self, ui: &mut egui::Ui) -> WindowFlow {
        ui.ctx().set_theme(match self.settings.current().theme {
            ThemeChoice::System => ThemePreference::System,
            ThemeChoice::Light => ThemePreference::Light,
            ThemeChoice::Dark => ThemePreference::Dark,
        });
        let covers_all = self.panels.cover_all();
        if !covers_all {
            self.lay_out(ui, Panels::time_line);
        }
        let flow = self.lay_out(ui, Panels::pages);
        if !covers_all {
            self.lay_out(ui, Panels::cards);
            self.lay_out(ui, Panels::words);
        }
        flow
    }

    fn drawn(&mut self) {
        self.scene_view.drawn();
    }

    fn mouse(&mut self, mouse: &MouseEvent, picture_camera: &PictureCamera) -> EventUse {
        // A release is always handled, also if a menu has opened since the press.
        let is_covered = self.panels.menu.is_some() || self.panels.question.is_some();
        if is_covered && mouse.action != MouseAction::Release {
            return EventUse::ForView;
        }
        let closed = self.scene_view.scene.mouse_hand_closed.unwrap_or_default();
        if self.rotation.is_none()
            && self.hand.steering.mouse(mouse, picture_camera, &closed) == EventUse::ForContent
        {
            return EventUse::ForContent;
        }
        self.drag_thing(mouse, picture_camera)
    }

    /// Asks first if there are kept shapes that are not saved.
    fn close(&mut self) -> WindowFlow {
        let unsaved = self.files.shapes.unsaved(&self.scene_view.scene.things);
        if unsaved.is_empty() || matches!(self.panels.question, Some(Question::Exit(_))) {
            return WindowFlow::Close;
        }
        self.panels.question = Some(Question::Exit(unsaved));
        self.panels.has_news = true;
        WindowFlow::Continue
    }

    fn dropped(&mut self, file: &Path) {
        self.panels.has_news = true;
        if self.panels.benchmark.is_running() {
            let why = "the benchmark is running: stop it, or wait until it is done";
            self.say(Err(why.to_owned()));
            return;
        }
        self.take_dropped_file(file);
    }
}

#[cfg(test)]
mod tests;
