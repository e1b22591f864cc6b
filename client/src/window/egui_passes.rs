//! Splits input events into the passes in which the panels process them.

use egui::Event;

/// Removes the events of the next pass and returns them. A slow window gets many events at once,
/// and egui handles two cases wrongly if they are in one pass:
///
/// - A field loses the focus at the beginning of a pass in which a button is pressed elsewhere, and
///   with the focus all letters of that pass. Therefore letters before a press get their own pass.
/// - All clicks of a pass count at the pointer's last position. Therefore every click gets its own
///   pass.
pub(super) fn for_next_pass(events: &mut Vec<Event>) -> Vec<Event> {
    // Index after the last letter or click.
    let mut begin = 0;
    for (i, event) in events.iter().enumerate() {
        match event {
            Event::PointerButton { pressed: true, .. } if begin > 0 => {
                return events.split_off(begin);
            }
            Event::PointerButton { pressed: false, .. }
            | Event::Text(_)
            | Event::Paste(_)
            | Event::Ime(_)
            | Event::Key { pressed: true, .. } => begin = i + 1,
            _ => {}
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use egui::{Modifiers, PointerButton, Pos2};

    use super::*;

    fn button(pressed: bool) -> Event {
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        Event::PointerButton { pos: Pos2::ZERO, button, pressed, modifiers }
    }

    fn letter(text: &str) -> Event {
        Event::Text(text.to_owned())
    }

    fn check(events: Vec<Event>, now: &[Event], later: &[Event]) {
        let mut rest = events;
        let next = for_next_pass(&mut rest);
        assert_eq!((&rest[..], &next[..]), (now, later));
    }

    #[test]
    fn every_click_has_a_pass_of_its_own() {
        let click = [button(true), button(false)];
        let moved = [Event::PointerMoved(Pos2::new(1.0, 2.0))];
        let second = [&moved[..], &click].concat();
        check([&click[..], &second].concat(), &click, &second);
        check([&second[..], &second, &second].concat(), &second, &[&second[..], &second].concat());
        // A drag stays in one pass.
        let drag = [&[button(true)], &moved[..], &[button(false)]].concat();
        check(drag.clone(), &drag, &[]);
    }

    #[test]
    fn a_press_after_letters_waits_for_the_next_pass() {
        let click = [button(true), button(false)];
        let typed = [letter("a"), letter("b")];
        check([&typed[..], &click].concat(), &typed, &click);
        // A click into a field stays together with the letters that follow.
        let field = [&click[..], &typed].concat();
        check(field.clone(), &field, &[]);
        check([&field[..], &click, &typed].concat(), &field, &[&click[..], &typed].concat());
        check(click.to_vec(), &click, &[]);
        // The release of a button takes no focus.
        let release = [letter("a"), button(false)];
        check(release.to_vec(), &release, &[]);
    }
}
