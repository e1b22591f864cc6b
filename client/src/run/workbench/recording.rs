//! What goes into a file: a recording from the beginning of the run, or one that was begun in the window.

use std::env;
use std::path::PathBuf;

use drivers::recorder::Recorder;
use drivers::recording::Existing;

use super::Bench;
use super::clerk::begin_recording;
use crate::session::{JOURNAL, Request};
use crate::wiring::{JOURNAL_ID, recorder};

/// What is being recorded.
pub(super) enum Recording<'a> {
    Nothing,
    /// The command line asked for it: whole, and until the end.
    WholeRun(&'a Recorder),
    Begun(Recorder, PathBuf),
}

impl<'a> Recording<'a> {
    pub(super) fn new(whole_run: Option<&'a Recorder>) -> Self {
        whole_run.map_or(Self::Nothing, Self::WholeRun)
    }

    pub(super) fn is_on(&self) -> bool {
        self.recorder().is_some()
    }

    fn recorder(&self) -> Option<&Recorder> {
        match self {
            Self::Nothing => None,
            Self::WholeRun(recorder) => Some(recorder),
            Self::Begun(recorder, _) => Some(recorder),
        }
    }
}

impl Bench<'_> {
    /// Begins a recording, or ends the one that was begun here.
    pub(super) fn record(&mut self) {
        match std::mem::replace(&mut self.recording, Recording::Nothing) {
            Recording::Nothing => match begin() {
                Ok((recorder, path)) => {
                    let notes = recorder.notes(JOURNAL_ID, JOURNAL);
                    self.request(Request::Record(notes));
                    self.say(Ok(format!("{} begins when everything is let go", path.display())));
                    self.recording = Recording::Begun(recorder, path);
                }
                Err(why) => self.say(Err(format!("nothing is recorded: {why:#}"))),
            },
            Recording::Begun(recorder, path) => {
                self.request(Request::StopRecording);
                let begun = self.clerk.finish(recorder, path);
                self.complain(begun);
            }
            whole @ Recording::WholeRun(_) => {
                self.recording = whole;
                self.say(Err("the whole run is recorded, until the window is closed".to_owned()));
            }
        }
    }

    /// Marks this moment in the recording.
    pub(super) fn mark(&mut self) {
        let Some(recorder) = self.recording.recorder() else {
            self.say(Err("nothing is recorded: F9 begins a recording".to_owned()));
            return;
        };
        self.n_marks += 1;
        let words = format!("mark {}", self.n_marks);
        recorder.mark(&words);
        self.say(Ok(format!("{words} is in the recording")));
    }

    /// Ends what was begun here; the clerk waits for it.
    pub(in crate::run) fn end_recording(&mut self) {
        if matches!(self.recording, Recording::Begun(..)) {
            self.record();
        }
    }
}

fn begin() -> anyhow::Result<(Recorder, PathBuf)> {
    begin_recording(&env::current_dir()?, |path| recorder(path, Existing::Keep))
}
