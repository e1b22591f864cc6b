//! `palpate replay --exact`: replays a recorded run and prints whether all results have the same
//! bits.

use std::io::{IsTerminal, Write};

use anyhow::Context;
use engine::SolverLocation;

use super::outputs::{check_pictures, picture_folder};
use super::pictures;
use crate::command_line::ReplayOptions;
use crate::input::DecodedDevices;
use crate::session::{RecordedJournal, replay_exactly};

/// Replays the devices' bytes of a recording in the order of its journal, compares all bits, and
/// writes pictures.
pub fn exact_replay(replay: &ReplayOptions, solvers: &SolverLocation) -> anyhow::Result<()> {
    check_pictures(&replay.run)?;
    let file = replay.file.display();
    let cannot = || format!("cannot replay {file}");
    let journal = RecordedJournal::read(&replay.file).with_context(cannot)?;
    let devices = DecodedDevices::open(&replay.file).with_context(cannot)?;
    let is_shown = std::io::stderr().is_terminal();
    let mut show = |share: f64| {
        if is_shown {
            // If standard error is closed, the progress is lost and the replay goes on.
            let _ = write!(std::io::stderr(), "\rreplaying: {:3.0} %", 100.0 * share);
        }
    };
    let again = replay_exactly(&journal.bytes, devices, solvers, &mut show);
    if is_shown {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    let again = again.with_context(cannot)?;
    let mut out = std::io::stdout();
    writeln!(out, "again     {} poses, {} orders", again.n_samples, again.n_orders)?;
    if again.n_decoded > 0 {
        writeln!(
            out,
            "decoded   {} of them from the devices' bytes, to the same bits",
            again.n_decoded
        )?;
    }
    writeln!(out, "grasp     {} changes of state", again.n_transitions)?;
    writeln!(out, "frames    {}, all with the bits that were recorded", again.n_frames)?;
    if journal.is_cut {
        writeln!(out, "cut       the recording is incomplete; it was replayed up to its end")?;
    }
    let picture_options = &replay.run.picture_options;
    match pictures::write(&again.moments, None, picture_folder(&replay.run), picture_options) {
        Ok(files) => {
            for file in files {
                writeln!(out, "picture   {}", file.display())?;
            }
        }
        Err(e) => tracing::warn!("no pictures: {e:#}"),
    }
    Ok(())
}
