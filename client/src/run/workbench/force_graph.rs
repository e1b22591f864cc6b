//! Force bars of the fingers and a graph of force against squeeze, below the legend of the colours.

use std::ops::RangeInclusive;

use calibration::Finger;
use egui::{Align2, CornerRadius, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Ui, pos2, vec2};
use interaction::scene::Scene;

use super::colour_legend::{self, Legend, MARGIN, PADDING, WIDTH, tidy, title};
use super::squeeze_history::{SqueezeHistory, nice};
use crate::ui::style::{self, Palette, font};

/// Width of the card with its margin, in points.
pub(super) const SPACE: f32 = WIDTH + MARGIN;
const BAR_ROW: f32 = 21.0;
/// Height of the bars' title and the gap below the bars, in points.
const BARS_EDGE: f32 = 36.0;
const GRAPH: f32 = 146.0;
/// Smallest end of the force scale, in newtons, so that small forces look small.
const LEAST_FORCE: f64 = 0.2;
/// Smallest end of the squeeze scale, in metres, so that small squeezes look small.
const LEAST_SQUEEZE: f64 = 0.002;

/// Draws the card at the top right of the free space.
pub(super) fn force_card(ui: &Ui, scene: &Scene, history: &SqueezeHistory) {
    let palette = style::palette(ui.ctx());
    let free = ui.available_rect_before_wrap();
    let legend = Legend::of(scene);
    let height = legend.as_ref().map_or(0.0, |_| colour_legend::HEIGHT)
        + 5.0 * BAR_ROW
        + BARS_EDGE
        + GRAPH
        + 2.0 * PADDING;
    let corner = pos2(free.right() - MARGIN - WIDTH, free.top() + MARGIN);
    let card = Rect::from_min_size(corner, vec2(WIDTH, height));
    let painter = ui.painter();
    let edge = Stroke::new(1.0, palette.edge);
    painter.rect(card, style::RADIUS, palette.glass, edge, StrokeKind::Inside);
    let mut inner = card.shrink(PADDING);
    if let Some(legend) = legend {
        legend.paint(painter, palette, inner);
        inner.min.y += colour_legend::HEIGHT;
    }
    paint_bars(painter, palette, inner, history);
    inner.min.y += 5.0 * BAR_ROW + BARS_EDGE;
    paint_graph(painter, palette, inner, history);
}

fn paint_bars(painter: &Painter, palette: &Palette, within: Rect, history: &SqueezeHistory) {
    let full = nice(history.most_at_one_finger().max(LEAST_FORCE));
    let forces = history.newest().map_or([[0.0; 5]; 2], |newest| newest.forces);
    if history.has_both_hands() {
        let words = format!("force, left and right hand, up to {} N", tidy(full));
        title(painter, palette, within.min, &words);
        paint_both_hands(painter, palette, within, forces, full);
        return;
    }
    title(
        painter,
        palette,
        within.min,
        &format!("force at the fingertips, up to {} N", tidy(full)),
    );
    // Only one hand presses at a time.
    let [left, right] = forces;
    for finger in Finger::ALL {
        let force = left[finger.index()] + right[finger.index()];
        let y = bar_height(within, finger);
        let small = |at: Pos2, align, words: String| {
            painter.text(at, align, words, font(style::SMALL), palette.words);
        };
        small(pos2(within.left(), y), Align2::LEFT_CENTER, finger.name().to_owned());
        small(pos2(within.right(), y), Align2::RIGHT_CENTER, format!("{force:.2} N"));
        let track = Rect::from_x_y_ranges(within.left() + 52.0..=within.right() - 54.0, bar(y));
        painter.rect_filled(track, CornerRadius::same(4), palette.track);
        let share = (force / full).clamp(0.0, 1.0) as f32;
        if share > 0.0 {
            let filled = Rect::from_min_size(track.min, vec2(share * track.width(), 8.0));
            painter.rect_filled(filled, CornerRadius::same(4), palette.fair);
        }
    }
}

/// Draws the fingers' names in the middle, the bars of the left hand to the left and those of the
/// right hand to the right.
fn paint_both_hands(
    painter: &Painter,
    palette: &Palette,
    within: Rect,
    forces: [[f64; 5]; 2],
    full: f64,
) {
    /// Half the width of a name.
    const NAME: f32 = 28.0;
    /// The width of a number.
    const NUMBER: f32 = 36.0;
    let middle = within.center().x;
    let [left, right] = forces;
    for finger in Finger::ALL {
        let y = bar_height(within, finger);
        let small = |x: f32, align, words: String| {
            painter.text(pos2(x, y), align, words, font(style::SMALL), palette.words);
        };
        let [left, right] = [left[finger.index()], right[finger.index()]];
        small(middle, Align2::CENTER_CENTER, finger.name().to_owned());
        small(within.left(), Align2::LEFT_CENTER, format!("{left:.2}"));
        small(within.right(), Align2::RIGHT_CENTER, format!("{right:.2}"));
        let tracks = [
            Rect::from_x_y_ranges(within.left() + NUMBER..=middle - NAME, bar(y)),
            Rect::from_x_y_ranges(middle + NAME..=within.right() - NUMBER, bar(y)),
        ];
        let [left, right] =
            [left, right].map(|force| (force / full).clamp(0.0, 1.0) as f32 * tracks[0].width());
        let filled = [
            Rect::from_x_y_ranges(tracks[0].right() - left..=tracks[0].right(), bar(y)),
            Rect::from_x_y_ranges(tracks[1].left()..=tracks[1].left() + right, bar(y)),
        ];
        for (track, filled) in tracks.into_iter().zip(filled) {
            painter.rect_filled(track, CornerRadius::same(4), palette.track);
            if filled.width() > 0.0 {
                painter.rect_filled(filled, CornerRadius::same(4), palette.fair);
            }
        }
    }
}

/// Vertical position of the middle of a finger's row.
fn bar_height(within: Rect, finger: Finger) -> f32 {
    within.top() + 22.0 + BAR_ROW * (finger.index() as f32 + 0.5)
}

/// Vertical range of a bar.
fn bar(y: f32) -> RangeInclusive<f32> {
    y - 4.0..=y + 4.0
}

fn paint_graph(painter: &Painter, palette: &Palette, within: Rect, history: &SqueezeHistory) {
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
    // Older lines are fainter. Steps below a pixel get no line.
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
