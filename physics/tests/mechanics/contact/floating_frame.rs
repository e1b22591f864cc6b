//! The floating frame of a free body against a dense pseudo-inverse, and free fall.

use nalgebra::{DMatrix, DVector, Vector3};
use physics::contact::{ContactSolid, SkinPoints};
use physics::linear::assemble;
use physics::material::IsotropicElastic;

use super::{DT, GRAVITY, exact, free_cube, moving};
use crate::test_bodies::Random;

#[test]
fn the_floating_compliance_is_the_pseudo_inverse_up_to_a_rigid_motion() {
    let mut solid = free_cube(0.04, 2, (1e5, 0.3), exact());
    let mesh = super::centred(&crate::test_bodies::shaken_box(Vector3::repeat(0.04), [2; 3]), true);
    let stiffness = assemble(&mesh, &IsotropicElastic::new(1e5, 0.3).unwrap());
    let n = 3 * mesh.n_nodes();
    let mut dense = DMatrix::zeros(n, n);
    for column in 0..n {
        let mut unit = vec![0.0; n];
        unit[column] = 1.0;
        dense.set_column(column, &DVector::from_vec(stiffness.times(&unit)));
    }
    // Six eigenvalues are zero up to rounding.
    let inverse = dense.pseudo_inverse(1e-6 * 1e5 * 0.04).unwrap();
    let surface = solid.model().rest_surface().topology.nodes.clone();
    let mut random = Random(11);
    // A load in equilibrium: random forces without their rigid part.
    let mut load = DVector::from_fn(n, |_, _| 0.0);
    for node in &surface {
        (0..3).for_each(|axis| load[3 * node.index() + axis] = random.between(-1.0, 1.0));
    }
    let rigid = DMatrix::from_fn(3 * surface.len(), 6, |row, motion| {
        let x = mesh.rest_positions()[surface[row / 3].index()];
        match motion {
            0..3 => f64::from(u8::from(row % 3 == motion)),
            _ => Vector3::ith(motion - 3, 1.0).cross(&x.coords)[row % 3],
        }
    });
    let on_surface = |all: &DVector<f64>| {
        DVector::from_fn(3 * surface.len(), |row, _| all[3 * surface[row / 3].index() + row % 3])
    };
    let force = on_surface(&load);
    let amounts = (rigid.transpose() * &rigid).try_inverse().unwrap() * rigid.transpose() * &force;
    let force = &force - &rigid * amounts;
    for (i, node) in surface.iter().enumerate() {
        (0..3).for_each(|axis| load[3 * node.index() + axis] = force[3 * i + axis]);
    }
    let expected = on_surface(&(&inverse * &load));
    let mut got = DVector::zeros(3 * surface.len());
    for i in 0..surface.len() {
        let mut sum = Vector3::zeros();
        for j in 0..surface.len() {
            let force = Vector3::new(force[3 * j], force[3 * j + 1], force[3 * j + 2]);
            sum += solid.floating_compliance(i as u32, j as u32) * force;
        }
        (0..3).for_each(|axis| got[3 * i + axis] = sum[axis]);
    }
    let (energy, same) = (force.dot(&got), force.dot(&expected));
    println!("energy {energy:e}, pseudo-inverse {same:e}, {:e} apart", energy / same - 1.0);
    assert!((energy / same - 1.0).abs() < 1e-10);
    let apart = &got - &expected;
    let amounts = (rigid.transpose() * &rigid).try_inverse().unwrap() * rigid.transpose() * &apart;
    let rest = (&apart - &rigid * amounts).amax() / expected.amax();
    println!("the difference is rigid up to {rest:e}");
    assert!(rest < 1e-10);
}

#[test]
fn a_body_falls_freely_without_deformation() {
    let mut solid: ContactSolid = free_cube(0.04, 2, (2e4, 0.3), exact());
    let start = moving(Vector3::new(0.1, 0.0, 1.0));
    solid.place(start);
    let gravity = Vector3::new(0.0, 0.0, -GRAVITY);
    for step in 1..=100 {
        solid.substep(&[], &gravity, DT);
        let expected = start.velocity + gravity * (f64::from(step) * DT);
        assert!((solid.motion().velocity - expected).amax() < 1e-12);
    }
    let mut positions = Vec::new();
    solid.surface_positions(&mut positions);
    assert_eq!(positions, solid.model().rest_surface().topology.rest_positions);
}

#[test]
fn points_share_the_whole_area_and_lie_close_together() {
    let mesh = crate::test_bodies::random_box([3, 2, 4], 7);
    let topology = mesh.surface().topology;
    let area: f64 = topology
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|at| mesh.rest_positions()[topology.nodes[at as usize].index()]);
            0.5 * (b - a).cross(&(c - a)).norm()
        })
        .sum();
    for spacing in [None, Some(5e-3), Some(2e-3)] {
        let points = SkinPoints::of(&mesh, &topology, spacing);
        let sum: f64 = points.points().iter().map(|point| point.area).sum();
        assert!((sum / area - 1.0).abs() < 1e-12, "{sum} {area}");
        let n_nodes = points.points().iter().filter(|point| point.is_node).count();
        assert_eq!(n_nodes, topology.nodes.len());
        for point in points.points() {
            assert!((point.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        if spacing.is_none() {
            assert_eq!(points.len(), n_nodes);
        }
    }
}
