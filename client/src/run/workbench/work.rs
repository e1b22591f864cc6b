//! What the window does when it is asked for something.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::TrySendError;

use ::objects::solid::Progress;
use drivers::Hand as Side;
use nalgebra::Point3;
use physics::ObjectSpec;

use super::clerk::{Done, Existing, Listing, Snapshot};
use super::command::Command;
use super::drive;
use super::files::{self, Files, Purpose};
use super::found::Found;
use super::material::MaterialPanel;
use super::notice::Notice;
use super::objects::{self, Place};
use super::question::{Answer, Question};
use super::shelf::{ToRead, ToSave};
use super::turning::Turning;
use super::{Bench, Page};
use crate::command_line::MaterialsFile;
use crate::grasp::GraspRules;
use crate::input::Steering;
use crate::materials;
use crate::session::{Back, Matter, Order, Request, ThingParts};
use crate::ui::{Look, keys};
use crate::window::{Going, Meant, Mouse, MouseDoes, Show, Sight};
use crate::wiring::beside;

/// Files that are offered again.
const MOST_RECENT: usize = 5;

impl Bench<'_> {
    /// Does what was asked for by menu or keys.
    pub(super) fn follow(&mut self, command: Command, ui: &egui::Ui) -> Going {
        self.has_news = true;
        let views = &mut self.views;
        match command {
            Command::KeepShape => self.order(Order::KeepShape),
            Command::Undo => self.order(Order::Back(Back::Undo)),
            Command::Redo => self.order(Order::Back(Back::Redo)),
            Command::Reset => self.order(Order::Back(Back::Reset)),
            Command::ReadFile => self.choose(Purpose::Read),
            Command::SaveAs => self.choose(Purpose::Save),
            Command::Colours => {
                views.colours = views.colours.next();
                self.say(Ok(format!("colours: {}", self.views.colours.name())));
            }
            Command::Forces => views.forces = !views.forces,
            Command::Measures => views.measures = !views.measures,
            Command::Table => self.headset.iter().for_each(|headset| headset.bring_table()),
            Command::Wireframe => views.wireframe = !views.wireframe,
            Command::SphereTree => views.sphere_tree = !views.sphere_tree,
            Command::RealHand => views.real_hand = !views.real_hand,
            Command::MouseHand => self.drive.switch_mouse(),
            Command::Snapshot => self.snapshot(ui),
            Command::Record => self.record(),
            Command::Mark => self.mark(),
            Command::Rules => {
                let is_open = matches!(self.page, Page::Rules);
                self.page = if is_open { Page::None } else { Page::Rules };
            }
            Command::Material => self.open_material(),
            Command::Benchmark => self.page = Page::Benchmark,
            Command::Objects => {
                let is_open = matches!(self.page, Page::Objects);
                self.page = if is_open { Page::None } else { Page::Objects };
            }
            Command::Help => self.page = Page::Help,
            // First it closes what is open.
            Command::Exit if !matches!(self.page, Page::None) => self.page = Page::None,
            Command::Exit => return self.close(),
        }
        Going::On
    }

    /// The thing becomes of other matter, in the background.
    pub(super) fn remake(&mut self, matter: Matter) {
        self.order(Order::Material(matter));
    }

    fn open_material(&mut self) {
        let Some(ObjectSpec::Solid(solid)) = self.spec().as_deref().cloned() else { return };
        let is_open = matches!(self.page, Page::Material(_));
        let known = materials::known(&MaterialsFile::default()).map_err(|e| format!("{e:#}"));
        let panel = MaterialPanel::new(known, solid.material());
        self.page = if is_open { Page::None } else { Page::Material(Box::new(panel)) };
    }

    /// Moves the hand as the keys want it.
    pub(super) fn drive_by_keys(&mut self, ui: &egui::Ui) {
        let Some(closed) = self.scene.driven.filter(|_| self.menu.is_none()) else { return };
        self.drive.keys(ui, &self.camera, &closed);
        for (held, key) in keys::all_pressed(ui) {
            match key {
                egui::Key::Enter if held.is_none() => self.drive.take_or_let_go(&closed),
                egui::Key::Home if held.is_none() => self.drive_home(None),
                _ => {}
            }
        }
    }

    /// Shows the card of the hand that mouse and keys move, and does what is asked for there.
    pub(super) fn drive_card(&mut self, ui: &egui::Ui) {
        let (Some(wanted), Some(closed)) = (self.drive.wanted().copied(), self.scene.driven) else {
            return;
        };
        match drive::card(ui, &wanted, &closed, self.drive.is_mouse_on()) {
            None => {}
            Some(drive::Asked::Fingers(fingers)) => self.drive.want(Steering { fingers, ..wanted }),
            Some(drive::Asked::Side(side)) => self.drive_home(Some(side)),
            Some(drive::Asked::SwitchMouse) => self.drive.switch_mouse(),
            Some(drive::Asked::Home) => self.drive_home(None),
        }
    }

    /// The hand opens above the thing that orders are about, perhaps as the other one.
    fn drive_home(&mut self, side: Option<Side>) {
        let Some(before) = self.drive.wanted().map(|wanted| wanted.side) else { return };
        let side = side.unwrap_or(before);
        let middle = self.scene.chosen.as_ref().map_or_else(Point3::origin, |chosen| chosen.middle);
        self.drive.begin_above(side, &middle);
    }

    pub(super) fn set_rules(&mut self, rules: GraspRules) {
        self.rules = rules.clone();
        self.order(Order::Rules(rules));
    }

    /// Takes what the person does on the page of files.
    pub(super) fn choose_file(&mut self, asked: files::Asked) {
        self.has_news = true;
        match asked {
            // What is being read is given up first.
            files::Asked::Close if self.reading.is_some() => {
                self.reading.iter().for_each(|reading| reading.cancel());
            }
            files::Asked::Close => self.page = Page::None,
            files::Asked::Look(folder) => {
                let begun = self.clerk.list(folder);
                self.complain(begun);
            }
            files::Asked::Take(path) => match &self.page {
                Page::Files(files) if files.purpose == Purpose::Save => {
                    self.save(path, Existing::Ask);
                }
                _ => self.read(path, Place::Instead),
            },
        }
    }

    /// Begins to read a file; the thing on the table stays until that is done.
    pub(super) fn read(&mut self, path: PathBuf, place: Place) {
        let Some(spec) = self.spec() else { return };
        if self.reading.is_some() {
            self.complain(Err("one after the other: a file is still being read"));
            return;
        }
        let progress = Arc::new(Progress::default());
        let how = ToRead {
            like: spec,
            opening: self.opening,
            progress: Arc::clone(&progress),
            solvers: self.solvers.clone(),
        };
        let begun = self.clerk.open(path, how);
        self.reading = begun.is_ok().then_some(progress);
        self.place = place;
        self.complain(begun);
    }

    /// Asks what has to be asked, and does what the answer says.
    pub(super) fn ask(&mut self, ui: &egui::Ui) -> Going {
        let Some(answer) = self.question.as_ref().and_then(|question| question.ask(ui)) else {
            return Going::On;
        };
        self.has_news = true;
        match (self.question.take(), answer) {
            (Some(Question::Exit), Answer::Yes) => return Going::Over,
            (Some(Question::LoseShape(parts)), Answer::Yes) => self.replace(parts),
            (Some(Question::Replace(path)), Answer::Yes) => self.save(path, Existing::Replace),
            (Some(_), Answer::No) | (None, _) => {}
        }
        Going::On
    }

    /// Whether a shape that was kept would be lost with its thing.
    pub(super) fn would_lose_shape(&self) -> bool {
        let Some(chosen) = &self.scene.chosen else { return false };
        // Whatever it is made of by now, it may have the shape that it had at first.
        let known = [&self.saved, &self.original];
        let is_known = known.into_iter().flatten().any(|known| has_shape(known, &chosen.spec));
        chosen.n_kept > 0 && !is_known
    }

    /// Takes what the clerk has done.
    pub(super) fn hear_clerk(&mut self) {
        while let Some(done) = self.clerk.done() {
            self.has_news = true;
            match done {
                Done::Snapshot(Ok(path)) => self.say(Ok(format!("picture: {}", path.display()))),
                Done::Snapshot(Err(why)) => self.say(Err(format!("no picture: {why}"))),
                // A file may be on its way meanwhile.
                Done::Listed(listing) => self.offer(listing),
                Done::IsFolder(listing) => {
                    self.reading = None;
                    self.offer(listing);
                }
                Done::Read(path, Ok((parts, found))) => {
                    self.reading = None;
                    self.tell(found);
                    self.remember(path);
                    self.put_on_table(parts, self.place);
                }
                Done::Made(_, place, Ok(parts)) => self.put_on_table(parts, place),
                Done::Made(kind, _, Err(why)) => {
                    self.trouble(format!("there is no {kind}: {why}"));
                }
                Done::Recorded(path, Ok(())) => {
                    self.say(Ok(format!("recorded {}", path.display())));
                }
                Done::Recorded(path, Err(why)) => {
                    self.say(Err(format!("{} is not whole: {why}", path.display())));
                }
                Done::Read(path, Err(why)) => {
                    self.reading = None;
                    self.trouble(format!("{} cannot be read: {why}", path.display()));
                }
                Done::Saved(path, Ok(saved)) => {
                    // A skin alone does not bring the thing back.
                    self.saved = saved.whole.or(self.saved.take());
                    self.page = Page::None;
                    self.say(Ok(format!("saved {}{}", path.display(), saved.words)));
                    self.remember(path);
                }
                Done::Saved(path, Err(why)) => {
                    self.trouble(format!("{} cannot be written: {why}", path.display()));
                }
                Done::WouldReplace(path) => self.question = Some(Question::Replace(path)),
            }
        }
    }

    /// On the page of files, if it is still open.
    fn offer(&mut self, listing: Listing) {
        if let Page::Files(files) = &mut self.page {
            files.trouble = None;
            files.listing = Some(listing);
        }
    }

    /// Does what the person asks for in the panel of objects.
    pub(super) fn choose_object(&mut self, asked: objects::Asked) {
        self.has_news = true;
        match asked {
            objects::Asked::Close => self.page = Page::None,
            objects::Asked::Select(thing) => self.select(thing),
            objects::Asked::Look => self.choose(Purpose::Read),
            objects::Asked::Read(path, place) => self.read(path, place),
            objects::Asked::Make(kind, place) => {
                let Some(spec) = self.spec() else { return };
                let begun = self.clerk.make(kind, spec, place);
                self.complain(begun);
            }
        }
    }

    /// Begins to turn a thing, goes on, or has done.
    pub(super) fn drag_thing(&mut self, mouse: &Mouse, sight: &Sight) -> Meant {
        match mouse.does {
            MouseDoes::Presses => {
                self.turning = Turning::begin(&self.scene, mouse, sight);
                let Some(thing) = self.turning.as_ref().map(|turning| turning.thing) else {
                    return Meant::ForView;
                };
                self.select(thing);
            }
            MouseDoes::Moves => match &mut self.turning {
                Some(turning) => turning.drag(mouse, sight),
                None => return Meant::ForView,
            },
            MouseDoes::LetsGo => {
                self.turn_thing();
                if self.turning.take().is_none() {
                    return Meant::ForView;
                }
            }
            MouseDoes::Rolls(_) => return Meant::ForView,
        }
        Meant::ForShow
    }

    /// Places the thing that is being turned as it was turned since the last time.
    pub(super) fn turn_thing(&mut self) {
        let Some(turning) = &mut self.turning else { return };
        if let Some(home) = turning.take_home() {
            let thing = turning.thing;
            self.order(Order::Place { thing, home });
        }
    }

    fn select(&mut self, thing: usize) {
        if self.scene.chosen.as_ref().is_some_and(|chosen| chosen.thing != thing) {
            self.history = super::History::default();
            self.order(Order::Select(thing));
        }
    }

    fn put_on_table(&mut self, mut parts: ThingParts, place: Place) {
        match place {
            Place::Beside(n_others) => {
                parts.home.translation.vector += beside(n_others);
                self.order(Order::Add(Box::new(parts)));
            }
            Place::Instead if self.would_lose_shape() => {
                self.question = Some(Question::LoseShape(parts));
            }
            Place::Instead => self.replace(parts),
        }
    }

    pub(super) fn order(&mut self, order: Order) {
        self.request(Request::Order(order));
    }

    /// Hands something to the session.
    pub(super) fn request(&mut self, request: Request) {
        match self.requests.try_send(request) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => self.say(Err("too much at once".to_owned())),
            // The window closes with the hand's thread.
            Err(TrySendError::Disconnected(_)) => {}
        }
    }

    fn replace(&mut self, parts: ThingParts) {
        self.history = super::History::default();
        self.order(Order::Replace(Box::new(parts)));
    }

    /// Where there is more to say than a line, it stands on a page.
    fn tell(&mut self, found: Found) {
        let Found { name, words, is_remarkable } = &found;
        tracing::info!("{name}: {words}");
        if *is_remarkable {
            self.page = Page::Found(found);
        } else {
            self.page = Page::None;
            let first = words.lines().next().unwrap_or_default();
            self.say(Ok(format!("{name}: {first}")));
        }
    }

    pub(super) fn choose(&mut self, purpose: Purpose) {
        let Some(chosen) = &self.scene.chosen else { return };
        self.page = Page::Files(Files::new(purpose, &chosen.name));
        let last = self.recent.first().and_then(|path| path.parent()).map(PathBuf::from);
        let folder = last.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        let begun = self.clerk.list(folder);
        self.complain(begun);
    }

    fn save(&mut self, path: PathBuf, existing: Existing) {
        let Some(chosen) = &self.scene.chosen else { return };
        let shape = ToSave {
            spec: Arc::clone(&chosen.spec),
            known: chosen.known.clone(),
            colours: chosen.colours.clone(),
            solvers: self.solvers.clone(),
        };
        let begun = self.clerk.save(path, shape, existing);
        self.complain(begun);
    }

    fn snapshot(&mut self, ui: &egui::Ui) {
        let pixels_per_point = ui.ctx().pixels_per_point();
        let size = ui.ctx().content_rect().size() * pixels_per_point;
        let begun = self.clerk.snapshot(Snapshot {
            scene: (*self.shown).clone(),
            camera: self.camera,
            size: [size.x.round().max(1.0) as u32, size.y.round().max(1.0) as u32],
            look: Look { theme: ui.ctx().theme(), pixels_per_point },
            history: self.views.measures.then(|| self.history.clone()),
        });
        self.complain(begun);
    }

    fn spec(&self) -> Option<Arc<ObjectSpec>> {
        self.scene.chosen.as_ref().map(|chosen| Arc::clone(&chosen.spec))
    }

    fn remember(&mut self, path: PathBuf) {
        self.recent.retain(|other| *other != path);
        self.recent.insert(0, path);
        self.recent.truncate(MOST_RECENT);
    }

    /// On the page of files if it is open, else over the picture.
    fn trouble(&mut self, why: String) {
        match &mut self.page {
            Page::Files(files) => files.trouble = Some(why),
            _ => self.say(Err(why)),
        }
    }

    pub(super) fn complain(&mut self, begun: Result<(), &'static str>) {
        if let Err(why) = begun {
            self.trouble(why.to_owned());
        }
    }

    pub(super) fn say(&mut self, words: Result<String, String>) {
        self.notice = Some(match words {
            Ok(words) => Notice::good(words),
            Err(words) => Notice::bad(words),
        });
    }
}

/// Whether two things have the same nodes in the same places.
fn has_shape(one: &Arc<ObjectSpec>, other: &Arc<ObjectSpec>) -> bool {
    let (ObjectSpec::Solid(a), ObjectSpec::Solid(b)) = (&**one, &**other);
    Arc::ptr_eq(one, other) || a.mesh().rest_positions() == b.mesh().rest_positions()
}
