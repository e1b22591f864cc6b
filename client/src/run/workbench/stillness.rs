//! Whether a new scene looks any different from the one on the screen. What does not costs no picture: an idle window
//! rests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::scene::{ChosenThing, ObjectView, Scene, StatusLine};

/// Numbers in the status lines tremble; by themselves they are worth a picture so often.
const NUMBERS_EVERY: Duration = Duration::from_secs(4);

/// Remembers when numbers were last shown.
#[derive(Debug, Default)]
pub(super) struct Stillness {
    numbers_shown: Option<Instant>,
}

impl Stillness {
    /// Whether the next scene is worth a picture after the one that is shown.
    pub(super) fn is_over(&mut self, shown: &Scene, next: &Scene, now: Instant) -> bool {
        let are_old = |then: Instant| now.saturating_duration_since(then) >= NUMBERS_EVERY;
        let is_over = !looks_alike(shown, next) || self.numbers_shown.is_none_or(are_old);
        if is_over {
            self.numbers_shown = Some(now);
        }
        is_over
    }
}

fn looks_alike(a: &Scene, b: &Scene) -> bool {
    all_alike(&a.objects, &b.objects, objects_alike)
        && a.hands == b.hands
        && a.real_hands == b.real_hands
        && all_alike(&a.status, &b.status, words_alike)
        && match (&a.chosen, &b.chosen) {
            (Some(a), Some(b)) => chosen_alike(a, b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
        && a.colouring == b.colouring
        && a.marks == b.marks
        && a.lines == b.lines
}

fn all_alike<T>(a: &[T], b: &[T], alike: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
}

fn objects_alike(a: &ObjectView, b: &ObjectView) -> bool {
    let colours = |object: &ObjectView| object.colours.as_ref().map(Arc::as_ptr);
    a.world_from_object == b.world_from_object
        && colours(a) == colours(b)
        && (Arc::ptr_eq(&a.frame, &b.frame)
            || Arc::ptr_eq(&a.frame.topology, &b.frame.topology)
                && a.frame.positions == b.frame.positions
                && a.frame.stresses == b.frame.stresses)
}

/// Apart from numbers.
fn words_alike(a: &StatusLine, b: &StatusLine) -> bool {
    let words = |line: &'_ StatusLine| {
        line.text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>()
    };
    a.name == b.name && a.level == b.level && (a.text == b.text || words(a) == words(b))
}

fn chosen_alike(a: &ChosenThing, b: &ChosenThing) -> bool {
    Arc::ptr_eq(&a.spec, &b.spec)
        && a.name == b.name
        && (a.n_kept, a.n_undone) == (b.n_kept, b.n_undone)
        && a.contacts == b.contacts
        && a.forces == b.forces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Level;

    fn scene(text: &str, level: Level) -> Scene {
        let text = text.to_owned();
        Scene { status: vec![StatusLine { name: "glove", level, text }], ..Scene::default() }
    }

    #[test]
    fn numbers_alone_are_shown_now_and_then_and_everything_else_at_once() {
        let mut stillness = Stillness::default();
        let start = Instant::now();
        let after = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let before = scene("CyberGlove, 98 Hz", Level::Good);
        assert!(stillness.is_over(&Scene::default(), &before, start));
        let trembling = scene("CyberGlove, 100 Hz", Level::Good);
        assert!(!stillness.is_over(&before, &trembling, after(0.1)));
        assert!(!stillness.is_over(&before, &trembling, after(3.9)));
        assert!(stillness.is_over(&before, &trembling, after(4.1)));
        assert!(stillness.is_over(&before, &scene("CyberGlove, left", Level::Good), after(4.2)));
        assert!(stillness.is_over(&before, &scene("CyberGlove, 98 Hz", Level::Bad), after(4.3)));
    }
}
