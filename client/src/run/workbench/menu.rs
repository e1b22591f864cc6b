//! The menu at the pointer.

use egui::{Align2, Area, Id, Pos2, Rect, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use super::menu_commands::Command;
use crate::ui::style::{self, Palette, font};
use crate::ui::widgets::{self, Tick};

/// Result of showing the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MenuChoice {
    Nothing,
    Command(Command),
    /// The user clicked beside the menu.
    Closed,
}

/// State of a command in the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemState {
    Plain,
    /// The command has no effect now.
    Idle,
    /// The run lacks the device of the command, such as a headset.
    Absent,
    /// A switch that is on.
    On,
    /// A switch that is off.
    Off,
}

const WIDTH: f32 = 268.0;
/// Largest and smallest height of a row, in points; a low window has low rows.
const ROWS: [f32; 2] = [27.0, 21.0];
/// Height of a line between two groups, in points.
const LINE: f32 = 9.0;
const PADDING: f32 = 6.0;
/// Height of the lines between the five groups and of the frame, in points.
const BESIDES: f32 = 4.0 * LINE + 2.0 * PADDING + 2.0;
/// Distance from the menu to the edge of the window, in points.
const MARGIN: f32 = 8.0;
const MARK_X: f32 = 15.0;
const WORDS_X: f32 = 32.0;

fn n_rows(item: &impl Fn(Command) -> ItemState) -> f32 {
    let is_there = |command: &Command| item(*command) != ItemState::Absent;
    Command::ALL.into_iter().filter(is_there).count() as f32
}

/// Height of one row if the menu has `room` points of height.
fn row_height(room: f32, item: &impl Fn(Command) -> ItemState) -> f32 {
    let [highest, lowest] = ROWS;
    ((room - BESIDES) / n_rows(item)).floor().clamp(lowest, highest)
}

/// Corner of a menu in the middle of `room`.
pub(super) fn corner_in(room: egui::Vec2, item: impl Fn(Command) -> ItemState) -> Pos2 {
    let height = n_rows(&item) * row_height(room.y - 2.0 * MARGIN, &item) + BESIDES;
    let size = vec2(WIDTH + 2.0 * PADDING, height);
    ((room - size) / 2.0).max(vec2(MARGIN, MARGIN)).to_pos2()
}

/// Key of egui's data for a menu that has just been opened.
const IS_NEW: &str = "the menu is new";

/// Marks the menu as new, so that its first entry gets the keyboard's focus.
pub(super) fn open(ui: &Ui) {
    ui.data_mut(|data| data.insert_temp(Id::unique(IS_NEW), true));
}

/// Shows the menu with its corner at `at`, or as near to it as the window allows.
pub(super) fn menu(ui: &Ui, at: Pos2, item: impl Fn(Command) -> ItemState) -> MenuChoice {
    let palette = style::palette(ui.ctx());
    let screen = ui.ctx().content_rect().shrink(MARGIN);
    let row = row_height(screen.height(), &item);
    let height = n_rows(&item) * row + BESIDES;
    let shown = Area::new(Id::unique("menu"))
        .order(egui::Order::Foreground)
        .fixed_pos(pos2(at.x, at.y.min(screen.bottom() - height).max(screen.top())))
        .constrain_to(screen)
        .default_size(vec2(WIDTH + 2.0 * PADDING, height))
        .fade_in(false)
        .show(ui.ctx(), |ui| {
            style::card(palette).inner_margin(PADDING).show(ui, |ui| {
                ui.set_width(WIDTH);
                ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
                ScrollArea::vertical()
                    .max_height(screen.height() - 2.0 * PADDING - 2.0)
                    .show(ui, |ui| rows(ui, palette, row, &item))
                    .inner
            })
        });
    let inside = shown.response.rect;
    if let Some(command) = shown.inner.inner {
        return MenuChoice::Command(command);
    }
    let beside = ui.input(|input| {
        input.pointer.any_pressed()
            && input.pointer.interact_pos().is_some_and(|at| !inside.contains(at))
    });
    if beside { MenuChoice::Closed } else { MenuChoice::Nothing }
}

fn rows(
    ui: &mut Ui,
    palette: &Palette,
    height: f32,
    item: &impl Fn(Command) -> ItemState,
) -> Option<Command> {
    let mut chosen = None;
    let mut is_new = ui.data_mut(|data| data.remove_temp(Id::unique(IS_NEW)).unwrap_or(false));
    let mut group = Command::ALL[0].group();
    let is_there = |command: &Command| item(*command) != ItemState::Absent;
    for command in Command::ALL.into_iter().filter(is_there) {
        if command.group() != group {
            group = command.group();
            let (line, _) = ui.allocate_exact_size(vec2(WIDTH, LINE), Sense::hover());
            let y = line.center().y;
            ui.painter().hline(line.x_range(), y, egui::Stroke::new(1.0, palette.edge));
        }
        let response = row(ui, palette, height, command, item(command));
        if response.sense.interactive() && std::mem::take(&mut is_new) {
            response.request_focus();
        }
        if response.clicked() {
            chosen = Some(command);
        }
    }
    chosen
}

fn row(
    ui: &mut Ui,
    palette: &Palette,
    height: f32,
    command: Command,
    item: ItemState,
) -> egui::Response {
    let is_idle = matches!(item, ItemState::Idle | ItemState::Absent);
    let sense = if is_idle { Sense::hover() } else { Sense::click() };
    let (rect, response) = ui.allocate_exact_size(vec2(WIDTH, height), sense);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, !is_idle, command.words()));
    if !is_idle && (response.hovered() || response.has_focus()) {
        ui.painter().rect_filled(rect, style::SMALL_RADIUS, palette.button[1]);
    }
    let (words, keys) = match item {
        ItemState::Idle | ItemState::Absent => {
            (palette.quiet.gamma_multiply(0.6), palette.quiet.gamma_multiply(0.5))
        }
        ItemState::Plain | ItemState::On | ItemState::Off => (palette.words, palette.quiet),
    };
    paint(ui, rect, command, words, keys);
    let mark = rect.left_center() + vec2(MARK_X, 0.0);
    match item {
        ItemState::On => widgets::tick(ui.painter(), palette, mark, Tick::Done),
        ItemState::Off => widgets::tick(ui.painter(), palette, mark, Tick::Open),
        ItemState::Plain | ItemState::Idle | ItemState::Absent => {}
    }
    response
}

fn paint(ui: &Ui, rect: Rect, command: Command, words: egui::Color32, keys: egui::Color32) {
    let left = rect.left_center() + vec2(WORDS_X, 0.0);
    ui.painter().text(left, Align2::LEFT_CENTER, command.words(), font(style::BODY), words);
    let right = rect.right_center() - vec2(10.0, 0.0);
    ui.painter().text(right, Align2::RIGHT_CENTER, command.keys(), font(style::SMALL), keys);
}
