//! Known displacements and shapes in one touch, behind `Deformable`.

use nalgebra::Vector3;
use physics::{
    Deformable, KnownDisplacement, NodeId, Outcome, StepReport, Surroundings, Touch,
    WhenUnderdetermined,
};

use super::DT;
use super::matter::{HEIGHT, MASS, block, fingertip, lowest, steps_until_still, touch};

/// Nodes of the skin at rest positions that are chosen.
fn nodes(object: &dyn Deformable, choose: impl Fn([f32; 3]) -> bool) -> Vec<NodeId> {
    let topology = &object.surface().topology;
    let placed = topology.nodes.iter().zip(&topology.rest_positions);
    placed.filter(|(_, x)| choose(**x)).map(|(node, _)| *node).collect()
}

/// Corners of the block's low side at x = 0 and of its far side.
fn corners(object: &dyn Deformable) -> Vec<NodeId> {
    let is_end = |x: f32, end: f32| x < 1e-6 || x > end - 1e-6;
    nodes(object, |[x, y, z]| y < 1e-6 && is_end(x, 0.06) && is_end(z, 0.05))
}

fn held(nodes: &[NodeId], displacement: Vector3<f64>) -> Vec<KnownDisplacement> {
    nodes.iter().map(|node| KnownDisplacement::whole(*node, displacement)).collect()
}

fn sum(forces: impl Iterator<Item = Vector3<f64>>) -> Vector3<f64> {
    forces.sum()
}

fn reaction(object: &dyn Deformable) -> Vector3<f64> {
    sum(object.reactions().iter().map(|reaction| reaction.force))
}

fn step(object: &mut dyn Deformable, touch: &Touch) -> StepReport {
    let report = object.step(touch, DT);
    assert_eq!(report.outcome, Outcome::Solved);
    report
}

#[test]
fn held_nodes_carry_a_block_that_a_fingertip_presses() {
    let mut block = block();
    let corners = corners(&*block);
    assert_eq!(corners.len(), 4);
    // Above the table, at rest and then led 20 mm upwards and 10 mm aside.
    let weight = MASS * Surroundings::STANDARD_GRAVITY;
    let lifted = Vector3::new(0.01, 0.02, 0.0);
    let mut way = |share: f64, press: f64| {
        let mut tip = fingertip(press);
        if let physics::Shape::Sphere { centre, .. } = &mut tip.shape {
            *centre += lifted * share;
        }
        let known = held(&corners, lifted * share);
        let touch = Touch { known, ..touch(&*block, vec![tip]) };
        step(&mut *block, &touch)
    };
    for i in 0..=200 {
        way(f64::from(i) / 200.0, 0.0);
    }
    (0..200).for_each(|i| drop(way(1.0, 1.5e-3 * f64::from(i) / 200.0)));
    let mut last = way(1.0, 1.5e-3);
    for _ in 0..4000 {
        if !last.is_moving {
            break;
        }
        last = way(1.0, 1.5e-3);
    }
    assert!(!last.is_moving, "it comes to rest");
    assert_eq!(block.reactions().iter().map(|r| r.node).collect::<Vec<_>>(), corners);
    let pressed = sum(block.contact_forces().iter().map(|felt| felt.force));
    println!("pressed by {:.3} N, carried by {:.3} N", pressed.y, reaction(&*block).y);
    assert!(pressed.y < -0.1);
    assert!((reaction(&*block) + pressed - Vector3::y() * weight).norm() < 1e-3 * weight);
    assert!((lowest(&*block) - 0.025).abs() < 1e-3, "{}", lowest(&*block));
    // Each held corner is where it was told to be, in the frame of the touch.
    let surface = block.surface();
    for node in &corners {
        let at = surface.topology.nodes.binary_search(node).unwrap();
        let [rest, now] = [surface.topology.rest_positions[at], surface.positions[at]];
        let now = block.pose() * nalgebra::Point3::from(now.map(f64::from));
        let moved = now.coords - Vector3::from(rest.map(f64::from));
        assert!((moved - lifted).norm() < 1e-7, "{moved}");
    }
    // Let go, it falls, and no reaction is left.
    steps_until_still(&mut *block, &[]);
    assert!(block.reactions().is_empty() && lowest(&*block).abs() < 1e-4);
}

#[test]
fn a_mixture_goes_on_to_the_same_bits_from_its_state() {
    let run = |object: &mut dyn Deformable, steps: std::ops::Range<u32>| {
        let corners = corners(object);
        let mut bits = Vec::new();
        for i in steps {
            let t = f64::from(i);
            let mut known = held(&corners[..3], Vector3::new(1e-5 * t, 5e-6 * t, 0.0));
            known[0].displacement[1] = None;
            let mut held = touch(object, vec![fingertip(2e-5 * t)]);
            // Let go and taken again on the way.
            if i % 40 < 30 {
                held.known = known;
            }
            step(object, &held);
            let forces = object.reactions().iter().map(|r| r.force);
            let forces = forces.chain(object.contact_forces().iter().map(|felt| felt.force));
            bits.extend(forces.flat_map(|force| [force.x, force.y, force.z].map(f64::to_bits)));
            bits.extend(object.pose().translation.vector.iter().map(|x| x.to_bits()));
        }
        bits
    };
    let mut first = block();
    run(&mut *first, 0..63);
    let state = first.state();
    let went_on = run(&mut *first, 63..120);
    let mut other = block();
    for object in [&mut first, &mut other] {
        object.restore(&state).unwrap();
        assert_eq!(object.state(), state);
        assert!(run(&mut **object, 63..120) == went_on);
    }
    // States whose held nodes do not exist, or come twice, are refused.
    let mut nowhere = state.clone();
    *nowhere.integers.last_mut().unwrap() = 1_000_000;
    let mut twice = state.clone();
    let n = twice.integers.len();
    twice.integers[n - 1] = twice.integers[n - 2];
    let mut short = state.clone();
    short.reals.pop();
    for wrong in [nowhere, twice, short] {
        assert!(first.restore(&wrong).is_err());
    }
}

#[test]
fn a_node_that_cannot_be_held_refuses_the_touch_and_leaves_no_force() {
    let mut block = block();
    let corners = corners(&*block);
    let good = Touch {
        known: held(&corners, Vector3::y() * 1e-3),
        ..touch(&*block, vec![fingertip(2e-3)])
    };
    step(&mut *block, &good);
    assert!(!block.reactions().is_empty() && !block.contact_forces().is_empty());
    let state = block.state();
    let mut refused = |known: Vec<KnownDisplacement>, text: &str| {
        let report = block.step(&Touch { known, ..good.clone() }, DT);
        let Outcome::Refused(why) = report.outcome else { panic!("{report:?}") };
        assert!(why.contains(text), "{why}");
        assert!(block.reactions().is_empty() && block.contact_forces().is_empty());
        assert_eq!(block.state(), state);
    };
    refused(held(&[NodeId(9999)], Vector3::zeros()), "node 9999 does not exist");
    refused(held(&corners, Vector3::repeat(f64::NAN)), "is not finite");
    refused(held(&[corners[1], corners[0]], Vector3::zeros()), "expected ascending nodes");
    // A single held node lets a body with inertia swing: nothing is underdetermined.
    let one = Touch {
        known: held(&corners[..1], Vector3::y() * 0.01),
        when_underdetermined: WhenUnderdetermined::Refuse,
        ..good.clone()
    };
    step(&mut *block, &one);
}

#[test]
fn a_body_that_held_nodes_lead_quickly_is_stopped_by_a_fingertip_in_its_way() {
    // Led by all nodes of its low side at 3 m/s: a substep is cut into parts.
    let mut block = block();
    let low = nodes(&*block, |[_, y, _]| y < 1e-6);
    let mut tip = fingertip(0.0);
    if let physics::Shape::Sphere { centre, .. } = &mut tip.shape {
        *centre = nalgebra::Point3::new(0.06 + 8e-3 + 2e-3, 0.3 * HEIGHT, 0.025);
    }
    let mut most = 0.0_f64;
    for i in 0..=5 {
        let known = held(&low, Vector3::new(3e-3 * f64::from(i), 0.01, 0.0));
        let touch = Touch { known, ..touch(&*block, vec![tip]) };
        step(&mut *block, &touch);
        let felt = sum(block.contact_forces().iter().map(|felt| felt.force)).x;
        println!("step {i}: the fingertip pushes with {felt:.2} N");
        most = most.min(felt);
    }
    // The side was led 13 mm into the fingertip, whose pad is 4 mm thick.
    assert!(most < -2.0);
}
