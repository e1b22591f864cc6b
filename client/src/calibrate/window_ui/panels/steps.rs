//! The list of all steps with their marks.

use calibration::procedure::Mark;
use egui::{Align, Color32, Response, RichText, ScrollArea, Ui, pos2, vec2};

use crate::calibrate::window_ui::page::StepRow;
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{self, Tick};

const ROW: f32 = 25.0;
/// Distances from the left edge of a row to the middle of its mark, and to its text.
const MARK_X: f32 = 12.0;
const WORDS_X: f32 = 28.0;

/// The list, scrolled to the current step.
pub(super) fn list(ui: &mut Ui, palette: &Palette, steps: &[StepRow]) {
    style::card(palette).inner_margin(8).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            // Scrolls only when the step changes: constant scrolling would redraw for ever and
            // block the person's own scrolling.
            let now = steps.iter().position(|step| step.mark == Mark::Now);
            let id = egui::Id::unique("current step");
            let before = ui.data_mut(|data| data.get_temp::<Option<usize>>(id));
            ui.data_mut(|data| data.insert_temp(id, now));
            for (i, step) in steps.iter().enumerate() {
                let response = row(ui, palette, step);
                if now == Some(i) && before != Some(now) {
                    response.scroll_to_me(Some(Align::Center));
                }
            }
        });
    });
}

/// Height of the progress bar.
pub(super) fn colours(palette: &Palette, steps: &[StepRow]) -> Vec<Color32> {
    let colour = |step: &StepRow| match tick(step) {
        Tick::Open => palette.track,
        Tick::Current => palette.accent,
        Tick::Done => palette.good,
        Tick::Passed => palette.quiet,
        Tick::Odd => palette.fair,
    };
    steps.iter().map(colour).collect()
}

fn row(ui: &mut Ui, palette: &Palette, step: &StepRow) -> Response {
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), ROW), egui::Sense::hover());
    let tick = tick(step);
    let colour = match tick {
        Tick::Current => {
            ui.painter().rect_filled(rect, style::SMALL_RADIUS, palette.button[0]);
            palette.words
        }
        Tick::Done | Tick::Odd => palette.words,
        Tick::Open | Tick::Passed => palette.quiet,
    };
    widgets::tick(ui.painter(), palette, rect.left_center() + vec2(MARK_X, 0.0), tick);
    let words =
        egui::Rect::from_min_max(pos2(rect.left() + WORDS_X, rect.top()), rect.right_bottom());
    let text = RichText::new(widgets::capitalised(step.name)).color(colour);
    ui.new_child(
        egui::UiBuilder::new().max_rect(words).layout(egui::Layout::left_to_right(Align::Center)),
    )
    .add(egui::Label::new(text).truncate());
    response
}

fn tick(step: &StepRow) -> Tick {
    match step.mark {
        Mark::Now => Tick::Current,
        Mark::Taken if step.is_outlier => Tick::Odd,
        Mark::Taken => Tick::Done,
        Mark::Skipped => Tick::Passed,
        Mark::Ahead => Tick::Open,
    }
}
