//! Shows the values of one device live: as bars on a terminal, else as lines.

mod raw_bytes;
mod rows;
mod terminal_ui;

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use drivers::line_source::{LineSource, SystemLines};
use drivers::opengloves::OpenGloveOptions;
use drivers::ports::SystemPorts;
use drivers::probe::{BAUD_RATES, DeviceIdentity, probe};
use drivers::reconnect::{ConnectionCounts, Presence, ReconnectingDevice};
use drivers::{CyberGlove, Fastrak, GloveOptions, OpenGlove, TrackerOptions};

use crate::command_line::{DeviceKind, WatchOptions};
use rows::{Row, Watchable};

/// Data to show at one moment.
#[derive(Debug, Clone)]
pub(super) struct DeviceSnapshot {
    /// Description of the device.
    title: String,
    rows: Vec<Row>,
    presence: Presence,
    counts: ConnectionCounts,
    /// Samples per second, over about a second.
    hz: f64,
    /// Arrival time of the newest sample.
    last: Option<Instant>,
}

/// State shared by the thread that reads the device and the one that shows it.
struct Shared {
    snapshot: Mutex<DeviceSnapshot>,
    is_over: AtomicBool,
}

pub(super) fn watch(options: &WatchOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    let (kind, baud) = find_out(options, stop)?;
    let is_unread = Arc::new(AtomicBool::new(false));
    let lines: Box<dyn LineSource> = match options.raw {
        true => Box::new(raw_bytes::PrintedLines::new(Arc::clone(&is_unread))),
        false => Box::new(SystemLines),
    };
    let is_over = || stop.load(Ordering::Relaxed) || is_unread.load(Ordering::Relaxed);
    match kind {
        DeviceKind::Cyberglove => {
            run::<CyberGlove>(options, GloveOptions::at_baud(baud), lines, &is_over)
        }
        DeviceKind::Fastrak => run::<Fastrak>(
            options,
            TrackerOptions { baud, ..TrackerOptions::default() },
            lines,
            &is_over,
        ),
        DeviceKind::Opengloves => {
            let options_of_glove = OpenGloveOptions { baud, ..OpenGloveOptions::default() };
            run::<OpenGlove>(options, options_of_glove, lines, &is_over)
        }
    }
}

/// Detects kind and line speed of the device, unless both are given.
fn find_out(options: &WatchOptions, stop: &AtomicBool) -> anyhow::Result<(DeviceKind, u32)> {
    if let (Some(kind), baud) = (options.kind, options.baud.unwrap_or(BAUD_RATES[0])) {
        return Ok((kind, baud));
    }
    let one = options.baud.map(|baud| [baud]);
    let rates: &[u32] = one.as_ref().map_or(&BAUD_RATES, |one| one);
    let is_shown = std::io::stderr().is_terminal();
    let found = probe(&options.port, rates, &mut |baud| {
        if is_shown {
            // Nothing can be done if standard error is gone.
            let _ = write!(std::io::stderr(), "\r\x1b[Kasking at {baud} baud ...");
        }
        !stop.load(Ordering::Relaxed)
    });
    if is_shown {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    let found = found.with_context(|| format!("cannot look at {}", options.port))?;
    if stop.load(Ordering::Relaxed) {
        bail!("the search was interrupted");
    }
    let Some(found) = found else {
        bail!("no glove or tracker answers at {}; `--kind` watches it anyway", options.port);
    };
    let kind = match found.what {
        DeviceIdentity::CyberGlove(_) => DeviceKind::Cyberglove,
        DeviceIdentity::Fastrak(_) => DeviceKind::Fastrak,
        DeviceIdentity::OpenGlove(_) => DeviceKind::Opengloves,
        DeviceIdentity::LaterPolhemus(text) => bail!("{text} cannot be watched yet"),
    };
    Ok((kind, found.baud))
}

fn run<D: Watchable>(
    options: &WatchOptions,
    device: D::Options,
    lines: Box<dyn LineSource>,
    is_stopped: &dyn Fn() -> bool,
) -> anyhow::Result<()>
where
    ReconnectingDevice<D>: Send + 'static,
{
    let reconnecting =
        ReconnectingDevice::<D>::new(&options.port, device, Box::new(SystemPorts), lines);
    let shared = Arc::new(Shared {
        snapshot: Mutex::new(DeviceSnapshot {
            title: options.port.clone(),
            rows: Vec::new(),
            presence: Presence::Unopened,
            counts: ConnectionCounts::default(),
            hz: 0.0,
            last: None,
        }),
        is_over: AtomicBool::new(false),
    });
    let end = options.seconds.map(|s| Instant::now() + Duration::from_secs(s.into()));
    let is_over = || is_stopped() || end.is_some_and(|end| Instant::now() >= end);
    let snapshot = || shared.snapshot().clone();
    let looked_at = Arc::clone(&shared);
    // Not joined at the end: the thread may be probing a silent port.
    std::thread::Builder::new()
        .name("device".to_owned())
        .spawn(move || keep_looking(reconnecting, &looked_at))?;
    if options.raw {
        wait_until(is_over)?;
    } else if std::io::stdout().is_terminal() {
        terminal_ui::show(snapshot, is_over)?;
    } else {
        print_lines(snapshot, is_over)?;
    }
    shared.is_over.store(true, Ordering::Relaxed);
    // A streaming device is stopped properly, however.
    let deadline = Instant::now() + D::FAREWELL;
    while Arc::strong_count(&shared) > 1 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    let DeviceSnapshot { counts, presence, .. } = snapshot();
    if counts.decoded.records == 0
        && let Presence::Lost(why) = presence
    {
        bail!("{why}");
    }
    Ok(())
}

impl Shared {
    fn snapshot(&self) -> MutexGuard<'_, DeviceSnapshot> {
        self.snapshot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn keep_looking<D: Watchable>(mut reconnecting: ReconnectingDevice<D>, shared: &Shared) {
    let mut shown = D::Newest::default();
    let (mut since, mut n_then) = (Instant::now(), 0);
    while !shared.is_over.load(Ordering::Relaxed) {
        let sample = reconnecting.next_sample(Duration::from_millis(50));
        let came = sample.is_some().then(Instant::now);
        let title = reconnecting.device().map(|device| device.describe());
        if let (Some(device), Some(sample)) = (reconnecting.device(), sample) {
            device.take(sample, &mut shown);
        }
        let mut snapshot = shared.snapshot();
        if let Some(title) = title {
            snapshot.title = format!("{title}, {}", reconnecting.path());
        }
        snapshot.rows = D::rows(&shown);
        snapshot.presence = reconnecting.presence().clone();
        snapshot.counts = reconnecting.counts();
        snapshot.last = came.or(snapshot.last);
        if since.elapsed() >= Duration::from_secs(1) {
            let n = snapshot.counts.decoded.records;
            snapshot.hz = (n - n_then) as f64 / since.elapsed().as_secs_f64();
            (since, n_then) = (Instant::now(), n);
        }
    }
}

/// Output without a terminal: one line per second.
fn print_lines(
    snapshot: impl Fn() -> DeviceSnapshot,
    is_over: impl Fn() -> bool,
) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    let mut next = Instant::now() + Duration::from_secs(1);
    while !is_over() {
        std::thread::park_timeout(Duration::from_millis(20));
        if Instant::now() < next {
            continue;
        }
        next += Duration::from_secs(1);
        let snapshot = snapshot();
        let values: Vec<String> =
            snapshot.rows.iter().map(|row| format!("{} {}", row.label, row.value)).collect();
        let written = writeln!(out, "{}: {}", snapshot.state(), values.join(", "));
        match written {
            // The reader has closed the pipe.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    Ok(())
}

fn wait_until(is_over: impl Fn() -> bool) -> anyhow::Result<()> {
    while !is_over() {
        std::thread::park_timeout(Duration::from_millis(50));
    }
    Ok(())
}

impl DeviceSnapshot {
    /// Describes the device's state and its counts.
    fn state(&self) -> String {
        let ConnectionCounts { decoded, n_connections, n_wakes } = self.counts;
        let presence = match &self.presence {
            Presence::Unopened => "opening".to_owned(),
            Presence::Live => "live".to_owned(),
            Presence::Late => "late".to_owned(),
            Presence::Lost(why) => format!("lost ({why})"),
            Presence::Ended => "ended".to_owned(),
        };
        let age = self.last.map_or_else(String::new, |last| {
            format!(", {:.0} ms old", last.elapsed().as_secs_f64() * 1e3)
        });
        let mut text = format!(
            "{presence}{age}, {:.0} Hz, {} records, {} lost ({} bytes)",
            self.hz, decoded.records, decoded.dropped_records, decoded.dropped_bytes
        );
        if n_connections > 1 {
            text.push_str(&format!(", opened {n_connections} times"));
        }
        if n_wakes > 0 {
            text.push_str(&format!(", woken {n_wakes} times"));
        }
        text
    }
}
