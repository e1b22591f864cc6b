//! Paints a plot of the benchmark, with the same layout as in the report.

use benchmark::figure::{Joined, Mark, Plot, Series, apart};
use egui::{Align2, Color32, Mesh, Painter, Pos2, Rect, Sense, Shape, Stroke, Ui, pos2, vec2};

use crate::ui::style::{self, Palette, font};

/// Margins for ticks, for labels at the ends of lines, and for the text below.
const LEFT: f32 = 58.0;
const RIGHT: f32 = 128.0;
const TOP: f32 = 8.0;
const BOTTOM: f32 = 36.0;
const TICKS: f32 = style::SMALL - 2.0;
/// Least distance between two labels.
const LINE: f32 = 15.0;
/// Largest distance from the pointer to a mark that it selects.
const NEAR: f32 = 10.0;

/// Paints into `within`, with a tooltip for the mark under the pointer.
pub(super) fn chart(ui: &Ui, within: Rect, plot: &Plot) {
    let inner = Rect::from_min_max(within.min + vec2(LEFT, TOP), within.max - vec2(RIGHT, BOTTOM));
    let palette = style::palette(ui.ctx());
    let drawing = Drawing { painter: ui.painter(), palette, plot, inner };
    drawing.axes();
    for series in &plot.series {
        drawing.series(series);
    }
    drawing.labels(within.right() - RIGHT + 14.0);
    let id = ui.scope_id().with(("chart", within.min.x as i32, within.min.y as i32));
    let response = ui.interact(within, id, Sense::hover());
    if let Some(about) = response.hover_pos().and_then(|at| drawing.nearest(at)) {
        response.on_hover_text_at_pointer(plain(about));
    }
}

struct Drawing<'a> {
    painter: &'a Painter,
    palette: &'a Palette,
    plot: &'a Plot,
    inner: Rect,
}

impl Drawing<'_> {
    fn at(&self, (x, y): (f64, f64)) -> Pos2 {
        let up = self.plot.y.place(y).clamp(-0.02, 1.02);
        pos2(
            self.inner.left() + self.plot.x.place(x) as f32 * self.inner.width(),
            self.inner.bottom() - up as f32 * self.inner.height(),
        )
    }

    fn words(&self, at: Pos2, align: Align2, words: &str, colour: Color32) -> Rect {
        self.painter.text(at, align, plain(words), font(TICKS), colour)
    }

    fn axes(&self) {
        let (palette, inner) = (self.palette, self.inner);
        let hair = Stroke::new(1.0, palette.track.gamma_multiply(0.7));
        for (value, shown) in &self.plot.y.ticks {
            let y = inner.bottom() - self.plot.y.place(*value) as f32 * inner.height();
            self.painter.hline(inner.x_range(), y, hair);
            let at = pos2(inner.left() - 6.0, y);
            self.words(at, Align2::RIGHT_CENTER, shown, palette.quiet);
        }
        let edge = Stroke::new(1.0, palette.quiet);
        self.painter.hline(inner.x_range(), inner.bottom(), edge);
        // Of ticks that are close together, only some are labelled.
        let mut free_from = f32::NEG_INFINITY;
        for (value, shown) in &self.plot.x.ticks {
            let x = inner.left() + self.plot.x.place(*value) as f32 * inner.width();
            self.painter.vline(x, inner.bottom()..=inner.bottom() + 4.0, edge);
            if x > free_from {
                let at = pos2(x, inner.bottom() + 5.0);
                let taken = self.words(at, Align2::CENTER_TOP, shown, palette.quiet);
                free_from = taken.right() + 0.5 * taken.width() + 4.0;
            }
        }
        let below = pos2(inner.center().x, inner.bottom() + BOTTOM);
        self.words(below, Align2::CENTER_BOTTOM, &self.plot.x.label, palette.words);
        for (value, shown) in &self.plot.rules {
            let share = self.plot.y.place(*value);
            if (0.0..=1.0).contains(&share) {
                let y = inner.bottom() - share as f32 * inner.height();
                let ends = [pos2(inner.left(), y), pos2(inner.right(), y)];
                self.painter.extend(Shape::dashed_line(&ends, edge, 2.0, 4.0));
                let at = pos2(inner.left() + 6.0, y - 1.0);
                self.words(at, Align2::LEFT_BOTTOM, shown, palette.quiet);
            }
        }
    }

    fn series(&self, series: &Series) {
        let colour = self.colour(series);
        self.band(series, colour);
        let path = |points: &[(f64, f64)]| points.iter().map(|p| self.at(*p)).collect::<Vec<_>>();
        let faint = colour.gamma_multiply(0.8);
        self.painter.extend(Shape::dotted_line(&path(&series.ideal), faint, 4.0, 0.6));
        let thin = Stroke::new(1.5, colour);
        self.painter.extend(Shape::dashed_line(&path(&series.trend), thin, 6.0, 4.0));
        if series.joined == Joined::Lines {
            let marks: Vec<Pos2> = series.marks.iter().map(|mark| self.at(mark.at)).collect();
            self.painter.add(Shape::line(marks, Stroke::new(2.0, colour)));
        }
        for mark in &series.marks {
            self.mark(mark, colour);
        }
    }

    fn band(&self, series: &Series, colour: Color32) {
        let mut mesh = Mesh::default();
        for (i, &(x, low, high)) in series.band.iter().enumerate() {
            let shade = colour.gamma_multiply(0.16);
            mesh.colored_vertex(self.at((x, low)), shade);
            mesh.colored_vertex(self.at((x, high)), shade);
            if let Some(before) = i.checked_sub(1) {
                let at = 2 * before as u32;
                mesh.add_triangle(at, at + 1, at + 2);
                mesh.add_triangle(at + 1, at + 2, at + 3);
            }
        }
        self.painter.add(mesh);
    }

    fn mark(&self, mark: &Mark, colour: Color32) {
        let at = self.at(mark.at);
        for outlier in &mark.outliers {
            let ring = Stroke::new(1.0, colour.gamma_multiply(0.5));
            self.painter.circle_stroke(pos2(at.x, self.at((mark.at.0, *outlier)).y), 1.8, ring);
        }
        if let Some((low, high)) = mark.ends {
            let [low, high] = [low, high].map(|y| self.at((mark.at.0, y)).y);
            self.painter.vline(at.x, high..=low, Stroke::new(1.5, colour));
        }
        self.painter.circle(at, 4.0, colour, Stroke::new(1.2, self.palette.card));
    }

    /// Paints labels beside the plot, moved apart so that they do not overlap; thin lines join them
    /// to their curves.
    fn labels(&self, left: f32) {
        let end = |series: &Series| {
            series.marks.last().map(|mark| mark.at).or(series.trend.last().copied())
        };
        let labelled = self.plot.series.iter().filter(|series| !series.label.is_empty());
        let mut ends: Vec<(Pos2, &Series)> =
            labelled.filter_map(|series| Some((self.at(end(series)?), series))).collect();
        ends.sort_by(|a, b| a.0.y.total_cmp(&b.0.y));
        let wanted: Vec<f64> = ends.iter().map(|(end, _)| f64::from(end.y)).collect();
        let places = apart(&wanted, f64::from(LINE), f64::from(self.inner.bottom()));
        for ((end, series), place) in ends.into_iter().zip(places) {
            let (at, colour) = (pos2(left, place as f32), self.colour(series));
            if (end.y - at.y).abs() > 3.0 || at.x - end.x > 40.0 {
                let line = [end + vec2(7.0, 0.0), at - vec2(3.0, 0.0)];
                let faint = colour.gamma_multiply(0.7);
                self.painter.extend(Shape::dotted_line(&line, faint, 4.0, 0.6));
            }
            self.words(at, Align2::LEFT_CENTER, &series.label, colour);
        }
    }

    fn colour(&self, series: &Series) -> Color32 {
        self.palette.series[series.colour % self.palette.series.len()]
    }

    /// Returns the text of the mark next to the pointer, if there is one.
    fn nearest(&self, pointer: Pos2) -> Option<&str> {
        let marks = self.plot.series.iter().flat_map(|series| &series.marks);
        let far = marks.map(|mark| (self.at(mark.at).distance(pointer), mark));
        let (distance, mark) = far.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (distance < NEAR).then_some(mark.about.as_str())
    }
}

/// Replaces spaces that the font does not contain.
fn plain(words: &str) -> String {
    words.replace(['\u{a0}', '\u{202f}'], " ")
}
