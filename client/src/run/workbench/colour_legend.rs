//! The legend of the colours: the quantity, its unit and its range.

use egui::{Align2, Color32, Mesh, Painter, Pos2, Rect, Stroke, StrokeKind, Ui, pos2, vec2};
use interaction::scene::{Colouring, Scene};
use physics::FieldKind;

use crate::render::colour_ramp;
use crate::ui::style::{self, Palette, font};

/// Width of the card, its distance from the edges of the picture, and its padding, in points.
pub(super) const WIDTH: f32 = 252.0;
pub(super) const MARGIN: f32 = 16.0;
pub(super) const PADDING: f32 = 14.0;
/// Height of the legend, in points.
pub(super) const HEIGHT: f32 = 62.0;

/// Draws only the legend of the colours, at the top right.
pub(in crate::run) fn legend(ui: &Ui, scene: &Scene) {
    let Some(legend) = Legend::of(scene) else { return };
    let palette = style::palette(ui.ctx());
    let free = ui.available_rect_before_wrap();
    let corner = pos2(free.right() - MARGIN - WIDTH, free.top() + MARGIN);
    let card = Rect::from_min_size(corner, vec2(WIDTH, HEIGHT + 2.0 * PADDING - 10.0));
    let edge = Stroke::new(1.0, palette.edge);
    ui.painter().rect(card, style::RADIUS, palette.glass, edge, StrokeKind::Inside);
    legend.paint(ui.painter(), palette, card.shrink(PADDING));
}

/// Title and range of the colour scale.
pub(super) struct Legend {
    words: String,
    range: [f64; 2],
}

impl Legend {
    /// The legend of a scene; `None` for natural colours, and for a field that no thing offers.
    pub(super) fn of(scene: &Scene) -> Option<Self> {
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

    pub(super) fn paint(&self, painter: &Painter, palette: &Palette, within: Rect) {
        let Self { words, range: [low, high] } = self;
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
}

/// Draws the title of a legend, of bars or of a graph.
pub(super) fn title(painter: &Painter, palette: &Palette, at: Pos2, words: &str) {
    painter.text(at, Align2::LEFT_TOP, words, font(style::SMALL), palette.quiet);
}

/// Formats a number without rounding errors.
pub(super) fn tidy(number: f64) -> String {
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
