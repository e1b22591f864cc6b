use std::collections::BTreeSet;

use super::*;

#[test]
fn every_command_has_keys_and_words_of_its_own() {
    let keys: BTreeSet<String> = Command::ALL.iter().map(|command| command.keys()).collect();
    let words: BTreeSet<&str> = Command::ALL.iter().map(|command| command.words()).collect();
    assert_eq!((keys.len(), words.len()), (Command::ALL.len(), Command::ALL.len()));
}

fn check(pressed: &[(Modifiers, Key)], expected: &[Command]) {
    let events = pressed.iter().flat_map(|&(modifiers, key)| {
        [true, false].map(|pressed| egui::Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers,
        })
    });
    let events = events.collect();
    let input = egui::RawInput { events, ..Default::default() };
    let mut asked = Vec::new();
    let mut output = egui::Context::default().run_ui(input, |ui| {
        // egui may repeat the pass without the events.
        asked.extend(Command::pressed(ui));
    });
    output.textures_delta.clear();
    assert_eq!(asked, expected, "{pressed:?}");
}

#[test]
fn keys_request_the_commands_of_the_menu() {
    // Ctrl as a keyboard reports it.
    let control = Modifiers { ctrl: true, command: true, ..Modifiers::NONE };
    let both = Modifiers { shift: true, ..control };
    let none = Modifiers::NONE;
    check(&[(none, Key::K)], &[Command::KeepShape]);
    check(&[(control, Key::K)], &[]);
    check(&[(control, Key::Z), (both, Key::Z)], &[Command::Undo, Command::Redo]);
    check(&[(control, Key::R), (none, Key::R)], &[Command::Reset, Command::Rules]);
    check(&[(Modifiers::SHIFT, Key::Questionmark)], &[Command::Help]);
    check(&[(none, Key::Escape), (none, Key::F1)], &[Command::Exit, Command::Help]);
}
