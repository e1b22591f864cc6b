//! The window of a session: the newest scene, what the fingers do in it, and all that a person can
//! ask for.
//!
//! Its state, each part beside what is done to it:
//!
//! - `channels`: what joins the window to the session;
//! - `picture`: the scene as it came and as it is shown; `signs`: colours, arrows and lines in it;
//!   `history`: what the fingers did; `stillness`: whether anything has changed; `turning`: a thing
//!   that is dragged round;
//! - `hand`: where the hand comes from and how another source takes over; `drive`: the hand in
//!   mouse and keys;
//! - `filing`: files to read and to write; `recording`: what goes into one; `things`: what stands
//!   on the table;
//! - `headset`: what its wearer sees; `goggles`: the menu there;
//! - `panels`: what lies over the picture; `pages`: of these, one page at a time;
//! - `kept`: what a person has set; `solving`: who solves;
//! - `clerk`: whatever takes time, on other threads; `shelf`: things from files and shapes into
//!   them.
//!
//! Panels change only what stands on them. Everything else they `ask` for, and `obey` does it:
//!
//! - `command`: what menu and keys ask for; `menu`, `help`: where it stands; `question`: before
//!   something is lost;
//! - `objects`, `material`, `rules`, `sources`, `preferences`, `files`, `found`: the pages;
//! - `timeline`, `measures`, `notice`, `latency`: beside and over the picture.

mod ask;
mod channels;
mod clerk;
mod command;
mod drive;
mod files;
mod filing;
mod found;
mod goggles;
mod hand;
mod headset;
mod help;
mod history;
mod kept;
mod latency;
mod material;
mod measures;
mod menu;
mod notice;
mod obey;
mod objects;
mod pages;
mod panels;
mod picture;
mod preferences;
mod question;
mod recording;
mod rules;
mod shelf;
mod signs;
mod solving;
mod sources;
mod stillness;
mod things;
mod timeline;
mod turning;

use std::path::Path;
use std::sync::Arc;

use drivers::recorder::Recorder;
use egui::ThemePreference;
use engine::Solvers;
use interaction::grasp::GraspRules;
use interaction::scene::Scene;

pub(super) use self::channels::{Channels, NewScene, Wishes};
use self::clerk::Clerk;
use self::filing::Filing;
use self::hand::HandNow;
use self::headset::Headset;
pub(super) use self::history::{History, Squeeze};
use self::kept::Kept;
pub(super) use self::measures::legend;
use self::pages::Page;
use self::panels::Panels;
use self::picture::{Anew, Picture};
use self::question::Question;
pub(super) use self::signs::Signs;
use self::solving::Solving;
use self::stillness::Worth;
use self::turning::Turning;
use crate::render::{Camera, Viewpoint};
use crate::settings::{Colours, Settings, ThemeChoice, Views};
use crate::vr::HeadsetLink;
use crate::window::{Going, Meant, Mouse, MouseDoes, Show, Sight};
use crate::wiring::{Doors, FirstHand, SolverChoice};

/// The window's side of a session.
pub(super) struct Bench<'a> {
    channels: Channels,
    picture: Picture,
    hand: HandNow,
    files: Filing<'a>,
    headset: Option<Headset>,
    panels: Panels,
    /// What the person has set, and whether it is on the disk.
    kept: Kept,
    /// Those that hold now.
    rules: GraspRules,
    solving: Solving,
    /// The thing that is being dragged round.
    turning: Option<Turning>,
    clerk: Clerk,
}

/// What the window is given of the run.
pub(super) struct Wires {
    pub(super) channels: Channels,
    pub(super) solvers: Solvers,
    /// What other hands are joined to.
    pub(super) doors: Doors,
}

/// What the window begins with.
pub(super) struct Start<'a> {
    pub(super) settings: Settings,
    /// Something that the person should hear of at once.
    pub(super) trouble: Option<String>,
    pub(super) rules: GraspRules,
    pub(super) hand: FirstHand,
    pub(super) person: Option<String>,
    pub(super) solver: SolverChoice,
    pub(super) recorder: Option<&'a Recorder>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(wires: Wires, start: Start<'a>) -> Self {
        let Wires { channels, solvers, doors } = wires;
        Self {
            channels,
            picture: Picture::default(),
            hand: HandNow::new(start.hand, start.person, doors),
            files: Filing::new(start.recorder),
            headset: None,
            panels: Panels::new(start.trouble),
            kept: Kept::new(start.settings),
            rules: start.rules,
            solving: Solving { solvers, choice: start.solver },
            turning: None,
            clerk: Clerk::default(),
        }
    }

    /// Shows what the wearer of this headset sees, while somebody wears it.
    pub(super) fn mirror(&mut self, headset: &Arc<HeadsetLink>) {
        self.headset = Some(Headset::new(headset));
    }

    fn views(&self) -> &Views {
        &self.kept.settings().views
    }

    /// Only the words beside the picture are new.
    fn explain_status(&mut self) {
        self.picture.explain_status(self.files.recording.line());
        self.panels.has_news = true;
    }

    fn say(&mut self, words: Result<String, String>) {
        self.panels.say(words);
    }
}

impl Show for Bench<'_> {
    fn scene(&mut self, camera: &Camera) -> Option<Arc<Scene>> {
        self.picture.camera = *camera;
        self.channels.wish_for_fields(matches!(self.views().colours, Colours::Field(_)));
        self.hear_clerk();
        self.watch_recording();
        self.keep_settings();
        self.turn_thing();
        self.channels.squeezes.try_iter().for_each(|squeeze| self.picture.history.add(squeeze));
        let worth =
            self.channels.scenes.take().map_or(Worth::Nothing, |new| self.picture.take(new));
        if worth != Worth::Nothing {
            self.files.shapes.see(&self.picture.scene.things);
        }
        let views = self.views().clone();
        match self.picture.anew(worth, &views) {
            Anew::Nothing => None,
            Anew::Words => {
                self.explain_status();
                None
            }
            Anew::Picture => {
                self.channels.show_in_headset(&views);
                Some(self.picture.explain(&views, self.files.recording.line()))
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
        let is_measured = self.panels.benchmark.hear();
        // Two solvers at once would disturb each other, whatever page is open.
        self.channels.rest(self.panels.benchmark.is_running());
        let is_pointed_at = self.lay_out_board();
        let has_news = std::mem::take(&mut self.panels.has_news) || is_measured || is_pointed_at;
        let is_moved = self.headset.as_mut().is_some_and(Headset::look);
        has_news || is_moved
    }

    fn is_over(&self) -> bool {
        self.headset.as_ref().is_some_and(|headset| headset.going == Going::Over)
    }

    fn panels(&mut self, ui: &mut egui::Ui) -> Going {
        ui.ctx().set_theme(match self.kept.settings().theme {
            ThemeChoice::System => ThemePreference::System,
            ThemeChoice::Light => ThemePreference::Light,
            ThemeChoice::Dark => ThemePreference::Dark,
        });
        let covers_all = self.panels.cover_all();
        if !covers_all {
            self.lay_out(ui, Panels::time_line);
        }
        let going = self.lay_out(ui, Panels::pages);
        if !covers_all {
            self.lay_out(ui, Panels::cards);
            self.lay_out(ui, Panels::words);
        }
        going
    }

    fn drawn(&mut self) {
        self.picture.drawn();
    }

    fn mouse(&mut self, mouse: &Mouse, sight: &Sight) -> Meant {
        // Whatever has opened meanwhile, a button that was let go is no longer held.
        let is_covered = self.panels.menu.is_some() || self.panels.question.is_some();
        if is_covered && mouse.does != MouseDoes::LetsGo {
            return Meant::ForView;
        }
        let closed = self.picture.scene.driven.unwrap_or_default();
        if self.turning.is_none() && self.hand.drive.mouse(mouse, sight, &closed) == Meant::ForShow
        {
            return Meant::ForShow;
        }
        self.drag_thing(mouse, sight)
    }

    /// Whoever has kept shapes and not saved them is asked first.
    fn close(&mut self) -> Going {
        let unsaved = self.files.shapes.unsaved(&self.picture.scene.things);
        if unsaved.is_empty() || matches!(self.panels.question, Some(Question::Exit(_))) {
            return Going::Over;
        }
        self.panels.question = Some(Question::Exit(unsaved));
        self.panels.has_news = true;
        Going::On
    }

    fn dropped(&mut self, file: &Path) {
        self.panels.has_news = true;
        if self.panels.benchmark.is_running() {
            self.say(Err("one after the other: the workstation is being measured".to_owned()));
            return;
        }
        self.take_file(file);
    }
}

#[cfg(test)]
mod tests;
