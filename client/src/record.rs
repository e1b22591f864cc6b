//! `palpate record`, and the contents of recordings.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use drivers::recording::{Ending, Existing, RecordingError, RecordingReader, RecordingSummary};
use emulators::Motion;
use engine::Bell;

use crate::command_line::{RecordOptions, ReplayOptions};
use crate::input::DeviceState;
use crate::session::JOURNAL;
use crate::wiring::{HandDevices, live_hands};

/// Update interval of the line on the terminal.
const BETWEEN_NEWS: Duration = Duration::from_millis(250);

/// Records until `stop` or the given time.
pub fn record(options: &RecordOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    let existing = if options.replace { Existing::Replace } else { Existing::Keep };
    let (bell, script) = (Arc::new(Bell::default()), Motion::grasp_and_squeeze());
    let file = Some((options.file.as_path(), existing));
    let devices = live_hands(&options.devices, &options.second, file, &script, &bell)
        .with_context(|| match options.file.exists() && !options.replace {
            true => "a file exists already; --replace overwrites it",
            false => "cannot begin",
        })?;
    let HandDevices {
        glove, tracker, second, recorder, description, emulators: _emulators, ..
    } = devices;
    let states = || {
        let first = [("glove", glove.state()), ("tracker", tracker.state())];
        let second = second.as_ref().map(|second| {
            [("glove 2", second.glove.state()), ("tracker 2", second.tracker.state())]
        });
        first.into_iter().chain(second.into_iter().flatten()).collect::<Vec<_>>()
    };
    let recorder = recorder.context("the recorder was not started")?;
    tracing::info!("recording {description} in {}; Ctrl+C ends it", options.file.display());
    let (start, mut stderr) = (Instant::now(), std::io::stderr());
    let mut troubles = vec![false; states().len()];
    let is_shown = stderr.is_terminal();
    let time = options.seconds.map(|seconds| Duration::from_secs(seconds.into()));
    while !stop.load(Ordering::Relaxed)
        && time.is_none_or(|time| start.elapsed() < time)
        && recorder.is_writing()
    {
        std::thread::park_timeout(BETWEEN_NEWS.min(time.unwrap_or(BETWEEN_NEWS)));
        for (was, (name, state)) in troubles.iter_mut().zip(states()) {
            let is = matches!(state, DeviceState::Missing(_) | DeviceState::Lost(_));
            if is && !*was {
                tracing::warn!("{name} {}", in_a_word(&state));
            }
            *was = is;
        }
        if is_shown {
            let in_words = |(name, state)| format!("  {name} {}", in_a_word(&state));
            let devices: String = states().into_iter().map(in_words).collect();
            // Nothing can be done if standard error is gone.
            let _ = write!(
                stderr,
                "\r\x1b[K{:7.1} s  {:9} bytes{devices}",
                start.elapsed().as_secs_f64(),
                recorder.n_bytes(),
            );
        }
    }
    if is_shown {
        let _ = writeln!(stderr);
    }
    let of_second = second.iter().flat_map(|s| [s.glove.n_samples(), s.tracker.n_samples()]);
    let n_samples: Vec<u64> =
        [glove.n_samples(), tracker.n_samples()].into_iter().chain(of_second).collect();
    let states = states();
    drop((glove, tracker, second));
    recorder.finish().context("the recording is not whole")?;
    show_summary(&summary(&options.file)?)?;
    for ((name, state), n) in states.iter().zip(n_samples) {
        if n == 0 {
            bail!("no sample came from the {name}: it is {}", in_a_word(state));
        }
    }
    Ok(())
}

/// Prints the contents of a recording: a summary, or every event.
pub fn show(replay: &ReplayOptions) -> anyhow::Result<()> {
    if !replay.events {
        return show_summary(&summary(&replay.file)?);
    }
    let context = || format!("cannot read {}", replay.file.display());
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for event in RecordingReader::open(&replay.file).with_context(context)? {
        let written = match event {
            Ok(event) => writeln!(out, "{event}"),
            Err(
                error @ (RecordingError::Damaged { .. }
                | RecordingError::Cut { .. }
                | RecordingError::AfterEnd { .. }),
            ) => writeln!(out, "-- {error}"),
            Err(error) => return Err(error).with_context(context),
        };
        match written {
            // The reader has closed the pipe.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    Ok(out.flush()?)
}

fn summary(file: &std::path::Path) -> anyhow::Result<RecordingSummary> {
    RecordingReader::open(file)
        .and_then(RecordingReader::summary)
        .with_context(|| format!("cannot read {}", file.display()))
}

fn show_summary(summary: &RecordingSummary) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    writeln!(
        out,
        "recorded  {:.1} s by {}",
        summary.duration.as_secs_f64(),
        summary.header.program
    )?;
    for device in &summary.devices {
        if device.kind == JOURNAL {
            writeln!(out, "journal   {} bytes of what came of it", device.n_received_bytes)?;
            continue;
        }
        let kind = if device.kind.is_empty() { "never ready" } else { &device.kind };
        writeln!(
            out,
            "{kind:<12}{} bytes received, {} sent, opened {}, lost {}  ({})",
            device.n_received_bytes,
            device.n_sent_bytes,
            times(device.n_openings),
            times(device.n_losses),
            device.name
        )?;
    }
    if summary.n_marks > 0 {
        writeln!(out, "marks     {}", summary.n_marks)?;
    }
    if let Some(first) = summary.first_damage_at_byte {
        writeln!(
            out,
            "damage    {} bytes in {} places cannot be read, the first at byte {first}",
            summary.n_damaged_bytes, summary.n_damaged_places
        )?;
    }
    match summary.ending {
        Ending::Clean => writeln!(out, "ended     in good order")?,
        Ending::CleanThenMore { at_byte } => {
            writeln!(out, "ended     in good order, but something follows at byte {at_byte}")?;
        }
        Ending::Cut { at_byte } => {
            writeln!(out, "ended     cut at byte {at_byte}; all before that can be replayed")?;
        }
    }
    Ok(())
}

fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
}

fn in_a_word(state: &DeviceState) -> String {
    match state {
        DeviceState::Opening => "opening".to_owned(),
        DeviceState::Live(_) => "live".to_owned(),
        DeviceState::Late => "late".to_owned(),
        DeviceState::Silent => "silent".to_owned(),
        DeviceState::Ended => "ended".to_owned(),
        DeviceState::Faulty(why) => (*why).to_owned(),
        DeviceState::Missing(why) => format!("not found ({why})"),
        DeviceState::Lost(why) => format!("lost ({why})"),
    }
}
