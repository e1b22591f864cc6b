//! Texts over the picture: labels of the hands, messages, alarms, and cards for pages without
//! steps.

use egui::{Rect, RichText, Ui, UiBuilder, pos2, vec2};
use interaction::scene::StatusLevel;

use super::level_colour;
use crate::calibrate::window_ui::hand_scene;
use crate::calibrate::window_ui::page::{Body, OutlierRow, Page};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{self, pill};

/// Distance from the picture's edges.
const INSET: f32 = 26.0;
const CARD_WIDTH: f32 = 460.0;

pub(super) fn over_picture(ui: &mut Ui, palette: &Palette, page: &Page) {
    let free = ui.available_rect_before_wrap();
    widgets::round_off(ui.painter(), palette, free);
    labels(ui, palette, page, free);
    device_line(ui, palette, page, free);
    match &page.body {
        Body::Outliers(rows) => {
            card(ui, palette, free, |ui| outliers(ui, palette, rows));
        }
        Body::Saved { file, command } => card(ui, palette, free, |ui| {
            ui.label(RichText::new("The profile is in").color(palette.quiet));
            ui.label(RichText::new(file.display().to_string()).monospace());
            ui.add_space(style::GAP);
            ui.label(RichText::new("Squeeze with this hand:").color(palette.quiet));
            ui.label(RichText::new(command).monospace());
        }),
        Body::Opening | Body::Step(_) | Body::Empty | Body::Result(_) => {}
    }
}

/// Draws the labels of the hands, and the message between them.
fn labels(ui: &Ui, palette: &Palette, page: &Page, free: Rect) {
    let painter = ui.painter();
    let y = free.top() + INSET;
    let aside = hand_scene::aside_share(page, f64::from(free.aspect_ratio())) as f32;
    let at = |aside: f32| pos2(free.center().x + aside * free.width(), y);
    match &page.body {
        Body::Step(_) => {
            pill(painter, palette, at(-aside), "Make this", palette.words);
            pill(painter, palette, at(aside), "Your hand", palette.words);
        }
        Body::Result(_) => pill(painter, palette, at(0.0), "Your hand", palette.words),
        Body::Opening | Body::Outliers(_) | Body::Empty | Body::Saved { .. } => {}
    }
    if !page.news.is_empty() {
        let at = pos2(free.center().x, free.bottom() - INSET);
        pill(painter, palette, at, &widgets::capitalised(&page.news), palette.words);
    }
}

/// Draws the glove's state: a line in the corner, or an alarm with advice.
fn device_line(ui: &mut Ui, palette: &Palette, page: &Page, free: Rect) {
    let glove = &page.glove;
    if glove.level == StatusLevel::Bad {
        let width = (free.width() - 2.0 * INSET).min(620.0);
        let top_left = pos2(free.center().x - width / 2.0, free.top() + 2.0 * INSET);
        let rect = Rect::from_min_size(top_left, vec2(width, free.height()));
        let frame = style::card(palette).fill(palette.alarm).stroke(egui::Stroke::NONE);
        frame.show(&mut ui.new_child(UiBuilder::new().max_rect(rect)), |ui| {
            ui.set_width(ui.available_width());
            let words = RichText::new(widgets::capitalised(&glove.words)).size(style::LARGE);
            ui.label(words.color(palette.on_alarm));
            if !glove.advice.is_empty() {
                ui.label(RichText::new(glove.advice).color(palette.on_alarm));
            }
        });
        return;
    }
    let painter = ui.painter();
    let words =
        painter.layout_no_wrap(glove.words.clone(), style::font(style::SMALL), palette.quiet);
    let left = free.left() + 34.0;
    let at = pos2(left + 14.0, free.bottom() - 18.0 - words.size().y);
    let dot = pos2(left, at.y + words.size().y / 2.0);
    let behind = Rect::from_min_max(pos2(left - 6.0, at.y), at + words.size());
    painter.rect_filled(behind.expand2(vec2(8.0, 5.0)), style::RADIUS, palette.glass);
    painter.circle_filled(dot, 4.0, level_colour(palette, glove.level));
    painter.galley(at, words, palette.quiet);
}

fn outliers(ui: &mut Ui, palette: &Palette, rows: &[OutlierRow]) {
    for row in rows {
        ui.label(RichText::new(widgets::capitalised(row.name)).size(style::LARGE));
        ui.label(RichText::new(row.joints.join(", ")).color(palette.quiet));
        ui.add_space(4.0);
    }
}

/// Draws a card in the middle of the picture.
fn card(ui: &mut Ui, palette: &Palette, free: Rect, contents: impl FnOnce(&mut Ui)) {
    let width = (free.width() - 2.0 * INSET).min(CARD_WIDTH);
    let top_left = pos2(free.center().x - width / 2.0, free.top() + 3.0 * INSET);
    let rect = Rect::from_min_size(top_left, vec2(width, free.height() - 4.0 * INSET));
    style::card(palette).show(&mut ui.new_child(UiBuilder::new().max_rect(rect)), |ui| {
        ui.set_width(ui.available_width());
        contents(ui);
    });
}
