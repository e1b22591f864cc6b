//! The benchmark's page: progress of a run, and live plots.

use std::path::Path;
use std::time::{Duration, Instant};

use benchmark::figure::{Figure, figures};
use benchmark::results::Completeness;
use benchmark::{Body, Results};
use egui::{
    CentralPanel, CornerRadius, Key, Label, Panel, Rect, RichText, ScrollArea, Sense, Ui, pos2,
    vec2,
};

use super::chart::chart;
use super::measurement::{Measurement, MeasurementNews, MeasurementProgress};
use crate::command_line::BenchOptions;
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{ButtonWeight, KeyButton, key_button};

/// Request of the person to the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageRequest {
    Close,
}

/// Other work in this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherWork {
    None,
    /// The session pauses during a measurement.
    Hand,
}

/// Contents of the page.
pub(crate) struct BenchmarkPage {
    options: BenchOptions,
    other_work: OtherWork,
    measurement: Option<Measurement>,
    moment: Option<MeasurementProgress>,
    figures: Vec<Figure>,
    outcome: RunOutcome,
}

/// Result of the last run.
enum RunOutcome {
    None,
    Saved(Completeness),
    Failed(String),
}

/// Durations of a run to choose from, in seconds.
const LENGTHS: [(u32, &str); 3] =
    [(30, "half a minute"), (120, "two minutes"), (600, "ten minutes")];
const BODIES: [Body; 3] = [Body::Sphere, Body::Blob, Body::Cube];
/// Height of title, bar and two lines of text.
const HEADER: f32 = 134.0;
const BAR: f32 = 10.0;
/// Least height of a figure; otherwise two rows fill the page.
const FLATTEST: f32 = 240.0;
/// Height of the text over a plot.
const WORDS: f32 = 44.0;

impl BenchmarkPage {
    pub(crate) fn new(options: BenchOptions, other_work: OtherWork) -> Self {
        Self {
            options,
            other_work,
            measurement: None,
            moment: None,
            figures: Vec::new(),
            outcome: RunOutcome::None,
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.measurement.is_some()
    }

    pub(crate) fn start(&mut self) {
        if self.is_running() {
            return;
        }
        self.figures.clear();
        self.moment = None;
        self.outcome = RunOutcome::None;
        match Measurement::start(&self.options) {
            Ok(measurement) => self.measurement = Some(measurement),
            Err(why) => self.outcome = RunOutcome::Failed(why),
        }
    }

    /// Takes the run's newest message. Returns true if the page has changed.
    pub(crate) fn take_news(&mut self) -> bool {
        match self.measurement.as_ref().and_then(Measurement::news) {
            None => return false,
            Some(MeasurementNews::UnderWay(moment)) => {
                self.figures = figures(&moment.results);
                self.moment = Some(moment);
            }
            Some(MeasurementNews::Over(found)) => {
                self.measurement = None;
                self.end(found);
            }
        }
        true
    }

    /// Ends the current run and returns its results; `None` if there was no run, or it failed.
    pub(crate) fn finish(&mut self) -> Option<Results> {
        if let Some(found) = self.measurement.take().and_then(Measurement::finish) {
            self.end(found);
        }
        match (&self.outcome, self.moment.take()) {
            (RunOutcome::Saved(_), Some(moment)) => Some(moment.results),
            (RunOutcome::Saved(_) | RunOutcome::None | RunOutcome::Failed(_), _) => None,
        }
    }

    /// Error of the last run, if it failed.
    pub(crate) fn failure(&self) -> Option<&str> {
        match &self.outcome {
            RunOutcome::Failed(why) => Some(why),
            RunOutcome::None | RunOutcome::Saved(_) => None,
        }
    }

    fn end(&mut self, found: Result<Results, String>) {
        match found {
            Ok(results) => {
                self.figures = figures(&results);
                self.outcome = RunOutcome::Saved(results.completeness);
                let now = Instant::now();
                self.moment = Some(MeasurementProgress {
                    title: String::new(),
                    share: 1.0,
                    ends: now,
                    results,
                });
            }
            Err(why) => self.outcome = RunOutcome::Failed(why),
        }
    }

    /// Lays out the page and returns the person's request.
    pub(crate) fn page(&mut self, ui: &mut Ui) -> Option<PageRequest> {
        let palette = style::palette(ui.ctx());
        let asked = Panel::top("benchmark")
            .frame(style::panel(palette))
            .resizable(false)
            .show_separator_line(false)
            // Fixed size: an automatic size would be one picture late.
            .exact_size(HEADER)
            .show(ui, |ui| self.header(ui, palette))
            .inner;
        CentralPanel::no_frame().frame(style::panel(palette)).show(ui, |ui| {
            let room = ui.available_height();
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                if self.figures.is_empty() {
                    self.introduction(ui, palette);
                } else {
                    grid(ui, palette, room, &self.figures);
                }
            });
        });
        asked
    }

    fn header(&mut self, ui: &mut Ui, palette: &Palette) -> Option<PageRequest> {
        let asked = ui
            .horizontal(|ui| {
                ui.label(RichText::new("Benchmark").size(style::TITLE));
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    self.buttons(ui)
                })
                .inner
            })
            .inner;
        match (&self.measurement, &self.moment) {
            (Some(measurement), moment) => {
                let is_stopping = measurement.is_stopping();
                self.progress(ui, palette, moment.as_ref(), is_stopping);
                // The remaining time changes without news.
                ui.ctx().request_repaint_after(Duration::from_secs(1));
            }
            (None, _) => self.choices(ui),
        }
        let (words, colour) = self.words(palette);
        // A tooltip shows text that is too long.
        ui.add(Label::new(RichText::new(words).color(colour)).truncate());
        asked
    }

    fn buttons(&mut self, ui: &mut Ui) -> Option<PageRequest> {
        let button = |words, key, weight| KeyButton { words, key, weight };
        match &self.measurement {
            Some(measurement) => {
                if key_button(ui, &button("Stop", Key::Escape, ButtonWeight::Primary)) {
                    measurement.stop();
                }
                None
            }
            None => {
                let closes = key_button(ui, &button("Close", Key::Escape, ButtonWeight::Plain));
                if key_button(ui, &button("Start", Key::Enter, ButtonWeight::Primary)) {
                    self.start();
                    return None;
                }
                closes.then_some(PageRequest::Close)
            }
        }
    }

    fn progress(
        &self,
        ui: &mut Ui,
        palette: &Palette,
        moment: Option<&MeasurementProgress>,
        is_stopping: bool,
    ) {
        let (share, words) = match moment {
            _ if is_stopping => (moment.map_or(0.0, |m| m.share), "stopping".to_owned()),
            None => (0.0, "measuring the machine".to_owned()),
            Some(moment) => {
                let left = moment.ends.saturating_duration_since(Instant::now());
                let seconds = left.as_secs_f64().ceil() as u64;
                let left = format!("{}:{:02} left", seconds / 60, seconds % 60);
                let title = moment.title.replace(['\u{a0}', '\u{202f}'], " ");
                (moment.share, format!("{:.0} %   {left}   {title}", 100.0 * moment.share))
            }
        };
        let (bar, _) = ui.allocate_exact_size(vec2(ui.available_width(), BAR), Sense::hover());
        let radius = CornerRadius::same(5);
        ui.painter().rect_filled(bar, radius, palette.track);
        let done = Rect::from_min_size(bar.min, vec2(share as f32 * bar.width(), BAR));
        ui.painter().rect_filled(done, radius, palette.accent);
        ui.label(words);
    }

    fn choices(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().button_padding = vec2(8.0, 4.0);
            for (seconds, words) in LENGTHS {
                if option(ui, self.options.seconds == seconds, words) {
                    self.options.seconds = seconds;
                }
            }
            // Files were given instead of generated bodies.
            if self.options.objects.is_empty() || !self.options.nodes.is_empty() {
                ui.separator();
                for body in BODIES {
                    let is_meant = self.options.bodies.contains(&body);
                    // At least one.
                    let may_change = !is_meant || self.options.bodies.len() > 1;
                    if option(ui, is_meant, &body.to_string()) && may_change {
                        self.options.bodies.retain(|other| *other != body);
                        if !is_meant {
                            self.options.bodies.push(body);
                        }
                    }
                }
            }
        });
    }

    /// Message for the person.
    fn words(&self, palette: &Palette) -> (String, egui::Color32) {
        let out = shown(&self.options.out);
        match (&self.outcome, self.is_running(), self.other_work) {
            (RunOutcome::Failed(why), false, _) => (why.clone(), palette.bad),
            (RunOutcome::Saved(Completeness::Whole), false, _) => {
                (format!("Saved in {out}: report.html, results.csv, results.json"), palette.good)
            }
            (RunOutcome::Saved(Completeness::Partial), false, _) => {
                (format!("Stopped early; the results so far are in {out}"), palette.fair)
            }
            (_, true, OtherWork::Hand) => (
                "The hand rests while this is measured, so that both do not disturb each other. \
                 Stopping keeps what there is."
                    .to_owned(),
                palette.quiet,
            ),
            (_, true, OtherWork::None) => {
                ("Stopping keeps what there is.".to_owned(), palette.quiet)
            }
            (RunOutcome::None, false, _) => (format!("The report will be in {out}"), palette.quiet),
        }
    }

    fn introduction(&self, ui: &mut Ui, palette: &Palette) {
        let words = if self.is_running() {
            "Plots appear here as soon as there are points to show."
        } else {
            "Measures how long the solver takes on this machine, against size and number of threads: set-up, new \
             contacts, frames and round trips, beside the dense inverse of 1998, a sparse direct solve without reuse \
             and conjugate gradients. The plots are drawn as points come in."
        };
        ui.add(Label::new(RichText::new(words).color(palette.quiet)).wrap());
    }
}

/// Two figures side by side, two rows in the visible height; the others below.
fn grid(ui: &mut Ui, palette: &Palette, room: f32, figures: &[Figure]) {
    let width = (ui.available_width() - style::GAP) / 2.0;
    let height = ((room - style::GAP) / 2.0).floor().max(FLATTEST);
    let n_rows = figures.len().div_ceil(2);
    let size = vec2(2.0 * width + style::GAP, n_rows as f32 * (height + style::GAP) - style::GAP);
    let (whole, _) = ui.allocate_exact_size(size, Sense::hover());
    for (i, figure) in figures.iter().enumerate() {
        let corner = whole.min
            + vec2((i % 2) as f32 * (width + style::GAP), (i / 2) as f32 * (height + style::GAP));
        let card = Rect::from_min_size(corner, vec2(width, height));
        if ui.is_rect_visible(card) {
            paint_figure(ui, palette, card, figure);
        }
    }
}

fn paint_figure(ui: &Ui, palette: &Palette, card: Rect, figure: &Figure) {
    let edge = egui::Stroke::new(1.0, palette.edge);
    ui.painter().rect(card, style::RADIUS, palette.card, edge, egui::StrokeKind::Inside);
    let inner = card.shrink(style::GAP);
    let line = |y: f32, words: &str, size: f32, colour| {
        let mut job = egui::text::LayoutJob::simple_singleline(
            words.replace(['\u{a0}', '\u{202f}'], " "),
            style::font(size),
            colour,
        );
        job.wrap = egui::text::TextWrapping::truncate_at_width(inner.width());
        let galley = ui.painter().layout_job(job);
        ui.painter().galley(pos2(inner.left(), inner.top() + y), galley, colour);
    };
    line(0.0, &figure.title, style::BODY, palette.words);
    line(21.0, &figure.about, style::SMALL, palette.quiet);
    let plot = Rect::from_min_max(pos2(inner.left(), inner.top() + WORDS), inner.max);
    chart(ui, plot, &figure.plot);
}

/// Draws a choice; returns true if it was clicked.
fn option(ui: &mut Ui, is_chosen: bool, words: &str) -> bool {
    let palette = style::palette(ui.ctx());
    let colour = if is_chosen { palette.on_accent } else { palette.words };
    ui.selectable_label(is_chosen, RichText::new(words).color(colour)).clicked()
}

/// Shows the absolute path.
fn shown(folder: &Path) -> String {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()).display().to_string()
}

#[cfg(test)]
mod tests;
