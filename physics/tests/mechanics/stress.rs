//! Tests of the skin's stress field against closed forms and the stress of every element.

use nalgebra::{Matrix3, Point3, Vector3};
use physics::{
    Deformable, KnownDisplacement, NodeId, Outcome, SolidSpec, Touch, WhenUnderdetermined,
};

use crate::test_bodies::{
    POISSON, Random, YOUNG, glued_block, model, nodes_where, shaken_box, soft_block, solid, touch,
};

const SIZE: Vector3<f64> = Vector3::new(0.06, 0.05, 0.04);

fn block() -> SolidSpec {
    let mesh = shaken_box(SIZE, [4, 3, 3]);
    SolidSpec::new(mesh, crate::test_bodies::material(), Vec::new()).unwrap()
}

/// Stresses at the points of the skin for a touch.
fn stresses(spec: &SolidSpec, touch: Touch) -> Vec<f32> {
    let mut solid = solid(spec);
    let report = solid.step(&Touch { wants_fields: true, ..touch }, 0.0);
    assert_eq!(report.outcome, Outcome::Solved);
    solid.surface().fields[0].values.to_vec()
}

fn check_everywhere(stresses: &[f32], expected: f64) {
    for (point, &stress) in stresses.iter().enumerate() {
        let error = (f64::from(stress) - expected).abs() / expected;
        assert!(error < 1e-5, "point {point}: {stress} Pa instead of {expected} Pa");
    }
}

#[test]
fn a_block_between_two_plates_has_the_pressure_of_the_plates() {
    // The plates hold the block along y only, so that its sides bulge freely. The only stress is
    // along y: Young's modulus times strain.
    let spec = block();
    let strain = 0.03;
    let plates = nodes_where(spec.mesh(), |x| x.y == 0.0 || x.y == SIZE.y);
    let at = |node: NodeId| spec.mesh().rest_positions()[node.index()];
    let pressed =
        |node| KnownDisplacement { node, displacement: [None, Some(-strain * at(node).y), None] };
    let known = plates.into_iter().map(pressed).collect();
    let touch = Touch { when_underdetermined: WhenUnderdetermined::LeastMotion, ..touch(known) };
    check_everywhere(&stresses(&spec, touch), YOUNG * strain);
}

#[test]
fn a_sheared_block_has_root_three_of_its_shear_stress() {
    let spec = block();
    let shear = 0.02;
    let on_skin = |x: &Point3<f64>| (0..3).any(|i| x[i] == 0.0 || x[i] == SIZE[i]);
    let at = |node: NodeId| spec.mesh().rest_positions()[node.index()];
    let sheared = |node| KnownDisplacement::whole(node, Vector3::x() * (shear * at(node).y));
    let known = nodes_where(spec.mesh(), on_skin).into_iter().map(sheared).collect();
    let modulus = YOUNG / (2.0 * (1.0 + POISSON));
    check_everywhere(&stresses(&spec, touch(known)), 3.0_f64.sqrt() * modulus * shear);
}

#[test]
fn a_point_has_the_mean_stress_of_the_elements_around_it() {
    for (spec, seed) in [(soft_block(), 1), (glued_block(), 2)] {
        let mesh = spec.mesh();
        let skin = mesh.surface().topology;
        let is_free = |node: &NodeId| !spec.supports().contains(node);
        let free: Vec<NodeId> = skin.nodes.iter().copied().filter(is_free).collect();
        let known = Random(seed).known(&free, 9);
        // Stress of every element, as `palpate solve --stress` prints it.
        let solution =
            model(&spec).solve(&known, WhenUnderdetermined::Refuse).unwrap().with_stresses(&spec);
        let stresses = stresses(&spec, touch(known));
        let most = stresses.iter().copied().fold(0.0, f32::max);
        for (&node, &stress) in skin.nodes.iter().zip(&stresses) {
            let mut sum = Matrix3::zeros();
            let mut volume = 0.0;
            for (nodes, s) in mesh.elements().iter().zip(&solution.stresses) {
                if nodes.contains(&node) {
                    let [a, b, c, d] = nodes.map(|n| mesh.rest_positions()[n.index()]);
                    let v = (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0;
                    let [xx, yy, zz, yz, xz, xy] = *s;
                    sum += Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) * v;
                    volume += v;
                }
            }
            let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = (sum / volume).transpose().into();
            // The von Mises stress, written in components.
            let normal = (xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2);
            let shear = xy * xy + yz * yz + xz * xz;
            let expected = (0.5 * normal + 3.0 * shear).sqrt();
            let error = (f64::from(stress) - expected).abs();
            assert!(error < 1e-5 * f64::from(most), "{node:?}: {stress} instead of {expected}");
        }
    }
}

#[test]
fn stresses_come_on_request_only_and_do_not_change_the_shape() {
    let spec = soft_block();
    let known = Random(5).known(&spec.mesh().surface().topology.nodes, 6);
    let plain = touch(known);
    let asked = Touch { wants_fields: true, ..plain.clone() };
    let (mut one, mut other) = (solid(&spec), solid(&spec));
    one.step(&plain, 0.0);
    other.step(&asked, 0.0);
    assert_eq!(one.surface().positions, other.surface().positions);
    assert_eq!(one.reactions(), other.reactions());
    assert_eq!(one.surface().fields, []);
    // A refused touch changes nothing. A touch that does not want the fields clears them.
    let before = other.surface().clone();
    let broken = Touch { topology_version: 99, ..plain.clone() };
    other.step(&broken, 0.0);
    assert_eq!(*other.surface(), before);
    other.step(&plain, 0.0);
    assert_eq!(other.surface().fields, []);
    // At rest all stresses are zero.
    other.step(&Touch { wants_fields: true, ..Touch::default() }, 0.0);
    let stresses = &other.surface().fields[0];
    assert!(stresses.range == [0.0, 50.0] && stresses.values.iter().all(|&stress| stress == 0.0));
}
