//! Counts the memory allocations of a frame. A separate test binary, because it counts those of the
//! whole process.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

#[allow(dead_code, reason = "shared with the tests of mechanics, which need more of it")]
#[path = "mechanics/test_bodies.rs"]
mod test_bodies;

use std::sync::Arc;

use allocation_counter::measure;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use physics::contact::{
    ContactMatter, ContactProxy, ContactSettings, ContactSolid, Friction, Pad, ProxyShape,
};
use physics::{
    Deformable, KnownDisplacement, Outcome, Proxy, ProxyId, SampleId, Shape, SolidSpec, StepReport,
    SurfaceFrame, Surroundings, Touch,
};
use test_bodies::{Random, material, model, shaken_box, solid, touch};

#[test]
fn a_frame_that_touches_the_same_nodes_allocates_nothing() {
    // A bar, whose frames are computed in `f64` where large forces oppose each other, and a block,
    // whose frames are not.
    for (size, cells) in [([0.3, 0.03, 0.03], [20, 2, 2]), ([0.06, 0.05, 0.04], [5, 5, 5])] {
        let mesh = shaken_box(Vector3::from(size), cells);
        let skin = mesh.surface().topology.nodes.clone();
        let mut solid = solid(&SolidSpec::new(mesh, material(), Vec::new()).unwrap());
        let mut random = Random(3);
        let known = random.known(&skin, 15);
        let touches: Vec<Touch> = (0..10)
            .map(|step| {
                let mut known = known.clone();
                let all = known.iter_mut().flat_map(|k| &mut k.displacement).flatten();
                all.for_each(|component| *component *= 1.0 + 0.01 * f64::from(step));
                touch(known)
            })
            .collect();
        // The first frames allocate buffers and columns.
        for touch in &touches[..4] {
            solid.step(touch, 0.0);
        }
        for touch in &touches {
            let taken = measure(|| {
                assert_eq!(solid.step(touch, 0.0).outcome, Outcome::Solved);
            });
            assert_eq!(taken.count_total, 0, "{taken:?}");
        }
        // A frame has a list of reactions of its own, and shares the positions.
        let taken = measure(|| {
            let report = StepReport::without_solve(Outcome::Solved);
            drop(SurfaceFrame::of(&solid, SampleId::default(), report));
        });
        assert_eq!(taken.count_total, 1, "{taken:?}");
        assert!(taken.bytes_total <= 16 * known.len() as u64, "{taken:?}");
    }
}

#[test]
fn a_substep_with_the_same_contacts_allocates_nothing() {
    let edge = 0.04;
    let mesh = shaken_box(Vector3::repeat(edge), [4; 3]);
    let spec = SolidSpec::new(mesh, material(), Vec::new()).unwrap();
    let mut solid = ContactSolid::new(Arc::new(model(&spec)), ContactSettings::default()).unwrap();
    let tip = |side: f64, depth: f64| {
        let shape = ProxyShape::Sphere { radius: 8e-3 };
        let x = 0.5 * edge + side * (0.5 * edge + 8e-3 - depth);
        let pose = Isometry3::translation(x, 0.021, 0.019);
        ContactProxy::fixed(shape, pose, Pad::FINGERTIP, Friction::SKIN)
    };
    let pinch = |depth: f64| [tip(-1.0, depth), tip(1.0, depth)];
    let still = Vector3::zeros();
    for step in 0..200 {
        solid.substep(&pinch(1e-3 * f64::from(step.min(50)) / 50.0), &still, 1e-3);
    }
    let before: Vec<u32> = solid.contacts().iter().map(|contact| contact.point).collect();
    assert!(before.len() > 20, "{before:?}");
    // Longer than the time between two searches for near points.
    for step in 0..60 {
        let depth = 1e-3 + 1e-6 * f64::from(step % 7);
        let proxies = pinch(depth);
        let taken = measure(|| {
            solid.substep(&proxies, &still, 1e-3);
        });
        assert_eq!(taken.count_total, 0, "substep {step}: {taken:?}");
    }
    let after: Vec<u32> = solid.contacts().iter().map(|contact| contact.point).collect();
    assert_eq!(before, after);
}

#[test]
fn a_step_of_matter_with_the_same_contacts_allocates_nothing() {
    let edge = 0.04;
    let mesh = shaken_box(Vector3::repeat(edge), [4; 3]);
    let corner = mesh.surface().topology.nodes[0];
    let spec = SolidSpec::new(mesh, material(), Vec::new()).unwrap();
    let model = Arc::new(model(&spec));
    let held = KnownDisplacement::whole(corner, Vector3::new(0.0, 1e-4, 0.0));
    for known in [Vec::new(), vec![held]] {
        let settings = ContactSettings::default();
        let mut matter = ContactMatter::of(Arc::clone(&model), settings).unwrap();
        let part = |finger: u8, side: f64, depth: f64| Proxy {
            id: ProxyId { hand: 1, finger, segment: ProxyId::TIP },
            shape: Shape::Sphere {
                centre: Point3::new(0.5 * edge + side * (0.5 * edge + 8e-3 - depth), 0.021, 0.019),
                radius: 8e-3,
            },
            orientation: UnitQuaternion::identity(),
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
        };
        let pinch = |depth: f64| Touch {
            proxies: vec![part(0, -1.0, depth), part(1, 1.0, depth)],
            surroundings: Surroundings::on_table(),
            known: known.clone(),
            ..Touch::default()
        };
        for step in 0..600 {
            let touch = pinch(1.5e-3 * f64::from(step.min(100)) / 100.0);
            assert_eq!(matter.step(&touch, 1e-3).outcome, Outcome::Solved);
        }
        // Longer than the time between two searches for near points. A reader holds each frame
        // until the next one; every third surface is not shown.
        let mut shown = Arc::clone(&matter.surface().positions);
        for step in 0..60 {
            let mut touch = pinch(1.5e-3 + 1e-7 * f64::from(step % 7));
            touch.is_between = step % 3 == 0;
            let taken = measure(|| {
                assert_eq!(matter.step(&touch, 1e-3).outcome, Outcome::Solved);
                shown = Arc::clone(&matter.surface().positions);
            });
            assert_eq!(taken.count_total, 0, "step {step}: {taken:?}");
        }
        assert_eq!(matter.contact_forces().len(), 2);
        assert_eq!(matter.reactions().len(), known.len());
    }
}
