//! Tests of changes of shape: keep, undo, another material, another thing.

use physics::contact::ContactSettings;

use super::*;
use crate::thing::NamedMaterial;

#[test]
fn a_kept_shape_stays_and_can_be_undone() {
    use GraspState::*;
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &[]);
    let original = desk.positions(0);
    desk.tabletop.apply_order(&Order::KeepShape);
    assert!(desk.message().contains("squeeze first"), "{}", desk.message());
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    assert_eq!(desk.states(0), [Touching, Attached, Deforming]);
    let squeezed = desk.positions(0);
    assert!(farthest(&original, &squeezed) > 0.005);
    let jump_before = desk.largest_jump;

    desk.tabletop.apply_order(&Order::KeepShape);
    // The thing follows the hand while the shape is prepared, and goes on without a jump.
    desk.demonstrate(4.4, 4.6, Vector3::zeros());
    desk.run_solver_tasks();
    assert!(farthest(&squeezed, &desk.positions(0)) < 1e-6, "the rest shape is what was squeezed");
    desk.demonstrate(4.6, 8.6, Vector3::zeros());
    assert!(desk.largest_jump < jump_before.max(0.002), "{} m", desk.largest_jump);
    assert_eq!(desk.states(0)[3..], [Releasing, Approach]);
    let kept_shape = desk.positions(0);
    assert!(farthest(&squeezed, &kept_shape) < 1e-6, "it springs back to what was kept");

    for (order, expected) in [
        (HistoryStep::Undo, &original),
        (HistoryStep::Redo, &kept_shape),
        (HistoryStep::Reset, &original),
        (HistoryStep::Redo, &kept_shape),
    ] {
        desk.tabletop.apply_order(&Order::History(order));
        desk.run_solver_tasks();
        desk.rest();
        assert!(farthest(expected, &desk.positions(0)) < 1e-9, "{order:?}: {}", desk.message());
    }
    desk.tabletop.apply_order(&Order::History(HistoryStep::Redo));
    assert_eq!(desk.message(), "there is nothing to redo");
}

/// The demonstration with the middle finger held away.
fn without_the_middle(seconds: f64) -> HandPose {
    let mut pose = demonstrated(seconds, Vector3::zeros());
    pose.angles.fingers[1].mpj -= 0.5;
    pose
}

#[test]
fn a_finger_that_takes_hold_just_after_a_keep_counts_from_the_new_rest_shape() {
    let rules = ["attach-fingers=index+ring+pinkie", "deform-with=4"];
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &rules);
    let original = desk.positions(0);
    for step in 0..440 {
        desk.time += DT;
        desk.show(Side::Right, &without_the_middle(f64::from(step) * DT));
    }
    let middle = |desk: &Desk| desk.tabletop.things()[0].grasp.contacts()[2];
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Deforming);
    assert_eq!(middle(&desk), FingerContact::Free);
    desk.tabletop.apply_order(&Order::KeepShape);
    desk.run_solver_tasks();
    assert_eq!(desk.message(), "this is the rest shape now");
    // The next sample adds the finger, on the surface of the previous answer.
    let (before, held) = (desk.positions(0), desk.held(0));
    desk.time += DT;
    desk.show(Side::Right, &demonstrated(4.39, Vector3::zeros()));
    assert_eq!(middle(&desk), FingerContact::Pressing);
    let taken = desk.held(0).into_iter().find(|node| !held.contains(node)).unwrap();
    let surface = desk.tabletop.things()[0].surface.as_ref().unwrap();
    let point = surface.frame().topology.nodes.iter().position(|node| *node == taken).unwrap();
    let kept = distance(&original[point], &before[point]);
    assert!(kept > 0.002, "its node was kept only {kept} m away: the test says nothing");
    let jump = farthest(&before, &desk.positions(0));
    assert!(jump < 0.0005, "{jump} m");
}

#[test]
fn other_matter_answers_with_other_forces_and_can_be_undone() {
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &[]);
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    let force = |desk: &mut Desk| -> f64 {
        desk.run_solver_tasks();
        // The hand holds still, so that only the material makes a difference.
        desk.time += DT;
        desk.show(Side::Right, &demonstrated(4.4, Vector3::zeros()));
        desk.tabletop.selected_thing().unwrap().forces.iter().flatten().sum()
    };
    let before = force(&mut desk);
    let now = *desk.tabletop.selected_thing().unwrap().spec.material();
    let material = IsotropicElastic::new(2.0 * now.young(), now.poisson()).unwrap();
    let order = Order::Material(NamedMaterial {
        name: "rubber".to_owned(),
        material,
        contact: ContactSettings::default(),
    });
    desk.tabletop.apply_order(&order);
    assert_eq!(desk.message(), "rubber is being prepared ...");
    let after = force(&mut desk);
    assert!(before > 0.1 && (after / before - 2.0).abs() < 1e-3, "{before} N, then {after} N");
    assert_eq!(desk.message(), "it is made of the other material now");
    desk.tabletop.apply_order(&order);
    assert_eq!(desk.message(), "it is made of rubber already");
    desk.tabletop.apply_order(&Order::History(HistoryStep::Undo));
    let undone = force(&mut desk);
    assert!((undone / before - 1.0).abs() < 1e-3, "{before} N, then {undone} N");
}

#[test]
fn clay_stays_as_it_was_pressed_without_a_jump() {
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &["release=keeps"]);
    let original = desk.positions(0);
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    let squeezed = desk.positions(0);
    let jump = desk.largest_jump;
    desk.demonstrate(4.4, 9.0, Vector3::zeros());
    assert!(
        farthest(&squeezed, &desk.positions(0)) < 0.002,
        "fingers that leave pull nothing back"
    );
    desk.run_solver_tasks();
    desk.demonstrate(0.0, 1.0, Vector3::zeros());
    assert!(farthest(&original, &desk.positions(0)) > 0.005, "the dents stay");
    assert!(farthest(&squeezed, &desk.positions(0)) < 0.002);
    assert!(desk.largest_jump < jump.max(0.001), "{} m", desk.largest_jump);
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Approach);
}

#[test]
fn a_shape_that_cannot_be_kept_leaves_all_as_it_was() {
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &[]);
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    desk.tabletop.apply_order(&Order::KeepShape);
    let Some(SolverTask::KeepShape { thing, shape, .. }) = desk.tabletop.take_solver_tasks().pop()
    else {
        panic!("nothing to do")
    };
    desk.tabletop.apply_order(&Order::History(HistoryStep::Undo));
    assert!(desk.message().contains("one change at a time"), "{}", desk.message());
    desk.tabletop.shape_made(thing, shape, Err("element 3 would turn inside out".to_owned()));
    assert!(desk.message().contains("element 3"), "{}", desk.message());
    desk.demonstrate(4.4, 9.0, Vector3::zeros());
    assert_eq!(desk.tabletop.shape(0), ShapeId::default());
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Approach);
}

#[test]
fn another_thing_takes_the_place_when_it_is_ready_and_never_if_it_cannot_be() {
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &[]);
    let large = desk.positions(0).len();
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    let small = ThingParts { name: "small".to_owned(), ..cube(2, Vector3::zeros()) };
    let order = Order::Replace(Box::new(small));
    desk.tabletop.apply_order(&order);
    let Some(SolverTask::PrepareShape { thing, shape, .. }) =
        desk.tabletop.take_solver_tasks().pop()
    else {
        panic!("nothing to do")
    };
    desk.tabletop.shape_made(thing, shape, Err("too large".to_owned()));
    assert!(desk.message().contains("stays as it was: too large"), "{}", desk.message());
    assert!(
        desk.tabletop.selected_thing().unwrap().forces.iter().flatten().any(|force| *force > 0.01)
    );

    desk.tabletop.apply_order(&order);
    desk.demonstrate(4.4, 4.6, Vector3::zeros());
    assert_eq!(desk.positions(0).len(), large, "the old one stays in the hand meanwhile");
    desk.run_solver_tasks();
    assert!(desk.positions(0).len() < large);
    let chosen = desk.tabletop.selected_thing().unwrap();
    assert_eq!((chosen.name.as_str(), chosen.n_kept, chosen.squeeze), ("small", 0, 0.0));
    // It is taken, kept and undone like the first.
    desk.demonstrate(4.6, 9.0, Vector3::zeros());
    desk.demonstrate(0.0, 4.4, Vector3::zeros());
    desk.tabletop.apply_order(&Order::KeepShape);
    desk.run_solver_tasks();
    assert_eq!(desk.tabletop.selected_thing().unwrap().n_kept, 1, "{}", desk.message());
    desk.tabletop.apply_order(&Order::History(HistoryStep::Undo));
    desk.run_solver_tasks();
    let chosen = desk.tabletop.selected_thing().unwrap();
    assert_eq!((desk.message(), chosen.n_kept, chosen.n_undone), ("undone", 0, 1));
}
