//! The card of the hand that mouse and keys move: one slider for all fingers and one for each
//! finger.

use calibration::Finger;
use drivers::Side;
use egui::{Align2, Area, Id, RichText, Slider, Ui, vec2};

use crate::input::{FingerCommand, Steering};
use crate::run::workbench::menu_commands::Command;
use crate::run::workbench::user_action::UserAction;
use crate::ui::style;
use crate::ui::widgets::capitalised;

/// Width of the card with its margin at the left, in points.
pub(in crate::run::workbench) const CARD_WIDTH: f32 = 286.0;
const MARGIN: f32 = 16.0;
const NAME: f32 = 58.0;
const SLIDER: f32 = 118.0;

/// Lays out the card at the bottom left: the closing of the fingers, and whether the mouse moves
/// the hand.
pub(in crate::run::workbench) fn card(
    ui: &Ui,
    wanted: &Steering,
    closed: &[f64; 5],
    is_mouse_on: bool,
) -> Option<UserAction> {
    let palette = style::palette(ui.ctx());
    let free = ui.available_rect_before_wrap();
    let corner = free.left_bottom() + vec2(MARGIN, -MARGIN);
    let fingers = |fingers| UserAction::Steer(Steering { fingers, ..*wanted });
    let mut asked = None;
    Area::new(Id::unique("drive"))
        .pivot(Align2::LEFT_BOTTOM)
        .fixed_pos(corner)
        .constrain(false)
        .fade_in(false)
        .show(ui.ctx(), |ui| {
            style::card(palette).fill(palette.glass).inner_margin(12).show(ui, |ui| {
                ui.spacing_mut().item_spacing = vec2(6.0, 2.0);
                ui.spacing_mut().button_padding = vec2(8.0, 3.0);
                ui.spacing_mut().slider_width = SLIDER;
                ui.spacing_mut().interact_size.y = 20.0;
                ui.horizontal(|ui| {
                    for side in [Side::Left, Side::Right] {
                        if option(ui, wanted.side == side, side.name()) && wanted.side != side {
                            asked = Some(UserAction::GoHome(Some(side)));
                        }
                    }
                    let words = if is_mouse_on { "mouse: hand" } else { "mouse: view" };
                    if option(ui, is_mouse_on, words) {
                        asked = Some(UserAction::Command(Command::MouseHand));
                    }
                    if ui.button(RichText::new("home").size(style::SMALL)).clicked() {
                        asked = Some(UserAction::GoHome(None));
                    }
                });
                ui.add_space(4.0);
                let mut all = closed.iter().sum::<f64>() / 5.0;
                if row(ui, "fingers", &mut all) {
                    asked = Some(fingers(FingerCommand::Go([all; 5])));
                }
                for finger in Finger::ALL {
                    let mut places = *closed;
                    if row(ui, finger.name(), &mut places[finger.index()]) {
                        asked = Some(fingers(FingerCommand::Go(places)));
                    }
                }
            });
        });
    asked
}

/// A row with a name and its closing in percent. Returns true if the slider was moved.
fn row(ui: &mut Ui, name: &str, closed: &mut f64) -> bool {
    let palette = style::palette(ui.ctx());
    ui.horizontal(|ui| {
        let size = vec2(NAME, ui.spacing().interact_size.y);
        ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.set_min_width(NAME);
            let name = RichText::new(capitalised(name)).size(style::SMALL).color(palette.quiet);
            ui.label(name);
        });
        let mut percent = 100.0 * *closed;
        let slider = Slider::new(&mut percent, 0.0..=100.0).show_value(false).trailing_fill(true);
        let is_changed = ui.add(slider).changed();
        ui.label(RichText::new(format!("{percent:3.0} %")).size(style::SMALL));
        *closed = percent / 100.0;
        is_changed
    })
    .inner
}

fn option(ui: &mut Ui, is_chosen: bool, words: &str) -> bool {
    let palette = style::palette(ui.ctx());
    let colour = if is_chosen { palette.on_accent } else { palette.words };
    ui.selectable_label(is_chosen, RichText::new(words).size(style::SMALL).color(colour)).clicked()
}
