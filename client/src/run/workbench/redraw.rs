//! Detects whether a new scene looks different from the one on the screen. A scene without a
//! visible change is not drawn, so that an idle window costs nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use interaction::scene::{ObjectView, Scene, SelectedThing, StatusLine, ThingOnTable};

/// Time between two updates of the status lines if only their numbers change.
const NUMBERS_EVERY: Duration = Duration::from_secs(4);

/// Remembers the last update of the numbers.
#[derive(Debug, Default)]
pub(super) struct RedrawCheck {
    numbers_shown: Option<Instant>,
}

/// Parts of the window to redraw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Redraw {
    None,
    /// Only words beside the picture have changed.
    Panels,
    Picture,
}

impl RedrawCheck {
    /// Returns the parts to draw when `next` follows the shown scene.
    pub(super) fn after(&mut self, shown: &Scene, next: &Scene, now: Instant) -> Redraw {
        let are_old = |then: Instant| now.saturating_duration_since(then) >= NUMBERS_EVERY;
        let redraw = if !looks_alike(shown, next) {
            Redraw::Picture
        } else if !reads_alike(shown, next) || self.numbers_shown.is_none_or(are_old) {
            Redraw::Panels
        } else {
            Redraw::None
        };
        if redraw != Redraw::None {
            self.numbers_shown = Some(now);
        }
        redraw
    }
}

fn looks_alike(a: &Scene, b: &Scene) -> bool {
    all_alike(&a.objects, &b.objects, objects_alike)
        && a.hands == b.hands
        && a.real_hands == b.real_hands
        && match (&a.selected, &b.selected) {
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
        && a.mouse_hand_closed.is_some() == b.mouse_hand_closed.is_some()
        && match (&a.selected, &b.selected) {
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

/// True if two status lines are equal apart from digits.
fn words_alike(a: &StatusLine, b: &StatusLine) -> bool {
    let words = |line: &'_ StatusLine| {
        line.text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>()
    };
    a.name == b.name && a.level == b.level && (a.text == b.text || words(a) == words(b))
}

fn chosen_alike(a: &SelectedThing, b: &SelectedThing) -> bool {
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
    use interaction::scene::{Mark, MarkShape, StatusLevel};
    use nalgebra::Point3;

    fn scene(text: &str, level: StatusLevel) -> Scene {
        let text = text.to_owned();
        Scene { status: vec![StatusLine { name: "glove", level, text }], ..Scene::default() }
    }

    #[test]
    fn numbers_alone_are_shown_now_and_then_other_words_at_once_and_nothing_is_drawn_for_either() {
        let mut redraw_check = RedrawCheck::default();
        let start = Instant::now();
        let mut redraw = |shown: &Scene, next: &Scene, seconds: f64| {
            redraw_check.after(shown, next, start + Duration::from_secs_f64(seconds))
        };
        let before = scene("CyberGlove, 98 Hz", StatusLevel::Good);
        assert_eq!(redraw(&Scene::default(), &before, 0.0), Redraw::Panels);
        let trembling = scene("CyberGlove, 100 Hz", StatusLevel::Good);
        assert_eq!(redraw(&before, &trembling, 0.1), Redraw::None);
        assert_eq!(redraw(&before, &trembling, 3.9), Redraw::None);
        assert_eq!(redraw(&before, &trembling, 4.1), Redraw::Panels);
        let left = scene("CyberGlove, left", StatusLevel::Good);
        assert_eq!(redraw(&before, &left, 4.2), Redraw::Panels);
        assert_eq!(
            redraw(&before, &scene("CyberGlove, 98 Hz", StatusLevel::Bad), 4.3),
            Redraw::Panels
        );
        let shape = MarkShape::Ball { centre: Point3::origin(), radius: 0.1 };
        let marked = Scene { marks: vec![Mark { shape, colour: [1.0; 3] }], ..before.clone() };
        assert_eq!(redraw(&before, &marked, 4.4), Redraw::Picture);
    }
}
