//! Which events the panels take in one pass.

use egui::Event;

/// Takes the events away that belong to the next pass.
///
/// A field loses the focus at the beginning of a pass in which a button is pressed elsewhere, and
/// with it all letters of that pass. Letters that were typed before the press are therefore taken in
/// a pass of their own: a slow window may get both at once.
pub(super) fn for_next_pass(events: &mut Vec<Event>) -> Vec<Event> {
    let is_typed = |event: &Event| {
        matches!(event, Event::Text(_) | Event::Paste(_) | Event::Key { pressed: true, .. })
    };
    let is_press = |event: &Event| matches!(event, Event::PointerButton { pressed: true, .. });
    let Some(first) = events.iter().position(is_typed) else { return Vec::new() };
    match events[first..].iter().position(is_press) {
        Some(press) => events.split_off(first + press),
        None => Vec::new(),
    }
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

    #[test]
    fn a_press_after_letters_waits_for_the_next_pass() {
        let click = [button(true), button(false)];
        let typed = [letter("a"), letter("b")];
        let check = |events: Vec<Event>, now: &[Event], later: &[Event]| {
            let mut rest = events;
            let next = for_next_pass(&mut rest);
            assert_eq!((&rest[..], &next[..]), (now, later));
        };
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
