//! The card of measures: a legend of the colours, a bar for the force of each finger, and a graph
//! of force against squeeze.

use std::ops::RangeInclusive;

use calibration::Finger;
use egui::{
    Align2, Color32, CornerRadius, Mesh, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Ui, pos2,
    vec2,
};
use interaction::scene::{Colouring, Scene};
use physics::FieldKind;

use super::squeeze_history::{SqueezeHistory, nice};
use crate::render::colour_ramp;
use crate::ui::style::{self, Palette, font};

const WIDTH: f32 = 252.0;
const MARGIN: f32 = 16.0;
/// Width of the card with its margin, in points.
pub(super) const SPACE: f32 = WIDTH + MARGIN;
const PADDING: f32 = 14.0;
const LEGEND: f32 = 62.0;
const BAR_ROW: f32 = 21.0;
/// Height of the bars' title and the gap below the bars, in points.
const BARS_EDGE: f32 = 36.0;
const GRAPH: f32 = 146.0;
/// Smallest end of the force scale, in newtons, so that small forces look small.
const LEAST_FORCE: f64 = 0.2;
/// Smallest end of the squeeze scale, in metres, so that small squeezes look small.
const LEAST_SQUEEZE: f64 = 0.002;

/// Draws the card at the top right of the free space.
pub(super) fn measures(ui: &Ui, scene: &Scene, history: &SqueezeHistory) {
    let palette = style::palette(ui.ctx());
    let free = ui.available_rect_before_wrap();
    let legend = Legend::of(scene);
    let height =
        legend.as_ref().map_or(0.0, |_| LEGEND) + 5.0 * BAR_ROW + BARS_EDGE + GRAPH + 2.0 * PADDING;
    let corner = pos2(free.right() - MARGIN - WIDTH, free.top() + MARGIN);
    let card = Rect::from_min_size(corner, vec2(WIDTH, height));
    let painter = ui.painter();
    let edge = Stroke::new(1.0, palette.edge);
    painter.rect(card, style::RADIUS, palette.glass, edge, StrokeKind::Inside);
    let mut inner = card.shrink(PADDING);
    if let Some(legend) = legend {
        paint_legend(painter, palette, inner, &legend);
        inner.min.y += LEGEND;
    }
    paint_bars(painter, palette, inner, history);
    inner.min.y += 5.0 * BAR_ROW + BARS_EDGE;
    paint_graph(painter, palette, inner, history);
}

/// Draws only the legend of the colours, at the top right.
pub(in crate::run) fn legend(ui: &Ui, scene: &Scene) {
    let Some(legend) = Legend::of(scene) else { return };
    let palette = style::palette(ui.ctx());
    let free = ui.available_rect_before_wrap();
    let corner = pos2(free.right() - MARGIN - WIDTH, free.top() + MARGIN);
    let card = Rect::from_min_size(corner, vec2(WIDTH, LEGEND + 2.0 * PADDING - 10.0));
    let edge = Stroke::new(1.0, palette.edge);
    ui.painter().rect(card, style::RADIUS, palette.glass, edge, StrokeKind::Inside);
    paint_legend(ui.painter(), palette, card.shrink(PADDING), &legend);
}

fn title(painter: &Painter, palette: &Palette, at: Pos2, words: &str) {
    painter.text(at, Align2::LEFT_TOP, words, font(style::SMALL), palette.quiet);
}

/// Title and range of the colour scale.
struct Legend {
    words: String,
    range: [f64; 2],
}

impl Legend {
    /// The legend of a scene; `None` for natural colours, and for a field that no thing offers.
    fn of(scene: &Scene) -> Option<Self> {
        let (words, range) = match &scene.colouring {
            Colouring::Natural => return None,
            Colouring::Displacement { full } => ("displacement, mm".to_owned(), [0.0, full * 1e3]),
            Colouring::Strain { full } => ("stretch of the skin, %".to_owned(), [0.0, full * 1e2]),
            Colouring::Field { name, low, high } => {
                let mut fields = scene.fields().into_iter();
                let FieldKind { name, unit } = fields.find(|f| f.kind.name == **name)?.kind;
                // Units that are written with the prefix k.
                let is_large = *high >= 1000.0 && ["Pa", "N", "J"].contains(&&*unit);
                match is_large {
                    true => (format!("{name}, k{unit}"), [low * 1e-3, high * 1e-3]),
                    false => (format!("{name}, {unit}"), [*low, *high]),
                }
            }
        };
        Some(Self { words, range })
    }
}

fn paint_legend(painter: &Painter, palette: &Palette, within: Rect, legend: &Legend) {
    let Legend { words, range: [low, high] } = legend;
    title(painter, palette, within.min, words);
    let bar = Rect::from_min_size(within.min + vec2(0.0, 20.0), vec2(within.width(), 12.0));
    const N: u32 = 32;
    let mut mesh = Mesh::default();
    for i in 0..=N {
        let share = i as f32 / N as f32;
        let [r, g, b] = colour_ramp::displayed(share);
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
        let number = tidy(low + (high - low) * f64::from(share));
        painter.text(at, align, number, font(style::SMALL), palette.words);
    }
}

fn paint_bars(painter: &Painter, palette: &Palette, within: Rect, history: &SqueezeHistory) {
    let full = nice(history.most_at_one_finger().max(LEAST_FORCE));
    let forces = history.newest().map_or([[0.0; 5]; 2], |newest| newest.forces);
    if history.has_both_hands() {
        let words = format!("force, left and right hand, of {} N", tidy(full));
        title(painter, palette, within.min, &words);
        paint_both_hands(painter, palette, within, forces, full);
        return;
    }
    title(painter, palette, within.min, &format!("force at the fingertips, of {} N", tidy(full)));
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

/// Formats a number without rounding errors.
fn tidy(number: f64) -> String {
    format!("{}", (number * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::sync::Arc;

    use interaction::scene::ObjectView;
    use nalgebra::Isometry3;
    use physics::{Grip, SurfaceFrame, Topology};

    use super::*;

    /// A thing that offers one field.
    fn object(field: FieldKind) -> ObjectView {
        let topology = Topology::of_points(Grip::Contact, Vec::new(), Vec::new());
        let topology = Topology { fields: vec![field], ..topology };
        let frame = Arc::new(SurfaceFrame::at_rest(Arc::new(topology), Arc::default()));
        ObjectView { thing: 0, frame, world_from_object: Isometry3::identity(), colours: None }
    }

    #[test]
    fn the_legend_names_the_field_that_is_shown_whichever_thing_offers_it() {
        let speed = FieldKind { name: Cow::Borrowed("speed"), unit: Cow::Borrowed("m/s") };
        let objects = vec![object(FieldKind::VON_MISES), object(speed)];
        let mut scene = Scene { objects, ..Scene::default() };
        let mut check = |name: &str, high: f64, expected: Option<(&str, f64)>| {
            scene.colouring = Colouring::Field { name: name.into(), low: 0.0, high };
            let legend = Legend::of(&scene);
            let found = legend.as_ref().map(|legend| (&*legend.words, legend.range[1]));
            assert_eq!(found, expected, "{name}");
        };
        check("speed", 2000.0, Some(("speed, m/s", 2000.0)));
        check("von Mises stress", 500.0, Some(("von Mises stress, Pa", 500.0)));
        check("von Mises stress", 2000.0, Some(("von Mises stress, kPa", 2.0)));
        check("heat", 1.0, None);
    }
}
