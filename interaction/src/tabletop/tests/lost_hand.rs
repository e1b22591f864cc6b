//! Tests of hands whose devices fall silent.

use super::*;

#[test]
fn a_hand_that_is_lost_lets_go_and_begins_anew_when_it_is_back() {
    use GraspState::*;
    for rules in [&[][..], &["release=keeps"]] {
        let mut desk = Desk::new(vec![cube(3, Vector3::zeros())], rules);
        let home = *desk.tabletop.things()[0].grasp.world_from_object();
        let original = desk.positions(0);
        desk.demonstrate(0.0, 4.4, Vector3::zeros());
        assert_eq!(desk.states(0), [Touching, Attached, Deforming]);
        assert!(!desk.tabletop.needs_time(), "the hand brings the time along");
        desk.lose(Side::Right);
        assert_eq!(desk.events.last().unwrap().transition.reason, "the hand is lost");
        assert_eq!(desk.hands().len(), 0, "the place of a lost hand is not known");
        desk.wait();
        desk.run_solver_tasks();
        assert_eq!(desk.states(0)[3..], [Releasing, Approach]);
        assert_eq!(*desk.tabletop.things()[0].grasp.world_from_object(), home);
        let stays = farthest(&original, &desk.positions(0));
        assert_eq!(stays > 0.005, rules.contains(&"release=keeps"), "{stays} m");
        // The hand that is back takes the thing again, as far as the dents allow.
        desk.events.clear();
        desk.demonstrate(0.0, 9.0, Vector3::zeros());
        assert_eq!(desk.states(0)[..2], [Touching, Attached]);
        assert_eq!(desk.states(0).last(), Some(&Approach));
    }
}

#[test]
fn a_hand_that_is_lost_while_it_touches_leaves_nothing_behind() {
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros())], &["deform-with=5"]);
    let mut seconds = 0.0;
    while desk.tabletop.things()[0].grasp.state() != GraspState::Touching {
        desk.demonstrate(seconds, seconds + DT, Vector3::zeros());
        seconds += DT;
    }
    desk.lose(Side::Right);
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Approach);
    assert!(!desk.tabletop.needs_time());
    // The other hand can take the thing.
    for step in 0..440 {
        desk.time += DT;
        desk.show(Side::Left, &demonstrated(f64::from(step) * DT, Vector3::zeros()));
    }
    assert_eq!(desk.tabletop.things()[0].hand, Some(Side::Left));
    assert_eq!(desk.tabletop.things()[0].grasp.state(), GraspState::Deforming);
}
