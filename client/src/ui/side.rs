//! The frame that all panels at the right share.

use egui::{Panel, RichText, ScrollArea, Ui};

use super::style::{self, Palette};

/// A panel at the right of the window, with its title.
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

/// What may be longer than the window is high; leaves room for a row of buttons below.
pub fn scrolled<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let room = ui.available_height() - style::BUTTON_HEIGHT - 2.0 * style::GAP;
    let area = ScrollArea::vertical().max_height(room).auto_shrink([false, false]);
    let inner = area.show(ui, contents).inner;
    ui.add_space(style::GAP / 2.0);
    inner
}

/// Small words over what belongs together.
pub fn heading(ui: &mut Ui, palette: &Palette, words: &str) {
    ui.label(RichText::new(words).size(style::SMALL).color(palette.quiet));
}

/// Words to choose; whether they were clicked.
pub fn option(ui: &mut Ui, is_chosen: bool, words: &str) -> bool {
    let palette = style::palette(ui.ctx());
    let colour = if is_chosen { palette.on_accent } else { palette.words };
    ui.selectable_label(is_chosen, RichText::new(words).color(colour)).clicked()
}

/// A name at the left, and at the right what can be done with it.
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
