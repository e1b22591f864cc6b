//! Tests of hands that push matter with its own contacts: selection, drawing and forces.

use physics::{ContactModel, Grip, ProxyId, Topology};

use super::*;
use crate::hand::{Hand, centre};

/// A table with things that hands push; the test makes the frames.
struct PushedTable {
    tabletop: Tabletop,
    rest: SurfaceFrame,
    effects: HandEffects,
    time: f64,
    n_samples: u64,
    states: Vec<GraspState>,
}

impl PushedTable {
    fn new(n_things: usize) -> Self {
        let things: Vec<ThingParts> =
            (0..n_things).map(|i| cube(1, Vector3::x() * (0.2 * i as f64))).collect();
        let rest = contact_rest(&things[0]);
        let profile = Profile::uncalibrated(Side::Right);
        let profiles = Profiles { left: profile.clone(), right: profile };
        let tabletop = Tabletop::new(things, GraspRules::default(), profiles);
        let (effects, states) = (HandEffects::default(), Vec::new());
        let mut table = Self { tabletop, rest, effects, time: 0.0, n_samples: 0, states };
        (0..n_things).for_each(|thing| table.answer(thing, &[]));
        table
    }

    /// Answers with a frame of a thing on which these parts of hands act.
    fn answer(&mut self, thing: usize, forces: &[(ProxyId, [f32; 3])]) {
        let frame = pushed(&self.rest, forces);
        assert!(self.tabletop.take_frame(thing, ShapeId::default(), frame));
    }

    /// Takes the next sample of a hand, far above all things.
    fn show(&mut self, side: Side) {
        let world_from_wrist = Isometry3::translation(0.0, 2.0, 0.0);
        let pose = HandPose { angles: JointAngles::default(), world_from_wrist };
        (self.time, self.n_samples) = (self.time + DT, self.n_samples + 1);
        let sample = SampleId(self.n_samples);
        self.tabletop.take_hand(side, &pose, sample, self.time, &mut self.effects);
        self.note();
    }

    /// Lets time pass without a sample.
    fn pass(&mut self) {
        (self.time, self.n_samples) = (self.time + DT, self.n_samples + 1);
        let sample = SampleId(self.n_samples);
        self.tabletop.pass_time(sample, self.time, &mut self.effects);
        self.note();
    }

    fn note(&mut self) {
        self.states.extend(self.effects.events.iter().map(|event| event.transition.to));
    }
}

/// Rest frame of a thing that finds its own contacts.
fn contact_rest(parts: &ThingParts) -> SurfaceFrame {
    let rest = stepper(&parts.spec).rest_frame();
    let topology = Topology { grip: Grip::Contact, ..(*rest.topology).clone() };
    SurfaceFrame { topology: Arc::new(topology), ..rest }
}

fn pushed(rest: &SurfaceFrame, forces: &[(ProxyId, [f32; 3])]) -> Arc<SurfaceFrame> {
    Arc::new(SurfaceFrame { contact_forces: forces.to_vec(), ..rest.clone() })
}

fn part(side: Side, finger: u8, segment: u8) -> ProxyId {
    ProxyId { hand: side as u8, finger, segment }
}

fn push(side: Side) -> [(ProxyId, [f32; 3]); 1] {
    [(part(side, 1, ProxyId::TIP), [0.0, 0.0, -0.5])]
}

#[test]
fn forces_of_both_hands_are_shown_and_do_not_cancel() {
    let mut table = PushedTable::new(1);
    table.show(Side::Left);
    table.show(Side::Right);
    let [index_tip, index_end, thumb] = [
        part(Side::Left, 1, ProxyId::TIP),
        part(Side::Left, 1, 2),
        part(Side::Right, 0, ProxyId::TIP),
    ];
    // The left index is squeezed from two sides.
    table.answer(
        0,
        &[(index_tip, [0.0, 0.0, 2.0]), (index_end, [0.0, 0.0, -2.0]), (thumb, [0.5, 0.0, 0.0])],
    );
    let chosen = table.tabletop.selected_thing().unwrap();
    assert_eq!(chosen.forces, [[0.0, 4.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.0, 0.0]]);
    assert_eq!(table.tabletop.finger_forces(Side::Left, |_| true), chosen.forces[0]);
    assert_eq!(table.tabletop.finger_forces(Side::Right, |_| true), chosen.forces[1]);
    // Each force has its arrow, although the skin is far away from all of them.
    let left: &Hand = table.tabletop.real_hand(Side::Left).unwrap();
    let right = table.tabletop.real_hand(Side::Right).unwrap();
    let expected = [left.part(index_tip), left.part(index_end), right.part(thumb)];
    assert_eq!(chosen.presses.len(), 3);
    for (press, shape) in chosen.presses.iter().zip(expected) {
        assert!((press.at - centre(&shape.unwrap())).norm() < 1e-9, "{press:?}");
    }
    assert!((chosen.presses[1].force - Vector3::new(0.0, 0.0, -2.0)).norm() < 1e-9);
    // A lost hand has no place.
    let (sample, mut effects) = (SampleId(9), std::mem::take(&mut table.effects));
    table.tabletop.lose_hand(Side::Left, "gone", sample, table.time, &mut effects);
    assert_eq!(table.tabletop.selected_thing().unwrap().presses.len(), 1);
}

#[test]
fn a_thing_is_chosen_when_a_hand_begins_to_push_it() {
    let mut table = PushedTable::new(2);
    table.show(Side::Right);
    assert_eq!(table.tabletop.selected_index(), 0);
    table.answer(1, &push(Side::Right));
    table.show(Side::Right);
    assert_eq!((table.tabletop.selected_index(), &*table.states), (1, &[GraspState::Pushed][..]));
    // The person selects the other thing: a trembling contact does not select again.
    table.tabletop.apply_order(&Order::Select(0));
    for i in 0..100 {
        let forces = push(Side::Right);
        table.answer(1, if i % 9 < 5 { &[] } else { &forces });
        table.show(Side::Right);
        assert_eq!(table.tabletop.selected_index(), 0, "after {i} samples");
    }
    assert_eq!(table.states.len(), 1);
    // The push ends, and the next push selects.
    table.answer(1, &[]);
    (0..50).for_each(|_| table.show(Side::Right));
    assert_eq!(table.states[1..], [GraspState::Approach]);
    table.answer(1, &push(Side::Right));
    table.show(Side::Right);
    assert_eq!(table.tabletop.selected_index(), 1);
}

#[test]
fn what_is_in_a_hand_stays_chosen_while_another_thing_is_pushed() {
    let beside = Vector3::new(0.3, 0.0, 0.0);
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros()), cube(1, beside)], &[]);
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    assert!(desk.tabletop.things()[0].grasp.is_held());
    let frame = pushed(&contact_rest(&cube(1, beside)), &push(Side::Right));
    desk.tabletop.take_frame(1, ShapeId::default(), frame);
    let (sample, mut effects) = (SampleId(desk.n_samples + 1), HandEffects::default());
    let pose = demonstrated(4.4, Vector3::zeros());
    desk.tabletop.take_hand(Side::Right, &pose, sample, desk.time + DT, &mut effects);
    assert_eq!(desk.tabletop.things()[1].grasp.state(), GraspState::Pushed);
    assert_eq!(desk.tabletop.selected_index(), 0);
}

#[test]
fn a_push_ends_when_the_hand_is_silent_or_lost() {
    let mut table = PushedTable::new(1);
    table.answer(0, &push(Side::Right));
    table.show(Side::Right);
    assert!(!table.tabletop.needs_time() && !table.tabletop.is_at_rest());
    table.answer(0, &[]);
    let mut n_passes = 0;
    while table.tabletop.needs_time() {
        assert!(n_passes < 200, "the push never ends");
        n_passes += 1;
        table.pass();
    }
    assert_eq!(table.states, [GraspState::Pushed, GraspState::Approach]);
    assert!(table.tabletop.is_at_rest());

    table.answer(0, &push(Side::Right));
    table.show(Side::Right);
    let (sample, mut effects) = (SampleId(1000), std::mem::take(&mut table.effects));
    table.tabletop.lose_hand(Side::Right, "gone", sample, table.time, &mut effects);
    assert_eq!(effects.events[0].transition.to, GraspState::Approach);
    table.effects = effects;
    // The last frame still has forces of the lost hand.
    table.pass();
    assert_eq!(table.tabletop.things()[0].grasp.state(), GraspState::Approach);
}

#[test]
fn fingers_feel_their_strongest_model_at_their_tips_and_move_as_they_close() {
    let mut table = PushedTable::new(2);
    assert_eq!(table.tabletop.feelings(Side::Right, |_| true), None);
    table.show(Side::Right);
    let model = |proxy: ProxyId, force: f32| ContactModel {
        proxy,
        place: [0.01, 0.02, 0.03],
        force: [0.0, force, 0.0],
        normal: [0.0, 1.0, 0.0],
        stiffness: [100.0, 200.0, 100.0, 0.0, 0.0, 0.0],
        friction: 0.6,
        radius: 5e-3,
        slip_speed: 0.0,
    };
    let (tip, end) = (part(Side::Right, 1, ProxyId::TIP), part(Side::Right, 1, 2));
    let thumb_of_other_hand = part(Side::Left, 0, ProxyId::TIP);
    let models = vec![model(tip, 0.5), model(end, 2.0), model(thumb_of_other_hand, 9.0)];
    let frame = SurfaceFrame { contact_models: models, ..table.rest.clone() };
    assert!(table.tabletop.take_frame(1, ShapeId::default(), Arc::new(frame)));
    assert!(!table.tabletop.has_contact_models(0) && table.tabletop.has_contact_models(1));
    let felt = table.tabletop.feelings(Side::Right, |_| true).unwrap();
    let hand = table.tabletop.real_hand(Side::Right).unwrap();
    let index = felt[1].model.expect("the index finger touches");
    assert_eq!((index.thing, index.model.proxy, felt[0].model), (1, end, None));
    // The model's place of the finger's end belongs to the present place of that part: the tip
    // is as far from it as from the part's middle.
    let home = table.tabletop.things()[1].grasp.world_from_object();
    let place = Point3::from(index.model.place.map(f64::from));
    let arm = hand.fingertips[1].centre - centre(&hand.part(end).unwrap());
    assert!((index.world_from_object * place - (home * place + arm)).norm() < 1e-12);
    // A flat finger closes downwards: its tip moves by its length for each radian of its base.
    assert_eq!(felt[1].curl, 0.0);
    assert!(felt[1].way.y < -0.05, "{}", felt[1].way);
    let unsolved = table.tabletop.feelings(Side::Right, |thing| thing == 0).unwrap();
    assert!(unsolved.iter().all(|finger| finger.model.is_none()));
}

#[test]
fn a_thing_above_the_table_is_lifted_and_one_far_away_is_put_back() {
    let mut table = PushedTable::new(1);
    let moved = |table: &PushedTable, way: Vector3<f64>, forces: &[(ProxyId, [f32; 3])]| {
        let frame = SurfaceFrame { pose: Isometry3::from(way), ..table.rest.clone() };
        pushed(&frame, forces)
    };
    let take = |table: &mut PushedTable, frame| {
        table.tabletop.take_frame(0, ShapeId::default(), frame);
        table.show(Side::Right);
    };
    let standing = moved(&table, Vector3::zeros(), &push(Side::Right));
    take(&mut table, standing);
    let lifted = moved(&table, Vector3::new(0.0, 0.2, 0.0), &push(Side::Right));
    take(&mut table, lifted);
    assert_eq!(table.states, [GraspState::Pushed, GraspState::Lifted]);
    // It is not taken out of the hand, however far the hand carries it.
    let far = Vector3::new(2.0, 0.2, 0.0);
    let carried = moved(&table, far, &push(Side::Right));
    take(&mut table, carried);
    assert!(table.tabletop.take_solver_tasks().is_empty());
    // Nor is its grip changed there.
    table.tabletop.apply_order(&Order::Grip(Grip::Contact));
    assert!(table.tabletop.take_solver_tasks().is_empty());
    let free = moved(&table, far, &[]);
    take(&mut table, free);
    let tasks = table.tabletop.take_solver_tasks();
    assert!(matches!(tasks[..], [SolverTask::ReturnToRest { thing: 0 }]), "{tasks:?}");
    let message = table.tabletop.things()[0].message.clone();
    assert_eq!(message.as_deref(), Some("it was out of reach, and is back in its place"));
    // It is put back once.
    let free = moved(&table, far, &[]);
    take(&mut table, free);
    assert!(table.tabletop.take_solver_tasks().is_empty());
}

#[test]
fn a_change_of_grip_is_no_step_of_the_history() {
    let mut desk = Desk::new(vec![cube(1, Vector3::zeros())], &[]);
    let grip = |desk: &Desk| desk.tabletop.things()[0].shape().1.grip();
    for wanted in [Grip::Contact, Grip::Nodes, Grip::Contact] {
        desk.tabletop.apply_order(&Order::Grip(wanted));
        desk.run_solver_tasks();
        assert_eq!(grip(&desk), wanted);
    }
    desk.tabletop.apply_order(&Order::History(HistoryStep::Undo));
    assert_eq!(desk.message(), "there is nothing to undo");
    assert_eq!(grip(&desk), Grip::Contact);
}
