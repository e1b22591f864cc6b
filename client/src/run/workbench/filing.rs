//! What the window does with files: things and recordings to read, shapes to write, and what became
//! of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use drivers::recorder::Recorder;
use objects::solid::Progress;
use physics::ObjectSpec;

use super::clerk::{Done, Existing, Listing, Snapshot};
use super::files::{Files, Purpose};
use super::found::Found;
use super::objects::Place;
use super::question::Question;
use super::recording::Recording;
use super::shelf::{ToRead, ToSave};
use super::things::Shapes;
use super::{Bench, Page};
use crate::settings::Recent;
use crate::ui::Look;

/// How the file of a recording ends.
const RECORDING: &str = "palpate";

/// What is on its way into files and out of them.
pub(super) struct Filing<'a> {
    /// The file that is being read.
    pub(super) reading: Option<Reading>,
    /// Rest shapes that are in no danger.
    pub(super) shapes: Shapes,
    pub(super) recording: Recording<'a>,
}

/// A file on its way to the table.
pub(super) struct Reading {
    /// How far it has come.
    pub(super) progress: Arc<Progress>,
    /// Where its thing goes.
    pub(super) place: Place,
}

impl<'a> Filing<'a> {
    pub(super) fn new(whole_run: Option<&'a Recorder>) -> Self {
        let recording = Recording::new(whole_run);
        Self { reading: None, shapes: Shapes::default(), recording }
    }
}

impl Bench<'_> {
    /// Opens the page of files.
    pub(super) fn choose(&mut self, purpose: Purpose) {
        let Some(chosen) = &self.picture.scene.chosen else { return };
        let mut last = purpose.recent(&self.kept.settings().recent).iter();
        let last = last.next().and_then(|path| path.parent()).map(PathBuf::from);
        self.panels.page = Page::Files(Files::new(purpose, &chosen.name));
        let folder = last.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        self.list(folder);
    }

    /// Shows what is in a folder, on the page of files.
    pub(super) fn list(&mut self, folder: PathBuf) {
        let begun = self.clerk.list(folder);
        self.complain(begun);
    }

    /// Takes a file for what the page of files is open for.
    pub(super) fn take(&mut self, path: PathBuf) {
        let Page::Files(Files { purpose, .. }) = &self.panels.page else { return };
        match purpose {
            Purpose::Save => self.save(path, Existing::Ask),
            Purpose::Read => self.read(path, Place::Instead),
            Purpose::Play => self.play(path),
            Purpose::Script => self.perform(path),
        }
    }

    /// A file was dropped on the window: a recording, or a thing.
    pub(super) fn take_file(&mut self, file: &Path) {
        if file.extension().is_none_or(|ending| ending != RECORDING) {
            self.choose(Purpose::Read);
        }
        self.read(file.to_owned(), Place::Instead);
    }

    /// Begins to read a file; the thing on the table stays until that is done.
    pub(super) fn read(&mut self, path: PathBuf, place: Place) {
        if path.extension().is_some_and(|ending| ending == RECORDING) {
            return self.play(path);
        }
        let Some(spec) = self.spec() else { return };
        if self.files.reading.is_some() {
            self.complain(Err("one after the other: a file is still being read"));
            return;
        }
        let progress = Arc::new(Progress::default());
        let how = ToRead {
            like: spec,
            opening: self.kept.settings().opening,
            progress: Arc::clone(&progress),
            solvers: self.solving.solvers.clone(),
        };
        let begun = self.clerk.open(path, how);
        self.files.reading = begun.is_ok().then_some(Reading { progress, place });
        self.complain(begun);
    }

    /// Takes what the clerk has done.
    pub(super) fn hear_clerk(&mut self) {
        while let Some(done) = self.clerk.done() {
            self.panels.has_news = true;
            match done {
                Done::Snapshot(Ok(path)) => self.say(Ok(format!("picture: {}", path.display()))),
                Done::Snapshot(Err(why)) => self.say(Err(format!("no picture: {why}"))),
                // A file may be on its way meanwhile.
                Done::Listed(listing) => self.offer(listing),
                Done::IsFolder(listing) => {
                    self.files.reading = None;
                    self.offer(listing);
                }
                Done::HandIsFolder(listing) => self.hand_is_folder(listing),
                Done::Read(path, Ok((parts, found))) => {
                    let place = self.files.reading.take().map(|reading| reading.place);
                    self.tell(found);
                    self.remember(path);
                    self.put_on_table(parts, place.unwrap_or(Place::Instead));
                }
                Done::Read(path, Err(why)) => {
                    self.files.reading = None;
                    self.trouble(format!("{} cannot be read: {why}", path.display()));
                }
                Done::Made(_, place, Ok(parts)) => self.put_on_table(parts, place),
                Done::Made(kind, _, Err(why)) => {
                    self.trouble(format!("there is no {kind}: {why}"));
                }
                Done::Recorded(path, Ok(())) => {
                    self.say(Ok(format!("recorded {}", path.display())));
                    self.remember_recording(path);
                }
                Done::Recorded(path, Err(why)) => {
                    self.say(Err(format!("{} is not whole: {why}", path.display())));
                }
                Done::Saved(path, Ok(saved)) => {
                    // A skin alone does not bring the thing back.
                    self.files.shapes.save(saved.whole);
                    self.panels.page = Page::None;
                    self.say(Ok(format!("saved {}{}", path.display(), saved.words)));
                    self.remember(path);
                }
                Done::Saved(path, Err(why)) => {
                    self.trouble(format!("{} cannot be written: {why}", path.display()));
                }
                Done::WouldReplace(path) => self.panels.question = Some(Question::Replace(path)),
                Done::Hand(choice, opened) => self.take_hand(choice, opened),
                Done::Ports(found) => self.offer_ports(found),
                Done::People(people) => self.offer_people(people),
                Done::Person(person, fitting) => self.take_person(person, fitting),
                Done::Solvers(choice, solvers) => self.take_solvers(choice, solvers),
                Done::Kept(result) => self.settings_kept(result),
            }
        }
    }

    /// On the page of files, if it is still open.
    pub(super) fn offer(&mut self, listing: Listing) {
        if let Page::Files(files) = &mut self.panels.page {
            files.trouble = None;
            files.listing = Some(listing);
        }
    }

    /// Where there is more to say than a line, it stands on a page.
    fn tell(&mut self, found: Found) {
        let Found { name, words, is_remarkable } = &found;
        tracing::info!("{name}: {words}");
        if *is_remarkable {
            self.panels.page = Page::Found(found);
        } else {
            self.panels.page = Page::None;
            let first = words.lines().next().unwrap_or_default();
            self.say(Ok(format!("{name}: {first}")));
        }
    }

    /// Writes a shape over what is there.
    pub(super) fn save_over(&mut self, path: PathBuf) {
        self.save(path, Existing::Replace);
    }

    fn save(&mut self, path: PathBuf, existing: Existing) {
        let Some(chosen) = &self.picture.scene.chosen else { return };
        let shape = ToSave {
            spec: Arc::clone(&chosen.spec),
            known: chosen.known.clone(),
            colours: chosen.colours.clone(),
            solvers: self.solving.solvers.clone(),
        };
        let begun = self.clerk.save(path, shape, existing);
        self.complain(begun);
    }

    /// Writes a picture of what is shown.
    pub(super) fn snapshot(&mut self, ui: &egui::Ui) {
        let pixels_per_point = ui.ctx().pixels_per_point();
        let size = ui.ctx().content_rect().size() * pixels_per_point;
        let begun = self.clerk.snapshot(Snapshot {
            scene: (*self.picture.shown).clone(),
            camera: self.picture.camera,
            size: [size.x.round().max(1.0) as u32, size.y.round().max(1.0) as u32],
            look: Look { theme: ui.ctx().theme(), pixels_per_point },
            history: self.views().measures.then(|| self.picture.history.clone()),
        });
        self.complain(begun);
    }

    pub(super) fn spec(&self) -> Option<Arc<ObjectSpec>> {
        self.picture.scene.chosen.as_ref().map(|chosen| Arc::clone(&chosen.spec))
    }

    fn remember(&mut self, path: PathBuf) {
        self.kept.change(|settings| Recent::remember(&mut settings.recent.things, path));
    }

    pub(super) fn remember_recording(&mut self, path: PathBuf) {
        // The next window may be opened elsewhere.
        let path = std::path::absolute(&path).unwrap_or(path);
        self.kept.change(|settings| Recent::remember(&mut settings.recent.recordings, path));
    }

    /// On the page of files if it is open, else over the picture.
    pub(super) fn trouble(&mut self, why: String) {
        match &mut self.panels.page {
            Page::Files(files) => {
                tracing::warn!("{why}");
                files.trouble = Some(why);
                files.ask_again();
            }
            _ => self.say(Err(why)),
        }
    }

    pub(super) fn complain(&mut self, begun: Result<(), &'static str>) {
        if let Err(why) = begun {
            self.trouble(why.to_owned());
        }
    }
}
