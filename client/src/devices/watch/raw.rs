//! Prints every byte that comes and goes.

use std::io::Write;
use std::time::Instant;

use drivers::DeviceError;
use drivers::keeper::{Lines, News, OpenedLine, PortLines};
use drivers::recording::Bytes;
use drivers::serial::{SerialLine, Tap};

/// The ports of this machine, with everything that passes over them printed.
pub(super) struct PrintedLines {
    start: Instant,
}

impl Default for PrintedLines {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Lines for PrintedLines {
    fn open(&mut self, path: &str, baud: u32) -> Result<OpenedLine, DeviceError> {
        say(self.start, Instant::now(), &format!("opening {path} at {baud} baud"));
        let line = SerialLine::open(path, baud)?;
        Ok(OpenedLine::Fresh(line.tapped(Box::new(Printer { start: self.start }))))
    }

    fn report(&mut self, news: News<'_>) {
        let text = match news {
            News::Ready { kind, settings, .. } => format!("ready: {kind} {settings}"),
            News::Lost { reason } => format!("lost: {reason}"),
        };
        say(self.start, Instant::now(), &text);
        PortLines.report(news);
    }
}

struct Printer {
    start: Instant,
}

impl Tap for Printer {
    fn received(&mut self, bytes: &[u8], at: Instant) {
        say(self.start, at, &format!("<- {}", Bytes(bytes)));
    }

    fn sent(&mut self, bytes: &[u8], at: Instant) {
        say(self.start, at, &format!("-> {}", Bytes(bytes)));
    }
}

fn say(start: Instant, at: Instant, text: &str) {
    let seconds = at.saturating_duration_since(start).as_secs_f64();
    // Whoever looked may have seen enough.
    let _ = writeln!(std::io::stdout(), "{seconds:10.4}  {text}");
}
