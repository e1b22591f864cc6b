//! Slow jobs, each on its own thread: pictures, folders, files, devices, solvers.

mod file_jobs;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use drivers::recorder::Recorder;
use engine::SolverLocation;
use interaction::scene::Scene;
use interaction::thing::ThingParts;
use objects::filling::Progress;
use objects::generate::GeneratedKind;
use physics::ObjectSpec;

pub(super) use self::file_jobs::begin_recording;
use self::file_jobs::{list, people, picture, trial_question};
use super::file_report::FileReport;
use super::squeeze_history::SqueezeHistory;
use super::thing_files::{
    ReadRequest, SavedShape, ShapeToSave, generate_thing, read_thing, save_shape,
};
use super::things_panel::ThingPlace;
use crate::command_line::ProfilesFolder;
use crate::devices::{self, FoundPort};
use crate::render::Camera;
use crate::session::ProfilesInUse;
use crate::settings::Settings;
use crate::ui::Look;
use crate::wiring::{
    DevicesExpected, HandChoice, HandSourceContext, OpenedHands, RecordingChoice, SolverChoice,
    chosen_solvers, open_hands, profiles_in_use,
};

/// Largest number of jobs at a time.
const MOST_AT_ONCE: usize = 4;

/// Longest time that a server may take to solve the trial object. Closing the window may have to
/// wait this long too.
const LONGEST_TRIAL: Duration = Duration::from_secs(10);

/// The result of a job, or an error message.
pub(super) enum JobResult {
    Snapshot(Result<PathBuf, String>),
    Listed(FolderListing),
    /// The path to read is a folder.
    IsFolder(FolderListing),
    /// The file for a source of hands is a folder.
    HandIsFolder(FolderListing),
    /// A thing, and a report about its file.
    Read(PathBuf, Result<(ThingParts, FileReport), String>),
    Saved(PathBuf, Result<SavedShape, String>),
    /// The file exists already; nothing was written.
    WouldReplace(PathBuf),
    Made(GeneratedKind, ThingPlace, Result<ThingParts, String>),
    Recorded(PathBuf, Result<(), String>),
    /// A source of hands that was opened.
    Hand(HandChoice, Result<OpenedHands, String>),
    /// Names of the people with a calibration.
    People(Result<Vec<String>, String>),
    /// The calibration of a person, or of an uncalibrated hand.
    Person(Option<String>, Result<Box<ProfilesInUse>, String>),
    /// All ports and their devices.
    Ports(Result<Vec<FoundPort>, String>),
    /// A solver that was opened.
    Solvers(SolverChoice, Result<SolverLocation, String>),
    /// The settings were saved.
    SettingsSaved(Result<(), String>),
}

/// The contents of a folder.
#[derive(Debug, Clone)]
pub(super) struct FolderListing {
    pub(super) folder: PathBuf,
    pub(super) entries: Result<Vec<FolderEntry>, String>,
}

/// A file or a folder; folders sort first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FolderEntry {
    pub(super) is_file: bool,
    pub(super) name: String,
}

/// The contents of a picture to write.
pub(super) struct SnapshotRequest {
    pub(super) scene: Scene,
    pub(super) camera: Camera,
    pub(super) size: [u32; 2],
    pub(super) look: Look,
    /// History for the measures, if they are shown.
    pub(super) history: Option<SqueezeHistory>,
}

/// Treatment of an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhenFileExists {
    Ask,
    Replace,
}

/// Runs jobs and collects their results.
pub(super) struct BackgroundJobs {
    results: Receiver<JobResult>,
    sender: SyncSender<JobResult>,
    threads: Vec<JoinHandle<()>>,
    /// Progress of the file that is being read, for cancelling it.
    reading: Option<Arc<Progress>>,
    /// Set to true to cancel the opening of hands and the search of ports.
    stop: Arc<AtomicBool>,
}

impl Default for BackgroundJobs {
    fn default() -> Self {
        let (sender, results) = sync_channel(2 * MOST_AT_ONCE);
        Self { results, sender, threads: Vec::new(), reading: None, stop: Arc::default() }
    }
}

impl Drop for BackgroundJobs {
    fn drop(&mut self) {
        self.reading.iter().for_each(|reading| reading.cancel());
        self.stop.store(true, Ordering::Relaxed);
        while self.results.try_recv().is_ok() {}
        for thread in self.threads.drain(..) {
            // A job that panicked has reported it already.
            let _ = thread.join();
        }
    }
}

impl BackgroundJobs {
    /// Returns the next result of a job that has ended.
    pub(super) fn next_result(&mut self) -> Option<JobResult> {
        self.results.try_recv().ok()
    }

    /// Draws a picture and writes it under the next free name.
    pub(super) fn snapshot(&mut self, snapshot: SnapshotRequest) -> Result<(), &'static str> {
        self.start(JobResult::Snapshot(broken()), move || {
            JobResult::Snapshot(picture(&snapshot).map_err(|e| format!("{e:#}")))
        })
    }

    /// Reads an object from a file, or lists the path if it is a folder.
    pub(super) fn read_file(
        &mut self,
        path: PathBuf,
        how: ReadRequest,
    ) -> Result<(), &'static str> {
        self.reading = Some(Arc::clone(&how.progress));
        self.start(JobResult::Read(path.clone(), broken()), move || {
            if path.is_dir() {
                return JobResult::IsFolder(list(path));
            }
            let read = read_thing(&path, &how).map_err(|e| format!("{e:#}"));
            JobResult::Read(path, read)
        })
    }

    pub(super) fn list_folder(&mut self, folder: PathBuf) -> Result<(), &'static str> {
        let listing = FolderListing { folder: folder.clone(), entries: broken() };
        self.start(JobResult::Listed(listing), move || JobResult::Listed(list(folder)))
    }

    /// Writes a rest shape, with displacements and forces if the format has room for them.
    pub(super) fn save_shape(
        &mut self,
        path: PathBuf,
        shape: ShapeToSave,
        existing: WhenFileExists,
    ) -> Result<(), &'static str> {
        self.start(JobResult::Saved(path.clone(), broken()), move || {
            if path.is_dir() {
                return JobResult::Listed(list(path));
            }
            if existing == WhenFileExists::Ask && path.exists() {
                return JobResult::WouldReplace(path);
            }
            let written = save_shape(&path, &shape).map_err(|e| format!("{e:#}"));
            JobResult::Saved(path, written)
        })
    }

    /// Generates a thing.
    pub(super) fn make_thing(
        &mut self,
        kind: GeneratedKind,
        like: Arc<ObjectSpec>,
        place: ThingPlace,
    ) -> Result<(), &'static str> {
        self.start(JobResult::Made(kind, place, broken()), move || {
            let made = generate_thing(kind, &like).map_err(|e| format!("{e:#}"));
            JobResult::Made(kind, place, made)
        })
    }

    /// Opens a source of hands for this thing.
    pub(super) fn open_hand(
        &mut self,
        choice: HandChoice,
        thing: Option<ThingParts>,
        hand_context: HandSourceContext,
        expected: DevicesExpected,
    ) -> Result<(), &'static str> {
        let stop = Arc::clone(&self.stop);
        self.start(JobResult::Hand(choice.clone(), broken()), move || {
            let folder = match &choice {
                HandChoice::Recording(RecordingChoice { file, .. }) => Some(file.clone()),
                HandChoice::Emulated(performance) => performance.script.as_ref().map(PathBuf::from),
                HandChoice::Ports { .. } | HandChoice::Mouse(_) | HandChoice::Headset => None,
            };
            if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
                return JobResult::HandIsFolder(list(folder));
            }
            let opened = open_hands(&choice, thing.as_ref(), &hand_context, expected, &stop);
            JobResult::Hand(choice, opened.map_err(|e| format!("{e:#}")))
        })
    }

    /// Lists the people with a calibration.
    pub(super) fn list_people(&mut self, folder: ProfilesFolder) -> Result<(), &'static str> {
        self.start(JobResult::People(broken()), move || {
            JobResult::People(people(&folder).map_err(|e| format!("{e:#}")))
        })
    }

    /// Reads the calibration of a person.
    pub(super) fn read_person(
        &mut self,
        person: Option<String>,
        folder: ProfilesFolder,
    ) -> Result<(), &'static str> {
        self.start(JobResult::Person(person.clone(), broken()), move || {
            let read = profiles_in_use(person.as_deref(), &folder).map_err(|e| format!("{e:#}"));
            JobResult::Person(person, read.map(Box::new))
        })
    }

    /// Searches all ports for devices.
    pub(super) fn search_ports(&mut self) -> Result<(), &'static str> {
        let stop = Arc::clone(&self.stop);
        self.start(JobResult::Ports(broken()), move || {
            JobResult::Ports(devices::search(&stop).map_err(|e| e.to_string()))
        })
    }

    /// Connects to another solver and lets it solve a small object as a trial.
    pub(super) fn open_solvers(&mut self, choice: SolverChoice) -> Result<(), &'static str> {
        self.start(JobResult::Solvers(choice.clone(), broken()), move || {
            let solvers = chosen_solvers(&choice).and_then(|solvers| {
                solvers.try_out(&trial_question()?, LONGEST_TRIAL)?;
                Ok(solvers)
            });
            JobResult::Solvers(choice, solvers.map_err(|e| format!("{e:#}")))
        })
    }

    /// Saves the settings, even if `MOST_AT_ONCE` jobs are running.
    pub(super) fn save_settings(&mut self, settings: Settings) -> Result<(), &'static str> {
        self.start_at_once(JobResult::SettingsSaved(broken()), move || {
            JobResult::SettingsSaved(settings.save().map_err(|e| e.to_string()))
        })
    }

    /// Completes a recording, which may wait for the disk. Runs even if `MOST_AT_ONCE` jobs are
    /// running, because a recording that is not completed is damaged.
    pub(super) fn finish_recording(
        &mut self,
        recorder: Recorder,
        path: PathBuf,
    ) -> Result<(), &'static str> {
        self.start_at_once(JobResult::Recorded(path.clone(), broken()), move || {
            let finished = recorder.finish().map_err(|e| format!("{:#}", anyhow::Error::from(e)));
            JobResult::Recorded(path, finished)
        })
    }

    /// Runs a job on its own thread. If the job panics, its result is `otherwise`, so that the
    /// window does not wait for ever.
    fn start(
        &mut self,
        otherwise: JobResult,
        job: impl FnOnce() -> JobResult + Send + 'static,
    ) -> Result<(), &'static str> {
        self.threads.retain(|thread| !thread.is_finished());
        if self.threads.len() >= MOST_AT_ONCE {
            return Err("too many jobs are running: wait until one is done");
        }
        self.start_at_once(otherwise, job)
    }

    fn start_at_once(
        &mut self,
        otherwise: JobResult,
        job: impl FnOnce() -> JobResult + Send + 'static,
    ) -> Result<(), &'static str> {
        let sender = self.sender.clone();
        let thread = thread::Builder::new().name("job".to_owned()).spawn(move || {
            // No data of a job that panicked is used again.
            let result = catch_unwind(AssertUnwindSafe(job)).unwrap_or(otherwise);
            // Fails if the window has closed; the result is then not needed.
            let _ = sender.try_send(result);
        });
        self.threads.push(thread.map_err(|_| "the system cannot start another thread")?);
        Ok(())
    }
}

fn broken<T>() -> Result<T, String> {
    Err("internal error; the log has the details".to_owned())
}

#[cfg(test)]
mod tests;
