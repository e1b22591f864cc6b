//! Prints every byte sent and received.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use drivers::DeviceError;
use drivers::line_source::{ConnectionEvent, LineSource, OpenedLine, SystemLines};
use drivers::recording::Bytes;
use drivers::serial::{SerialLine, Tap};

/// The ports of this machine, with everything that passes over them printed.
pub(super) struct PrintedLines {
    printer: Printer,
}

impl PrintedLines {
    /// `is_over` becomes true when the output is closed.
    pub(super) fn new(is_over: Arc<AtomicBool>) -> Self {
        Self { printer: Printer { start: Instant::now(), is_over } }
    }
}

impl LineSource for PrintedLines {
    fn open(&mut self, path: &str, baud: u32) -> Result<OpenedLine, DeviceError> {
        self.printer.say(Instant::now(), &format!("opening {path} at {baud} baud"));
        let line = SerialLine::open(path, baud)?;
        Ok(OpenedLine::Fresh(line.tapped(Box::new(self.printer.clone()))))
    }

    fn report(&mut self, news: ConnectionEvent<'_>) {
        let text = match news {
            ConnectionEvent::Ready { kind, settings, .. } => format!("ready: {kind} {settings}"),
            ConnectionEvent::Lost { reason } => format!("lost: {reason}"),
        };
        self.printer.say(Instant::now(), &text);
        SystemLines.report(news);
    }
}

#[derive(Clone)]
struct Printer {
    start: Instant,
    is_over: Arc<AtomicBool>,
}

impl Tap for Printer {
    fn received(&mut self, bytes: &[u8], at: Instant) {
        self.say(at, &format!("<- {}", Bytes(bytes)));
    }

    fn sent(&mut self, bytes: &[u8], at: Instant) {
        self.say(at, &format!("-> {}", Bytes(bytes)));
    }
}

impl Printer {
    fn say(&self, at: Instant, text: &str) {
        let seconds = at.saturating_duration_since(self.start).as_secs_f64();
        if writeln!(std::io::stdout(), "{seconds:10.4}  {text}").is_err() {
            // The reader has closed the pipe.
            self.is_over.store(true, Ordering::Relaxed);
        }
    }
}
