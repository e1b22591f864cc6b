//! A recorded run, run again to the same bits.

use std::io::{IsTerminal, Write};

use anyhow::Context;
use engine::Solvers;

use super::pictures;
use crate::command_line::Replay;
use crate::input::DecodedDevices;
use crate::session::{Tape, run_again};

/// Runs a recording again from its devices' bytes, in the order of its journal, compares all bits, and leaves
/// pictures.
pub fn exact(replay: &Replay, solvers: &Solvers) -> anyhow::Result<()> {
    let file = replay.file.display();
    let cannot = || format!("cannot run {file} again");
    let tape = Tape::read(&replay.file).with_context(cannot)?;
    let devices = DecodedDevices::open(&replay.file).with_context(cannot)?;
    let is_shown = std::io::stderr().is_terminal();
    let mut show = |share: f64| {
        if is_shown {
            // Nothing can be done if standard error is gone.
            let _ = write!(std::io::stderr(), "\rrunning it again: {:3.0} %", 100.0 * share);
        }
    };
    let again = run_again(&tape.bytes, devices, solvers, &mut show);
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
    if tape.is_cut {
        writeln!(out, "cut       the recording is not whole; it was run as far as it goes")?;
    }
    std::fs::create_dir_all(&replay.run.pictures).with_context(|| {
        format!("cannot make the folder {} for pictures", replay.run.pictures.display())
    })?;
    let portrait = &replay.run.portrait;
    match pictures::write(&again.moments, None, &replay.run.pictures, portrait) {
        Ok(files) => {
            for file in files {
                writeln!(out, "picture   {}", file.display())?;
            }
        }
        Err(e) => tracing::warn!("no pictures: {e:#}"),
    }
    Ok(())
}
