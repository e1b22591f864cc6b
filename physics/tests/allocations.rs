//! Counts the memory allocations of a frame. A separate test binary, because it counts those of the
//! whole process.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

#[allow(dead_code, reason = "shared with the tests of mechanics, which need more of it")]
#[path = "mechanics/test_bodies.rs"]
mod test_bodies;

use allocation_counter::measure;
use nalgebra::Vector3;
use physics::{Deformable, Outcome, SampleId, SolidSpec, StepReport, SurfaceFrame, Touch};
use test_bodies::{Random, material, shaken_box, solid, touch};

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
