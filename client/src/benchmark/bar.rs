//! A bar on the terminal, if there is one: how much is done, how long the rest takes, what is under way.

use std::io::{IsTerminal, Stderr, Write};
use std::time::Duration;

/// A line that is written over again and again, and cleared at the end.
pub(super) struct Bar {
    stderr: Option<Stderr>,
}

impl Bar {
    pub(super) fn new() -> Self {
        let stderr = std::io::stderr();
        Self { stderr: stderr.is_terminal().then_some(stderr) }
    }

    pub(super) fn show(&mut self, share: f64, remaining: Duration, title: &str) {
        if let Some(stderr) = &mut self.stderr {
            // Nothing can be done if standard error is gone.
            let _ = write!(stderr, "\r\x1b[K{}", line(share, remaining, title));
            let _ = stderr.flush();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(stderr) = &mut self.stderr {
            let _ = write!(stderr, "\r\x1b[K");
        }
    }
}

fn line(share: f64, remaining: Duration, title: &str) -> String {
    const WIDTH: usize = 24;
    /// No wider than a narrow terminal: a line that wraps is not written over.
    const MOST: usize = 79;
    let done = ((share * WIDTH as f64) as usize).min(WIDTH);
    let bar = format!("{}{}", "=".repeat(done), " ".repeat(WIDTH - done));
    let seconds = remaining.as_secs_f64().ceil() as u64;
    let text = format!(
        "[{bar}] {:3.0} % {:2}:{:02} left  {title}",
        100.0 * share,
        seconds / 60,
        seconds % 60
    );
    // A file may be called anything.
    text.chars().filter(|c| !c.is_control()).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_share_time_and_step() {
        for (share, seconds, expected) in [
            (0.0, 119.2, "[                        ]   0 %  2:00 left  a step"),
            (0.5, 61.0, "[============            ]  50 %  1:01 left  a step"),
            (1.0, 0.0, "[========================] 100 %  0:00 left  a step"),
        ] {
            assert_eq!(line(share, Duration::from_secs_f64(seconds), "a step"), expected);
        }
    }

    #[test]
    fn names_cannot_spoil_the_terminal() {
        let line = line(0.3, Duration::ZERO, &"\x1b[2Jevil\n".repeat(40));
        assert!(line.chars().count() <= 79 && !line.contains(['\x1b', '\n']));
    }
}
