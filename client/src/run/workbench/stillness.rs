//! Whether a new scene looks any different from the one on the screen. What does not costs no picture: an idle window
//! rests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use interaction::scene::{ChosenThing, ObjectView, Scene, StatusLine, ThingOnTable};

/// Numbers in the status lines tremble; by themselves they are worth a picture so often.
const NUMBERS_EVERY: Duration = Duration::from_secs(4);

/// Remembers when numbers were last shown.
#[derive(Debug, Default)]
pub(super) struct Stillness {
    numbers_shown: Option<Instant>,
}

/// What a new scene is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worth {
    Nothing,
    /// Only words beside the picture have changed: nothing has to be drawn anew.
    Words,
    Picture,
}

impl Stillness {
    /// What the next scene is worth after the one that is shown.
    pub(super) fn worth(&mut self, shown: &Scene, next: &Scene, now: Instant) -> Worth {
        let are_old = |then: Instant| now.saturating_duration_since(then) >= NUMBERS_EVERY;
        let worth = if !looks_alike(shown, next) {
            Worth::Picture
        } else if !reads_alike(shown, next) || self.numbers_shown.is_none_or(are_old) {
            Worth::Words
        } else {
            Worth::Nothing
        };
        if worth != Worth::Nothing {
            self.numbers_shown = Some(now);
        }
        worth
    }
}

fn looks_alike(a: &Scene, b: &Scene) -> bool {
    all_alike(&a.objects, &b.objects, objects_alike)
        && a.hands == b.hands
        && a.real_hands == b.real_hands
        && match (&a.chosen, &b.chosen) {
            (Some(a), Some(b)) => a.presses == b.presses && a.forces == b.forces,
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
        && a.colouring == b.colouring
        && a.marks == b.marks
        && a.lines == b.lines
}

fn reads_alike(a: &Scene, b: &Scene) -> bool {
    all_alike(&a.status, &b.status, words_alike)
        && all_alike(&a.things, &b.things, things_alike)
        && a.driven.is_some() == b.driven.is_some()
        && match (&a.chosen, &b.chosen) {
            (Some(a), Some(b)) => chosen_alike(a, b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
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
                && a.frame.fields == b.frame.fields)
}

/// Apart from numbers.
fn words_alike(a: &StatusLine, b: &StatusLine) -> bool {
    let words = |line: &'_ StatusLine| {
        line.text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>()
    };
    a.name == b.name && a.level == b.level && (a.text == b.text || words(a) == words(b))
}

fn chosen_alike(a: &ChosenThing, b: &ChosenThing) -> bool {
    a.thing == b.thing
        && Arc::ptr_eq(&a.spec, &b.spec)
        && a.name == b.name
        && (a.n_kept, a.n_undone, a.has_moved) == (b.n_kept, b.n_undone, b.has_moved)
}

fn things_alike(a: &ThingOnTable, b: &ThingOnTable) -> bool {
    Arc::ptr_eq(&a.spec, &b.spec) && a.name == b.name && a.n_kept == b.n_kept && a.home == b.home
}

#[cfg(test)]
mod tests {
    use super::*;
    use interaction::scene::{Level, Mark, MarkShape};
    use nalgebra::Point3;

    fn scene(text: &str, level: Level) -> Scene {
        let text = text.to_owned();
        Scene { status: vec![StatusLine { name: "glove", level, text }], ..Scene::default() }
    }

    #[test]
    fn numbers_alone_are_shown_now_and_then_other_words_at_once_and_nothing_is_drawn_for_either() {
        let mut stillness = Stillness::default();
        let start = Instant::now();
        let mut worth = |shown: &Scene, next: &Scene, seconds: f64| {
            stillness.worth(shown, next, start + Duration::from_secs_f64(seconds))
        };
        let before = scene("CyberGlove, 98 Hz", Level::Good);
        assert_eq!(worth(&Scene::default(), &before, 0.0), Worth::Words);
        let trembling = scene("CyberGlove, 100 Hz", Level::Good);
        assert_eq!(worth(&before, &trembling, 0.1), Worth::Nothing);
        assert_eq!(worth(&before, &trembling, 3.9), Worth::Nothing);
        assert_eq!(worth(&before, &trembling, 4.1), Worth::Words);
        let left = scene("CyberGlove, left", Level::Good);
        assert_eq!(worth(&before, &left, 4.2), Worth::Words);
        assert_eq!(worth(&before, &scene("CyberGlove, 98 Hz", Level::Bad), 4.3), Worth::Words);
        let shape = MarkShape::Ball { centre: Point3::origin(), radius: 0.1 };
        let marked = Scene { marks: vec![Mark { shape, colour: [1.0; 3] }], ..before.clone() };
        assert_eq!(worth(&before, &marked, 4.4), Worth::Picture);
    }
}
