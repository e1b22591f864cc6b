//! The window of a session: the newest scene, what the fingers do in it, and all that a person can ask for.
//!
//! - `command`: what can be asked for, with words and keys; `menu`, `help`: where it stands;
//! - `signs`: colours, arrows and lines in the scene; `measures`: bars and a graph beside it, of `history`;
//! - `rules`: the grasp rules; `material`: what the thing is made of; `files`: a file to read or to write, and
//!   `found`: what was found in it; `question`: before something is lost;
//! - `objects`: which things there are; `turning`: a thing that is dragged round;
//! - `drive`: the hand in mouse and keys; `recording`: what goes into a file;
//! - `clerk`: whatever takes time, on other threads; `shelf`: things from files and shapes into them.

mod clerk;
mod command;
mod drive;
mod files;
mod found;
mod help;
mod history;
mod material;
mod measures;
mod menu;
mod notice;
mod objects;
mod question;
mod recording;
mod rules;
mod shelf;
mod signs;
mod stillness;
mod turning;
mod work;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Instant;

use ::objects::solid::Progress;
use drivers::recorder::Recorder;
use egui::Pos2;
use engine::{Mailbox, Solvers};
use physics::ObjectSpec;

use self::clerk::Clerk;
use self::command::Command;
use self::drive::Drive;
use self::files::{Files, Opening};
use self::found::Found;
pub(super) use self::history::{History, Squeeze};
use self::material::MaterialPanel;
pub(super) use self::measures::legend;
use self::menu::Item;
use self::notice::Notice;
use self::question::Question;
use self::recording::Recording;
pub(super) use self::signs::{Colours, Signs, Views};
use self::stillness::Stillness;
use self::turning::Turning;
use crate::benchmark::{Asked, BenchPage, Beside};
use crate::command_line;
use crate::grasp::GraspRules;
use crate::render::{Camera, Viewpoint};
use crate::scene::{Level, Scene, StatusLine};
use crate::session::{Recent, Request};
use crate::ui::{help_line, status_panel};
use crate::vr::{HeadsetLink, HeadsetState, Mirror};
use crate::window::{Going, Meant, Mouse, MouseDoes, Show, Sight};
use crate::wiring::Steered;

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
    /// As it came, and as it is shown.
    scene: Arc<Scene>,
    shown: Arc<Scene>,
    camera: Camera,
    views: Views,
    signs: Signs,
    history: History,
    rules: GraspRules,
    /// Whether the solver is asked for stresses.
    stresses: Arc<AtomicBool>,
    drive: Drive,
    turning: Option<Turning>,
    /// Where the thing goes whose file is being read.
    place: objects::Place,
    clerk: Clerk,
    solvers: Solvers,
    /// How far the file has come that is being read.
    reading: Option<Arc<Progress>>,
    /// How files are read.
    opening: Opening,
    /// Keeps what it found while its page is closed.
    benchmark: BenchPage,
    /// Whether the hand rests.
    resting: Arc<AtomicBool>,
    /// What lies over the picture.
    page: Page,
    menu: Option<Pos2>,
    question: Option<Question>,
    notice: Option<Notice>,
    /// Files that were read or written, the last one first.
    recent: Vec<PathBuf>,
    /// The rest shape that was saved last.
    saved: Option<Arc<ObjectSpec>>,
    /// The one that the thing on the table began with.
    original: Option<Arc<ObjectSpec>>,
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
}

/// What the hand's thread looks at, now and then.
#[derive(Clone, Default)]
pub(super) struct Wishes {
    /// Whether the solver is asked for stresses.
    pub(super) stresses: Arc<AtomicBool>,
    /// Whether the hand rests.
    pub(super) resting: Arc<AtomicBool>,
}

/// What lies over the picture or beside it.
enum Page {
    None,
    Help,
    Rules,
    Material(Box<MaterialPanel>),
    Benchmark,
    Objects,
    Files(Files),
    Found(Found),
}

/// What joins the window to the session.
pub(super) struct Wires {
    pub(super) scenes: Arc<Mailbox<Arc<Scene>>>,
    pub(super) squeezes: Receiver<Squeeze>,
    pub(super) requests: SyncSender<Request>,
    pub(super) wishes: Wishes,
    pub(super) solvers: Solvers,
}

impl<'a> Bench<'a> {
    pub(super) fn new(
        wires: Wires,
        rules: GraspRules,
        steered: Steered,
        recorder: Option<&'a Recorder>,
    ) -> Self {
        let Wires { scenes, squeezes, requests, wishes, solvers } = wires;
        let Wishes { stresses, resting } = wishes;
        Self {
            scenes,
            squeezes,
            requests,
            recording: Recording::new(recorder),
            scene: Arc::default(),
            shown: Arc::default(),
            camera: Camera::default(),
            views: Views::default(),
            signs: Signs::default(),
            history: History::default(),
            rules,
            stresses,
            drive: Drive::new(steered.steering, steered.driven),
            turning: None,
            place: objects::Place::Instead,
            clerk: Clerk::default(),
            solvers,
            reading: None,
            opening: Opening::default(),
            benchmark: BenchPage::new(command_line::Bench::default(), Beside::Hand),
            resting,
            page: Page::None,
            menu: None,
            question: None,
            notice: None,
            recent: Vec::new(),
            saved: None,
            original: None,
            to_picture: Recent::default(),
            stillness: Stillness::default(),
            is_unseen: false,
            has_news: true,
            n_marks: 0,
            headset: None,
            mirrored: None,
        }
    }

    /// Shows what the wearer of this headset sees, while somebody wears it.
    pub(super) fn mirror(&mut self, headset: &Arc<HeadsetLink>) {
        self.headset = Some(Arc::clone(headset));
    }

    /// The scene with what the person wants to see of it.
    fn explain(&mut self) -> Arc<Scene> {
        let mut shown = self.signs.add(&self.scene, self.views, &self.history);
        shown.status.extend(latency_line(&shown, self.to_picture.median(Instant::now())));
        self.shown = Arc::new(shown);
        Arc::clone(&self.shown)
    }

    /// How a command stands in the menu now.
    fn item(&self, command: Command) -> Item {
        let switch = |is_on: bool| if is_on { Item::On } else { Item::Off };
        let if_any = |is_any: bool| if is_any { Item::Plain } else { Item::Idle };
        let chosen = self.scene.chosen.as_ref();
        let is_squeezed = chosen.is_some_and(|c| c.contacts.iter().any(Option::is_some));
        let has_kept = chosen.is_some_and(|chosen| chosen.n_kept > 0);
        match command {
            Command::KeepShape => if_any(is_squeezed),
            Command::Undo | Command::Reset => if_any(has_kept),
            Command::Redo => if_any(chosen.is_some_and(|chosen| chosen.n_undone > 0)),
            Command::ReadFile | Command::SaveAs => if_any(chosen.is_some()),
            Command::Objects => switch(matches!(self.page, Page::Objects)),
            Command::Record => switch(self.recording.is_on()),
            Command::Mark => if_any(self.recording.is_on()),
            Command::Colours => switch(self.views.colours != Colours::Natural),
            Command::Forces => switch(self.views.forces),
            Command::Measures => switch(self.views.measures),
            Command::Table => if_any(self.headset.is_some()),
            Command::Wireframe => switch(self.views.wireframe),
            Command::SphereTree => switch(self.views.sphere_tree),
            Command::RealHand => switch(self.views.real_hand),
            Command::MouseHand if self.drive.wanted().is_none() => Item::Idle,
            Command::MouseHand => switch(self.drive.is_mouse_on()),
            Command::Rules => switch(matches!(self.page, Page::Rules)),
            Command::Material => match chosen {
                Some(_) => switch(matches!(self.page, Page::Material(_))),
                None => Item::Idle,
            },
            Command::Snapshot | Command::Benchmark | Command::Help | Command::Exit => Item::Plain,
        }
    }

    /// Where the menu was asked for, over the picture.
    fn asked_for_menu(ui: &egui::Ui) -> Option<Pos2> {
        let free = ui.available_rect_before_wrap();
        let at = ui.input(|input| {
            input.pointer.secondary_clicked().then(|| input.pointer.interact_pos()).flatten()
        })?;
        let is_over_panel =
            ui.ctx().layer_id_at(at).is_some_and(|layer| layer.order != egui::Order::Background);
        (free.contains(at) && !is_over_panel).then_some(at)
    }

    /// Lays out what lies over the picture; says what was asked for, and hears nothing below it.
    fn pages(&mut self, ui: &mut egui::Ui) -> Going {
        if self.question.is_some() {
            return self.ask(ui);
        }
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
                if let Some(asked) = files.page(ui, &self.recent, &mut self.opening, share) {
                    self.choose_file(asked);
                }
                return Going::On;
            }
            Page::Objects => {
                let selected = self.scene.chosen.as_ref().map(|chosen| chosen.thing);
                match objects::panel(ui, &self.scene.names, selected, &self.recent) {
                    Some(objects::Asked::Close) => {
                        self.page = Page::None;
                        return Going::On;
                    }
                    Some(asked) => self.choose_object(asked),
                    None => {}
                }
            }
            Page::Found(found) => {
                if found.page(ui) == Going::Over {
                    self.page = Page::None;
                }
                return Going::On;
            }
            Page::Material(panel) => {
                let now = self.scene.chosen.as_ref().map(|chosen| {
                    let ObjectSpec::Solid(solid) = &*chosen.spec;
                    *solid.material()
                });
                match now.and_then(|now| panel.panel(ui, &now)) {
                    Some(material::Asked::Matter(matter)) => self.remake(matter),
                    Some(material::Asked::Close) => {
                        self.page = Page::None;
                        return Going::On;
                    }
                    None => {}
                }
            }
            Page::Rules => match rules::panel(ui, &self.rules) {
                Some(rules::Asked::Rules(rules)) => self.set_rules(rules),
                Some(rules::Asked::Close) => {
                    self.page = Page::None;
                    return Going::On;
                }
                None => {}
            },
        }
        if let Some(at) = Self::asked_for_menu(ui) {
            self.menu = Some(at);
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
}

impl Show for Bench<'_> {
    fn scene(&mut self, camera: &Camera) -> Option<Arc<Scene>> {
        self.camera = *camera;
        self.stresses.store(self.views.colours == Colours::Stress, Ordering::Relaxed);
        self.hear_clerk();
        self.turn_thing();
        self.squeezes.try_iter().for_each(|squeeze| self.history.add(squeeze));
        let newest = self.scenes.take();
        let now = Instant::now();
        let is_over = |scene: &Arc<Scene>| self.stillness.is_over(&self.scene, scene, now);
        if let Some(scene) = newest.filter(is_over) {
            if let Some(chosen) = scene.chosen.as_ref().filter(|chosen| chosen.n_kept == 0) {
                self.original = Some(Arc::clone(&chosen.spec));
            }
            self.scene = scene;
            self.is_unseen = true;
        } else if !std::mem::take(&mut self.has_news) {
            return None;
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
        let Some(headset) = &self.headset else { return is_measured };
        let before = self.mirrored;
        match (headset.mirror.take(), headset.state()) {
            (Some(mirror), _) => self.mirrored = Some(mirror),
            (None, HeadsetState::Showing(_)) => {}
            // The camera is the person's again.
            (None, _) => self.mirrored = None,
        }
        is_measured || self.mirrored != before
    }

    fn panels(&mut self, ui: &mut egui::Ui) -> Going {
        let covers_all = matches!(self.page, Page::Benchmark) && self.question.is_none();
        let going = self.pages(ui);
        if covers_all {
            return going;
        }
        status_panel(ui, &self.shown.status);
        if self.views.measures {
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

    /// Whoever has kept a shape and not saved it is asked first.
    fn close(&mut self) -> Going {
        if !self.would_lose_shape() || matches!(self.question, Some(Question::Exit)) {
            return Going::Over;
        }
        self.question = Some(Question::Exit);
        self.has_news = true;
        Going::On
    }

    fn dropped(&mut self, file: &Path) {
        self.has_news = true;
        if self.benchmark.is_running() {
            self.say(Err("one after the other: the workstation is being measured".to_owned()));
            return;
        }
        self.choose(files::Purpose::Read);
        self.read(file.to_owned(), objects::Place::Instead);
    }
}

/// From the glove's byte to the picture, stage by stage.
fn latency_line(scene: &Scene, to_picture: Option<f64>) -> Option<StatusLine> {
    let stages = [
        ("pair", scene.latency.to_pair),
        ("touch", scene.latency.to_touch),
        ("solve", scene.latency.to_frame),
        ("picture", to_picture),
    ];
    if stages.iter().all(|(_, seconds)| seconds.is_none()) {
        return None;
    }
    let stage = |(name, seconds): &(&str, Option<f64>)| match seconds {
        Some(seconds) => format!("{name} {:.2}", seconds * 1e3),
        None => format!("{name} -"),
    };
    let words: Vec<String> = stages.iter().map(stage).collect();
    let text = format!("{} ms", words.join("  +  "));
    Some(StatusLine { name: "latency", level: Level::Good, text })
}
