//! Keys as shortcuts. They count only while no field of a panel has the keyboard.

use egui::{Key, Modifiers};

/// True if this key was pressed without modifiers while no field had the keyboard. A key that is
/// held down counts once. Disabled panels get no keys.
pub fn pressed(ui: &egui::Ui, key: Key) -> bool {
    let is_it = |(held, pressed): &(Modifiers, Key)| *pressed == key && *held == Modifiers::NONE;
    all_pressed(ui).iter().any(is_it)
}

/// All keys that were pressed, each with its modifiers, if no field has the keyboard.
pub fn all_pressed(ui: &egui::Ui) -> Vec<(Modifiers, Key)> {
    key_presses(ui).filter(|(repeats, ..)| !repeats).map(|(_, held, key)| (held, key)).collect()
}

/// All keys that were pressed or are held, once for each repetition by the system.
pub fn all_held(ui: &egui::Ui) -> Vec<(Modifiers, Key)> {
    key_presses(ui).map(|(_, held, key)| (held, key)).collect()
}

/// Key presses for shortcuts: whether the press is a repetition, the modifiers, and the key.
fn key_presses(ui: &egui::Ui) -> impl Iterator<Item = (bool, Modifiers, Key)> {
    let is_ours = ui.is_enabled() && !ui.ctx().egui_wants_keyboard_input();
    let events = if is_ours { ui.input(|input| input.events.clone()) } else { Vec::new() };
    events.into_iter().filter_map(|event| match event {
        egui::Event::Key { key, pressed: true, repeat, modifiers, .. } => {
            Some((repeat, modifiers, key))
        }
        _ => None,
    })
}

/// The key's name as it is printed on keyboards.
pub fn name(key: Key) -> &'static str {
    match key {
        Key::Escape => "Esc",
        other => other.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks whether Space with these modifiers is a shortcut in panels that `prepare` has
    /// changed.
    fn check(modifiers: Modifiers, prepare: fn(&mut egui::Ui), expected: bool) {
        let event = egui::Event::Key {
            key: Key::Space,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers,
        };
        let input = egui::RawInput { events: vec![event], ..Default::default() };
        let mut is_pressed = false;
        let mut output = egui::Context::default().run_ui(input, |ui| {
            prepare(ui);
            // egui may repeat the pass without the event.
            is_pressed |= pressed(ui, Key::Space);
            assert!(!pressed(ui, Key::S));
        });
        output.textures_delta.clear();
        assert_eq!(is_pressed, expected);
    }

    #[test]
    fn a_shortcut_needs_no_modifier_and_no_field_with_the_keyboard() {
        let nothing = |_: &mut egui::Ui| {};
        check(Modifiers::NONE, nothing, true);
        check(Modifiers::CTRL, nothing, false);
        check(Modifiers::NONE, |ui| ui.disable(), false);
        let types = |ui: &mut egui::Ui| ui.text_edit_singleline(&mut String::new()).request_focus();
        check(Modifiers::NONE, types, false);
    }
}
