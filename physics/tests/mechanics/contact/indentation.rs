//! Indentation of glued blocks: Hertz' contact, and forces that do not depend on the mesh.

use nalgebra::{Point3, Vector3};
use physics::TetMesh;
use physics::contact::{
    ContactProxy, ContactSettings, ContactSolid, Friction, Pad, ProxyReport, ProxyShape,
};

use super::{DT, at, check, contact_solid, exact, fingertip, glued};
use crate::test_bodies::{nodes_where, shaken_box};

/// Presses a shape that touches the top of a block by a depth, and waits for the static answer.
fn settled(solid: &mut ContactSolid, tip: ContactProxy, depth: f64) -> ProxyReport {
    for step in 1..=8 {
        let at = at(0.0, 0.0, -depth * f64::from(step) / 8.0) * tip.to;
        let proxy = ContactProxy { from: at, to: at, ..tip };
        if step < 8 {
            solid.substep(&[proxy], &Vector3::zeros(), DT);
        } else {
            let report = solid.settle(&[proxy], DT, 60);
            assert!(report.solve.has_converged);
        }
    }
    solid.reports()[0]
}

/// Block whose cells are small below the middle of its top.
fn graded_block(size: [f64; 3], cells: [usize; 3], smallest: f64) -> (TetMesh, f64) {
    let mesh = shaken_box(Vector3::repeat(1.0), cells);
    // Sizes grow towards the sides: sinh, whose slope in the middle gives the smallest cell.
    let graded = |share: f64, length: f64, cells: f64| {
        let (mut low, mut high) = (1e-3, 20.0);
        for _ in 0..100 {
            let a: f64 = 0.5 * (low + high);
            let first = length * (a / cells).sinh() / a.sinh();
            if first > smallest { low = a } else { high = a }
        }
        length * (low * share).sinh() / low.sinh()
    };
    let moved = |x: &Point3<f64>| {
        let side = |axis: usize| {
            let half = 0.5 * size[axis];
            let from_middle = 2.0 * x[axis] - 1.0;
            from_middle.signum() * graded(from_middle.abs(), half, 0.5 * cells[axis] as f64)
        };
        Point3::new(side(0), side(1), size[2] - graded(1.0 - x.z, size[2], cells[2] as f64))
    };
    let positions: Vec<_> = mesh.rest_positions().iter().map(moved).collect();
    (TetMesh::new(positions, mesh.elements().to_vec()).unwrap(), smallest)
}

#[test]
fn a_rigid_ball_presses_as_hertz_says() {
    let (mesh, h) = graded_block([0.06, 0.06, 0.03], [16, 16, 10], 1.2e-3);
    println!("{} nodes", mesh.n_nodes());
    let supports = nodes_where(&mesh, |x| x.z.abs() < 1e-9);
    let settings = ContactSettings { spacing: None, has_local_compliance: false, ..exact() };
    let mut solid = contact_solid(mesh, (3e4, 0.3), supports, settings);
    let radius = 0.01;
    let shape = ProxyShape::Sphere { radius };
    let ball = ContactProxy::fixed(shape, at(0.0, 0.0, 0.03 + radius), Pad::HARD, Friction::NONE);
    for (depth, limit, of_hertz) in
        [(0.25e-3_f64, 0.01859, 1.070), (0.5e-3, 0.05389, 1.097), (1e-3, 0.15710, 1.130)]
    {
        let hertz = 4.0 / 3.0 * 3e4 / (1.0 - 0.09) * radius.sqrt() * depth.powf(1.5);
        check("limit", limit, of_hertz * hertz, 0.002);
        let force = settled(&mut solid, ball, depth).force.norm();
        let per_radius = h / (radius * depth).sqrt();
        println!("depth {depth}: F/limit {:.3} at h/a {per_radius:.2}", force / limit);
        assert!(force >= 0.99 * limit && force <= (1.03 + 0.3 * per_radius) * limit);
    }
}

fn soft(h: usize, has_local_compliance: bool) -> ContactSolid {
    let settings = ContactSettings { has_local_compliance, ..exact() };
    glued([0.08, 0.08, 0.04], [2 * h, 2 * h, h], (2e4, 0.35), settings)
}

fn tip(x: f64) -> ContactProxy {
    fingertip(at(x, 0.0, 0.04 + 8e-3), 0.6)
}

#[test]
fn a_fingertip_presses_equally_hard_on_any_mesh() {
    for (n, plain) in [(3, 1.99), (4, 1.74), (6, 1.44), (8, 1.30)] {
        let force = |local: bool, depth: f64| settled(&mut soft(n, local), tip(0.0), depth).force.z;
        let h = 40.0 / n as f64;
        println!("h {h:.1} mm: plain {:.3}, expected {plain}", force(false, 2e-3).abs() / 0.1950);
        for (depth, limit) in [(1e-3, 0.0646), (2e-3, 0.1950), (3e-3, 0.3602)] {
            let share = force(true, depth).abs() / limit;
            println!("h {h:.1} mm, depth {depth}: F/limit {share:.3}");
            assert!((share - 1.0).abs() < 0.12);
        }
    }
}

#[test]
fn a_fingertip_feels_no_mesh_as_it_moves_over_a_cell() {
    for n in [3, 4] {
        let mut solid = soft(n, true);
        let cell = 0.04 / n as f64;
        let forces: Vec<f64> = (0..6)
            .map(|i| {
                solid.place(Default::default());
                settled(&mut solid, tip(cell * f64::from(i) / 6.0), 2e-3).force.z.abs()
            })
            .collect();
        let most = forces.iter().fold(0.0_f64, |most, f| f.max(most));
        let least = forces.iter().fold(f64::INFINITY, |least, f| f.min(least));
        println!("cells of {:.1} mm: {least:.4} to {most:.4} N", 1e3 * cell);
        assert!((most - least) / (0.5 * (most + least)) < 0.08);
    }
}
