//! Words over the picture that go by themselves.

use std::time::{Duration, Instant};

use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{CornerRadius, Rect, Stroke, StrokeKind, Ui, pos2, vec2};

use crate::scene::Level;
use crate::ui::style;

/// Something to say.
#[derive(Debug, Clone)]
pub(super) struct Notice {
    words: String,
    level: Level,
    until: Instant,
}

/// Long enough to read a path.
const SHOWN: Duration = Duration::from_secs(6);
/// Over the line of help.
const FROM_BOTTOM: f32 = 64.0;

impl Notice {
    pub(super) fn good(words: String) -> Self {
        tracing::info!("{words}");
        Self { words, level: Level::Good, until: Instant::now() + SHOWN }
    }

    pub(super) fn bad(words: String) -> Self {
        tracing::warn!("{words}");
        Self { words, level: Level::Bad, until: Instant::now() + SHOWN }
    }

    /// Shows it as long as it lasts.
    pub(super) fn show(&self, ui: &Ui) {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        ui.ctx().request_repaint_after(left);
        let palette = style::palette(ui.ctx());
        let (fill, words) = match self.level {
            Level::Good | Level::Waiting => (palette.card, palette.words),
            Level::Bad => (palette.alarm, palette.on_alarm),
        };
        let free = ui.available_rect_before_wrap();
        let format = TextFormat::simple(style::font(style::BODY), words);
        let mut job = LayoutJob::single_section(self.words.clone(), format);
        job.wrap = TextWrapping::truncate_at_width(free.width() - 80.0);
        let galley = ui.painter().layout_job(job);
        let middle = pos2(free.center().x, free.bottom() - FROM_BOTTOM);
        let rect = Rect::from_center_size(middle, galley.size());
        ui.painter().rect(
            rect.expand2(vec2(18.0, 9.0)),
            CornerRadius::same(18),
            fill,
            Stroke::new(1.0, palette.edge),
            StrokeKind::Inside,
        );
        ui.painter().galley(rect.min, galley, words);
    }
}
