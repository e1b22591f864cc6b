//! Display of a calibration: a window, the terminal, or lines of text.

use std::io::{IsTerminal, Write};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, bail};

use super::guide::{Guide, RoundEnding};
use super::terminal_ui;
use crate::command_line::MeasureOptions;
use crate::window::Display;

/// Kind of display.
pub(super) enum Frontend {
    Window(Display),
    Terminal,
    /// Output without keys: prints a line for each step and waits until its pose is measured.
    Lines,
}

impl Frontend {
    /// Chooses a window if there is a display and `--tui` was not given.
    pub(super) fn choose(options: &MeasureOptions) -> Self {
        if options.tui {
            return Self::without_window();
        }
        let display = match Display::is_named() {
            true => Display::connect().map_err(|error| error.to_string()),
            false => Err("no display is named".to_owned()),
        };
        display.map_or_else(
            |why| {
                // Nothing can be done if standard error is gone as well.
                let _ = writeln!(std::io::stderr(), "no window ({why}); using the terminal");
                Self::without_window()
            },
            Self::Window,
        )
    }

    /// Chooses the terminal, or lines if standard output is no terminal.
    pub(super) fn without_window() -> Self {
        if std::io::stdout().is_terminal() { Self::Terminal } else { Self::Lines }
    }

    /// Runs one round of steps in text.
    pub(super) fn show(&self, guide: &mut Guide, stop: &AtomicBool) -> anyhow::Result<RoundEnding> {
        match self {
            Self::Terminal => terminal_ui::show(guide, stop),
            Self::Window(_) | Self::Lines => follow(guide, stop),
        }
    }
}

/// Time to wait for a lost glove when no keys can be read.
const GIVE_UP_AFTER: Duration = Duration::from_secs(5);

/// Prints each step and waits until its pose is measured.
fn follow(guide: &mut Guide, stop: &AtomicBool) -> anyhow::Result<RoundEnding> {
    let mut out = std::io::stdout();
    let mut said = usize::MAX;
    loop {
        let view = guide.procedure.view();
        if view.step.is_some() && view.n_done != said {
            said = view.n_done;
            let (n, of) = (said + 1, view.n_steps);
            writeln!(out, "{n}/{of}  {}: {}", view.name, view.instruction)
                .context("cannot write to standard output")?;
        }
        if let Some(ending) = guide.turn(stop)? {
            return Ok(ending);
        }
        if guide.silence() > GIVE_UP_AFTER {
            bail!(
                "the glove has sent {} for {} s; nothing was saved",
                guide.sent_since(),
                GIVE_UP_AFTER.as_secs()
            );
        }
    }
}
