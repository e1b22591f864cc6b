//! Short messages over the picture that disappear by themselves.

use std::time::{Duration, Instant};

use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{CornerRadius, Rect, Stroke, StrokeKind, Ui, pos2, vec2};
use interaction::scene::StatusLevel;

use crate::ui::style;

/// A message.
#[derive(Debug, Clone)]
pub(super) struct Notice {
    words: String,
    level: StatusLevel,
    until: Instant,
}

/// Shortest time of a message on the screen, long enough to read a path.
const SHOWN: Duration = Duration::from_secs(6);
/// Time per letter of a message; long messages stay longer than `SHOWN`.
const PER_LETTER: Duration = Duration::from_millis(60);
const MOST_LINES: usize = 4;
/// Distance from the bottom of the window, in points, above the line of help.
const FROM_BOTTOM: f32 = 64.0;
/// Largest width of a line, in points; longer lines are hard to read.
const WIDEST: f32 = 820.0;

impl Notice {
    pub(super) fn good(words: String) -> Self {
        tracing::info!("{words}");
        Self::new(words, StatusLevel::Good)
    }

    pub(super) fn bad(words: String) -> Self {
        tracing::warn!("{words}");
        Self::new(words, StatusLevel::Bad)
    }

    fn new(words: String, level: StatusLevel) -> Self {
        let n_letters = u32::try_from(words.chars().count()).unwrap_or(u32::MAX);
        let until = Instant::now() + SHOWN.max(PER_LETTER.saturating_mul(n_letters));
        Self { words, level, until }
    }

    /// Shows the message until its time is over.
    pub(super) fn show(&self, ui: &Ui) {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        ui.ctx().request_repaint_after(left);
        let palette = style::palette(ui.ctx());
        let (fill, words) = match self.level {
            StatusLevel::Good | StatusLevel::Waiting => (palette.card, palette.words),
            StatusLevel::Bad => (palette.alarm, palette.on_alarm),
        };
        let free = ui.available_rect_before_wrap();
        let format = TextFormat::simple(style::font(style::BODY), words);
        let mut job = LayoutJob::single_section(self.words.clone(), format);
        let max_width = (free.width() - 80.0).min(WIDEST);
        job.wrap = TextWrapping { max_width, max_rows: MOST_LINES, ..TextWrapping::default() };
        let galley = ui.painter().layout_job(job);
        // A message of several lines grows upwards.
        let bottom = free.bottom() - FROM_BOTTOM + style::BODY / 2.0;
        let middle = pos2(free.center().x, bottom - galley.size().y / 2.0);
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
