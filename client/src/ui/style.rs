//! The common look of all panels: colours for dark and light surroundings, sizes, spacing.
//!
//! Panels take colours only from the [`Palette`] of the theme in use, and spacing only from here,
//! so that they look alike.

use egui::style::WidgetVisuals;
use egui::{
    Color32, CornerRadius, FontFamily, FontId, Frame, Margin, Shadow, Stroke, Style, TextStyle,
    Theme, Vec2, vec2,
};

/// The colours of one theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// Background of panels at the edges of the window.
    pub ground: Color32,
    /// Background of a card on a panel.
    pub card: Color32,
    /// Background of a card over the picture; the picture shows through.
    pub glass: Color32,
    /// Thin line around a card.
    pub edge: Color32,
    /// Background of parts that are not filled yet: the rest of a bar, an open dot.
    pub track: Color32,
    pub words: Color32,
    pub quiet: Color32,
    /// The control to look at or press next.
    pub accent: Color32,
    /// Text on the accent colour.
    pub on_accent: Color32,
    pub good: Color32,
    pub fair: Color32,
    pub bad: Color32,
    /// Background of a line that must not be overlooked.
    pub alarm: Color32,
    pub on_alarm: Color32,
    /// A button at rest, under the pointer and pressed.
    pub button: [Color32; 3],
    /// Lines in a plot, in the same order as in the benchmark's report.
    pub series: [Color32; 7],
}

pub const DARK: Palette = Palette {
    ground: Color32::from_rgb(21, 24, 29),
    card: Color32::from_rgb(30, 34, 41),
    glass: Color32::from_rgba_premultiplied(13, 15, 18, 214),
    edge: Color32::from_rgb(48, 54, 63),
    track: Color32::from_rgb(58, 64, 74),
    words: Color32::from_rgb(236, 239, 243),
    quiet: Color32::from_rgb(160, 169, 180),
    accent: Color32::from_rgb(64, 186, 196),
    on_accent: Color32::from_rgb(6, 26, 30),
    good: Color32::from_rgb(92, 200, 130),
    fair: Color32::from_rgb(236, 180, 76),
    bad: Color32::from_rgb(255, 96, 84),
    alarm: Color32::from_rgb(150, 28, 30),
    on_alarm: Color32::from_rgb(255, 240, 238),
    button: [
        Color32::from_rgb(44, 50, 59),
        Color32::from_rgb(56, 63, 74),
        Color32::from_rgb(67, 76, 89),
    ],
    series: [
        Color32::from_rgb(108, 178, 238),
        Color32::from_rgb(240, 147, 90),
        Color32::from_rgb(108, 199, 149),
        Color32::from_rgb(189, 148, 234),
        Color32::from_rgb(220, 185, 76),
        Color32::from_rgb(238, 134, 177),
        Color32::from_rgb(143, 191, 209),
    ],
};

pub const LIGHT: Palette = Palette {
    ground: Color32::from_rgb(243, 245, 247),
    card: Color32::from_rgb(255, 255, 255),
    glass: Color32::from_rgba_premultiplied(232, 234, 236, 236),
    edge: Color32::from_rgb(214, 219, 226),
    track: Color32::from_rgb(211, 217, 224),
    words: Color32::from_rgb(24, 29, 36),
    quiet: Color32::from_rgb(88, 97, 109),
    accent: Color32::from_rgb(10, 121, 134),
    on_accent: Color32::from_rgb(255, 255, 255),
    good: Color32::from_rgb(18, 120, 64),
    fair: Color32::from_rgb(172, 112, 8),
    bad: Color32::from_rgb(200, 40, 34),
    alarm: Color32::from_rgb(255, 226, 222),
    on_alarm: Color32::from_rgb(138, 18, 14),
    button: [
        Color32::from_rgb(230, 234, 239),
        Color32::from_rgb(218, 224, 231),
        Color32::from_rgb(204, 212, 221),
    ],
    series: [
        Color32::from_rgb(31, 111, 178),
        Color32::from_rgb(196, 84, 26),
        Color32::from_rgb(44, 138, 87),
        Color32::from_rgb(132, 80, 184),
        Color32::from_rgb(166, 124, 0),
        Color32::from_rgb(176, 51, 107),
        Color32::from_rgb(75, 122, 140),
    ],
};

/// Distance between cards, and from a card to the edge of its panel, in points.
pub const GAP: f32 = 12.0;
/// Distance from a card's edge to its contents, in points.
pub const PADDING: i8 = 16;
pub const RADIUS: CornerRadius = CornerRadius::same(10);
/// Corner radius of buttons and small parts.
pub const SMALL_RADIUS: CornerRadius = CornerRadius::same(7);
/// Height of a button that is pressed often, in points.
pub const BUTTON_HEIGHT: f32 = 38.0;

pub const TITLE: f32 = 25.0;
pub const LARGE: f32 = 18.0;
pub const BODY: f32 = 15.0;
pub const SMALL: f32 = 13.0;

/// The colours of the theme in use.
pub fn palette(context: &egui::Context) -> &'static Palette {
    of(context.theme())
}

pub const fn of(theme: Theme) -> &'static Palette {
    match theme {
        Theme::Dark => &DARK,
        Theme::Light => &LIGHT,
    }
}

pub fn font(size: f32) -> FontId {
    FontId::new(size, FontFamily::Proportional)
}

/// A rounded card on a panel.
pub fn card(palette: &Palette) -> Frame {
    Frame::new()
        .fill(palette.card)
        .stroke(Stroke::new(1.0, palette.edge))
        .corner_radius(RADIUS)
        .inner_margin(Margin::same(PADDING))
}

/// The frame of a panel at an edge of the window.
pub fn panel(palette: &Palette) -> Frame {
    Frame::new().fill(palette.ground).inner_margin(Margin::same(GAP as i8))
}

/// Gives egui's own widgets this look, in both themes.
pub fn apply(context: &egui::Context) {
    for theme in [Theme::Dark, Theme::Light] {
        context.style_mut_of(theme, |style| apply_palette(style, of(theme)));
    }
    context.options_mut(|options| {
        // The system's theme if it is known, else the dark one for dim laboratories.
        options.fallback_theme = Theme::Dark;
        // Without this, Ctrl and + would zoom panels whose sizes are fixed.
        options.zoom_with_keyboard = false;
    });
}

fn apply_palette(style: &mut Style, palette: &Palette) {
    style.text_styles = [
        (TextStyle::Heading, font(TITLE)),
        (TextStyle::Body, font(BODY)),
        (TextStyle::Button, font(BODY)),
        (TextStyle::Small, font(SMALL)),
        (TextStyle::Monospace, FontId::new(SMALL, FontFamily::Monospace)),
    ]
    .into();
    style.spacing.item_spacing = vec2(8.0, 8.0);
    style.spacing.button_padding = vec2(14.0, 8.0);
    style.spacing.interact_size = Vec2::new(40.0, 28.0);
    // The scroll bar is always visible, so that hidden contents are noticed.
    style.spacing.scroll.floating_width = 4.0;
    style.spacing.scroll.floating_allocated_width = 5.0;
    style.spacing.scroll.dormant_handle_opacity = 0.5;
    style.interaction.selectable_labels = false;
    let visuals = &mut style.visuals;
    visuals.override_text_color = Some(palette.words);
    visuals.weak_text_color = Some(palette.quiet);
    visuals.panel_fill = palette.ground;
    visuals.window_fill = palette.card;
    visuals.window_stroke = Stroke::new(1.0, palette.edge);
    visuals.window_corner_radius = RADIUS;
    visuals.menu_corner_radius = SMALL_RADIUS;
    visuals.window_shadow = Shadow::NONE;
    visuals.popup_shadow = Shadow::NONE;
    visuals.extreme_bg_color = palette.ground;
    visuals.faint_bg_color = palette.ground;
    visuals.hyperlink_color = palette.accent;
    visuals.warn_fg_color = palette.fair;
    visuals.error_fg_color = palette.bad;
    visuals.selection.bg_fill = palette.accent;
    visuals.selection.stroke = Stroke::new(1.0, palette.on_accent);
    let [resting, hovered, pressed] = palette.button;
    let focus = Stroke::new(2.0, palette.accent);
    let plain = Stroke::new(1.0, palette.edge);
    visuals.widgets.noninteractive = widget(palette, palette.card, plain);
    visuals.widgets.inactive = widget(palette, resting, Stroke::NONE);
    visuals.widgets.hovered = widget(palette, hovered, plain);
    // These visuals also mark the widget with the keyboard's focus.
    visuals.widgets.active = widget(palette, pressed, focus);
    visuals.widgets.open = widget(palette, hovered, plain);
}

fn widget(palette: &Palette, fill: Color32, edge: Stroke) -> WidgetVisuals {
    WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: edge,
        corner_radius: SMALL_RADIUS,
        fg_stroke: Stroke::new(1.0, palette.words),
        expansion: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance by WCAG 2.
    fn luminance(colour: Color32) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(colour.r()) + 0.7152 * linear(colour.g()) + 0.0722 * linear(colour.b())
    }

    fn check_contrast(words: Color32, behind: Color32, at_least: f64) {
        let (a, b) = (luminance(words) + 0.05, luminance(behind) + 0.05);
        let contrast = if a > b { a / b } else { b / a };
        assert!(contrast >= at_least, "{words:?} on {behind:?}: {contrast:.2} to 1");
    }

    #[test]
    fn words_can_be_read_in_both_themes() {
        for palette in [&DARK, &LIGHT] {
            for behind in [palette.ground, palette.card] {
                check_contrast(palette.words, behind, 7.0);
                check_contrast(palette.quiet, behind, 4.5);
                for colour in [palette.good, palette.bad, palette.accent] {
                    check_contrast(colour, behind, 4.5);
                }
                check_contrast(palette.fair, behind, 3.0);
            }
            check_contrast(palette.on_accent, palette.accent, 4.5);
            check_contrast(palette.on_alarm, palette.alarm, 4.5);
            for fill in palette.button {
                check_contrast(palette.words, fill, 4.5);
            }
        }
    }
}
