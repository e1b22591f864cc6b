//! Which events the panels take in one pass.

use egui::Event;

/// Takes the events away that belong to the next pass. A slow window gets many events at once, and
/// egui takes only some of them right:
///
/// - A field loses the focus at the beginning of a pass in which a button is pressed elsewhere, and
///   with it all letters of that pass. Letters before a press have a pass of their own.
/// - All clicks of a pass count where the pointer is at its end. Every click has a pass of its own.
pub(super) fn for_next_pass(events: &mut Vec<Event>) -> Vec<Event> {
    // After the last letter and after the last click so far.
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
        // A drag goes on in one pass.
        let drag = [&[button(true)], &moved[..], &[button(false)]].concat();
        check(drag.clone(), &drag, &[]);
    }

    #[test]
    fn a_press_after_letters_waits_for_the_next_pass() {
        let click = [button(true), button(false)];
        let typed = [letter("a"), letter("b")];
        check([&typed[..], &click].concat(), &typed, &click);
        // A click into a field comes before what is typed there.
        let field = [&click[..], &typed].concat();
        check(field.clone(), &field, &[]);
        check([&field[..], &click, &typed].concat(), &field, &[&click[..], &typed].concat());
        check(click.to_vec(), &click, &[]);
        // A button that is let go takes no focus.
        let release = [letter("a"), button(false)];
        check(release.to_vec(), &release, &[]);
    }
}
