//! Keys as shortcuts: heard only while nobody types into a panel.

use egui::{Key, Modifiers};

/// Whether a key was pressed alone, and nobody else wants it. A key that is held down counts once, and panels
/// that are switched off hear nothing.
pub fn pressed(ui: &egui::Ui, key: Key) -> bool {
    let is_it = |(held, pressed): &(Modifiers, Key)| *pressed == key && *held == Modifiers::NONE;
    all_pressed(ui).iter().any(is_it)
}

/// All keys that were pressed and that nobody else wants, each with what was held beside it.
pub fn all_pressed(ui: &egui::Ui) -> Vec<(Modifiers, Key)> {
    heard(ui).filter(|(repeats, ..)| !repeats).map(|(_, held, key)| (held, key)).collect()
}

/// The same with those that are held, as often as the system repeats them.
pub fn all_held(ui: &egui::Ui) -> Vec<(Modifiers, Key)> {
    heard(ui).map(|(_, held, key)| (held, key)).collect()
}

/// Whether it is a repetition, what was held beside it, and the key.
fn heard(ui: &egui::Ui) -> impl Iterator<Item = (bool, Modifiers, Key)> {
    let is_ours = ui.is_enabled() && !ui.ctx().egui_wants_keyboard_input();
    let events = if is_ours { ui.input(|input| input.events.clone()) } else { Vec::new() };
    events.into_iter().filter_map(|event| match event {
        egui::Event::Key { key, pressed: true, repeat, modifiers, .. } => {
            Some((repeat, modifiers, key))
        }
        _ => None,
    })
}

/// As it is written on a key.
pub fn name(key: Key) -> &'static str {
    match key {
        Key::Escape => "Esc",
        other => other.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a shortcut hears Space with these modifiers, in panels that `prepare` has changed.
    fn check(modifiers: Modifiers, prepare: fn(&mut egui::Ui), expected: bool) {
        let event = egui::Event::Key {
            key: Key::Space,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers,
        };
        let input = egui::RawInput { events: vec![event], ..Default::default() };
        let mut is_heard = false;
        let mut output = egui::Context::default().run_ui(input, |ui| {
            prepare(ui);
            // A pass may be repeated, without the event.
            is_heard |= pressed(ui, Key::Space);
            assert!(!pressed(ui, Key::S));
        });
        output.textures_delta.clear();
        assert_eq!(is_heard, expected);
    }

    #[test]
    fn a_shortcut_is_heard_alone_and_where_nobody_types() {
        let nothing = |_: &mut egui::Ui| {};
        check(Modifiers::NONE, nothing, true);
        check(Modifiers::CTRL, nothing, false);
        check(Modifiers::NONE, |ui| ui.disable(), false);
        let types = |ui: &mut egui::Ui| ui.text_edit_singleline(&mut String::new()).request_focus();
        check(Modifiers::NONE, types, false);
    }
}
