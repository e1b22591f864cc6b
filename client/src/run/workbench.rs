//! The window of a session: the newest scene, what the fingers do in it, and all that a person can ask for.
//!
//! - `command`: what can be asked for, with words and keys; `menu`, `help`: where it stands; `work`: what is done then;
//! - `pages`: what lies over the picture or beside it, one at a time; `question`: before something is lost;
//! - `signs`: colours, arrows and lines in the scene; `measures`: bars and a graph beside it, of `history`;
//! - `rules`: the grasp rules; `material`: what the thing is made of; `preferences`: solver, look and the rest;
//! - `files`: a file to read or to write, `found`: what was found in it, `filing`: what is done with it;
//! - `objects`: which things there are, `things`: what is done with them, `turning`: one that is dragged round;
//! - `sources`: where the hand comes from, `hand`: how another source takes over, `timeline`: of a recording;
//! - `goggles`: the menu in a headset; `drive`: the hand in mouse and keys; `recording`: what goes into a file;
//! - `clerk`: whatever takes time, on other threads; `shelf`: things from files and shapes into them.

mod clerk;
mod command;
mod drive;
mod files;
mod filing;
mod found;
mod goggles;
mod hand;
mod help;
mod history;
mod latency;
mod material;
mod measures;
mod menu;
mod notice;
mod objects;
mod pages;
mod preferences;
mod question;
mod recording;
mod rules;
mod shelf;
mod signs;
mod sources;
mod stillness;
mod things;
mod timeline;
mod turning;
mod work;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use ::objects::solid::Progress;
use drivers::recorder::Recorder;
use egui::{Pos2, ThemePreference};
use engine::{Mailbox, Solvers};
use interaction::grasp::GraspRules;
use interaction::scene::Scene;

use self::clerk::Clerk;
use self::drive::Drive;
use self::goggles::Goggles;
use self::hand::HandNow;
pub(super) use self::history::{History, Squeeze};
pub(super) use self::measures::legend;
use self::notice::Notice;
use self::pages::Page;
use self::preferences::Kept;
use self::question::Question;
use self::recording::Recording;
pub(super) use self::signs::Signs;
pub use self::signs::{Colours, Views};
use self::stillness::{Stillness, Worth};
use self::things::Shapes;
use self::turning::Turning;
use crate::benchmark::{BenchPage, Beside};
use crate::command_line;
use crate::render::{Camera, Viewpoint};
use crate::session::{Recent, Request};
use crate::settings::{Settings, SolverChoice, ThemeChoice};
use crate::ui::{help_line, status_panel};
use crate::vr::{HeadsetLink, HeadsetState, Mirror};
use crate::window::{Going, Meant, Mouse, MouseDoes, Show, Sight};
use crate::wiring::{Doors, FirstHand};

/// What stands at the bottom of the window.
const MOUSE_VIEW: &str = "Right click for the menu   ·   Drag to turn the view   ·   Wheel to zoom   ·   F1 for all keys";
const MOUSE_HAND: &str = "The hand follows the mouse   ·   Click: take, let go   ·   Hold: squeeze   ·   \
    Wheel: nearer, farther   ·   Shift: turn   ·   D: view   ·   F1: all keys";

/// The window's side of a session.
pub(super) struct Bench<'a> {
    scenes: Arc<Mailbox<Arc<Scene>>>,
    squeezes: Receiver<Squeeze>,
    requests: SyncSender<Request>,
    recording: Recording<'a>,
    /// Whether it was said that the recording has broken off.
    is_recording_broken: bool,
    /// As it came, and as it is shown.
    scene: Arc<Scene>,
    shown: Arc<Scene>,
    /// What it is shown with.
    shown_with: Option<Views>,
    camera: Camera,
    /// What the person has set, and whether it is on the disk.
    kept: Kept,
    signs: Signs,
    history: History,
    rules: GraspRules,
    /// Whether the solver is asked for stresses.
    stresses: Arc<AtomicBool>,
    drive: Drive,
    hand: HandNow,
    turning: Option<Turning>,
    /// Where the thing goes whose file is being read.
    place: objects::Place,
    clerk: Clerk,
    solvers: Solvers,
    /// Who solves now.
    solver: SolverChoice,
    /// How far the file has come that is being read.
    reading: Option<Arc<Progress>>,
    /// Keeps what it found while its page is closed.
    benchmark: BenchPage,
    /// Whether the hand rests.
    resting: Arc<AtomicBool>,
    /// What a headset shows besides hands and things.
    headset_views: Arc<Mutex<Views>>,
    /// What lies over the picture.
    page: Page,
    menu: Option<Pos2>,
    question: Option<Question>,
    notice: Option<Notice>,
    /// Rest shapes that are in no danger.
    shapes: Shapes,
    /// From a scene to the screen.
    to_picture: Recent,
    stillness: Stillness,
    /// Whether the newest scene has not been on the screen yet.
    is_unseen: bool,
    /// Whether the panels would look different now.
    has_news: bool,
    n_marks: u32,
    /// What its wearer sees is what the window shows.
    headset: Option<Arc<HeadsetLink>>,
    mirrored: Option<Mirror>,
    /// The menu that its wearer has, while it is open.
    goggles: Option<Goggles>,
    /// Whether the wearer wants to end it.
    going: Going,
}

/// What the hand's thread looks at, now and then.
#[derive(Clone, Default)]
pub(super) struct Wishes {
    /// Whether the solver is asked for stresses.
    pub(super) stresses: Arc<AtomicBool>,
    /// Whether the hand rests.
    pub(super) resting: Arc<AtomicBool>,
    /// What a headset shows besides hands and things.
    pub(super) views: Arc<Mutex<Views>>,
}

/// What joins the window to the session.
pub(super) struct Wires {
    pub(super) scenes: Arc<Mailbox<Arc<Scene>>>,
    pub(super) squeezes: Receiver<Squeeze>,
    pub(super) requests: SyncSender<Request>,
    pub(super) wishes: Wishes,
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
        let Wires { scenes, squeezes, requests, wishes, solvers, doors } = wires;
        let Wishes { stresses, resting, views } = wishes;
        let drive = Drive::new(Arc::clone(&doors.steering), start.hand.driven);
        Self {
            scenes,
            squeezes,
            requests,
            recording: Recording::new(start.recorder),
            is_recording_broken: false,
            scene: Arc::default(),
            shown: Arc::default(),
            shown_with: None,
            camera: Camera::default(),
            kept: Kept::new(start.settings),
            signs: Signs::default(),
            history: History::default(),
            rules: start.rules,
            stresses,
            drive,
            hand: HandNow::new(start.hand, start.person, doors),
            turning: None,
            place: objects::Place::Instead,
            clerk: Clerk::default(),
            solvers,
            solver: start.solver,
            reading: None,
            benchmark: BenchPage::new(command_line::Bench::default(), Beside::Hand),
            resting,
            headset_views: views,
            page: Page::None,
            menu: None,
            question: None,
            notice: start.trouble.map(Notice::bad),
            shapes: Shapes::default(),
            to_picture: Recent::default(),
            stillness: Stillness::default(),
            is_unseen: false,
            has_news: true,
            n_marks: 0,
            headset: None,
            mirrored: None,
            goggles: None,
            going: Going::On,
        }
    }

    /// Shows what the wearer of this headset sees, while somebody wears it.
    pub(super) fn mirror(&mut self, headset: &Arc<HeadsetLink>) {
        self.headset = Some(Arc::clone(headset));
    }

    fn views(&self) -> Views {
        self.kept.settings().views
    }

    /// The scene with what the person wants to see of it.
    fn explain(&mut self) -> Arc<Scene> {
        let mut shown = self.signs.add(&self.scene, self.views(), &self.history);
        shown.status.extend(latency::line(&shown, self.to_picture.median(Instant::now())));
        shown.status.extend(self.recording.line());
        self.shown = Arc::new(shown);
        self.shown_with = Some(self.views());
        *self.headset_views.lock().unwrap_or_else(PoisonError::into_inner) = self.views();
        Arc::clone(&self.shown)
    }

    /// Only the words beside the picture are new.
    fn explain_status(&mut self) {
        let mut shown = (*self.shown).clone();
        shown.status.clone_from(&self.scene.status);
        shown.chosen.clone_from(&self.scene.chosen);
        shown.status.extend(latency::line(&self.scene, self.to_picture.median(Instant::now())));
        shown.status.extend(self.recording.line());
        self.shown = Arc::new(shown);
        self.has_news = true;
    }

    fn say(&mut self, words: Result<String, String>) {
        self.has_news = true;
        self.notice = Some(match words {
            Ok(words) => Notice::good(words),
            Err(words) => Notice::bad(words),
        });
    }
}

impl Show for Bench<'_> {
    fn scene(&mut self, camera: &Camera) -> Option<Arc<Scene>> {
        self.camera = *camera;
        self.stresses.store(self.views().colours == Colours::Stress, Ordering::Relaxed);
        self.hear_clerk();
        self.watch_recording();
        self.keep_settings();
        self.turn_thing();
        self.squeezes.try_iter().for_each(|squeeze| self.history.add(squeeze));
        let worth = match self.scenes.take() {
            None => Worth::Nothing,
            Some(scene) => {
                let worth = self.stillness.worth(&self.scene, &scene, Instant::now());
                // What was measured at another place of a recording says nothing here.
                if scene.sought.is_some() {
                    self.history = History::default();
                }
                if worth != Worth::Nothing {
                    self.shapes.see(&scene.things);
                    self.scene = scene;
                }
                worth
            }
        };
        let is_other_view = self.shown_with != Some(self.views());
        match worth {
            Worth::Picture => self.is_unseen = true,
            // The scale of the colours goes with the numbers.
            Worth::Words if self.views().colours != Colours::Natural => {}
            Worth::Words if !is_other_view => {
                self.explain_status();
                return None;
            }
            Worth::Nothing if !is_other_view => return None,
            Worth::Words | Worth::Nothing => {}
        }
        Some(self.explain())
    }

    fn viewpoint(&self, camera: &Camera, aspect: f64) -> Viewpoint {
        match &self.mirrored {
            Some(mirror) => mirror.viewpoint(aspect),
            None => self.eye(camera, aspect).viewpoint(aspect),
        }
    }

    fn has_news(&mut self) -> bool {
        let is_measured = self.benchmark.hear();
        // Two solvers at once would disturb each other, whatever page is open.
        self.resting.store(self.benchmark.is_running(), Ordering::Relaxed);
        let is_pointed_at = self.lay_out_board();
        let has_news = std::mem::take(&mut self.has_news) || is_measured || is_pointed_at;
        let Some(headset) = &self.headset else { return has_news };
        let before = self.mirrored;
        match (headset.mirror.take(), headset.state()) {
            (Some(mirror), _) => self.mirrored = Some(mirror),
            (None, HeadsetState::Showing(_)) => {}
            // The camera is the person's again.
            (None, _) => self.mirrored = None,
        }
        has_news || self.mirrored != before
    }

    fn is_over(&self) -> bool {
        self.going == Going::Over
    }

    fn panels(&mut self, ui: &mut egui::Ui) -> Going {
        ui.ctx().set_theme(match self.kept.settings().theme {
            ThemeChoice::System => ThemePreference::System,
            ThemeChoice::Light => ThemePreference::Light,
            ThemeChoice::Dark => ThemePreference::Dark,
        });
        let covers_all = matches!(self.page, Page::Benchmark) && self.question.is_none();
        if !covers_all {
            self.time_line(ui);
        }
        let going = self.pages(ui);
        if covers_all {
            return going;
        }
        let free = ui.available_rect_before_wrap();
        // In a narrow window what is wrong matters more.
        let are_measured = self.views().measures && free.width() > 2.0 * measures::SPACE;
        let beside = if are_measured { measures::SPACE } else { 0.0 };
        status_panel(ui, free.right() - beside, &self.shown.status);
        if are_measured {
            measures::measures(ui, self.shown.colouring, &self.history);
        }
        self.drive_card(ui);
        let left = if self.drive.wanted().is_some() { drive::CARD_WIDTH } else { 0.0 };
        help_line(ui, if self.drive.is_mouse_on() { MOUSE_HAND } else { MOUSE_VIEW }, left);
        if let Some(notice) = &self.notice {
            notice.show(ui);
        }
        going
    }

    fn drawn(&mut self) {
        if let (true, Some(made)) = (std::mem::take(&mut self.is_unseen), self.scene.made) {
            let now = Instant::now();
            self.to_picture.add(now, now.saturating_duration_since(made).as_secs_f64());
        }
    }

    fn mouse(&mut self, mouse: &Mouse, sight: &Sight) -> Meant {
        // Whatever has opened meanwhile, a button that was let go is no longer held.
        let is_covered = self.menu.is_some() || self.question.is_some();
        if is_covered && mouse.does != MouseDoes::LetsGo {
            return Meant::ForView;
        }
        let closed = self.scene.driven.unwrap_or_default();
        if self.turning.is_none() && self.drive.mouse(mouse, sight, &closed) == Meant::ForShow {
            return Meant::ForShow;
        }
        self.drag_thing(mouse, sight)
    }

    /// Whoever has kept shapes and not saved them is asked first.
    fn close(&mut self) -> Going {
        let unsaved = self.shapes.unsaved(&self.scene.things);
        if unsaved.is_empty() || matches!(self.question, Some(Question::Exit(_))) {
            return Going::Over;
        }
        self.question = Some(Question::Exit(unsaved));
        self.has_news = true;
        Going::On
    }

    fn dropped(&mut self, file: &Path) {
        self.has_news = true;
        if self.benchmark.is_running() {
            self.say(Err("one after the other: the workstation is being measured".to_owned()));
            return;
        }
        self.take_file(file);
    }
}

#[cfg(test)]
mod tests;
