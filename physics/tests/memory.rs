//! Memory use while contacts change all the time. A separate test binary: other tests would disturb
//! the measurement.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

#[allow(dead_code, reason = "shared with the tests of mechanics, which need more of it")]
#[path = "mechanics/test_bodies.rs"]
mod test_bodies;

use std::sync::Arc;

use nalgebra::Vector3;
use physics::family::solid::{Solid, SolidModel};
use physics::{Deformable, MemoryLimits, Outcome, Progress, SolidSpec};
use test_bodies::{Random, material, shaken_box, touch};

#[test]
fn ten_thousand_changes_of_contact_take_no_more_memory_than_one_thousand() {
    const ROOM: usize = 20;
    // Leaking one frame buffer per change would take five times as much.
    const MARGIN_KB: usize = 2 * 1024;
    let mesh = shaken_box(Vector3::new(0.06, 0.05, 0.04), [4, 4, 4]);
    let skin = mesh.surface().topology.nodes.clone();
    let column_bytes = ROOM * 8 * 3 * 3 * skin.len();
    let spec = SolidSpec::new(mesh, material(), Vec::new()).unwrap();
    let memory = MemoryLimits { column_bytes, ..MemoryLimits::default() };
    let model = SolidModel::new(&spec, memory, &Progress::default()).unwrap();
    assert_eq!(model.columns().room(), ROOM);
    let mut solid = Solid::of(Arc::new(model));

    let mut random = Random(1998);
    let mut resident_after_1000 = None;
    let mut n_solved = 0;
    for change in 1..=10_000 {
        let n_touched = 3 + random.below(5);
        let known = random.known(&skin, n_touched);
        let report = solid.step(&touch(known), 0.0);
        n_solved += usize::from(report.outcome == Outcome::Solved);
        assert!(solid.model().columns().bytes() <= column_bytes);
        if change % 7 == 0 {
            solid.step(&touch(Vec::new()), 0.0);
        }
        // Sometimes there is time for idle work.
        if change % 100 == 0
            && let Some(mut work) = solid.idle_work()
        {
            while work() {}
            assert!(solid.model().columns().bytes() <= column_bytes);
        }
        if change == 1000 {
            resident_after_1000 = resident_kb();
        }
    }
    // The others are touches of three nodes almost in line.
    assert!(n_solved > 9_500, "{n_solved}");
    if let (Some(before), Some(after)) = (resident_after_1000, resident_kb()) {
        assert!(after <= before + MARGIN_KB, "{before} kB have become {after} kB");
    }
}

/// Resident memory of this process in kB, on Linux.
fn resident_kb() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
