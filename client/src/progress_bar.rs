//! A progress bar on the terminal, if there is one: share done, remaining time, current step.

use std::io::{self, IsTerminal, Stderr, Write};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// A line that is overwritten repeatedly and cleared at the end.
pub(crate) struct ProgressBar {
    stderr: Option<Stderr>,
}

/// Error of work that was interrupted by the user.
#[derive(Debug, thiserror::Error)]
#[error("interrupted; {leaving}")]
pub struct Interrupted {
    /// Results that exist in spite of the interruption.
    leaving: String,
}

impl Interrupted {
    pub(crate) fn leaving(leaving: String) -> Self {
        Self { leaving }
    }

    pub(crate) fn leaving_nothing() -> Self {
        Self::leaving("nothing was written".to_owned())
    }
}

const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// Number of updates before the line appears: shorter work needs no bar.
const NOT_WORTH_A_LINE: usize = 8;

impl ProgressBar {
    pub(crate) fn new() -> Self {
        let stderr = std::io::stderr();
        Self { stderr: stderr.is_terminal().then_some(stderr) }
    }

    pub(crate) fn show(&mut self, share: f64, remaining: Option<Duration>, title: &str) {
        if let Some(stderr) = &mut self.stderr {
            // Nothing can be done if standard error is gone.
            let _ = write!(stderr, "\r\x1b[K{}", line(share, remaining, title));
            let _ = stderr.flush();
        }
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        if let Some(stderr) = &mut self.stderr {
            let _ = write!(stderr, "\r\x1b[K");
        }
    }
}

/// Runs work on this thread and shows its progress if it takes long enough.
pub(crate) fn run_with_bar<T>(
    title: &str,
    share: impl Fn() -> f64 + Sync,
    work: impl FnOnce() -> T,
) -> io::Result<T> {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        if io::stderr().is_terminal() {
            let show = || keep_up(title, &share, &is_done);
            std::thread::Builder::new().name("progress".to_owned()).spawn_scoped(scope, show)?;
        }
        let result = work();
        is_done.store(true, Ordering::Relaxed);
        Ok(result)
    })
}

fn keep_up(title: &str, share: &dyn Fn() -> f64, is_done: &AtomicBool) {
    let mut bar = ProgressBar::new();
    for look in 0.. {
        std::thread::sleep(BETWEEN_LOOKS);
        if is_done.load(Ordering::Relaxed) {
            return;
        }
        if look >= NOT_WORTH_A_LINE {
            bar.show(share(), None, title);
        }
    }
}

/// Runs work on a separate thread and shows its progress if it takes long enough. When `stop` is
/// set, the unfinished work is abandoned: it must not write any file.
pub(crate) fn run_interruptibly<T: Send + 'static>(
    title: &str,
    share: impl Fn() -> f64,
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let (tell, told) = sync_channel(1);
    let worker = std::thread::Builder::new().name("work".to_owned()).spawn(move || {
        // The receiver is gone after an interruption.
        let _ = tell.send(work());
    })?;
    let mut bar = ProgressBar::new();
    for look in 0.. {
        match told.recv_timeout(BETWEEN_LOOKS) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                return Err(Interrupted::leaving_nothing().into());
            }
            Err(RecvTimeoutError::Timeout) if look >= NOT_WORTH_A_LINE => {
                bar.show(share(), None, title);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    drop(bar);
    // The thread ended without a result, so it has panicked; the panic is passed on.
    worker
        .join()
        .map_or_else(|panic| resume_unwind(panic), |()| Err(Interrupted::leaving_nothing().into()))
}

fn line(share: f64, remaining: Option<Duration>, title: &str) -> String {
    const WIDTH: usize = 24;
    /// No wider than a narrow terminal: a wrapped line could not be overwritten.
    const MOST: usize = 79;
    let done = ((share * WIDTH as f64) as usize).min(WIDTH);
    let bar = format!("{}{}", "=".repeat(done), " ".repeat(WIDTH - done));
    let left = remaining.map_or_else(String::new, |remaining| {
        let seconds = remaining.as_secs_f64().ceil() as u64;
        format!(" {:2}:{:02} left", seconds / 60, seconds % 60)
    });
    let text = format!("[{bar}] {:3.0} %{left}  {title}", 100.0 * share);
    // File names may contain control characters.
    text.chars().filter(|c| !c.is_control()).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_shows_share_time_and_step() {
        for (share, seconds, expected) in [
            (0.0, Some(119.2), "[                        ]   0 %  2:00 left  a step"),
            (0.5, Some(61.0), "[============            ]  50 %  1:01 left  a step"),
            (1.0, Some(0.0), "[========================] 100 %  0:00 left  a step"),
            (0.25, None, "[======                  ]  25 %  a step"),
        ] {
            assert_eq!(line(share, seconds.map(Duration::from_secs_f64), "a step"), expected);
        }
    }

    #[test]
    fn names_cannot_spoil_the_terminal() {
        let line = line(0.3, Some(Duration::ZERO), &"\x1b[2Jevil\n".repeat(40));
        assert!(line.chars().count() <= 79 && !line.contains(['\x1b', '\n']));
    }

    #[test]
    fn work_is_waited_for_or_left() {
        let stop = AtomicBool::new(false);
        assert_eq!(run_interruptibly("", || 0.0, &stop, || 7).unwrap(), 7);
        stop.store(true, Ordering::Relaxed);
        let (hold, held) = sync_channel::<()>(0);
        let left = run_interruptibly("", || 0.0, &stop, move || held.recv());
        assert!(left.unwrap_err().is::<Interrupted>());
        drop(hold);
    }
}
