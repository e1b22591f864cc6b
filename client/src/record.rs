//! `palpate record`, and the contents of recordings.

mod contents;
mod device_watch;
mod verdict;

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use drivers::recording::{RecordingError, RecordingReader};
use emulators::Motion;
use engine::Bell;

use crate::atomic_write::ExistingFile;
use crate::command_line::{RecordOptions, ReplayOptions};
use crate::input::Feed;
use crate::wiring::{HandDevices, live_hands};
use contents::Contents;
use device_watch::{DeviceNews, DeviceWatch, in_words};
use verdict::Verdict;

/// Update interval of the line on the terminal.
const BETWEEN_NEWS: Duration = Duration::from_millis(250);

/// Records until `stop` or the given time.
pub fn record(options: &RecordOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    ExistingFile::from(options.existing).check(&options.file)?;
    let (bell, script) = (Arc::new(Bell::default()), Motion::grasp_and_squeeze());
    let file = Some((options.file.as_path(), options.existing.into()));
    let devices = live_hands(&options.devices, &options.second, file, &script, &bell)
        .context("cannot begin")?;
    let HandDevices {
        glove, tracker, second, recorder, description, emulators: _emulators, ..
    } = devices;
    let news = || {
        let tracker = tracker.as_ref().map(|tracker| of("tracker", tracker));
        let first = std::iter::once(of("glove", &glove)).chain(tracker);
        let second = second
            .as_ref()
            .map(|second| [of("glove 2", &second.glove), of("tracker 2", &second.tracker)]);
        first.chain(second.into_iter().flatten()).collect::<Vec<_>>()
    };
    let recorder = recorder.context("the recorder was not started")?;
    tracing::info!("recording {description} in {}; Ctrl+C ends it", options.file.display());
    let (start, mut stderr) = (Instant::now(), std::io::stderr());
    let mut watches: Vec<_> = news().iter().map(|_| DeviceWatch::default()).collect();
    let is_shown = stderr.is_terminal();
    let time = options.seconds.map(|seconds| Duration::from_secs(seconds.into()));
    while !stop.load(Ordering::Relaxed)
        && time.is_none_or(|time| start.elapsed() < time)
        && recorder.is_writing()
    {
        std::thread::park_timeout(BETWEEN_NEWS.min(time.unwrap_or(BETWEEN_NEWS)));
        let news = news();
        for text in watches.iter_mut().zip(&news).flat_map(|(watch, news)| watch.look(news)) {
            tracing::warn!("{text}");
        }
        if is_shown {
            let in_line = |news: &DeviceNews| format!("  {} {}", news.name, in_words(&news.state));
            let devices: String = news.iter().map(in_line).collect();
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
    let last = news();
    drop((glove, tracker, second));
    recorder.finish().context("the recording is not whole")?;
    let contents = Contents::read(&options.file)?;
    contents.print()?;
    match contents.verdict {
        Verdict::Good | Verdict::WithGaps(_) => Ok(()),
        Verdict::Unusable(why) => bail!(why_unusable(&why, &last)),
    }
}

/// Says why a recording cannot be used. A device without a sample is named with its last state,
/// which says more than the recording.
fn why_unusable(why: &str, last: &[DeviceNews]) -> String {
    match last.iter().find(|news| news.n_samples == 0) {
        Some(DeviceNews { name, state, .. }) => {
            format!("no sample came from the {name}; at the end: {}", in_words(state))
        }
        None => format!("the recording cannot be used: {why}"),
    }
}

fn of<R: Send + 'static>(name: &'static str, feed: &Feed<R>) -> DeviceNews {
    let (n_samples, n_damaged) = (feed.n_samples(), feed.n_lost());
    DeviceNews { name, state: feed.state(), n_samples, n_damaged }
}

/// Prints the contents of a recording: a summary, or every event.
pub fn show(replay: &ReplayOptions) -> anyhow::Result<()> {
    if !replay.events {
        return Contents::read(&replay.file)?.print();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::DeviceState;

    #[test]
    fn a_device_without_a_sample_is_named_with_its_last_state() {
        let news = |name, state, n_samples| DeviceNews { name, state, n_samples, n_damaged: 0 };
        let live = news("glove", DeviceState::Live("a glove".to_owned()), 20);
        let tracker = news("tracker", DeviceState::Garbled, 0);
        let said = why_unusable("of gaps", &[live, tracker]);
        assert_eq!(said, "no sample came from the tracker; at the end: sends only damaged data");
        let silent = news("glove", DeviceState::Silent, 20);
        assert_eq!(why_unusable("of gaps", &[silent]), "the recording cannot be used: of gaps");
    }
}
