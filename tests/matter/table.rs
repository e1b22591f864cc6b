//! On a table, among hands: time passes for what moves in every state of every hand, and all hands
//! push.

use std::sync::Arc;

use calibration::{HandPose, JointAngles, Profile};
use drivers::Side;
use engine::Stepper;
use interaction::grasp::GraspRules;
use interaction::posture::{Posture, grasping_wrist};
use interaction::profiles::Profiles;
use interaction::shape_history::ShapeId;
use interaction::tabletop::{HandEffects, Tabletop};
use interaction::thing::ThingParts;
use nalgebra::{Isometry3, Translation3, Vector3};
use physics::{SampleId, Surroundings, Touch};

use crate::solver_links::{cube, displacement, stepper};

/// A mass that hangs well above the table, and a solver that answers at once.
struct Table {
    tabletop: Tabletop,
    stepper: Stepper,
    effects: HandEffects,
    n_samples: u64,
    touches: Vec<Touch>,
}

impl Table {
    fn new() -> Self {
        let home = Isometry3::translation(0.0, 0.3, 0.0);
        let parts =
            ThingParts { name: "mass".to_owned(), spec: Arc::new(cube()), home, colours: None };
        let [left, right] = [Side::Left, Side::Right].map(Profile::uncalibrated);
        let rules = GraspRules::default();
        let mut tabletop = Tabletop::new(vec![parts], rules, Profiles { left, right });
        let stepper = stepper();
        tabletop.take_frame(0, ShapeId::default(), Arc::new(stepper.rest_frame()));
        Self {
            tabletop,
            stepper,
            effects: HandEffects::default(),
            n_samples: 0,
            touches: Vec::new(),
        }
    }

    fn next_sample(&mut self) -> SampleId {
        self.n_samples += 1;
        SampleId(self.n_samples)
    }

    /// A hand far above the mass.
    fn show_far(&mut self, side: Side, time: f64) {
        let world_from_wrist = Isometry3::translation(0.0, 2.0, 0.0);
        self.show(side, HandPose { angles: JointAngles::default(), world_from_wrist }, time);
    }

    /// A hand around the mass, closed so far: at 1 it would press a cube of 6 cm.
    fn show_around(&mut self, side: Side, closed: f64, time: f64) {
        // It hangs about 3 cm below its home, which is 27 cm above that of the posture.
        let world_from_wrist = Translation3::new(0.0, 0.24, 0.0) * grasping_wrist(side);
        let angles = Posture::grasping().natural_angles(&[closed; 5]);
        self.show(side, HandPose { angles, world_from_wrist }, time);
    }

    fn show(&mut self, side: Side, pose: HandPose, time: f64) {
        let sample = self.next_sample();
        self.tabletop.take_hand(side, &pose, sample, time, &mut self.effects);
        self.answer();
    }

    fn pass(&mut self, time: f64) {
        let sample = self.next_sample();
        self.tabletop.pass_time(sample, time, &mut self.effects);
        self.answer();
    }

    fn answer(&mut self) {
        while let Some((thing, touch)) = self.effects.touches.pop() {
            let frame = Arc::new(self.stepper.step(&touch));
            self.tabletop.take_frame(thing, ShapeId::default(), frame);
            self.touches.push(touch);
        }
    }

    fn displacement(&self) -> Vector3<f64> {
        displacement(self.tabletop.things()[0].surface.as_ref().unwrap().frame())
    }

    /// Sets the mass moving by a first touch, as the session's clock does.
    fn begin(&mut self) {
        self.show_far(Side::Right, 0.0);
        assert!(self.tabletop.needs_time(), "its weight pulls it");
    }
}

/// How far the mass falls in a tenth of a second if nothing else happens.
fn fallen() -> f64 {
    let mut stepper = stepper();
    let touch = |i: u64| Touch {
        sample: SampleId(i),
        time: 0.01 * i as f64,
        world_from_object: Isometry3::translation(0.0, 0.3, 0.0),
        surroundings: Surroundings::on_table(),
        ..Touch::default()
    };
    displacement(&(0..=10).map(|i| stepper.step(&touch(i))).last().unwrap()).y
}

#[test]
fn time_passes_without_a_hand() {
    let mut table = Table::new();
    table.begin();
    let (sample, mut effects) = (table.next_sample(), std::mem::take(&mut table.effects));
    table.tabletop.lose_hand(Side::Right, "gone", sample, 0.0, &mut effects);
    table.effects = effects;
    table.answer();
    (1..=10).for_each(|i| table.pass(0.01 * f64::from(i)));
    assert!(table.touches.last().unwrap().proxies.is_empty());
    assert_eq!(table.displacement().y, fallen());
}

#[test]
fn time_passes_beside_a_hand_that_rests() {
    let mut table = Table::new();
    table.begin();
    (1..=10).for_each(|i| table.pass(0.01 * f64::from(i)));
    assert_eq!(table.touches.last().unwrap().proxies.len(), 20, "the hand is still there");
    assert_eq!(table.displacement().y, fallen());
    // It is not asked twice for the same moment.
    let n = table.touches.len();
    table.pass(0.1);
    assert_eq!(table.touches.len(), n);
    // Once it hangs still, no time is needed.
    let mut i = 11;
    while table.tabletop.needs_time() {
        assert!(i < 2000, "it never came to rest");
        table.pass(0.01 * f64::from(i));
        i += 1;
    }
}

#[test]
fn a_hand_that_is_lost_lets_go_of_what_it_pressed() {
    let mut table = Table::new();
    let mut i = 0;
    let is_pressed = |table: &Table| {
        table.tabletop.finger_forces(Side::Right, |_| true).iter().sum::<f64>() > 0.0
    };
    // Pressed until it rests in the hand.
    while !is_pressed(&table) || table.tabletop.needs_time() {
        assert!(i < 3000, "it never rests in the hand");
        i += 1;
        table.show_around(Side::Right, 1.2, 0.01 * f64::from(i));
    }
    let (sample, mut effects) = (table.next_sample(), std::mem::take(&mut table.effects));
    let time = 0.01 * f64::from(i + 1);
    table.tabletop.lose_hand(Side::Right, "gone", sample, time, &mut effects);
    table.effects = effects;
    table.answer();
    assert!(!is_pressed(&table) && table.tabletop.needs_time(), "it is free and moves again");
    assert_eq!(table.tabletop.touching(Side::Right), [false; 5]);
}

#[test]
fn time_passes_at_the_true_rate_while_hands_come_and_go() {
    let mut table = Table::new();
    table.begin();
    for i in 1..=10 {
        let time = 0.01 * f64::from(i);
        match i % 3 {
            0 => table.show_far(Side::Left, time - 0.004),
            1 => table.show_far(Side::Right, time - 0.006),
            _ => {}
        }
        table.pass(time);
    }
    table.show_far(Side::Left, 0.1);
    assert_eq!(table.displacement().y, fallen());
}

#[test]
fn a_touch_carries_both_hands_and_both_feel_what_they_push() {
    let mut table = Table::new();
    table.show_far(Side::Left, 0.0);
    table.show_far(Side::Right, 0.001);
    let touch = table.touches.last().unwrap();
    let n_of = |hand: u8| touch.proxies.iter().filter(|proxy| proxy.id.hand == hand).count();
    assert_eq!((n_of(Side::Left as u8), n_of(Side::Right as u8)), (20, 20));
    assert_eq!(touch.surroundings, Surroundings::on_table());

    // Both close round it, and neither keeps the other away.
    for i in 1..=200 {
        let (time, closed) = (0.01 * f64::from(i), 0.01 * f64::from(i));
        table.show_around(Side::Left, closed, time);
        table.show_around(Side::Right, closed, time + 0.005);
        let felt = |side| table.tabletop.finger_forces(side, |_| true).iter().sum::<f64>();
        if felt(Side::Left) > 0.0 && felt(Side::Right) > 0.0 {
            let chosen = table.tabletop.selected_thing().unwrap();
            let is_felt = |hand: &[f64; 5]| hand.iter().any(|force| *force > 0.0);
            assert!(chosen.forces.iter().all(is_felt), "bars show both hands");
            assert!(!chosen.presses.is_empty(), "and arrows show where");
            assert!(table.tabletop.touching(Side::Left).contains(&true));
            // What cannot be solved is not felt.
            assert_eq!(table.tabletop.finger_forces(Side::Left, |_| false), [0.0; 5]);
            return;
        }
    }
    panic!("the hands never met the mass");
}
