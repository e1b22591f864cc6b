//! Tests the procedure with synthetic samples.

use drivers::{Sensor, SensorCounts};
use nalgebra::Isometry3;
use proptest::prelude::*;

use super::*;
use crate::poses::PoseId;

/// Feeds samples of hands that hold still or move.
struct Hand {
    procedure: Procedure,
    seconds: f64,
    hz: f64,
    at: Isometry3<f64>,
}

impl Hand {
    fn new(plan: Plan) -> Self {
        let at = Isometry3::identity();
        Self { procedure: Procedure::new(plan), seconds: 0.0, hz: 128.0, at }
    }

    fn feed(&mut self, counts: SensorCounts) -> Option<Event> {
        self.seconds += 1.0 / self.hz;
        let source_from_sensor = Some(self.at);
        self.procedure.feed(&Sample { counts, source_from_sensor, seconds: self.seconds })
    }

    /// Holds still; returns the number of samples until the first event.
    fn hold(&mut self, count: u8, n_most: usize) -> Option<(usize, Event)> {
        (1..=n_most).find_map(|n| Some((n, self.feed(all(count))?)))
    }

    fn state(&self) -> State {
        self.procedure.view().state
    }
}

fn all(count: u8) -> SensorCounts {
    SensorCounts::from_slots([count; Sensor::ALL.len()])
}

fn two_poses() -> Hand {
    Hand::new(Plan::of(&[PoseId::Flat, PoseId::Fist]))
}

#[test]
fn each_step_is_marked_as_it_stands() {
    use Mark::*;
    let mut hand = Hand::new(Plan::of(&[PoseId::Flat, PoseId::Fist, PoseId::Hook]));
    let check = |hand: &Hand, expected: [Mark; 3]| assert_eq!(hand.procedure.marks(), expected);
    check(&hand, [Now, Ahead, Ahead]);
    hand.hold(100, 400);
    check(&hand, [Taken, Now, Ahead]);
    hand.procedure.command(Command::Skip);
    check(&hand, [Taken, Skipped, Now]);
    hand.procedure.command(Command::Back);
    check(&hand, [Taken, Now, Ahead]);
    hand.procedure.command(Command::Skip);
    hand.procedure.command(Command::Skip);
    check(&hand, [Taken, Skipped, Skipped]);
    let flat = Outlier { capture: 0, pose: PoseId::Flat, joints: Vec::new() };
    assert_eq!(hand.procedure.step_of(&flat), Some(0));
    hand.procedure.retake(&[flat]);
    check(&hand, [Now, Skipped, Skipped]);
}

#[test]
fn a_pose_is_taken_after_a_second_and_sixty_samples() {
    let check = |hz: f64, want: usize| {
        let mut hand = two_poses();
        hand.hz = hz;
        assert_eq!(hand.hold(100, 400), Some((want, Event::Captured(0))), "{hz} Hz");
        let capture = &hand.procedure.captures()[0];
        assert_eq!(capture.counts[Sensor::ThumbRoll.bit()], Some(100.0));
        assert_eq!((capture.pose, capture.spreads[0]), (PoseId::Flat, 0));
    };
    check(128.0, 129);
    check(64.0, 65);
    check(32.0, 60);
}

#[test]
fn a_hand_that_moves_is_not_taken_and_the_sensor_is_named() {
    let mut hand = two_poses();
    for n in 0..300 {
        let mut slots = [100; Sensor::ALL.len()];
        slots[Sensor::RingPij.bit()] = 100 + (n % 80 / 8) as u8;
        assert_eq!(hand.feed(SensorCounts::from_slots(slots)), None);
    }
    let State::Settling(stillness) = hand.state() else { panic!("{:?}", hand.state()) };
    assert_eq!((stillness.worst, stillness.spread), (Sensor::RingPij, 9));
    assert!(stillness.share < 1.0);
    assert_eq!(hand.procedure.command(Command::Accept), Some(Event::NotStill));
}

#[test]
fn noise_of_three_counts_is_still() {
    let mut hand = two_poses();
    let event = (0..200).find_map(|n| hand.feed(all(100 + n % 4)));
    assert_eq!(event, Some(Event::Captured(0)));
}

#[test]
fn the_next_pose_is_not_taken_from_the_hand_of_the_last() {
    let mut hand = two_poses();
    hand.hold(100, 200).unwrap();
    assert_eq!(hand.hold(100, 300), None);
    assert_eq!(hand.state(), State::Leaving);
    // The hand twitches and comes to rest nearly where it was.
    hand.hold(110, 3);
    assert_eq!(hand.hold(104, 300), None);
    assert!(matches!(hand.state(), State::NotThere(stillness) if stillness.is_still()));
    assert_eq!(hand.procedure.command(Command::Accept), Some(Event::Finished));
    assert_eq!(hand.state(), State::Done);
    assert_eq!(hand.procedure.view().step, None);
}

#[test]
fn a_hand_that_makes_the_pose_is_taken() {
    let mut hand = two_poses();
    hand.hold(100, 200).unwrap();
    assert_eq!(hand.hold(180, 300).unwrap().1, Event::Finished);
    let poses: Vec<_> = hand.procedure.captures().iter().map(|capture| capture.pose).collect();
    assert_eq!(poses, [PoseId::Flat, PoseId::Fist]);
}

#[test]
fn commands_skip_go_back_and_retake() {
    let mut hand = Hand::new(Plan::of(&[PoseId::Flat, PoseId::Fist, PoseId::Hook]));
    let name = |hand: &Hand| hand.procedure.view().name;
    hand.hold(100, 200).unwrap();
    assert_eq!(name(&hand), "fist");
    hand.procedure.command(Command::Retake);
    assert_eq!((name(&hand), hand.procedure.captures().len()), ("flat hand", 0));
    // The same pose again, but the hand has to move to it anew; a spike is not motion.
    assert_eq!(hand.hold(100, 300), None);
    assert_eq!(hand.hold(150, 2), None);
    assert_eq!(hand.hold(100, 300), None);
    hand.hold(150, 5);
    assert_eq!(hand.hold(101, 300).unwrap().1, Event::Captured(0));
    assert_eq!(hand.procedure.command(Command::Skip), None);
    assert_eq!(name(&hand), "hook");
    hand.procedure.command(Command::Back);
    hand.procedure.command(Command::Back);
    assert_eq!((name(&hand), hand.procedure.captures().len()), ("flat hand", 1));
    for _ in 0..2 {
        assert_eq!(hand.procedure.command(Command::Skip), None);
    }
    assert_eq!(hand.procedure.command(Command::Skip), Some(Event::Finished));
    assert_eq!(hand.procedure.view().n_done, 3);
}

#[test]
fn a_gap_begins_the_hold_anew() {
    let mut hand = two_poses();
    assert_eq!(hand.hold(100, 90), None);
    hand.seconds += 0.6;
    assert_eq!(hand.hold(100, 90), None);
    assert_eq!(hand.hold(100, 90).unwrap(), (39, Event::Captured(0)));
}

#[test]
fn the_tracker_steps_wait_for_the_hand_to_come() {
    let mut hand = Hand::new(Plan::of(&[PoseId::Flat]).with_tracker());
    hand.hold(100, 200).unwrap();
    assert_eq!(hand.hold(100, 300), None, "the hand has not gone to the spot yet");
    assert!(matches!(hand.state(), State::Travelling { .. }));
    hand.at = Isometry3::translation(0.1, 0.0, 0.0);
    assert_eq!(hand.hold(100, 300).unwrap().1, Event::Captured(1));
    assert_eq!(hand.procedure.tracker(&Spot::default()), Err(TrackerError::NoPivot));
    assert_eq!(hand.hold(100, 100), None);
    let State::Turning { share, missing } = hand.state() else { panic!("{:?}", hand.state()) };
    assert!(share > 0.3 && missing == Some(PivotError::TooSmall));
}

#[test]
fn a_measured_angle_replaces_the_tables() {
    let sensor = Sensor::MiddleIndexAbduction;
    let plan = Plan::full().measured(PoseId::Spread, sensor, 0.25);
    let asked: Vec<_> = plan
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Hold(target) if target.pose == PoseId::Spread => target.asked[sensor.bit()],
            _ => None,
        })
        .collect();
    assert_eq!(asked, [0.25, 0.25]);
}

proptest! {
    /// Any input gives a view, and never more steps than the plan has.
    #[test]
    fn any_samples_and_commands_are_taken(
        inputs in prop::collection::vec((any::<u8>(), 0..6_u8, -0.1..0.7_f64), 0..400),
    ) {
        let mut hand = Hand::new(Plan::quick().with_tracker());
        for (count, action, wait) in inputs {
            hand.seconds += wait;
            match action {
                0 => { hand.procedure.command(Command::Accept); }
                1 => { hand.procedure.command(Command::Retake); }
                2 => { hand.procedure.command(Command::Skip); }
                3 => { hand.procedure.command(Command::Back); }
                4 => { hand.hold(count, 110); }
                _ => { hand.at = Isometry3::translation(f64::from(count), 0.0, 0.0); }
            }
            let view = hand.procedure.view();
            prop_assert!(view.n_done <= view.n_steps);
            prop_assert_eq!(view.step.is_none(), view.n_done == view.n_steps);
        }
        let fit = hand.procedure.fit(&GloveModel::uncalibrated());
        for sensor in Sensor::ALL {
            let map = fit.model.sensor(sensor).map;
            prop_assert!(map.gain.is_finite() && map.offset.is_finite());
        }
    }
}
