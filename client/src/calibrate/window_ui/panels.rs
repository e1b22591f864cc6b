//! A page of the calibration window as panels: header, list or chart, footer with buttons; the
//! picture is between them.

mod cards;
mod chart;
mod steps;

use calibration::procedure::Command;
use egui::{Key, Panel, RichText, Ui, vec2};
use interaction::scene::StatusLevel;

use super::page::{Body, FlowRequest, Page, StepBody};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{self, ButtonWeight, KeyButton, key_button};

/// Request of the person on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageRequest {
    Flow(FlowRequest),
    Close,
}

/// Answer to the question whether to discard all poses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GiveUpAnswer {
    GiveUp,
    GoOn,
}

const FOOTER: f32 = 66.0;
const LIST_WIDTH: f32 = 232.0;
/// Largest width of the chart, which takes half of the window.
const CHART_WIDTH: f32 = 620.0;
/// Space beside the buttons.
const RING: f32 = 17.0;

/// Lays out a page and returns the person's request.
pub(super) fn page(ui: &mut Ui, page: &Page) -> Option<PageRequest> {
    let palette = style::palette(ui.ctx());
    Panel::top("header")
        .frame(style::panel(palette))
        .resizable(false)
        .show_separator_line(false)
        .show(ui, |ui| header(ui, palette, page));
    let asked = Panel::bottom("footer")
        .frame(style::panel(palette))
        .resizable(false)
        .show_separator_line(false)
        .exact_size(FOOTER)
        .show(ui, |ui| ui.horizontal_centered(|ui| footer(ui, palette, page)).inner)
        .inner;
    let width = match &page.body {
        Body::Result(_) => (ui.available_width() * 0.55).min(CHART_WIDTH),
        Body::Opening | Body::Step(_) | Body::Outliers(_) | Body::Empty | Body::Saved { .. } => {
            LIST_WIDTH
        }
    };
    Panel::left("side")
        .frame(style::panel(palette).inner_margin(side_margin()))
        .resizable(false)
        .show_separator_line(false)
        .exact_size(width)
        .show(ui, |ui| match &page.body {
            Body::Result(outcome) => chart::outcome(ui, palette, outcome),
            Body::Opening
            | Body::Step(_)
            | Body::Outliers(_)
            | Body::Empty
            | Body::Saved { .. } => steps::list(ui, palette, &page.steps),
        });
    // The picture is a card as well.
    Panel::right("margin")
        .frame(style::panel(palette).inner_margin(0))
        .resizable(false)
        .show_separator_line(false)
        .exact_size(style::GAP)
        .show(ui, |_| {});
    cards::over_picture(ui, palette, page);
    asked
}

/// Asks whether to discard all poses; returns `None` until there is an answer.
pub(super) fn give_up(ui: &Ui, page: &Page) -> Option<GiveUpAnswer> {
    let palette = style::palette(ui.ctx());
    let modal = egui::Modal::new(egui::Id::unique("give up")).frame(style::card(palette));
    let answer = modal.show(ui.ctx(), |ui| {
        ui.set_width(380.0);
        ui.label(RichText::new("Give up?").size(style::TITLE));
        let n = page.n_taken();
        let (poses, are) = if n == 1 { ("pose", "is") } else { ("poses", "are") };
        ui.label(
            RichText::new(format!("{n} {poses} of this calibration {are} taken but not saved."))
                .color(palette.quiet),
        );
        ui.add_space(style::GAP);
        ui.horizontal(|ui| {
            let go_on =
                KeyButton { words: "Go on", key: Key::Escape, weight: ButtonWeight::Primary };
            let give_up =
                KeyButton { words: "Give up", key: Key::Enter, weight: ButtonWeight::Plain };
            let goes_on = key_button(ui, &go_on);
            let gives_up = key_button(ui, &give_up);
            // If both answers come at once, the poses are kept.
            match (goes_on, gives_up) {
                (true, _) => Some(GiveUpAnswer::GoOn),
                (false, true) => Some(GiveUpAnswer::GiveUp),
                (false, false) => None,
            }
        })
        .inner
    });
    answer.inner
}

fn side_margin() -> egui::Margin {
    let gap = style::GAP as i8;
    egui::Margin { left: gap, right: gap, top: 0, bottom: 0 }
}

fn header(ui: &mut Ui, palette: &Palette, page: &Page) {
    let (title, text, count) = match &page.body {
        Body::Opening => ("One moment".to_owned(), page.glove.words.clone(), String::new()),
        Body::Step(StepBody { name, instruction, number, of, .. }) => (
            widgets::capitalised(name),
            (*instruction).to_owned(),
            format!("step {number} of {of}"),
        ),
        Body::Outliers(rows) => (
            match rows.len() {
                1 => "One pose does not match the others".to_owned(),
                n => format!("{n} poses do not match the others"),
            },
            "Do them again, or leave them out of the fit.".to_owned(),
            "all steps done".to_owned(),
        ),
        Body::Empty => (
            "No pose was taken".to_owned(),
            "There is nothing to fit; go back and take some.".to_owned(),
            String::new(),
        ),
        Body::Result(outcome) => (
            "How well the glove fits".to_owned(),
            format!(
                "From {} poses. Move the hand: the picture shows it as measured with this fit.",
                outcome.n_poses
            ),
            "all steps done".to_owned(),
        ),
        Body::Saved { .. } => {
            ("Saved".to_owned(), "This hand is calibrated.".to_owned(), "all steps done".to_owned())
        }
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new(title).size(style::TITLE));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(RichText::new(count).color(palette.quiet));
        });
    });
    ui.label(RichText::new(text).size(style::LARGE).color(palette.quiet));
    ui.add_space(2.0);
    let (bar, _) = ui.allocate_exact_size(vec2(ui.available_width(), 6.0), egui::Sense::hover());
    widgets::segments(ui.painter(), bar, &steps::colours(palette, &page.steps));
}

fn footer(ui: &mut Ui, palette: &Palette, page: &Page) -> Option<PageRequest> {
    if let Body::Step(step) = &page.body {
        // The reason for a missing hand is written over the picture.
        let words = match page.glove.level {
            StatusLevel::Good | StatusLevel::Waiting => &step.words,
            StatusLevel::Bad => "waiting for the glove",
        };
        steadiness(ui, palette, step.share, words);
    }
    let buttons = |ui: &mut Ui| {
        // From the right: the first is the rightmost.
        let mut asked = None;
        for (offered, ask) in offered(page).iter().rev() {
            if key_button(ui, offered) {
                asked = Some(*ask);
            }
        }
        asked
    };
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), buttons).inner
}

/// Returns the buttons of a page with their requests, from left to right.
fn offered(page: &Page) -> Vec<(KeyButton<'static>, PageRequest)> {
    let plain = |words, key| KeyButton { words, key, weight: ButtonWeight::Plain };
    let primary = |words, key| KeyButton { words, key, weight: ButtonWeight::Primary };
    let flow = PageRequest::Flow;
    let step = |command| PageRequest::Flow(FlowRequest::Step(command));
    let give_up = (plain("Give up", Key::Escape), PageRequest::Close);
    match &page.body {
        Body::Opening => vec![give_up],
        Body::Step(_) => vec![
            (primary("Take now", Key::Space), step(Command::Accept)),
            (plain("Skip", Key::S), step(Command::Skip)),
            (plain("Retake", Key::R), step(Command::Retake)),
            (plain("Back", Key::B), step(Command::Back)),
            give_up,
        ],
        Body::Outliers(_) => vec![
            (primary("Do them again", Key::Enter), flow(FlowRequest::RepeatOutliers)),
            (plain("Leave them out", Key::S), flow(FlowRequest::LeaveOut)),
            give_up,
        ],
        Body::Empty => vec![(primary("Back", Key::B), step(Command::Back)), give_up],
        Body::Result(outcome) => {
            let mut all = vec![(primary("Save", Key::Enter), flow(FlowRequest::Save))];
            if !outcome.worst.is_empty() {
                all.push((plain("Retake worst", Key::R), flow(FlowRequest::RetakeWorst)));
            }
            all.push(give_up);
            all
        }
        Body::Saved { .. } => vec![(primary("Close", Key::Enter), PageRequest::Close)],
    }
}

/// Draws the ring that fills while the hand holds still, and what is missing.
fn steadiness(ui: &mut Ui, palette: &Palette, share: f64, words: &str) {
    let (rect, _) = ui.allocate_exact_size(vec2(2.0 * RING + 10.0, 42.0), egui::Sense::hover());
    // Small steps: quarters would jump.
    let id = egui::Id::unique("steadiness");
    let share = ui.ctx().animate_value_with_time(id, share as f32, 0.12);
    widgets::ring(ui.painter(), palette, rect.center(), RING, share);
    let words = RichText::new(widgets::capitalised(words)).size(style::LARGE);
    let width = (ui.available_width() - 590.0).max(150.0);
    ui.allocate_ui(vec2(width, 42.0), |ui| {
        ui.horizontal_centered(|ui| ui.add(egui::Label::new(words).wrap()));
    });
}

/// Returns the colour of a state.
fn level_colour(palette: &Palette, level: StatusLevel) -> egui::Color32 {
    match level {
        StatusLevel::Good => palette.good,
        StatusLevel::Waiting => palette.quiet,
        StatusLevel::Bad => palette.bad,
    }
}
