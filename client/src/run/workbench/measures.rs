//! The card of measures: a legend of the colours, a bar for each finger's force, force against squeeze.

use calibration::Finger;
use egui::{
    Align2, Color32, CornerRadius, Mesh, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Ui, pos2,
    vec2,
};
use interaction::scene::Colouring;

use super::history::{History, nice};
use crate::render::ramp;
use crate::ui::style::{self, Palette, font};

const WIDTH: f32 = 252.0;
const MARGIN: f32 = 16.0;
/// What it takes of the window's width.
pub(super) const SPACE: f32 = WIDTH + MARGIN;
const PADDING: f32 = 14.0;
const LEGEND: f32 = 62.0;
const BAR_ROW: f32 = 21.0;
/// The bars' title, and a gap below them.
const BARS_EDGE: f32 = 36.0;
const GRAPH: f32 = 146.0;
/// Scales are never finer than these, in newtons and metres, so that nothing looks like much.
const LEAST_FORCE: f64 = 0.2;
const LEAST_SQUEEZE: f64 = 0.002;

/// At the top right of what other panels leave free.
pub(super) fn measures(ui: &Ui, colouring: Colouring, history: &History) {
    let palette = style::palette(ui.ctx());
    let free = ui.available_rect_before_wrap();
    let legend = if colouring == Colouring::Natural { 0.0 } else { LEGEND };
    let height = legend + 5.0 * BAR_ROW + BARS_EDGE + GRAPH + 2.0 * PADDING;
    let corner = pos2(free.right() - MARGIN - WIDTH, free.top() + MARGIN);
    let card = Rect::from_min_size(corner, vec2(WIDTH, height));
    let painter = ui.painter();
    let edge = Stroke::new(1.0, palette.edge);
    painter.rect(card, style::RADIUS, palette.glass, edge, StrokeKind::Inside);
    let mut inner = card.shrink(PADDING);
    if legend > 0.0 {
        paint_legend(painter, palette, inner, colouring);
        inner.min.y += LEGEND;
    }
    paint_bars(painter, palette, inner, history);
    inner.min.y += 5.0 * BAR_ROW + BARS_EDGE;
    paint_graph(painter, palette, inner, history);
}

/// What the colours mean, alone, at the top right.
pub(in crate::run) fn legend(ui: &Ui, colouring: Colouring) {
    if colouring == Colouring::Natural {
        return;
    }
    let palette = style::palette(ui.ctx());
    let free = ui.available_rect_before_wrap();
    let corner = pos2(free.right() - MARGIN - WIDTH, free.top() + MARGIN);
    let card = Rect::from_min_size(corner, vec2(WIDTH, LEGEND + 2.0 * PADDING - 10.0));
    let edge = Stroke::new(1.0, palette.edge);
    ui.painter().rect(card, style::RADIUS, palette.glass, edge, StrokeKind::Inside);
    paint_legend(ui.painter(), palette, card.shrink(PADDING), colouring);
}

fn title(painter: &Painter, palette: &Palette, at: Pos2, words: &str) {
    painter.text(at, Align2::LEFT_TOP, words, font(style::SMALL), palette.quiet);
}

fn paint_legend(painter: &Painter, palette: &Palette, within: Rect, colouring: Colouring) {
    let (words, full) = match colouring {
        Colouring::Natural => return,
        Colouring::Displacement { full } => ("displacement, mm", full * 1e3),
        Colouring::Strain { full } => ("stretch of the skin, %", full * 1e2),
        Colouring::Stress { full } if full < 1000.0 => ("stress (von Mises), Pa", full),
        Colouring::Stress { full } => ("stress (von Mises), kPa", full * 1e-3),
    };
    title(painter, palette, within.min, words);
    let bar = Rect::from_min_size(within.min + vec2(0.0, 20.0), vec2(within.width(), 12.0));
    const N: u32 = 32;
    let mut mesh = Mesh::default();
    for i in 0..=N {
        let share = i as f32 / N as f32;
        let [r, g, b] = ramp::displayed(share);
        let x = bar.left() + share * bar.width();
        mesh.colored_vertex(pos2(x, bar.top()), Color32::from_rgb(r, g, b));
        mesh.colored_vertex(pos2(x, bar.bottom()), Color32::from_rgb(r, g, b));
        if i > 0 {
            let at = 2 * i;
            mesh.add_triangle(at - 2, at - 1, at);
            mesh.add_triangle(at - 1, at, at + 1);
        }
    }
    painter.add(mesh);
    let places = [(0.0, Align2::LEFT_TOP), (0.5, Align2::CENTER_TOP), (1.0, Align2::RIGHT_TOP)];
    for (share, align) in places {
        let at = pos2(bar.left() + share * bar.width(), bar.bottom() + 2.0);
        let number = tidy(full * f64::from(share));
        painter.text(at, align, number, font(style::SMALL), palette.words);
    }
}

fn paint_bars(painter: &Painter, palette: &Palette, within: Rect, history: &History) {
    let full = nice(history.most_at_one_finger().max(LEAST_FORCE));
    let forces = history.newest().map_or([0.0; 5], |newest| newest.forces);
    title(painter, palette, within.min, &format!("force at the fingertips, of {} N", tidy(full)));
    for (finger, force) in Finger::ALL.into_iter().zip(forces) {
        let y = within.top() + 22.0 + BAR_ROW * (finger.index() as f32 + 0.5);
        let small = |at: Pos2, align, words: String, colour| {
            painter.text(at, align, words, font(style::SMALL), colour);
        };
        small(pos2(within.left(), y), Align2::LEFT_CENTER, finger.name().to_owned(), palette.words);
        small(
            pos2(within.right(), y),
            Align2::RIGHT_CENTER,
            format!("{force:.2} N"),
            palette.words,
        );
        let track = Rect::from_min_max(
            pos2(within.left() + 52.0, y - 4.0),
            pos2(within.right() - 54.0, y + 4.0),
        );
        painter.rect_filled(track, CornerRadius::same(4), palette.track);
        let share = (force / full).clamp(0.0, 1.0) as f32;
        if share > 0.0 {
            let filled = Rect::from_min_size(track.min, vec2(share * track.width(), 8.0));
            painter.rect_filled(filled, CornerRadius::same(4), palette.fair);
        }
    }
}

fn paint_graph(painter: &Painter, palette: &Palette, within: Rect, history: &History) {
    let depth = nice(history.most_squeeze().max(LEAST_SQUEEZE));
    let force = nice(history.most_force().max(LEAST_FORCE));
    title(painter, palette, within.min, "force of all fingers against squeeze");
    let plot = Rect::from_min_max(within.min + vec2(26.0, 24.0), within.max - vec2(4.0, 20.0));
    let place = |x: f64, y: f64| {
        pos2(
            plot.left() + (x / depth) as f32 * plot.width(),
            plot.bottom() - (y / force) as f32 * plot.height(),
        )
    };
    let hair = Stroke::new(1.0, palette.track);
    for share in [0.0, 0.5, 1.0] {
        let (x, y) = (place(depth * share, 0.0).x, place(0.0, force * share).y);
        painter.hline(plot.x_range(), y, hair);
        painter.vline(x, plot.y_range(), hair);
    }
    let small = |at: Pos2, align, words: String| {
        painter.text(at, align, words, font(style::SMALL - 1.0), palette.quiet);
    };
    small(plot.left_top() - vec2(5.0, 0.0), Align2::RIGHT_CENTER, tidy(force));
    small(plot.left_center() - vec2(5.0, 0.0), Align2::RIGHT_CENTER, "N".to_owned());
    small(plot.left_bottom() + vec2(0.0, 4.0), Align2::CENTER_TOP, "0".to_owned());
    small(plot.center_bottom() + vec2(0.0, 4.0), Align2::CENTER_TOP, "mm".to_owned());
    small(plot.right_bottom() + vec2(4.0, 4.0), Align2::RIGHT_TOP, tidy(depth * 1e3));
    let points: Vec<(Pos2, f32)> = history
        .iter()
        .map(|moment| (place(moment.depth, moment.force()), history.age(moment) as f32))
        .collect();
    // Older is fainter. Steps below a pixel are not worth a line.
    let mut before: Option<Pos2> = None;
    for &(at, age) in &points {
        match before {
            Some(from) if from.distance(at) < 1.0 => continue,
            Some(from) => {
                let colour = palette.accent.gamma_multiply((1.0 - age).clamp(0.1, 1.0));
                painter.add(Shape::line_segment([from, at], Stroke::new(1.6, colour)));
            }
            None => {}
        }
        before = Some(at);
    }
    if let Some((now, _)) = points.last() {
        painter.circle_filled(*now, 4.0, palette.fair);
    }
}

/// A number without digits that say nothing.
fn tidy(number: f64) -> String {
    format!("{}", (number * 1e6).round() / 1e6)
}
