//! What takes time is done by a clerk, on threads of its own: pictures, folders, files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::{env, fs, io};

use anyhow::Context;
use drivers::recorder::Recorder;
use objects::generate::Kind;
use objects::solid::Progress;
use physics::ObjectSpec;

use super::found::Found;
use super::history::History;
use super::measures::measures;
use super::objects::Place;
use super::shelf::{Saved, ToRead, ToSave, made, save, thing};
use crate::render::{Camera, Offscreen};
use crate::replace::put_under_free_name;
use crate::run::pictures;
use crate::scene::Scene;
use crate::session::ThingParts;
use crate::ui::{Look, status_panel};

/// So much is done at a time; more would only be in its own way.
const MOST_AT_ONCE: usize = 4;
/// A folder with more is shown in part.
const MOST_ENTRIES: usize = 2000;
/// Pictures or recordings of runs in one folder.
const MOST_NUMBERED: u32 = 9999;

/// What was done, or why not, in words.
pub(super) enum Done {
    Snapshot(Result<PathBuf, String>),
    Listed(Listing),
    /// What was to be read is a folder.
    IsFolder(Listing),
    /// A thing, and what was found in its file.
    Read(PathBuf, Result<(ThingParts, Found), String>),
    Saved(PathBuf, Result<Saved, String>),
    /// There is a file already, and nothing was written.
    WouldReplace(PathBuf),
    Made(Kind, Place, Result<ThingParts, String>),
    Recorded(PathBuf, Result<(), String>),
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
}

impl Default for Clerk {
    fn default() -> Self {
        let (report, done) = sync_channel(2 * MOST_AT_ONCE);
        Self { done, report, at_work: Vec::new(), reading: None }
    }
}

impl Drop for Clerk {
    fn drop(&mut self) {
        self.reading.iter().for_each(|reading| reading.cancel());
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
        self.start(move || Done::Snapshot(picture(&snapshot).map_err(|e| format!("{e:#}"))))
    }

    /// Looks into a folder, or reads an object from a file, whichever it is.
    pub(super) fn open(&mut self, path: PathBuf, how: ToRead) -> Result<(), &'static str> {
        self.reading = Some(Arc::clone(&how.progress));
        self.start(move || {
            if path.is_dir() {
                return Done::IsFolder(list(path));
            }
            let read = thing(&path, &how).map_err(|e| format!("{e:#}"));
            Done::Read(path, read)
        })
    }

    pub(super) fn list(&mut self, folder: PathBuf) -> Result<(), &'static str> {
        self.start(move || Done::Listed(list(folder)))
    }

    /// Writes a rest shape; with what the fingers do to it, if the format has room for that.
    pub(super) fn save(
        &mut self,
        path: PathBuf,
        shape: ToSave,
        existing: Existing,
    ) -> Result<(), &'static str> {
        self.start(move || {
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
        self.start(move || {
            let made = made(kind, &like).map_err(|e| format!("{e:#}"));
            Done::Made(kind, place, made)
        })
    }

    /// Ends a recording in good order, which may wait for the disk.
    pub(super) fn finish(&mut self, recorder: Recorder, path: PathBuf) -> Result<(), &'static str> {
        self.start(move || {
            let finished = recorder.finish().map_err(|e| format!("{e:#}"));
            Done::Recorded(path, finished)
        })
    }

    fn start(&mut self, job: impl FnOnce() -> Done + Send + 'static) -> Result<(), &'static str> {
        self.at_work.retain(|thread| !thread.is_finished());
        if self.at_work.len() >= MOST_AT_ONCE {
            return Err("one after the other: what was asked before is still being done");
        }
        let report = self.report.clone();
        let thread = thread::Builder::new().name("clerk".to_owned()).spawn(move || {
            // Nobody hears it if the window has closed meanwhile.
            let _ = report.try_send(job());
        });
        self.at_work.push(thread.map_err(|_| "the system starts no more threads")?);
        Ok(())
    }
}

fn list(folder: PathBuf) -> Listing {
    let folder = folder.canonicalize().unwrap_or(folder);
    let entries = || -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&folder)?.take(MOST_ENTRIES) {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with('.') {
                entries.push(Entry { is_file: !entry.path().is_dir(), name });
            }
        }
        entries.sort();
        Ok(entries)
    };
    Listing { entries: entries().map_err(|e| e.to_string()), folder }
}

fn picture(snapshot: &Snapshot) -> anyhow::Result<PathBuf> {
    let [width, height] = snapshot.size;
    let mut offscreen = Offscreen::new(width, height)?;
    let scene = &snapshot.scene;
    let panels = |ui: &mut egui::Ui| {
        status_panel(ui, &scene.status);
        if let Some(history) = &snapshot.history {
            measures(ui, scene.colouring, history);
        }
    };
    let image = offscreen.picture_with_panels(scene, &snapshot.camera, snapshot.look, panels)?;
    let mut bytes = Vec::new();
    pictures::encode(&image, &mut bytes)?;
    write_under_free_name(&env::current_dir()?, &bytes)
}

/// Whole or not at all, and never over another one.
fn write_under_free_name(folder: &Path, bytes: &[u8]) -> anyhow::Result<PathBuf> {
    let free = names(folder, "png").filter(|path| !path.exists());
    let written = put_under_free_name(folder, free, bytes)
        .with_context(|| format!("cannot write into {}", folder.display()))?;
    written.with_context(|| is_full(folder))
}

/// The next name in a folder that nothing has.
pub(super) fn free_name(folder: &Path, ending: &str) -> anyhow::Result<PathBuf> {
    names(folder, ending).find(|path| !path.exists()).with_context(|| is_full(folder))
}

fn names(folder: &Path, ending: &str) -> impl Iterator<Item = PathBuf> {
    (1..=MOST_NUMBERED).map(move |number| folder.join(format!("palpate-{number:04}.{ending}")))
}

fn is_full(folder: &Path) -> String {
    format!("{} has {MOST_NUMBERED} files named palpate already", folder.display())
}

#[cfg(test)]
mod tests {
    use super::super::files::Opening;
    use super::super::shelf::tests::{cube, to_read, to_save};
    use super::*;

    fn open(clerk: &mut Clerk, path: PathBuf, like: &Arc<ObjectSpec>) {
        clerk.open(path, to_read(like, Opening::default())).unwrap();
    }

    fn wait(clerk: &mut Clerk) -> Done {
        let patience = std::time::Duration::from_secs(60);
        clerk.done.recv_timeout(patience).expect("the clerk answers")
    }

    #[test]
    fn a_shape_comes_back_as_it_was_saved_and_is_not_replaced_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cube.obj3");
        let spec = Arc::new(cube());
        let mut clerk = Clerk::default();
        clerk.save(path.clone(), to_save(&spec), Existing::Ask).unwrap();
        assert!(matches!(wait(&mut clerk), Done::Saved(_, Ok(_))));
        clerk.save(path.clone(), to_save(&spec), Existing::Ask).unwrap();
        assert!(matches!(wait(&mut clerk), Done::WouldReplace(_)));
        clerk.save(path.clone(), to_save(&spec), Existing::Replace).unwrap();
        assert!(matches!(wait(&mut clerk), Done::Saved(_, Ok(_))));

        open(&mut clerk, path, &spec);
        let Done::Read(_, Ok((parts, found))) = wait(&mut clerk) else {
            panic!("it cannot be read")
        };
        assert!(found.words.contains("27 nodes, 48 tetrahedra") && !found.is_remarkable);
        assert_eq!((parts.name.as_str(), &parts.spec), ("cube", &spec));
        let lowest = |parts: &ThingParts| {
            let ObjectSpec::Solid(solid) = &*parts.spec;
            let heights = solid.mesh().rest_positions().iter().map(|x| (parts.home * x).y);
            heights.fold(f64::INFINITY, f64::min)
        };
        assert!(lowest(&parts).abs() < 1e-12, "it stands on the table");

        open(&mut clerk, folder.path().to_owned(), &spec);
        let Done::IsFolder(listing) = wait(&mut clerk) else { panic!("it is a folder") };
        let name = "cube.obj3".to_owned();
        assert_eq!(listing.entries, Ok(vec![Entry { is_file: true, name }]));
    }

    #[test]
    fn pictures_are_numbered_and_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let first = write_under_free_name(folder.path(), b"one").unwrap();
        let second = write_under_free_name(folder.path(), b"two").unwrap();
        assert!(first.ends_with("palpate-0001.png") && second.ends_with("palpate-0002.png"));
        assert_eq!(fs::read(first).unwrap(), b"one");
    }
}
