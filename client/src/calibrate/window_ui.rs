//! The calibration window: it guides a person from the first pose to a saved profile.
//!
//! - `flow`: devices, procedure and files, on a separate thread; it publishes a `page` after each
//!   change and receives the person's requests;
//! - `outcome`: contents of the result page;
//! - `hand_scene`: the hand to imitate and the person's own hand, as a scene;
//! - `panels`: panels and keys of a page.

mod flow;
mod hand_scene;
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
use calibration::ProfileStore;
use engine::Mailbox;
use interaction::scene::Scene;

use self::flow::{CalibrationFlow, SavedSlot};
use self::hand_scene::Turntable;
use self::page::{Body, FlowRequest, Page};
use self::panels::PageRequest;
use super::guide::Guide;
use crate::command_line::{CalibrationExtras, MeasureOptions};
use crate::render::Camera;
use crate::window::{self, Display, WindowContent, WindowFlow};

/// Queue length of requests. Requests beyond it are dropped.
const MOST_ASKED: usize = 16;

/// Guides the person in a window until the profile is saved or the person quits.
pub(super) fn show(
    display: Display,
    guide: Guide,
    store: &ProfileStore,
    options: (&MeasureOptions, &CalibrationExtras),
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let pages = Arc::new(Mailbox::default());
    let (sender, requests) = sync_channel(MOST_ASKED);
    let saved_slot = SavedSlot::default();
    let shown = thread::scope(|scope| {
        let flow = CalibrationFlow::new(guide, store, options, &saved_slot);
        let pages_in = Arc::clone(&pages);
        let thread = thread::Builder::new()
            .name("calibration".to_owned())
            .spawn_scoped(scope, move || guided(flow, &requests, &pages_in, stop))
            .context("cannot start the calibration thread")?;
        let shown = window::run(
            display,
            "Palpate calibration",
            &mut CalibrationWindow::new(pages, sender),
            stop,
        );
        stop.store(true, Ordering::Relaxed);
        thread.join().map_err(|_| anyhow!("the calibration thread panicked"))?;
        anyhow::Ok(shown)
    })?;
    shown.context("the window cannot be shown; `--tui` guides in the terminal")?;
    match saved_slot.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(saved_slot) => saved_slot.whole(),
        None => bail!("given up; nothing was saved"),
    }
}

/// Publishes pages until `stop` or the window closes.
fn guided(
    mut flow: CalibrationFlow<'_>,
    requests: &Receiver<FlowRequest>,
    pages: &Mailbox<Page>,
    stop: &AtomicBool,
) {
    // The window must close however this thread ends, by a panic too.
    let _closes = StopOnDrop(stop);
    while !stop.load(Ordering::Relaxed) {
        while let Ok(request) = requests.try_recv() {
            flow.apply(request);
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

/// The window's side: the newest page, and the requests to the flow.
struct CalibrationWindow {
    pages: Arc<Mailbox<Page>>,
    ask: SyncSender<FlowRequest>,
    page: Page,
    turntable: Turntable,
    /// True if the panels have not been laid out since the last page.
    has_news: bool,
    /// True while the window asks whether to discard all poses.
    asks_to_give_up: bool,
}

impl CalibrationWindow {
    fn new(pages: Arc<Mailbox<Page>>, ask: SyncSender<FlowRequest>) -> Self {
        let (page, turntable) = (Page::default(), Turntable::default());
        Self { pages, ask, page, turntable, has_news: true, asks_to_give_up: false }
    }

    fn send(&self, ask: FlowRequest) {
        // A full queue means that the flow is busy with earlier requests; a closed one has closed
        // the window.
        let _ = self.ask.try_send(ask);
    }
}

impl WindowContent for CalibrationWindow {
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

    fn panels(&mut self, ui: &mut egui::Ui) -> WindowFlow {
        self.has_news = false;
        if self.asks_to_give_up {
            match panels::give_up(ui, &self.page) {
                Some(panels::GiveUpAnswer::GiveUp) => return WindowFlow::Close,
                Some(panels::GiveUpAnswer::GoOn) => self.asks_to_give_up = false,
                None => {}
            }
            // The page below is drawn, but gets no input.
            ui.disable();
            panels::page(ui, &self.page);
            return WindowFlow::Continue;
        }
        match panels::page(ui, &self.page) {
            Some(PageRequest::Flow(ask)) => self.send(ask),
            Some(PageRequest::Close) => return self.close(),
            None => {}
        }
        WindowFlow::Continue
    }

    fn camera(&self) -> Camera {
        hand_scene::FIRST_LOOK
    }

    fn eye(&self, camera: &Camera, aspect: f64) -> Camera {
        hand_scene::eye(&self.page, camera, aspect)
    }

    /// Asks first if there are unsaved poses.
    fn close(&mut self) -> WindowFlow {
        if self.page.n_taken() == 0 || matches!(self.page.body, Body::Saved { .. }) {
            return WindowFlow::Close;
        }
        self.asks_to_give_up = true;
        self.has_news = true;
        WindowFlow::Continue
    }
}
