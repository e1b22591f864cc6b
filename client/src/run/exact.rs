//! A recorded run, run again to the same bits.

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::Context;
use drivers::recording::{RecordingReader, What};
use engine::Solvers;

use super::pictures;
use crate::command_line::Replay;
use crate::session::{ExactError, JOURNAL, run_again};

/// A journal longer than this is not ours.
const LONGEST_JOURNAL: usize = 4 << 30;

/// Runs the journal of a recording again, compares all bits, and leaves pictures.
pub fn exact(replay: &Replay, solvers: &Solvers) -> anyhow::Result<()> {
    let file = replay.file.display();
    let (journal, end) =
        journal(&replay.file).with_context(|| format!("cannot run {file} again"))?;
    let is_shown = std::io::stderr().is_terminal();
    let show = |share: f64| {
        if is_shown {
            // Nothing can be done if standard error is gone.
            let _ = write!(std::io::stderr(), "\rrunning it again: {:3.0} %", 100.0 * share);
        }
    };
    let again = run_again(&journal, solvers, show);
    if is_shown {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    let again = again.with_context(|| format!("cannot run {file} again"))?;
    let mut out = std::io::stdout();
    writeln!(out, "again     {} poses, {} orders", again.n_samples, again.n_orders)?;
    writeln!(out, "grasp     {} changes of state", again.n_transitions)?;
    writeln!(out, "frames    {}, all with the bits that were recorded", again.n_frames)?;
    match end {
        End::Whole => {}
        End::Cut => {
            writeln!(out, "cut       the recording is not whole; it was run as far as it goes")?
        }
    }
    std::fs::create_dir_all(&replay.run.pictures).with_context(|| {
        format!("cannot make the folder {} for pictures", replay.run.pictures.display())
    })?;
    match pictures::write(&again.moments, &replay.run.pictures) {
        Ok(files) => {
            for file in files {
                writeln!(out, "picture   {}", file.display())?;
            }
        }
        Err(e) => tracing::warn!("no pictures: {e:#}"),
    }
    Ok(())
}

/// Whether a recording was finished in good order.
enum End {
    Whole,
    Cut,
}

/// All that the recording's journal says.
fn journal(file: &Path) -> anyhow::Result<(Vec<u8>, End)> {
    let (mut journal, mut device, mut end) = (Vec::new(), None, End::Whole);
    for event in RecordingReader::open(file)? {
        // A cut recording is run as far as it goes; one with a hole cannot be run to the same bits.
        let event = match event {
            Ok(event) => event,
            Err(drivers::recording::RecordingError::Cut { .. }) => {
                end = End::Cut;
                break;
            }
            Err(error) => return Err(error.into()),
        };
        match event.what {
            What::Opened { device: opened, kind, .. } if kind == JOURNAL => device = Some(opened),
            What::Received { device: from, bytes } if Some(from) == device => {
                anyhow::ensure!(
                    journal.len() + bytes.len() <= LONGEST_JOURNAL,
                    "the journal is longer than {LONGEST_JOURNAL} bytes"
                );
                journal.extend(bytes);
            }
            What::Opened { .. }
            | What::Received { .. }
            | What::Sent { .. }
            | What::Lost { .. }
            | What::Mark { .. }
            | What::Ended => {}
        }
    }
    if journal.is_empty() {
        return Err(ExactError::NoJournal.into());
    }
    Ok((journal, end))
}
