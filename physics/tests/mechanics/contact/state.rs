//! State as a value: what is restored goes on to the same bits.

use nalgebra::Vector3;
use physics::contact::{ContactError, ContactProxy, ContactSettings, ContactSolid};

use super::{DT, GRAVITY, at, fingertip, free_cube, table};

const EDGE: f64 = 0.04;

fn scene(step: u32) -> [ContactProxy; 3] {
    let tip = |side: f64| {
        let pose = |step: u32| {
            let t = f64::from(step);
            at(side * (0.5 * EDGE + 8e-3 - 2e-5 * t.min(60.0)), 1e-5 * t, 1e-5 * t * (1.0 + side))
        };
        fingertip(pose(step), 0.6).moved_to(pose(step + 1))
    };
    [table(-0.5 * EDGE, 0.4), tip(-1.0), tip(1.0)]
}

fn run(solid: &mut ContactSolid, steps: std::ops::Range<u32>) -> Vec<u64> {
    let mut bits = Vec::new();
    for step in steps {
        solid.substep(&scene(step), &Vector3::new(0.0, 0.0, -GRAVITY), DT);
        for report in solid.reports() {
            bits.extend(report.force.iter().chain(&report.moment).map(|x| x.to_bits()));
        }
    }
    bits.extend(solid.motion().world_from_object.translation.vector.iter().map(|x| x.to_bits()));
    bits
}

#[test]
fn a_restored_state_goes_on_to_the_same_bits() {
    let new = || free_cube(EDGE, 3, (4e4, 0.3), ContactSettings::default());
    let mut solid = new();
    run(&mut solid, 0..70);
    let state = solid.state();
    let went_on = run(&mut solid, 70..120);
    assert!(state.contacts.iter().any(|contact| contact.anchor.is_some()));
    // In the same solid, whose matrices are filled, and in a new one.
    solid.restore(&state).unwrap();
    assert!(run(&mut solid, 70..120) == went_on, "the same solid");
    let mut other = new();
    other.restore(&state).unwrap();
    assert!(run(&mut other, 70..120) == went_on, "another solid");
}

#[test]
fn a_state_of_another_skin_is_refused() {
    let mut solid = free_cube(EDGE, 2, (4e4, 0.3), ContactSettings::default());
    run(&mut solid, 0..70);
    let mut state = solid.state();
    state.contacts[0].point = 1_000_000;
    let refused = solid.restore(&state).unwrap_err();
    assert!(matches!(refused, ContactError::NoSuchPoint { point: 1_000_000, .. }), "{refused}");
}

#[test]
fn displacements_of_all_nodes_agree_with_the_shown_surface() {
    let mut solid = free_cube(EDGE, 3, (4e4, 0.3), ContactSettings::default());
    run(&mut solid, 0..70);
    let mut positions = Vec::new();
    solid.surface_positions(&mut positions);
    let displacements = solid.displacements();
    let topology = &solid.model().rest_surface().topology;
    let mut largest: f64 = 0.0;
    for (node, x) in topology.nodes.iter().zip(&positions) {
        let shown = nalgebra::Point3::from(x.map(f64::from));
        let rest = solid.model().mesh().rest_positions()[node.index()];
        let displacement = Vector3::from(displacements[node.index()]);
        assert!((rest + displacement - shown).norm() < 1e-6 * EDGE, "node {node:?}");
        largest = largest.max(displacement.norm());
    }
    assert!(largest > 1e-4, "the cube is deformed: {largest}");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut solid = free_cube(EDGE, 16, (4e4, 0.3), ContactSettings::default());
            let mut bits = run(&mut solid, 0..80);
            let mut positions = Vec::new();
            solid.surface_positions(&mut positions);
            // Enough for several threads to share the surface.
            let points = solid.points().points();
            let corners = solid.contacts().iter().flat_map(|it| points[it.point as usize].corners);
            let corners: std::collections::HashSet<u32> = corners.collect();
            assert!(3 * positions.len() * 3 * corners.len() > 1 << 20);
            bits.extend(positions.iter().flatten().map(|x| u64::from(x.to_bits())));
            bits
        })
    };
    let alone = bits(1);
    assert!(bits(2) == alone && bits(3) == alone);
}
