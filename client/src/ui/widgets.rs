//! Small parts of panels: buttons with keys, rings, marks, pills.

use std::f32::consts::TAU;

use egui::{
    Align2, Color32, CornerRadius, Painter, Pos2, Rect, Response, Sense, Shape, Stroke, StrokeKind,
    Ui, WidgetInfo, pos2, vec2,
};

use super::style::{self, Palette};
use super::{keys, style::font};

/// A button with a key that presses it.
#[derive(Debug, Clone, Copy)]
pub struct KeyButton<'a> {
    pub words: &'a str,
    pub key: egui::Key,
    pub weight: ButtonWeight,
}

/// Importance of a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ButtonWeight {
    /// The next step.
    Primary,
    Plain,
}

/// A mark before a line of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    /// An empty ring.
    Open,
    /// A ring with a core.
    Current,
    Done,
    /// A bar: skipped.
    Passed,
    /// An exclamation mark.
    Odd,
}

/// Distance between the words of a button and its key, in points.
const KEY_GAP: f32 = 10.0;

/// A button with its key on it. Returns true if the button was clicked or its key pressed.
pub fn key_button(ui: &mut Ui, button: &KeyButton<'_>) -> bool {
    let palette = style::palette(ui.ctx());
    let key = keys::name(button.key);
    let galley = |text: &str, size: f32| {
        ui.painter().layout_no_wrap(text.to_owned(), font(size), Color32::PLACEHOLDER)
    };
    let (words, cap) = (galley(button.words, style::BODY), galley(key, style::SMALL - 1.0));
    let cap_size = vec2((cap.size().x + 12.0).max(20.0), 20.0);
    let padding = ui.spacing().button_padding.x;
    let width = words.size().x + KEY_GAP + cap_size.x + 2.0 * padding;
    let (rect, response) =
        ui.allocate_exact_size(vec2(width, style::BUTTON_HEIGHT), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, ui.is_enabled(), button.words));

    let (fill, on_fill) = button_colours(palette, button.weight, &response);
    let focus = if response.has_focus() { Stroke::new(2.0, palette.words) } else { Stroke::NONE };
    ui.painter().rect(rect, style::SMALL_RADIUS, fill, focus, StrokeKind::Outside);
    let at = pos2(rect.left() + padding, rect.center().y - words.size().y / 2.0);
    ui.painter().galley(at, words.clone(), on_fill);
    let cap_rect = Rect::from_min_size(
        pos2(rect.right() - padding - cap_size.x, rect.center().y - cap_size.y / 2.0),
        cap_size,
    );
    let faint = on_fill.gamma_multiply(0.7);
    ui.painter().rect_stroke(
        cap_rect,
        CornerRadius::same(5),
        Stroke::new(1.0, on_fill.gamma_multiply(0.45)),
        StrokeKind::Inside,
    );
    ui.painter().galley(cap_rect.center() - cap.size() / 2.0, cap, faint);
    response.clicked() || keys::pressed(ui, button.key)
}

fn button_colours(
    palette: &Palette,
    weight: ButtonWeight,
    response: &Response,
) -> (Color32, Color32) {
    let [resting, hovered, pressed] = palette.button;
    let is_pressed = response.is_pointer_button_down_on();
    match weight {
        ButtonWeight::Primary if is_pressed => {
            (palette.accent.gamma_multiply(0.8), palette.on_accent)
        }
        ButtonWeight::Primary if response.hovered() => {
            (palette.accent.lerp_to_gamma(palette.words, 0.15), palette.on_accent)
        }
        ButtonWeight::Primary => (palette.accent, palette.on_accent),
        ButtonWeight::Plain if is_pressed => (pressed, palette.words),
        ButtonWeight::Plain if response.hovered() => (hovered, palette.words),
        ButtonWeight::Plain => (resting, palette.words),
    }
}

/// Draws a ring that is filled clockwise from the top by `share`, from 0 to 1.
pub fn ring(painter: &Painter, palette: &Palette, centre: Pos2, radius: f32, share: f32) {
    /// Number of points of a whole ring, enough to look like a circle.
    const N_POINTS: f32 = 64.0;
    let width = radius * 0.28;
    painter.circle_stroke(centre, radius, Stroke::new(width, palette.track));
    let share = share.clamp(0.0, 1.0);
    if share == 0.0 {
        return;
    }
    let colour = if share < 1.0 { palette.accent } else { palette.good };
    let n = (share * N_POINTS).ceil().max(2.0) as usize;
    let point = |i: usize| {
        let angle = TAU * (share * i as f32 / n as f32 - 0.25);
        centre + radius * vec2(angle.cos(), angle.sin())
    };
    painter.add(Shape::line((0..=n).map(point).collect(), Stroke::new(width, colour)));
}

/// Draws a bar with one segment for each colour, from left to right.
pub fn segments(painter: &Painter, rect: Rect, colours: &[Color32]) {
    let n = colours.len().max(1) as f32;
    let gap = if n > 60.0 { 1.0 } else { 3.0 };
    let width = (rect.width() - gap * (n - 1.0)) / n;
    for (i, colour) in colours.iter().enumerate() {
        let left = rect.left() + i as f32 * (width + gap);
        let segment =
            Rect::from_min_size(pos2(left, rect.top()), vec2(width.max(1.0), rect.height()));
        painter.rect_filled(segment, CornerRadius::same(3), *colour);
    }
}

/// Draws a mark with a radius of 7 points.
pub fn tick(painter: &Painter, palette: &Palette, centre: Pos2, tick: Tick) {
    const RADIUS: f32 = 7.0;
    let hair = |colour| Stroke::new(1.5, colour);
    match tick {
        Tick::Open => {
            painter.circle_stroke(centre, RADIUS - 1.0, hair(palette.track));
        }
        Tick::Current => {
            painter.circle_stroke(centre, RADIUS, hair(palette.accent));
            painter.circle_filled(centre, RADIUS - 3.5, palette.accent);
        }
        Tick::Done => {
            painter.circle_filled(centre, RADIUS, palette.good);
            let points = [vec2(-3.0, 0.2), vec2(-0.8, 2.6), vec2(3.4, -2.4)];
            let points = points.map(|way| centre + way).to_vec();
            painter.add(Shape::line(points, Stroke::new(1.8, palette.card)));
        }
        Tick::Passed => {
            painter.circle_stroke(centre, RADIUS - 1.0, hair(palette.quiet));
            let (from, to) = (centre - vec2(3.0, 0.0), centre + vec2(3.0, 0.0));
            painter.line_segment([from, to], hair(palette.quiet));
        }
        Tick::Odd => {
            painter.circle_filled(centre, RADIUS, palette.fair);
            painter.text(centre, Align2::CENTER_CENTER, "!", font(12.0), palette.card);
        }
    }
}

/// Draws words on a pill over the picture, centred at `centre`.
pub fn pill(painter: &Painter, palette: &Palette, centre: Pos2, words: &str, colour: Color32) {
    let galley = painter.layout_no_wrap(words.to_owned(), font(style::BODY), colour);
    let rect = Rect::from_center_size(centre, galley.size());
    painter.rect_filled(rect.expand2(vec2(14.0, 6.0)), CornerRadius::same(16), palette.glass);
    painter.galley(rect.min, galley, colour);
}

/// Makes a picture look like a card: paints over its corners and draws a thin line around it.
pub fn round_off(painter: &Painter, palette: &Palette, picture: Rect) {
    const N_STEPS: usize = 8;
    let radius = f32::from(style::RADIUS.nw);
    let corners = [
        (picture.left_top(), vec2(1.0, 1.0)),
        (picture.right_top(), vec2(-1.0, 1.0)),
        (picture.right_bottom(), vec2(-1.0, -1.0)),
        (picture.left_bottom(), vec2(1.0, -1.0)),
    ];
    for (corner, inwards) in corners {
        let mut mesh = egui::Mesh::default();
        mesh.colored_vertex(corner, palette.ground);
        for i in 0..=N_STEPS {
            let angle = TAU / 4.0 * i as f32 / N_STEPS as f32;
            let from_centre = vec2(1.0 - angle.cos(), 1.0 - angle.sin());
            mesh.colored_vertex(corner + radius * inwards * from_centre, palette.ground);
        }
        for i in 1..=N_STEPS as u32 {
            mesh.add_triangle(0, i, i + 1);
        }
        painter.add(mesh);
    }
    painter.rect_stroke(picture, style::RADIUS, Stroke::new(1.0, palette.edge), StrokeKind::Inside);
}

/// Returns the words with a capital first letter.
pub fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
