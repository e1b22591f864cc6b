//! What every family promises, checked through `dyn Deformable`. A new family adds a line at the end.

use nalgebra::Vector3;
use physics::{
    Deformable, KnownDisplacement, NodeId, ObjectSpec, Outcome, SampleId, SurfaceFrame, Touch,
    build,
};

use crate::bodies::{glued_block, soft_block};

fn deformable_contract(make: impl Fn() -> Box<dyn Deformable>) {
    surface_is_well_formed(&*make());
    nonsense_is_refused_and_changes_nothing(make());
    same_touches_give_same_bits(make(), make());
}

/// What matter without weight, inertia or memory promises beyond that.
fn elastic_contract(make: impl Fn() -> Box<dyn Deformable>) {
    nothing_happens_without_a_touch(make());
    letting_go_springs_back(make());
}

fn surface_is_well_formed(object: &dyn Deformable) {
    let surface = object.surface();
    let n = surface.positions.len();
    assert_eq!(n, surface.topology.nodes.len());
    assert_eq!(n, surface.topology.rest_positions.len());
    assert!(surface.topology.nodes.is_sorted(), "points follow their nodes' order");
    assert!(surface.topology.triangles.iter().flatten().all(|&i| (i as usize) < n));
    assert!(object.reactions().is_empty());
}

fn nothing_happens_without_a_touch(mut object: Box<dyn Deformable>) {
    let rest = object.surface().clone();
    let report = object.step(&Touch::default(), 0.01);
    assert_eq!(report.outcome, Outcome::AtRest);
    assert_eq!(object.surface(), &rest);
}

fn nonsense_is_refused_and_changes_nothing(mut object: Box<dyn Deformable>) {
    let rest = object.surface().clone();
    let zero = Vector3::zeros();
    let known = |entries: &[(u32, Vector3<f64>)]| Touch {
        known: entries
            .iter()
            .map(|&(node, displacement)| KnownDisplacement::whole(NodeId(node), displacement))
            .collect(),
        ..Touch::default()
    };
    let nonsense = [
        known(&[(u32::MAX, zero)]),
        known(&[(1, zero), (1, zero)]),
        known(&[(5, zero), (2, zero)]),
        known(&[(0, Vector3::new(f64::NAN, 0.0, 0.0))]),
        Touch { topology_version: 99, ..Touch::default() },
    ];
    for touch in nonsense {
        let report = object.step(&touch, 0.01);
        assert!(matches!(report.outcome, Outcome::Refused(_)), "{touch:?} gave {report:?}");
        assert!(object.reactions().is_empty());
        assert_eq!(object.surface(), &rest);
    }
}

fn letting_go_springs_back(mut object: Box<dyn Deformable>) {
    let rest = object.surface().clone();
    let report = object.step(&squeeze(&*object, 0.002), 0.01);
    assert_eq!(report.outcome, Outcome::Solved);
    assert_ne!(object.surface(), &rest);
    object.step(&Touch::default(), 0.01);
    assert_eq!(object.surface(), &rest);
    assert!(object.reactions().is_empty());
}

fn same_touches_give_same_bits(mut a: Box<dyn Deformable>, mut b: Box<dyn Deformable>) {
    for step in 1..4 {
        let touch = squeeze(&*a, 0.001 * f64::from(step));
        let sample = SampleId(step as u64);
        let (report_a, report_b) = (a.step(&touch, 0.01), b.step(&touch, 0.01));
        let frame_a = SurfaceFrame::of(&*a, sample, report_a);
        assert_eq!(frame_a, SurfaceFrame::of(&*b, sample, report_b));
    }
}

/// Presses five far-apart points of the surface towards its middle, as fingertips would. Points on the
/// lower side are left alone: they may be glued.
fn squeeze(object: &dyn Deformable, depth: f64) -> Touch {
    let surface = object.surface();
    let at = |i: usize| Vector3::from(surface.topology.rest_positions[i].map(f64::from));
    let n = surface.positions.len();
    let highest = (0..n).map(|i| at(i).z).fold(f64::MIN, f64::max);
    let upper: Vec<usize> = (0..n).filter(|&i| at(i).z > 0.3 * highest).collect();
    let middle = upper.iter().map(|&i| at(i)).sum::<Vector3<f64>>() / upper.len() as f64;
    let known = upper
        .iter()
        .step_by(upper.len() / 5)
        .map(|&i| {
            let inward = (middle - at(i)).cap_magnitude(depth);
            KnownDisplacement::whole(surface.topology.nodes[i], inward)
        })
        .collect();
    Touch { known, topology_version: surface.topology.version, ..Touch::default() }
}

#[test]
fn a_free_solid_keeps_the_contract() {
    let make = || build(&ObjectSpec::Solid(soft_block())).unwrap();
    deformable_contract(make);
    elastic_contract(make);
}

#[test]
fn a_supported_solid_keeps_the_contract() {
    let make = || build(&ObjectSpec::Solid(glued_block())).unwrap();
    deformable_contract(make);
    elastic_contract(make);
}
