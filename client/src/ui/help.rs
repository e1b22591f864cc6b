//! The line at the bottom that says what mouse and keys do.

use egui::{CornerRadius, pos2, vec2};

use super::style;

const HELP: &str = "Right click for the menu   ·   Drag to turn the view   ·   Wheel to zoom   ·   F1 for all keys";
const MARGIN: f32 = 14.0;

/// A quiet line at the bottom, in the middle.
pub fn help_line(ui: &egui::Ui) {
    let painter = ui.painter();
    let screen = ui.available_rect_before_wrap();
    let palette = style::palette(ui.ctx());
    let words = painter.layout_no_wrap(HELP.to_owned(), style::font(style::SMALL), palette.quiet);
    let padding = vec2(16.0, 6.0);
    let middle =
        pos2(screen.center().x, screen.bottom() - MARGIN - padding.y - words.size().y / 2.0);
    let rect = egui::Rect::from_center_size(middle, words.size());
    painter.rect_filled(rect.expand2(padding), CornerRadius::same(14), palette.glass);
    painter.galley(rect.min, words, palette.quiet);
}
