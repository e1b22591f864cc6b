//! What takes time is done by a clerk, on threads of its own: pictures, folders, files.

mod jobs;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use drivers::recorder::Recorder;
use engine::Solvers;
use interaction::scene::Scene;
use interaction::thing::ThingParts;
use objects::generate::Kind;
use objects::solid::Progress;
use physics::ObjectSpec;

pub(super) use self::jobs::begin_recording;
use self::jobs::{list, people, picture, small_question};
use super::found::Found;
use super::history::History;
use super::objects::Place;
use super::shelf::{Saved, ToRead, ToSave, made, save, thing};
use crate::command_line::ProfilesFolder;
use crate::devices::{self, FoundPort};
use crate::render::Camera;
use crate::session::Fitting;
use crate::settings::Settings;
use crate::ui::Look;
use crate::wiring::{
    Doors, Expected, HandChoice, OpenedHands, SolverChoice, ToPlay, chosen_solvers, fitting,
    open_hands,
};

/// So much is done at a time; more would only be in its own way.
const MOST_AT_ONCE: usize = 4;

/// Longest time that a server may take to solve the trial object. Closing the window waits no longer
/// than this either.
const LONGEST_TRIAL: Duration = Duration::from_secs(10);

/// What was done, or why not, in words.
pub(super) enum Done {
    Snapshot(Result<PathBuf, String>),
    Listed(Listing),
    /// What was to be read is a folder.
    IsFolder(Listing),
    /// What a hand was to come from is a folder.
    HandIsFolder(Listing),
    /// A thing, and what was found in its file.
    Read(PathBuf, Result<(ThingParts, Found), String>),
    Saved(PathBuf, Result<Saved, String>),
    /// There is a file already, and nothing was written.
    WouldReplace(PathBuf),
    Made(Kind, Place, Result<ThingParts, String>),
    Recorded(PathBuf, Result<(), String>),
    /// Another source of hands.
    Hand(HandChoice, Result<OpenedHands, String>),
    /// Who has a calibration.
    People(Result<Vec<String>, String>),
    /// Somebody's calibration, or nobody's in particular.
    Person(Option<String>, Result<Box<Fitting>, String>),
    /// What is on which port.
    Ports(Result<Vec<FoundPort>, String>),
    /// Somebody else who solves.
    Solvers(SolverChoice, Result<Solvers, String>),
    /// The settings are on the disk.
    Kept(Result<(), String>),
}

/// What is in a folder.
#[derive(Debug, Clone)]
pub(super) struct Listing {
    pub(super) folder: PathBuf,
    pub(super) entries: Result<Vec<Entry>, String>,
}

/// A file or a folder; folders sort first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) is_file: bool,
    pub(super) name: String,
}

/// All that a picture is made from.
pub(super) struct Snapshot {
    pub(super) scene: Scene,
    pub(super) camera: Camera,
    pub(super) size: [u32; 2],
    pub(super) look: Look,
    /// Of the measures, if they are shown.
    pub(super) history: Option<History>,
}

/// What to do with a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    Ask,
    Replace,
}

/// Does things, and says when they are done.
pub(super) struct Clerk {
    done: Receiver<Done>,
    report: SyncSender<Done>,
    at_work: Vec<JoinHandle<()>>,
    /// What is being read, so that it can be given up.
    reading: Option<Arc<Progress>>,
    /// Whether nobody waits for ports any more.
    stop: Arc<AtomicBool>,
}

impl Default for Clerk {
    fn default() -> Self {
        let (report, done) = sync_channel(2 * MOST_AT_ONCE);
        Self { done, report, at_work: Vec::new(), reading: None, stop: Arc::default() }
    }
}

impl Drop for Clerk {
    fn drop(&mut self) {
        self.reading.iter().for_each(|reading| reading.cancel());
        self.stop.store(true, Ordering::Relaxed);
        while self.done.try_recv().is_ok() {}
        for thread in self.at_work.drain(..) {
            // One that panicked has said so.
            let _ = thread.join();
        }
    }
}

impl Clerk {
    /// Something that is done since this was last asked.
    pub(super) fn done(&mut self) -> Option<Done> {
        self.done.try_recv().ok()
    }

    /// Makes a picture, and writes it under the next free name.
    pub(super) fn snapshot(&mut self, snapshot: Snapshot) -> Result<(), &'static str> {
        self.start(Done::Snapshot(broken()), move || {
            Done::Snapshot(picture(&snapshot).map_err(|e| format!("{e:#}")))
        })
    }

    /// Looks into a folder, or reads an object from a file, whichever it is.
    pub(super) fn open(&mut self, path: PathBuf, how: ToRead) -> Result<(), &'static str> {
        self.reading = Some(Arc::clone(&how.progress));
        self.start(Done::Read(path.clone(), broken()), move || {
            if path.is_dir() {
                return Done::IsFolder(list(path));
            }
            let read = thing(&path, &how).map_err(|e| format!("{e:#}"));
            Done::Read(path, read)
        })
    }

    pub(super) fn list(&mut self, folder: PathBuf) -> Result<(), &'static str> {
        let listing = Listing { folder: folder.clone(), entries: broken() };
        self.start(Done::Listed(listing), move || Done::Listed(list(folder)))
    }

    /// Writes a rest shape; with what the fingers do to it, if the format has room for that.
    pub(super) fn save(
        &mut self,
        path: PathBuf,
        shape: ToSave,
        existing: Existing,
    ) -> Result<(), &'static str> {
        self.start(Done::Saved(path.clone(), broken()), move || {
            if path.is_dir() {
                return Done::Listed(list(path));
            }
            if existing == Existing::Ask && path.exists() {
                return Done::WouldReplace(path);
            }
            let written = save(&path, &shape).map_err(|e| format!("{e:#}"));
            Done::Saved(path, written)
        })
    }

    /// Makes something by formula.
    pub(super) fn make(
        &mut self,
        kind: Kind,
        like: Arc<ObjectSpec>,
        place: Place,
    ) -> Result<(), &'static str> {
        self.start(Done::Made(kind, place, broken()), move || {
            let made = made(kind, &like).map_err(|e| format!("{e:#}"));
            Done::Made(kind, place, made)
        })
    }

    /// Opens another source of hands, for this thing.
    pub(super) fn open_hand(
        &mut self,
        choice: HandChoice,
        thing: Option<ThingParts>,
        doors: Doors,
        expected: Expected,
    ) -> Result<(), &'static str> {
        let stop = Arc::clone(&self.stop);
        self.start(Done::Hand(choice.clone(), broken()), move || {
            let folder = match &choice {
                HandChoice::Recording(ToPlay { file, .. }) => Some(file.clone()),
                HandChoice::Emulated(performance) => performance.script.as_ref().map(PathBuf::from),
                HandChoice::Ports { .. } | HandChoice::Mouse(_) | HandChoice::Headset => None,
            };
            if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
                return Done::HandIsFolder(list(folder));
            }
            let opened = open_hands(&choice, thing.as_ref(), &doors, expected, &stop);
            Done::Hand(choice, opened.map_err(|e| format!("{e:#}")))
        })
    }

    /// Looks who has a calibration.
    pub(super) fn list_people(&mut self, folder: ProfilesFolder) -> Result<(), &'static str> {
        self.start(Done::People(broken()), move || {
            Done::People(people(&folder).map_err(|e| format!("{e:#}")))
        })
    }

    /// Reads somebody's calibration.
    pub(super) fn read_person(
        &mut self,
        person: Option<String>,
        folder: ProfilesFolder,
    ) -> Result<(), &'static str> {
        self.start(Done::Person(person.clone(), broken()), move || {
            let read = fitting(person.as_deref(), &folder).map_err(|e| format!("{e:#}"));
            Done::Person(person, read.map(Box::new))
        })
    }

    /// Asks all ports what is on them.
    pub(super) fn search_ports(&mut self) -> Result<(), &'static str> {
        let stop = Arc::clone(&self.stop);
        self.start(Done::Ports(broken()), move || {
            Done::Ports(devices::search(&stop).map_err(|e| e.to_string()))
        })
    }

    /// Connects to another solver and lets it solve a small object as a trial.
    pub(super) fn open_solvers(&mut self, choice: SolverChoice) -> Result<(), &'static str> {
        self.start(Done::Solvers(choice.clone(), broken()), move || {
            let solvers = chosen_solvers(&choice).and_then(|solvers| {
                solvers.try_out(&small_question()?, LONGEST_TRIAL)?;
                Ok(solvers)
            });
            Done::Solvers(choice, solvers.map_err(|e| format!("{e:#}")))
        })
    }

    /// Puts settings on the disk, however much else is being done.
    pub(super) fn keep(&mut self, settings: Settings) -> Result<(), &'static str> {
        self.start_at_once(Done::Kept(broken()), move || {
            Done::Kept(settings.save().map_err(|e| e.to_string()))
        })
    }

    /// Ends a recording in good order, which may wait for the disk. It is never refused for other
    /// work: what is not ended is not whole.
    pub(super) fn finish(&mut self, recorder: Recorder, path: PathBuf) -> Result<(), &'static str> {
        self.start_at_once(Done::Recorded(path.clone(), broken()), move || {
            let finished = recorder.finish().map_err(|e| format!("{:#}", anyhow::Error::from(e)));
            Done::Recorded(path, finished)
        })
    }

    /// Runs a job on its own thread. If the job panics, its result is `otherwise`, so that the
    /// window does not wait for ever.
    fn start(
        &mut self,
        otherwise: Done,
        job: impl FnOnce() -> Done + Send + 'static,
    ) -> Result<(), &'static str> {
        self.at_work.retain(|thread| !thread.is_finished());
        if self.at_work.len() >= MOST_AT_ONCE {
            return Err("one after the other: what was asked before is still being done");
        }
        self.start_at_once(otherwise, job)
    }

    fn start_at_once(
        &mut self,
        otherwise: Done,
        job: impl FnOnce() -> Done + Send + 'static,
    ) -> Result<(), &'static str> {
        let report = self.report.clone();
        let thread = thread::Builder::new().name("clerk".to_owned()).spawn(move || {
            // Nothing of a job that panicked is used any more.
            let done = catch_unwind(AssertUnwindSafe(job)).unwrap_or(otherwise);
            // Nobody hears it if the window has closed meanwhile.
            let _ = report.try_send(done);
        });
        self.at_work.push(thread.map_err(|_| "the system starts no more threads")?);
        Ok(())
    }
}

fn broken<T>() -> Result<T, String> {
    Err("it broke down, by a mistake of this program; the log says where".to_owned())
}

#[cfg(test)]
mod tests;
