//! A bar on the terminal, if there is one: how much is done, how long the rest takes, what is under way.

use std::io::{self, IsTerminal, Stderr, Write};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// A line that is written over again and again, and cleared at the end.
pub(crate) struct ProgressBar {
    stderr: Option<Stderr>,
}

/// Somebody asked to end before the work was done.
#[derive(Debug, thiserror::Error)]
#[error("interrupted; {leaving}")]
pub struct Interrupted {
    /// What is there all the same.
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
/// So many looks are over before anybody could read a line.
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

/// Works on this thread, and meanwhile shows how much is done, if it takes long enough to be read.
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

/// Works on a thread of its own, and meanwhile shows how much is done, if it takes long enough to be read. As
/// soon as `stop` is set the work is left to itself, unfinished: it must not write anything.
pub(crate) fn run_interruptibly<T: Send + 'static>(
    title: &str,
    share: impl Fn() -> f64,
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let (tell, told) = sync_channel(1);
    let worker = std::thread::Builder::new().name("work".to_owned()).spawn(move || {
        // Nobody hears it who has left.
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
    // It ended without a result, so it panicked, which is ours to pass on.
    worker
        .join()
        .map_or_else(|panic| resume_unwind(panic), |()| Err(Interrupted::leaving_nothing().into()))
}

fn line(share: f64, remaining: Option<Duration>, title: &str) -> String {
    const WIDTH: usize = 24;
    /// No wider than a narrow terminal: a line that wraps is not written over.
    const MOST: usize = 79;
    let done = ((share * WIDTH as f64) as usize).min(WIDTH);
    let bar = format!("{}{}", "=".repeat(done), " ".repeat(WIDTH - done));
    let left = remaining.map_or_else(String::new, |remaining| {
        let seconds = remaining.as_secs_f64().ceil() as u64;
        format!(" {:2}:{:02} left", seconds / 60, seconds % 60)
    });
    let text = format!("[{bar}] {:3.0} %{left}  {title}", 100.0 * share);
    // A file may be called anything.
    text.chars().filter(|c| !c.is_control()).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_share_time_and_step() {
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
