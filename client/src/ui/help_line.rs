//! The line of help at the bottom of the window: mouse and keys.

use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{CornerRadius, pos2, vec2};

use super::style;

const MARGIN: f32 = 14.0;

/// Draws a line of help at the bottom, centred in the free space to the right of `left`.
pub fn help_line(ui: &egui::Ui, help: &str, left: f32) {
    let painter = ui.painter();
    let mut free = ui.available_rect_before_wrap();
    free.min.x += left;
    let palette = style::palette(ui.ctx());
    let padding = vec2(16.0, 6.0);
    let format = TextFormat::simple(style::font(style::SMALL), palette.quiet);
    let mut job = LayoutJob::single_section(help.to_owned(), format);
    job.wrap = TextWrapping::truncate_at_width(free.width() - 2.0 * (padding.x + MARGIN));
    let words = painter.layout_job(job);
    let middle = pos2(free.center().x, free.bottom() - MARGIN - padding.y - words.size().y / 2.0);
    let rect = egui::Rect::from_center_size(middle, words.size());
    painter.rect_filled(rect.expand2(padding), CornerRadius::same(14), palette.glass);
    painter.galley(rect.min, words, palette.quiet);
}
