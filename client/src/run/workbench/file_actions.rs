//! File actions of the window: reads things and recordings, writes shapes, and reports the results.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use drivers::recorder::Recorder;
use objects::filling::Progress;
use physics::ObjectSpec;

use super::file_dialog::{FileDialog, FilePurpose};
use super::file_report::FileReport;
use super::jobs::{FolderListing, JobResult, SnapshotRequest, WhenFileExists};
use super::question::Question;
use super::recording::Recording;
use super::thing_actions::RecoverableShapes;
use super::thing_files::{ReadRequest, ShapeToSave};
use super::things_panel::ThingPlace;
use super::{Page, Workbench};
use crate::settings::RecentFiles;
use crate::ui::Look;

/// Extension of recordings.
const RECORDING: &str = "palpate";

/// The state of reading, saving and recording.
pub(super) struct FileState<'a> {
    /// The file that is being read.
    pub(super) reading: Option<FileBeingRead>,
    /// Rest shapes that can be had again.
    pub(super) shapes: RecoverableShapes,
    pub(super) recording: Recording<'a>,
}

/// A file on its way to the table.
pub(super) struct FileBeingRead {
    /// Progress of the reading.
    pub(super) progress: Arc<Progress>,
    /// Place of the new thing on the table.
    pub(super) place: ThingPlace,
}

impl<'a> FileState<'a> {
    pub(super) fn new(whole_run: Option<&'a Recorder>) -> Self {
        let recording = Recording::new(whole_run);
        Self { reading: None, shapes: RecoverableShapes::default(), recording }
    }
}

impl Workbench<'_> {
    /// Opens the file dialog.
    pub(super) fn open_file_dialog(&mut self, purpose: FilePurpose) {
        let Some(chosen) = &self.scene_view.scene.selected else { return };
        let mut last = purpose.recent(&self.settings.current().recent).iter();
        let last = last.next().and_then(|path| path.parent()).map(PathBuf::from);
        self.panels.page = Page::FileDialog(FileDialog::new(purpose, &chosen.name));
        let folder = last.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        self.list_folder(folder);
    }

    /// Lists a folder in the file dialog.
    pub(super) fn list_folder(&mut self, folder: PathBuf) {
        let begun = self.jobs.list_folder(folder);
        self.show_failure(begun);
    }

    /// Uses a file for the purpose of the open file dialog.
    pub(super) fn take_chosen_file(&mut self, path: PathBuf) {
        let Page::FileDialog(FileDialog { purpose, .. }) = &self.panels.page else { return };
        match purpose {
            FilePurpose::Save => self.save(path, WhenFileExists::Ask),
            FilePurpose::Read => self.read_file(path, ThingPlace::Instead),
            FilePurpose::Play => self.play(path),
            FilePurpose::Script => self.perform(path),
        }
    }

    /// Reads a file that was dropped on the window: a recording or a thing.
    pub(super) fn take_dropped_file(&mut self, file: &Path) {
        if file.extension().is_none_or(|ending| ending != RECORDING) {
            self.open_file_dialog(FilePurpose::Read);
        }
        self.read_file(file.to_owned(), ThingPlace::Instead);
    }

    /// Starts to read a file. The thing on the table stays until the file has been read.
    pub(super) fn read_file(&mut self, path: PathBuf, place: ThingPlace) {
        if path.extension().is_some_and(|ending| ending == RECORDING) {
            return self.play(path);
        }
        let Some(spec) = self.spec() else { return };
        if self.files.reading.is_some() {
            self.show_failure(Err("another file is still being read: wait until it is done"));
            return;
        }
        let progress = Arc::new(Progress::default());
        let how = ReadRequest {
            like: spec,
            read_options: self.settings.current().read_options,
            progress: Arc::clone(&progress),
            solvers: self.solver.solvers.clone(),
        };
        let begun = self.jobs.read_file(path, how);
        self.files.reading = begun.is_ok().then_some(FileBeingRead { progress, place });
        self.show_failure(begun);
    }

    /// Takes the results of background jobs.
    pub(super) fn take_job_results(&mut self) {
        while let Some(result) = self.jobs.next_result() {
            self.panels.has_news = true;
            match result {
                JobResult::Snapshot(Ok(path)) => {
                    self.say(Ok(format!("picture: {}", path.display())))
                }
                JobResult::Snapshot(Err(why)) => self.say(Err(format!("no picture: {why}"))),
                // A listing does not end the reading of a file.
                JobResult::Listed(listing) => self.show_listing(listing),
                JobResult::IsFolder(listing) => {
                    self.files.reading = None;
                    self.show_listing(listing);
                }
                JobResult::HandIsFolder(listing) => self.hand_is_folder(listing),
                JobResult::Read(path, Ok((parts, report))) => {
                    let place = self.files.reading.take().map(|reading| reading.place);
                    self.report_file(report);
                    self.remember(path);
                    self.put_on_table(parts, place.unwrap_or(ThingPlace::Instead));
                }
                JobResult::Read(path, Err(why)) => {
                    self.files.reading = None;
                    self.trouble(format!("{} cannot be read: {why}", path.display()));
                }
                JobResult::Made(_, place, Ok(parts)) => self.put_on_table(parts, place),
                JobResult::Made(kind, _, Err(why)) => {
                    self.trouble(format!("cannot make the {kind}: {why}"));
                }
                JobResult::Recorded(path, Ok(())) => {
                    self.say(Ok(format!("recorded {}", path.display())));
                    self.remember_recording(path);
                }
                JobResult::Recorded(path, Err(why)) => {
                    self.say(Err(format!("{} is incomplete: {why}", path.display())));
                }
                JobResult::Saved(path, Ok(saved)) => {
                    // A file with only the skin does not save the shape.
                    self.files.shapes.save(saved.whole);
                    self.panels.page = Page::None;
                    self.say(Ok(format!("saved {}{}", path.display(), saved.words)));
                    self.remember(path);
                }
                JobResult::Saved(path, Err(why)) => {
                    self.trouble(format!("{} cannot be written: {why}", path.display()));
                }
                JobResult::WouldReplace(path) => {
                    self.panels.question = Some(Question::Replace(path))
                }
                JobResult::Hand(choice, opened) => self.take_hand(choice, opened),
                JobResult::Ports(found) => self.offer_ports(found),
                JobResult::People(people) => self.offer_people(people),
                JobResult::Person(person, profiles_in_use) => {
                    self.take_person(person, profiles_in_use)
                }
                JobResult::Solvers(choice, solvers) => self.take_solvers(choice, solvers),
                JobResult::SettingsSaved(result) => self.settings_saved(result),
            }
        }
    }

    /// Shows a listing in the file dialog, if the dialog is still open.
    pub(super) fn show_listing(&mut self, listing: FolderListing) {
        if let Page::FileDialog(dialog) = &mut self.panels.page {
            dialog.trouble = None;
            dialog.listing = Some(listing);
        }
    }

    /// Shows the report of a file: a long one on a page, a short one as a notice.
    fn report_file(&mut self, report: FileReport) {
        let FileReport { name, words, is_remarkable } = &report;
        tracing::info!("{name}: {words}");
        if *is_remarkable {
            self.panels.page = Page::FileReport(report);
        } else {
            self.panels.page = Page::None;
            let first = words.lines().next().unwrap_or_default();
            self.say(Ok(format!("{name}: {first}")));
        }
    }

    /// Saves the shape, replacing an existing file.
    pub(super) fn save_over(&mut self, path: PathBuf) {
        self.save(path, WhenFileExists::Replace);
    }

    fn save(&mut self, path: PathBuf, existing: WhenFileExists) {
        let Some(chosen) = &self.scene_view.scene.selected else { return };
        let shape = ShapeToSave {
            spec: Arc::clone(&chosen.spec),
            known: chosen.known_displacements.clone(),
            colours: chosen.colours.clone(),
            solvers: self.solver.solvers.clone(),
        };
        let begun = self.jobs.save_shape(path, shape, existing);
        self.show_failure(begun);
    }

    /// Writes a picture of the shown scene.
    pub(super) fn snapshot(&mut self, ui: &egui::Ui) {
        let pixels_per_point = ui.ctx().pixels_per_point();
        let size = ui.ctx().content_rect().size() * pixels_per_point;
        let begun = self.jobs.snapshot(SnapshotRequest {
            scene: (*self.scene_view.shown).clone(),
            camera: self.scene_view.camera,
            size: [size.x.round().max(1.0) as u32, size.y.round().max(1.0) as u32],
            look: Look { theme: ui.ctx().theme(), pixels_per_point },
            history: self.views().measures.then(|| self.scene_view.history.clone()),
        });
        self.show_failure(begun);
    }

    pub(super) fn spec(&self) -> Option<Arc<ObjectSpec>> {
        self.scene_view.scene.selected.as_ref().map(|chosen| Arc::clone(&chosen.spec))
    }

    fn remember(&mut self, path: PathBuf) {
        self.settings.change(|settings| RecentFiles::remember(&mut settings.recent.things, path));
    }

    pub(super) fn remember_recording(&mut self, path: PathBuf) {
        // The next run may start in another folder.
        let path = std::path::absolute(&path).unwrap_or(path);
        self.settings
            .change(|settings| RecentFiles::remember(&mut settings.recent.recordings, path));
    }

    /// Shows an error in the file dialog if it is open, else over the picture.
    pub(super) fn trouble(&mut self, why: String) {
        match &mut self.panels.page {
            Page::FileDialog(dialog) => {
                tracing::warn!("{why}");
                dialog.trouble = Some(why);
                dialog.ask_again();
            }
            _ => self.say(Err(why)),
        }
    }

    pub(super) fn show_failure(&mut self, begun: Result<(), &'static str>) {
        if let Err(why) = begun {
            self.trouble(why.to_owned());
        }
    }
}
