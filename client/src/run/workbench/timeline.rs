//! The time line of a played recording: play and pause, position, speed.

use std::time::Duration;

use egui::{CornerRadius, Key, Panel, Rect, RichText, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::Workbench;
use super::menu_commands::Command;
use super::user_action::UserAction;
use crate::ui::{keys, style};
use crate::wiring::{HandChoice, Playback, RecordingChoice};

/// Speeds relative to real time.
const SPEEDS: [f64; 6] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0];
/// Step of one press of a key.
const STEP: Duration = Duration::from_secs(1);
/// Time between two updates of the position while the recording plays.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// Keys of a recording, for the page of help.
pub(super) const KEYS: [(&str, &str); 3] = [
    ("Left, Right", "one second back, forward"),
    ("Home, End", "to the beginning, the end"),
    ("-, +", "slower, faster"),
];

impl Workbench<'_> {
    /// Plays or pauses the recording; at its end, plays it from the beginning.
    pub(super) fn play_or_pause(&mut self) {
        let Some(Playback { clock, length, .. }) = self.hand.playback() else { return };
        if self.hand.opening().is_none() && clock.position() >= *length {
            if !self.files.recording.is_on() {
                clock.go_on();
            }
            self.seek(Duration::ZERO);
        } else if clock.is_paused() {
            clock.go_on();
            tracing::info!("the recording goes on at {:.2} s", clock.position().as_secs_f64());
        } else {
            clock.pause();
            tracing::info!("the recording is paused at {:.2} s", clock.position().as_secs_f64());
        }
    }

    /// Goes to another position in the recording.
    pub(super) fn seek(&mut self, to: Duration) {
        if self.files.recording.is_on() {
            let why = "cannot move in the recording while another one is made: end that first (F9)";
            return self.say(Err(why.to_owned()));
        }
        let Some(playback) = self.hand.playback() else { return };
        let to_play = RecordingChoice::sought(playback, to);
        self.open_hand(HandChoice::Recording(to_play));
    }

    /// Changes to the next faster or slower speed of the list.
    pub(super) fn change_speed(&mut self, by: isize) {
        let Some(Playback { clock, .. }) = self.hand.playback() else { return };
        let now = clock.speed().unwrap_or(1.0);
        let place = SPEEDS.partition_point(|speed| *speed < now);
        let next = place.saturating_add_signed(by).min(SPEEDS.len() - 1);
        self.set_speed(SPEEDS[next]);
    }

    pub(super) fn set_speed(&mut self, speed: f64) {
        if let Some(Playback { clock, .. }) = self.hand.playback() {
            clock.set_speed(speed);
        }
    }
}

/// Returns the actions of the keys for the played recording.
pub(super) fn asked_by_keys(ui: &Ui, playback: &Playback) -> Vec<UserAction> {
    // On many keyboards Plus is another key with Shift. Its release is then reported for that other
    // key, so that Plus seems to be held for ever.
    let is_plus = |(_, key): &(_, Key)| matches!(key, Key::Plus | Key::Equals);
    let plus = keys::all_held(ui).into_iter().filter(is_plus);
    let others = keys::all_pressed(ui).into_iter().filter(|pressed| !is_plus(pressed));
    let asked = plus.chain(others).filter_map(|(held, key)| match key {
        Key::Plus | Key::Equals => Some(UserAction::ChangeSpeed(1)),
        Key::Minus => Some(UserAction::ChangeSpeed(-1)),
        _ if held.any() => None,
        Key::ArrowLeft => Some(UserAction::SeekBack(STEP)),
        Key::ArrowRight => Some(UserAction::SeekOn(STEP)),
        Key::Home => Some(UserAction::Seek(Duration::ZERO)),
        Key::End => Some(UserAction::Seek(playback.length)),
        _ => None,
    });
    asked.collect()
}

/// Lays out the time line at the bottom of the window. `sought` is the progress of a seek, from 0
/// to 1.
pub(super) fn line(
    ui: &mut Ui,
    playback: &Playback,
    position: Duration,
    sought: Option<f64>,
) -> Option<UserAction> {
    let palette = style::palette(ui.ctx());
    let Playback { file, clock, length } = playback;
    let is_over = position >= *length;
    if !clock.is_paused() && !is_over {
        ui.ctx().request_repaint_after(BETWEEN_LOOKS);
    }
    let mut asked = None;
    let panel = Panel::bottom("timeline").frame(style::panel(palette));
    panel.resizable(false).show_separator_line(false).show(ui, |ui| {
        ui.horizontal(|ui| {
            let words = match (is_over, clock.is_paused()) {
                (true, _) => "Again",
                (false, true) => "Play",
                (false, false) => "Pause",
            };
            // The key is that of the command. Tab skips the button, because it would otherwise
            // stop here before any panel.
            let button = egui::Button::new(words).sense(Sense::CLICK);
            if ui.add_sized([76.0, 30.0], button).clicked() {
                asked = Some(UserAction::Command(Command::PlayPause));
            }
            let time = format!("{} / {}", clock_time(position), clock_time(*length));
            ui.label(RichText::new(time).monospace());
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.spacing_mut().button_padding = egui::vec2(6.0, 4.0);
                ui.spacing_mut().item_spacing.x = 4.0;
                ui.add_sized(
                    [130.0, 20.0],
                    egui::Label::new(RichText::new(name).color(palette.quiet)).truncate(),
                );
                let now = clock.speed().unwrap_or(1.0);
                for speed in SPEEDS.into_iter().rev() {
                    let words = format!("{speed}x");
                    let colour = if speed == now { palette.on_accent } else { palette.words };
                    let words = RichText::new(words).color(colour);
                    let button = egui::Button::selectable(speed == now, words).sense(Sense::CLICK);
                    if ui.add(button).clicked() {
                        asked = Some(UserAction::Speed(speed));
                    }
                }
                ui.add_space(style::GAP);
                let width = (ui.available_width() - style::GAP).max(60.0);
                let share = position.as_secs_f64() / length.as_secs_f64().max(1e-3);
                let replayed = sought.unwrap_or(1.0) as f32;
                if let Some(share) = track(ui, width, share as f32, replayed, *length) {
                    asked = Some(UserAction::Seek(length.mul_f64(share.into())));
                }
            });
        });
    });
    asked
}

/// Lays out the line itself, filled up to the played share of the recording. During a seek, only
/// the part `replayed` of that share is filled. Returns the position that the user clicked.
fn track(ui: &mut Ui, width: f32, share: f32, replayed: f32, length: Duration) -> Option<f32> {
    const HEIGHT: f32 = 28.0;
    const RADIUS: f32 = 8.0;
    let palette = style::palette(ui.ctx());
    let sense = Sense::CLICK | Sense::DRAG;
    let (rect, response) = ui.allocate_exact_size(vec2(width, HEIGHT), sense);
    response.widget_info(|| WidgetInfo::slider(ui.is_enabled(), share.into(), "time line"));
    let (left, right) = (rect.left() + RADIUS, rect.right() - RADIUS);
    let pointed =
        response.interact_pointer_pos().map(|at| ((at.x - left) / (right - left)).clamp(0.0, 1.0));
    // While it is dragged, the mark does not follow the playback.
    let shown = if response.dragged() { pointed.unwrap_or(share) } else { share.clamp(0.0, 1.0) };
    let (y, x) = (rect.center().y, left + shown * (right - left));
    let bar = |from: f32, to: f32| Rect::from_min_max(pos2(from, y - 3.0), pos2(to, y + 3.0));
    ui.painter().rect_filled(bar(left, right), CornerRadius::same(3), palette.track);
    ui.painter().rect_filled(
        bar(left, left + replayed * (x - left)),
        CornerRadius::same(3),
        palette.accent,
    );
    let core = if response.hovered() { palette.accent } else { palette.card };
    ui.painter().circle(pos2(x, y), RADIUS, core, Stroke::new(2.0, palette.words));
    if response.dragged() {
        let at = pos2(x, rect.top() - 6.0);
        let words = clock_time(length.mul_f64(shown.into()));
        let font = style::font(style::BODY);
        ui.ctx().debug_painter().text(at, egui::Align2::CENTER_BOTTOM, words, font, palette.words);
    }
    pointed.filter(|_| response.clicked() || response.drag_stopped())
}

/// Formats minutes and seconds.
fn clock_time(at: Duration) -> String {
    let tenths = at.as_millis() / 100;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_on_a_clock() {
        let written = |seconds| clock_time(Duration::from_secs_f64(seconds));
        assert_eq!(written(0.0), "0:00.0");
        assert_eq!(written(9.96), "0:09.9");
        assert_eq!(written(83.25), "1:23.2");
    }
}
