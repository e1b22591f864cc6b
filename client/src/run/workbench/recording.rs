//! Recording to a file: for the whole run, or started in the window.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::Context;
use drivers::recorder::Recorder;
use drivers::recording::Existing;
use interaction::scene::{StatusLevel, StatusLine};

use super::Workbench;
use super::jobs::begin_recording;
use crate::run::BROKEN_OFF;
use crate::session::{JOURNAL, Request};
use crate::wiring::{JOURNAL_ID, recorder};

/// State of the recording.
pub(super) struct Recording<'a> {
    into: Destination<'a>,
    /// True if the stop of the recording was reported to the user.
    is_broken: bool,
    n_marks: u32,
}

/// Destination of the recording.
enum Destination<'a> {
    Nothing,
    /// The command line started it; it lasts until the end of the run.
    WholeRun(&'a Recorder),
    /// Started in the window.
    Begun(Recorder, PathBuf),
}

impl<'a> Recording<'a> {
    pub(super) fn new(whole_run: Option<&'a Recorder>) -> Self {
        let into = whole_run.map_or(Destination::Nothing, Destination::WholeRun);
        Self { into, is_broken: false, n_marks: 0 }
    }

    pub(super) fn is_on(&self) -> bool {
        self.recorder().is_some()
    }

    /// The status line of a recording in progress.
    pub(super) fn line(&self) -> Option<StatusLine> {
        let to = match &self.into {
            Destination::Begun(_, path) => {
                path.file_name().unwrap_or_default().display().to_string()
            }
            Destination::Nothing | Destination::WholeRun(_) => "the whole run".to_owned(),
        };
        let (level, text) = match self.recorder()?.is_writing() {
            true => (StatusLevel::Good, to),
            false => (StatusLevel::Bad, format!("{to}: {BROKEN_OFF}")),
        };
        Some(StatusLine { name: "record", level, text })
    }

    fn recorder(&self) -> Option<&Recorder> {
        match &self.into {
            Destination::Nothing => None,
            Destination::WholeRun(recorder) => Some(recorder),
            Destination::Begun(recorder, _) => Some(recorder),
        }
    }
}

impl Workbench<'_> {
    /// Shows a message once if the recording has stopped.
    pub(super) fn watch_recording(&mut self) {
        let has_broken_off = self.files.recording.recorder().is_some_and(|r| !r.is_writing());
        if has_broken_off && !std::mem::replace(&mut self.files.recording.is_broken, has_broken_off)
        {
            tracing::error!("{BROKEN_OFF}");
            self.explain_status();
            self.say(Err(BROKEN_OFF.to_owned()));
        }
        self.files.recording.is_broken = has_broken_off;
    }

    /// Starts a recording, or ends the one that was started in the window.
    pub(super) fn record(&mut self) {
        match std::mem::replace(&mut self.files.recording.into, Destination::Nothing) {
            Destination::Nothing => match begin() {
                Ok((recorder, path)) => {
                    let notes = recorder.notes(JOURNAL_ID, JOURNAL);
                    if !self.request(Request::Record(notes)) {
                        leave(recorder, &path);
                        return;
                    }
                    let path_text = path.display();
                    self.say(Ok(format!("recording to {path_text} starts when no object is held")));
                    self.files.recording.into = Destination::Begun(recorder, path);
                }
                Err(why) => self.say(Err(format!("cannot record: {why:#}"))),
            },
            Destination::Begun(recorder, path) => {
                self.request(Request::StopRecording);
                if recorder.n_noted() == 0 {
                    leave(recorder, &path);
                    let why = "nothing was recorded: the hand still held an object";
                    self.say(Err(why.to_owned()));
                    return;
                }
                let begun = self.jobs.finish_recording(recorder, path);
                self.show_failure(begun);
            }
            whole @ Destination::WholeRun(_) => {
                self.files.recording.into = whole;
                self.say(Err("the whole run is recorded, until the window is closed".to_owned()));
            }
        }
    }

    /// Marks this moment in the recording.
    pub(super) fn mark(&mut self) {
        let Some(recorder) = self.files.recording.recorder() else {
            self.say(Err("no recording is in progress: F9 starts one".to_owned()));
            return;
        };
        if !recorder.is_writing() {
            self.say(Err(BROKEN_OFF.to_owned()));
            return;
        }
        let words = format!("mark {}", self.files.recording.n_marks + 1);
        recorder.mark(&words);
        self.files.recording.n_marks += 1;
        self.say(Ok(format!("{words} is in the recording")));
    }

    /// Ends the recording that was started in the window, and waits until it is on the disk.
    pub(in crate::run) fn end_recording(&mut self) -> anyhow::Result<()> {
        match std::mem::replace(&mut self.files.recording.into, Destination::Nothing) {
            Destination::Begun(recorder, path) if recorder.n_noted() == 0 => {
                leave(recorder, &path);
                Ok(())
            }
            Destination::Begun(recorder, path) => {
                self.request(Request::StopRecording);
                recorder.finish().with_context(|| format!("{} is incomplete", path.display()))
            }
            Destination::Nothing | Destination::WholeRun(_) => Ok(()),
        }
    }
}

/// Removes a recording with nothing in it.
fn leave(recorder: Recorder, path: &Path) {
    drop(recorder);
    let _ = fs::remove_file(path);
}

fn begin() -> anyhow::Result<(Recorder, PathBuf)> {
    begin_recording(&env::current_dir()?, |path| recorder(path, Existing::Keep))
}
