//! The calibration studio: a window that guides a person from the first pose to a saved profile.
//!
//! - `flow`: devices, procedure and files, on a thread of its own; it publishes a `page` whenever something
//!   has changed and hears what the person asks for;
//! - `outcome`: what the result page says about a fit;
//! - `hands`: the hand to imitate and the person's own, as a scene;
//! - `panels`: a page as panels and keys.

mod flow;
mod hands;
mod outcome;
mod page;
mod panels;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError};
use std::thread;

use anyhow::{Context, anyhow, bail};
use calibration::Store;
use engine::Mailbox;
use interaction::scene::Scene;

use self::flow::{Flow, Kept};
use self::hands::Turntable;
use self::page::{Ask, Body, Page};
use self::panels::Asked;
use super::guide::Guide;
use crate::command_line::{Besides, Measure};
use crate::render::Camera;
use crate::window::{self, Display, Going, Show};

/// What the person asks for faster than it can be done is not worth keeping.
const MOST_ASKED: usize = 16;

/// Guides the person in a window until a profile is saved or given up.
pub(super) fn show(
    display: Display,
    guide: Guide,
    store: &Store,
    options: (&Measure, &Besides),
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let pages = Arc::new(Mailbox::default());
    let (ask, asked) = sync_channel(MOST_ASKED);
    let kept = Kept::default();
    let shown = thread::scope(|scope| {
        let flow = Flow::new(guide, store, options, &kept);
        let pages_in = Arc::clone(&pages);
        let thread = thread::Builder::new()
            .name("studio".to_owned())
            .spawn_scoped(scope, move || guided(flow, &asked, &pages_in, stop))
            .context("cannot start the studio's thread")?;
        let shown = window::run(display, "Palpate calibration", &mut Studio::new(pages, ask), stop);
        stop.store(true, Ordering::Relaxed);
        thread.join().map_err(|_| anyhow!("the studio's thread panicked"))?;
        anyhow::Ok(shown)
    })?;
    shown.context("the window cannot be shown; `--tui` guides in the terminal")?;
    match kept.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(kept) => kept.whole(),
        None => bail!("given up; nothing was saved"),
    }
}

/// Publishes what is new until somebody says stop.
fn guided(mut flow: Flow<'_>, asked: &Receiver<Ask>, pages: &Mailbox<Page>, stop: &AtomicBool) {
    // However this ends, by a panic too, the window must not stay behind as if it lived.
    let _closes = StopOnDrop(stop);
    while !stop.load(Ordering::Relaxed) {
        while let Ok(ask) = asked.try_recv() {
            flow.hear(ask);
        }
        flow.turn(stop);
        if let Some(page) = flow.news() {
            pages.put(page);
        }
    }
}

struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The window's side: the newest page, and what was asked of it.
struct Studio {
    pages: Arc<Mailbox<Page>>,
    ask: SyncSender<Ask>,
    page: Page,
    turntable: Turntable,
    /// Whether the panels have not been laid out since the last page.
    has_news: bool,
    /// Whether the person is being asked if all work should be lost.
    asks_to_give_up: bool,
}

impl Studio {
    fn new(pages: Arc<Mailbox<Page>>, ask: SyncSender<Ask>) -> Self {
        let (page, turntable) = (Page::default(), Turntable::default());
        Self { pages, ask, page, turntable, has_news: true, asks_to_give_up: false }
    }

    fn send(&self, ask: Ask) {
        // A flow that is full is busy with what was asked before; one that is gone has closed the window.
        let _ = self.ask.try_send(ask);
    }
}

impl Show for Studio {
    fn scene(&mut self, camera: &Camera) -> Option<Arc<Scene>> {
        if let Some(page) = self.pages.take() {
            self.page = page;
            self.has_news = true;
        }
        self.turntable.scene(&self.page, camera)
    }

    fn has_news(&mut self) -> bool {
        self.has_news
    }

    fn panels(&mut self, ui: &mut egui::Ui) -> Going {
        self.has_news = false;
        if self.asks_to_give_up {
            match panels::give_up(ui, &self.page) {
                Some(panels::Answer::GiveUp) => return Going::Over,
                Some(panels::Answer::GoOn) => self.asks_to_give_up = false,
                None => {}
            }
            // What lies below is seen, but hears nothing.
            ui.disable();
            panels::page(ui, &self.page);
            return Going::On;
        }
        match panels::page(ui, &self.page) {
            Some(Asked::Flow(ask)) => self.send(ask),
            Some(Asked::Close) => return self.close(),
            None => {}
        }
        Going::On
    }

    fn camera(&self) -> Camera {
        hands::FIRST_LOOK
    }

    fn eye(&self, camera: &Camera, aspect: f64) -> Camera {
        hands::eye(&self.page, camera, aspect)
    }

    /// Whoever has taken poses and not saved them is asked first.
    fn close(&mut self) -> Going {
        if self.page.n_taken() == 0 || matches!(self.page.body, Body::Saved { .. }) {
            return Going::Over;
        }
        self.asks_to_give_up = true;
        self.has_news = true;
        Going::On
    }
}
