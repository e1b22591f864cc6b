//! A person without a mouse, and an idle window.

use std::time::{Duration, Instant};

use crate::keys::{ALT, CONTROL, ESCAPE, HOME, LEFT, PAGE_UP, RIGHT, SHIFT, UP};
use crate::person::Person;
use crate::program::let_pass;

#[test]
fn view_and_thing_are_turned_by_keys_alone_and_an_untouched_window_rests() {
    let person = Person::has_no_glove(|command, _| {
        command.args(["--threads", "1", "--cells", "3"]);
    });
    let screen = &person.screen;
    let large = screen.picture().object();
    let before = screen.picture();
    (0..4).for_each(|_| screen.press_with(&[ALT], RIGHT));
    let turned = screen.wait_to_see("the cube turned", |picture| {
        picture.n_changed(&before) > 2000 && picture.ground() == before.ground()
    });
    (0..6).for_each(|_| screen.press_with(&[CONTROL], LEFT));
    screen.wait_to_see("another view", |picture| picture.ground() != turned.ground());
    (0..4).for_each(|_| screen.press_with(&[CONTROL], PAGE_UP));
    screen.wait_to_see("the cube from near", |picture| picture.object() > 1.3 * large);
    screen.press_with(&[CONTROL, SHIFT], UP);
    screen.press_with(&[CONTROL], HOME);
    screen.wait_to_see("the view as at first", |picture| picture.ground() == before.ground());

    // An idle window costs next to nothing, although hand, solver and window run on.
    let_pass(Duration::from_secs(2));
    let (spent, since) = (person.palpate.seconds_of_cpu(), Instant::now());
    let_pass(Duration::from_secs(6));
    let spent = person.palpate.seconds_of_cpu() - spent;
    let share = spent / since.elapsed().as_secs_f64();
    assert!(share < 0.05, "{:.1} % of a core", 100.0 * share);
    screen.press(ESCAPE);
    let (status, said) = person.palpate.wait();
    assert!(status.success(), "{said}");
}
