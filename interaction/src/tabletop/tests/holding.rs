//! Tests of hands that take and carry one or several things.

use super::*;

#[test]
fn a_hand_holds_one_thing_at_a_time() {
    // The fingers reach the second cube as well.
    let beside = Vector3::new(0.0, 0.0, 0.045);
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros()), cube(3, beside)], &[]);
    let mut n_both = 0;
    for _ in 0..2 {
        for step in 0..900 {
            desk.time += DT;
            desk.show(Side::Right, &demonstrated(f64::from(step) * DT, Vector3::zeros()));
            let n_held = desk.tabletop.things().iter().filter(|t| t.grasp.is_held()).count();
            n_both += usize::from(n_held > 1);
        }
    }
    assert_eq!(n_both, 0);
    let taken = |thing| desk.states(thing).contains(&GraspState::Attached);
    assert!(taken(0) || taken(1));
}

#[test]
fn a_hand_that_goes_lets_go_and_a_thing_that_is_placed_elsewhere_is_taken_there() {
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros())], &[]);
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    let elsewhere = Vector3::new(0.1, 0.0, -0.05);
    let home = cube(3, elsewhere).home;
    desk.tabletop.apply_order(&Order::Place { thing: 0, home });
    assert!(desk.message().contains("it is in the hand"), "{}", desk.message());
    let (id, mut effects) = (SampleId(desk.n_samples + 1), HandEffects::default());
    desk.tabletop.lose_hand(Side::Right, "it went", id, desk.time, &mut effects);
    assert!(!desk.tabletop.things()[0].grasp.is_held() && desk.hands().is_empty());
    // The squeezed thing springs back with the next sample, and can be taken again.
    desk.tabletop.apply_order(&Order::Place { thing: 0, home });
    desk.demonstrate(0.0, 0.5, elsewhere);
    assert_eq!(desk.tabletop.selected_thing().unwrap().squeeze, 0.0);
    desk.demonstrate(0.5, 4.4, elsewhere);
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Deforming);
}

#[test]
fn one_more_thing_comes_and_is_the_one_that_orders_are_about() {
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros())], &[]);
    desk.demonstrate(0.0, 0.2, Vector3::zeros());
    let beside = Vector3::new(0.2, 0.0, 0.0);
    let ball = ThingParts { name: "ball".to_owned(), ..cube(2, beside) };
    desk.tabletop.apply_order(&Order::Add(Box::new(ball)));
    assert_eq!(desk.tabletop.selected_thing().unwrap().name, "cube");
    desk.demonstrate(0.2, 0.3, Vector3::zeros());
    desk.run_solver_tasks();
    desk.tabletop.apply_order(&Order::Select(1));
    assert_eq!(desk.tabletop.selected_thing().unwrap().name, "ball");
    desk.tabletop.apply_order(&Order::Select(7));
    assert_eq!(desk.tabletop.selected_thing().unwrap().name, "ball", "there is no eighth");
    desk.demonstrate(0.0, 4.4, beside);
    assert_eq!(desk.tabletop.things()[1].grasp.state(), GraspState::Deforming);
}

#[test]
fn each_hand_holds_its_own_thing() {
    let place = Vector3::new(-0.25, 0.0, 0.1);
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros()), cube(3, place)], &[]);
    for step in 0..440 {
        desk.time += DT;
        let seconds = f64::from(step) * DT;
        desk.show(Side::Right, &demonstrated(seconds, Vector3::zeros()));
        desk.show(Side::Left, &demonstrated(seconds, place));
    }
    let things = desk.tabletop.things();
    assert_eq!(things[0].hand, Some(Side::Right));
    assert_eq!(things[1].hand, Some(Side::Left));
    for (thing, side) in [(0, Side::Right), (1, Side::Left)] {
        assert_eq!(things[thing].grasp.state(), GraspState::Deforming);
        let forces = desk.tabletop.finger_forces(side, |_| true);
        assert!(forces.iter().all(|force| *force > 0.05), "{forces:?}");
        // An unsolved thing does not hide the forces of the other one.
        assert_eq!(desk.tabletop.finger_forces(side, |solved| solved == thing), forces);
        assert_eq!(desk.tabletop.finger_forces(side, |solved| solved != thing), [0.0; 5]);
    }
    assert_eq!(desk.hands().len(), 2);
}

#[test]
fn carrying_adds_no_strain() {
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &[]);
    desk.demonstrate(0.0, 2.41, Vector3::zeros());
    let held = demonstrated(2.41, Vector3::zeros());
    let before = desk.positions(0);
    for i in 0..100 {
        desk.time += DT;
        let i = f64::from(i);
        let carry = Isometry3::new(
            Vector3::new(0.001, 0.002, -0.001) * i,
            Vector3::new(0.01, -0.02, 0.015) * i,
        );
        let pose = HandPose { world_from_wrist: carry * held.world_from_wrist, ..held };
        desk.show(Side::Right, &pose);
    }
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Deforming);
    assert!(farthest(&before, &desk.positions(0)) < 1e-6);
}
