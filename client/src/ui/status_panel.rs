//! The status panel: the state of each part of the workstation.

use std::sync::Arc;

use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Color32, Galley, Painter, Rect, Stroke, StrokeKind, pos2, vec2};
use interaction::scene::{StatusLevel, StatusLine};

use super::style::{self, Palette};

const MARGIN: f32 = 16.0;
const PADDING: f32 = 8.0;
const LINE_HEIGHT: f32 = 26.0;
/// Distance from the left edge of a line to its dot, in points.
const DOT_X: f32 = 14.0;
/// Distance from the left edge of a line to its name, in points.
const NAME_X: f32 = 28.0;
/// Distance from the left edge of a line to its words, in points.
const WORDS_X: f32 = 96.0;
/// Largest width of the words, in points. Longer words end in an ellipsis, so that they do not
/// cover the hand; words of an error go on in the next line.
const LONGEST_WORDS: f32 = 500.0;
/// Largest number of lines of an error.
const MOST_LINES_OF_TROUBLE: usize = 4;

/// Draws a card at the top left with one line for each part, but no empty card. The card ends left
/// of `right`.
pub fn status_panel(ui: &egui::Ui, right: f32, lines: &[StatusLine]) {
    if lines.is_empty() {
        return;
    }
    let painter = ui.painter();
    let palette = style::palette(ui.ctx());
    let widest = (right - MARGIN - 2.0 * PADDING - WORDS_X - 30.0).clamp(160.0, LONGEST_WORDS);
    let rows: Vec<Row> =
        lines.iter().map(|line| Row::new(painter, palette, line, widest)).collect();
    let widest = rows.iter().map(|row| row.words.size().x).fold(0.0, f32::max);
    let height: f32 = rows.iter().map(Row::height).sum();
    let size = vec2(WORDS_X + widest + 14.0, height);
    let inner = Rect::from_min_size(pos2(MARGIN + PADDING, MARGIN + PADDING), size);
    painter.rect(
        inner.expand(PADDING),
        style::RADIUS,
        palette.glass,
        Stroke::new(1.0, palette.edge),
        StrokeKind::Inside,
    );
    let mut top_left = inner.min;
    for row in rows {
        let height = row.height();
        row.paint(painter, palette, Rect::from_min_size(top_left, vec2(size.x, height)));
        top_left.y += height;
    }
}

/// One laid-out line.
struct Row {
    level: StatusLevel,
    name: Arc<Galley>,
    words: Arc<Galley>,
}

impl Row {
    fn new(painter: &Painter, palette: &Palette, line: &StatusLine, widest: f32) -> Self {
        let (name, words) = match line.level {
            StatusLevel::Good => (palette.quiet, palette.words),
            StatusLevel::Waiting => (palette.quiet, palette.quiet),
            StatusLevel::Bad => (palette.on_alarm, palette.on_alarm),
        };
        let name = laid_out(painter, line.name, name, one_line(WORDS_X - NAME_X - 6.0));
        let wrapping = match line.level {
            StatusLevel::Good | StatusLevel::Waiting => one_line(widest),
            StatusLevel::Bad => TextWrapping {
                max_width: widest,
                max_rows: MOST_LINES_OF_TROUBLE,
                ..TextWrapping::default()
            },
        };
        Self { level: line.level, name, words: laid_out(painter, &line.text, words, wrapping) }
    }

    fn height(&self) -> f32 {
        LINE_HEIGHT.max(self.words.size().y + 10.0)
    }

    fn paint(self, painter: &Painter, palette: &Palette, line: Rect) {
        let dot = match self.level {
            StatusLevel::Good => palette.good,
            StatusLevel::Waiting => palette.quiet,
            StatusLevel::Bad => palette.bad,
        };
        if self.level == StatusLevel::Bad {
            painter.rect_filled(line.shrink2(vec2(0.0, 1.0)), style::SMALL_RADIUS, palette.alarm);
        }
        painter.circle_filled(line.left_center() + vec2(DOT_X, 0.0), 4.5, dot);
        for (x, galley) in [(NAME_X, self.name), (WORDS_X, self.words)] {
            let at = line.left_center() + vec2(x, -galley.size().y / 2.0);
            painter.galley(at, galley, Color32::WHITE);
        }
    }
}

fn one_line(widest: f32) -> TextWrapping {
    TextWrapping::truncate_at_width(widest)
}

fn laid_out(painter: &Painter, text: &str, colour: Color32, wrap: TextWrapping) -> Arc<Galley> {
    let format = TextFormat::simple(style::font(style::BODY), colour);
    let mut job = LayoutJob::single_section(text.to_owned(), format);
    job.wrap = wrap;
    painter.layout_job(job)
}
