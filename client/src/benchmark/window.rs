//! `palpate bench --window`: a window with only the benchmark's page.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, anyhow, bail};
use interaction::scene::Scene;

use super::page::{BenchmarkPage, OtherWork, PageRequest};
use crate::command_line::BenchOptions;
use crate::render::Camera;
use crate::window::{self, Display, WindowContent, WindowFlow};

/// Measures in a window until it is closed, which ends a run early.
pub(super) fn show(options: &BenchOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    if !Display::is_named() {
        bail!("there is no display for a window; without --window it runs in the terminal");
    }
    let display = Display::connect()?;
    let mut page = BenchmarkPage::new(options.clone(), OtherWork::None);
    // The command line has set all options, so the run starts at once.
    page.start();
    let mut show = BenchmarkWindow { page, has_news: true };
    let shown = window::run(display, "Palpate benchmark", &mut show, stop);
    let results = show.page.finish();
    shown.context("the window cannot be shown; without --window it runs in the terminal")?;
    match (show.page.failure(), results) {
        (Some(why), _) => Err(anyhow!("{why}")),
        (None, Some(results)) => super::print_results(&results, options),
        (None, None) => Ok(()),
    }
}

/// Window content: only the page.
struct BenchmarkWindow {
    page: BenchmarkPage,
    has_news: bool,
}

impl WindowContent for BenchmarkWindow {
    fn scene(&mut self, _: &Camera) -> Option<Arc<Scene>> {
        None
    }

    fn has_news(&mut self) -> bool {
        self.has_news |= self.page.take_news();
        std::mem::take(&mut self.has_news)
    }

    fn panels(&mut self, ui: &mut egui::Ui) -> WindowFlow {
        match self.page.page(ui) {
            Some(PageRequest::Close) => WindowFlow::Close,
            None => WindowFlow::Continue,
        }
    }
}
