//! State is a value: saved, restored and gone on from, the same bits come again.

use std::sync::Arc;

use engine::{LinkState, SolverLocation};
use physics::{Outcome, SampleId, Snapshot, StateError, SurfaceFrame, Touch};

use crate::solver_links::{Solved, bits, displacement, resources, script, server, stepper, url};

/// Frames of a whole script, and the snapshot after `at` touches.
fn whole(n: u64, at: u64) -> (Vec<Vec<u32>>, Arc<Snapshot>) {
    let mut stepper = stepper();
    let mut saved = None;
    let touches = script(n);
    let frames = touches.iter().map(|touch| {
        let frame = stepper.step(touch);
        if touch.sample == SampleId(at) {
            saved = Some(Arc::new(stepper.snapshot()));
        }
        bits(&frame)
    });
    let frames = frames.collect();
    (frames, saved.unwrap())
}

#[test]
fn save_restore_and_continue_gives_the_same_bits() {
    let (frames, saved) = whole(80, 37);
    // In an object that something else has happened to.
    let mut other = stepper();
    other.step(&Touch { time: 9.0, ..script(1)[0].clone() });
    let restored = other.restore(&saved).unwrap();
    assert!(restored.is_restored() && restored.sample == SampleId(37));
    assert_eq!(restored.positions.len(), 8);
    for (touch, expected) in script(80).iter().zip(&frames).skip(37) {
        assert_eq!(&bits(&other.step(touch)), expected, "{:?}", touch.sample);
    }
    // The test can fail: from rest, the same touches give something else.
    let mut at_rest = stepper();
    assert_ne!(bits(&at_rest.step(&script(80)[37])), frames[37]);
}

/// Goes on from a state that another object had.
fn check_link(solvers: &SolverLocation) {
    let (frames, saved) = whole(60, 30);
    let mut solved = Solved::by(solvers);
    solved.step(&script(1)[0]);
    solved.link.restore(Arc::clone(&saved));
    let restored = solved.next();
    assert_eq!(restored.sample, saved.sample);
    assert_eq!(restored.history.restored.as_deref(), Some(&*saved));
    let mut sent = None;
    for (touch, expected) in script(60).iter().zip(&frames).skip(30) {
        let wants_state = touch.sample == SampleId(45);
        let frame = solved.step(&Touch { wants_state, ..touch.clone() });
        assert_eq!(&bits(&frame), expected, "{:?}", touch.sample);
        assert_eq!(frame.history.snapshot.is_some(), wants_state);
        sent = sent.or_else(|| frame.history.snapshot.clone());
    }
    // A state that came with a frame is as good as one that was saved by the object's own program.
    let (_, at_45) = whole(60, 45);
    assert_eq!(sent.as_deref(), Some(&*at_45));
    solved.link.restore(sent.unwrap());
    solved.next();
    assert_eq!(bits(&solved.step(&script(60)[45])), frames[45]);
}

#[test]
fn an_embedded_object_goes_on_from_a_state() {
    check_link(&SolverLocation::Embedded(resources()));
}

#[test]
fn a_remote_object_goes_on_from_a_state() {
    let server = server(0);
    check_link(&SolverLocation::Remote(url(&server)));
}

/// A server that dies and returns goes on with a moving body where it was.
#[test]
fn a_server_that_returns_continues_where_it_was() {
    let first = server(0);
    let (port, solvers) = (first.address().port(), SolverLocation::Remote(url(&first)));
    let mut solved = Solved::by(&solvers);
    let touches = script(60);
    let mut before = None;
    for touch in &touches[..40] {
        before = Some(solved.step(&Touch { wants_state: true, ..touch.clone() }));
    }
    let before = before.unwrap();
    assert!(displacement(&before).norm() > 1e-3, "it is far from rest");
    drop(first);
    solved.wait_for(|link| matches!(link.state(), LinkState::Lost(_)).then_some(()));
    let _second = server(port);
    let is_restored = |frame: &Arc<SurfaceFrame>| {
        let restored = frame.history.restored.as_ref();
        restored.is_some_and(|restored| restored.sample == SampleId(40))
    };
    let restored = solved.wait_for(|link| link.latest().filter(is_restored));
    // The last touch is asked once more; it takes no time, so nothing moves.
    assert_eq!(restored.positions, before.positions);
    // From here on it is as if nothing had happened.
    let (frames, _) = whole(60, 1);
    for (touch, expected) in touches.iter().zip(&frames).skip(40) {
        assert_eq!(&bits(&solved.step(touch)), expected, "{:?}", touch.sample);
    }
}

#[test]
fn a_state_of_something_else_is_refused_and_changes_nothing() {
    let mut stepper = stepper();
    let touches = script(3);
    stepper.step(&touches[0]);
    let saved = stepper.snapshot();
    let mut wrong = saved.clone();
    wrong.matter.version = 7;
    let wrong = Arc::new(wrong);
    let refused = StateError::Version { family: "damped mass", got: 7, want: 1 };
    assert_eq!(stepper.restore(&wrong).unwrap_err(), refused);
    assert_eq!(stepper.snapshot(), saved);
}

#[test]
fn a_server_refuses_a_state_of_something_else_in_words() {
    let server = server(0);
    let mut solved = Solved::by(&SolverLocation::Remote(url(&server)));
    let (_, saved) = whole(2, 1);
    let mut wrong = (*saved).clone();
    wrong.matter.family = "sponge".to_owned();
    solved.link.restore(Arc::new(wrong));
    let refused = solved.next();
    let said = "the object cannot go on where it was: the state is of the family \"sponge\", expected \
                \"damped mass\"";
    assert_eq!(refused.report.outcome, Outcome::Refused(said.to_owned()));
    // It stays as it is, and goes on.
    let touches = script(3);
    let expected: Vec<_> = {
        let mut stepper = stepper();
        touches.iter().map(|touch| bits(&stepper.step(touch))).collect()
    };
    let frames: Vec<_> = touches.iter().map(|touch| bits(&solved.step(touch))).collect();
    assert_eq!(frames, expected);
}
