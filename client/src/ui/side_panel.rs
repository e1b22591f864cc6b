//! The common frame and the common rows of all panels at the right.

use egui::{Panel, RichText, ScrollArea, Ui};

use super::style::{self, Palette};

/// Lays out a panel with a title at the right of the window.
pub fn side_panel<R>(
    ui: &mut Ui,
    title: &'static str,
    width: f32,
    contents: impl FnOnce(&mut Ui, &Palette) -> R,
) -> R {
    let palette = style::palette(ui.ctx());
    Panel::right(title)
        .frame(style::panel(palette))
        .resizable(false)
        .show_separator_line(false)
        .exact_size(width)
        .show(ui, |ui| {
            ui.spacing_mut().button_padding = egui::vec2(8.0, 4.0);
            ui.label(RichText::new(title).size(style::TITLE));
            contents(ui, palette)
        })
        .inner
}

/// Lays out contents that may be longer than the window is high. Leaves room for a row of buttons
/// below.
pub fn scrolled<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let room = ui.available_height() - style::BUTTON_HEIGHT - 2.0 * style::GAP;
    let area = ScrollArea::vertical().max_height(room).auto_shrink([false, false]);
    let inner = area.show(ui, contents).inner;
    ui.add_space(style::GAP / 2.0);
    inner
}

/// Small heading over a group of controls.
pub fn heading(ui: &mut Ui, palette: &Palette, words: &str) {
    ui.label(RichText::new(words).size(style::SMALL).color(palette.quiet));
}

/// Selectable words. Returns true if they were clicked.
pub fn option(ui: &mut Ui, is_chosen: bool, words: &str) -> bool {
    let palette = style::palette(ui.ctx());
    let colour = if is_chosen { palette.on_accent } else { palette.words };
    ui.selectable_label(is_chosen, RichText::new(words).color(colour)).clicked()
}

/// A row with a name at the left and its controls at the right.
pub fn row<R>(ui: &mut Ui, name: &str, controls: impl FnOnce(&mut Ui) -> R) -> R {
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    let size = egui::vec2(ui.available_width(), 28.0);
    ui.allocate_ui_with_layout(size, layout, |ui| {
        let done = controls(ui);
        let left = egui::Layout::left_to_right(egui::Align::Center);
        ui.with_layout(left, |ui| ui.add(egui::Label::new(name).truncate()));
        done
    })
    .inner
}
