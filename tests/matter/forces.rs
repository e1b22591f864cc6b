//! Forces belong to the part of the hand that pushes, embedded and behind a server alike.

use engine::SolverLocation;
use nalgebra::Vector3;
use physics::{ProxyId, Shape, Touch};
use tests::SPEED;

use crate::solver_links::{Solved, bits, resources, script, server, stepper, touch, url};

#[test]
fn both_links_give_the_same_forces_fields_and_bits() {
    let mut here = stepper();
    let server = server(0);
    let mut embedded = Solved::by(&SolverLocation::Embedded(resources()));
    let mut remote = Solved::by(&SolverLocation::Remote(url(&server)));
    let mut n_pushed = 0;
    for touch in script(60) {
        let expected = here.step(&touch);
        for solved in [&mut embedded, &mut remote] {
            let frame = solved.step(&touch);
            assert_eq!(bits(&frame), bits(&expected), "{:?}", touch.sample);
            assert_eq!(frame.contact_forces, expected.contact_forces);
            assert_eq!(frame.report, expected.report);
            assert_eq!(frame.topology.fields, [SPEED]);
            assert_eq!(frame.field("speed").is_some(), touch.wants_fields);
        }
        n_pushed += usize::from(!expected.contact_forces.is_empty());
    }
    assert!((20..60).contains(&n_pushed), "{n_pushed} frames are pushed");
}

#[test]
fn forces_name_the_finger_and_the_hand_that_push() {
    let mut stepper = stepper();
    let plain = touch(1, 0.0);
    let push = |hand: u8, finger: u8, x: f64| {
        let mut proxy = plain.proxies[0];
        proxy.id = ProxyId { hand, finger, segment: ProxyId::TIP };
        if let Shape::Sphere { centre, .. } = &mut proxy.shape {
            (centre.x, centre.y) = (x, 0.0);
        }
        proxy
    };
    // Two hands from two sides, one of them deeper; a third finger does not reach it.
    let proxies = vec![push(0, 1, -0.034), push(1, 0, 0.036), push(1, 4, 0.09)];
    let at = |i: u64, time: f64| Touch { proxies: proxies.clone(), ..touch(i, time) };
    stepper.step(&at(1, 0.0));
    let frame = stepper.step(&at(2, 0.001));
    let felt = |hand: u8, finger: u8| {
        let mut forces = frame.contact_forces.iter();
        let found = forces.find(|(id, _)| (id.hand, id.finger) == (hand, finger));
        found.map(|(_, force)| Vector3::from(force.map(f64::from)))
    };
    let (left, right) = (felt(0, 1).unwrap(), felt(1, 0).unwrap());
    assert!(left.x > 0.0 && right.x < 0.0, "they push towards each other: {left} {right}");
    assert!(left.norm() > right.norm());
    assert_eq!(felt(1, 4), None);
}
