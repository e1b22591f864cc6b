//! The menu at the pointer.

use egui::{Align2, Area, Id, Pos2, Rect, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use super::command::Command;
use crate::ui::style::{self, Palette, font};
use crate::ui::widgets::{self, Tick};

/// What became of an open menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chosen {
    Nothing,
    Command(Command),
    /// Somebody clicked beside it.
    Closed,
}

/// How a command stands in the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    Plain,
    /// It would do nothing now.
    Idle,
    /// Something that is switched on or off.
    On,
    Off,
}

const WIDTH: f32 = 268.0;
const ROW: f32 = 27.0;
const LINE: f32 = 9.0;
const PADDING: f32 = 6.0;
/// Of all rows, the lines between five groups, and the frame.
const HEIGHT: f32 = Command::ALL.len() as f32 * ROW + 4.0 * LINE + 2.0 * PADDING + 2.0;
const MARK_X: f32 = 15.0;
const WORDS_X: f32 = 32.0;

/// Shows the menu with its corner at `at`, or as near as it fits.
pub(super) fn menu(ui: &Ui, at: Pos2, item: impl Fn(Command) -> Item) -> Chosen {
    let palette = style::palette(ui.ctx());
    let screen = ui.ctx().content_rect();
    let shown = Area::new(Id::unique("menu"))
        .order(egui::Order::Foreground)
        .fixed_pos(pos2(at.x, at.y.min(screen.bottom() - HEIGHT - 8.0).max(screen.top() + 8.0)))
        .constrain_to(screen.shrink(8.0))
        .default_size(vec2(WIDTH + 2.0 * PADDING, HEIGHT))
        .fade_in(false)
        .show(ui.ctx(), |ui| {
            style::card(palette).inner_margin(PADDING).show(ui, |ui| {
                ui.set_width(WIDTH);
                ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
                ScrollArea::vertical()
                    .max_height(screen.height() - 40.0)
                    .show(ui, |ui| rows(ui, palette, &item))
                    .inner
            })
        });
    let inside = shown.response.rect;
    if let Some(command) = shown.inner.inner {
        return Chosen::Command(command);
    }
    let beside = ui.input(|input| {
        input.pointer.any_pressed()
            && input.pointer.interact_pos().is_some_and(|at| !inside.contains(at))
    });
    if beside { Chosen::Closed } else { Chosen::Nothing }
}

fn rows(ui: &mut Ui, palette: &Palette, item: &impl Fn(Command) -> Item) -> Option<Command> {
    let mut chosen = None;
    let mut group = Command::ALL[0].group();
    for command in Command::ALL {
        if command.group() != group {
            group = command.group();
            let (line, _) = ui.allocate_exact_size(vec2(WIDTH, LINE), Sense::hover());
            let y = line.center().y;
            ui.painter().hline(line.x_range(), y, egui::Stroke::new(1.0, palette.edge));
        }
        if row(ui, palette, command, item(command)) {
            chosen = Some(command);
        }
    }
    chosen
}

fn row(ui: &mut Ui, palette: &Palette, command: Command, item: Item) -> bool {
    let sense = if item == Item::Idle { Sense::hover() } else { Sense::click() };
    let (rect, response) = ui.allocate_exact_size(vec2(WIDTH, ROW), sense);
    response.widget_info(|| {
        WidgetInfo::labeled(egui::Role::Button, item != Item::Idle, command.words())
    });
    if item != Item::Idle && (response.hovered() || response.has_focus()) {
        ui.painter().rect_filled(rect, style::SMALL_RADIUS, palette.button[1]);
    }
    let (words, keys) = match item {
        Item::Idle => (palette.quiet.gamma_multiply(0.6), palette.quiet.gamma_multiply(0.5)),
        Item::Plain | Item::On | Item::Off => (palette.words, palette.quiet),
    };
    paint(ui, rect, command, words, keys);
    let mark = rect.left_center() + vec2(MARK_X, 0.0);
    match item {
        Item::On => widgets::tick(ui.painter(), palette, mark, Tick::Done),
        Item::Off => widgets::tick(ui.painter(), palette, mark, Tick::Open),
        Item::Plain | Item::Idle => {}
    }
    response.clicked()
}

fn paint(ui: &Ui, rect: Rect, command: Command, words: egui::Color32, keys: egui::Color32) {
    let left = rect.left_center() + vec2(WORDS_X, 0.0);
    ui.painter().text(left, Align2::LEFT_CENTER, command.words(), font(style::BODY), words);
    let right = rect.right_center() - vec2(10.0, 0.0);
    ui.painter().text(right, Align2::RIGHT_CENTER, command.keys(), font(style::SMALL), keys);
}
