//! Long contact: no trembling at rest, no energy from nowhere. `cargo xtask soak` makes it long.

use std::time::{Duration, Instant};

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use physics::contact::{ContactProxy, ContactSettings, ContactSolid};
use physics::{Outcome, Proxy, ProxyId, Shape, Surroundings};

use super::matter::{MASS, block, steps_until_still, touch};
use super::{DT, GRAVITY, at, fingertip, free_cube, table};
use crate::test_bodies::Random;

const VARIABLE: &str = "PALPATE_SOAK_SECONDS";

/// Steps until enough were made: `usual` of them, or in a soak at least 100 000 and for as long as
/// it lasts.
struct Steps {
    left: u32,
    until: Instant,
}

impl Steps {
    fn new(usual: u32) -> Self {
        let seconds = std::env::var(VARIABLE).ok();
        let seconds = seconds.map(|text| text.parse().expect("a whole number of seconds"));
        let lasts = Duration::from_secs(seconds.unwrap_or(0));
        let left = if seconds.is_some() { 100_000 } else { usual };
        Self { left, until: Instant::now() + lasts }
    }

    fn goes_on(&mut self) -> bool {
        let goes_on = self.left > 0 || Instant::now() < self.until;
        self.left = self.left.saturating_sub(1);
        goes_on
    }
}

/// Two fingertips that hold the block 20 mm above the place where it stood.
fn grip(up: f64, depth: f64) -> Vec<Proxy> {
    let tip = |side: f64| Proxy {
        id: ProxyId { hand: 1, finger: u8::from(side > 0.0), segment: ProxyId::TIP },
        shape: Shape::Sphere {
            centre: Point3::new(0.03 + side * (0.03 + 8e-3 - depth), 0.016 + up, 0.025),
            radius: 8e-3,
        },
        orientation: UnitQuaternion::identity(),
        velocity: Vector3::zeros(),
        angular_velocity: Vector3::zeros(),
    };
    vec![tip(-1.0), tip(1.0)]
}

#[test]
fn a_block_that_rests_on_the_table_or_in_a_hand_does_not_tremble() {
    for is_held in [false, true] {
        let mut block = block();
        steps_until_still(&mut *block, &[]);
        let n = if is_held { 200 } else { 0 };
        let mut now = Vec::new();
        for i in 0..2 * n {
            let share = f64::from(i) / f64::from(n);
            now = grip(0.02 * (share - 1.0).max(0.0), 4e-3 * share.min(1.0));
            let held = touch(&*block, now.clone());
            assert_eq!(block.step(&held, DT).outcome, Outcome::Solved);
        }
        let held = touch(&*block, now);
        // It swings between soft fingertips for some seconds.
        let is_still = (0..20_000).any(|_| !block.step(&held, DT).is_moving);
        assert!(is_still, "it does not come to rest");
        // What is left of the swing then is some micrometres.
        (0..6_000).for_each(|_| drop(block.step(&held, DT)));
        let (pose, forces) = (block.pose(), block.contact_forces().to_vec());
        let (mut farthest, mut most, mut n_steps) = (0.0_f64, 0.0_f64, 0_u64);
        let mut steps = Steps::new(4_000);
        while steps.goes_on() {
            let report = block.step(&held, DT);
            assert!(report.outcome == Outcome::Solved && !report.is_moving, "step {n_steps}");
            let now = block.pose();
            farthest = farthest
                .max((now.translation.vector - pose.translation.vector).norm())
                .max(0.1 * now.rotation.angle_to(&pose.rotation));
            for (felt, before) in block.contact_forces().iter().zip(&forces) {
                most = most.max((felt.force - before.force).norm());
            }
            n_steps += 1;
        }
        let weight = MASS * Surroundings::STANDARD_GRAVITY;
        println!("{n_steps} steps: {farthest:.1e} m and {most:.1e} N from the start");
        assert_eq!(block.contact_forces().len(), if is_held { 2 } else { 0 });
        assert!(farthest < 1e-6 && most < 1e-3 * weight);
    }
}

/// Cube that two fingertips shake on a table, and let fall now and then.
struct Shaken {
    solid: ContactSolid,
    tips: [ContactProxy; 2],
    random: Random,
}

impl Shaken {
    const EDGE: f64 = 0.04;

    fn new() -> Self {
        let settings = ContactSettings { tolerance: 1e-9, most_sweeps: 200, ..Default::default() };
        let tip = |side: f64| fingertip(at(side * (0.5 * Self::EDGE + 9e-3), 0.0, 0.0), 0.6);
        let solid = free_cube(Self::EDGE, 3, (5e4, 0.3), settings);
        Self { solid, tips: [tip(-1.0), tip(1.0)], random: Random(29) }
    }

    /// Makes a step; returns the energy that came from nowhere, and what was lost.
    fn step(&mut self, number: u64, stored: &mut f64) -> f64 {
        // Three seconds: pinched, lifted and shaken, let fall on the table.
        let time = (number % 3000) as f64 * DT;
        let open = if time < 2.2 { -2.0e-3 * (4.0 * time).min(1.0) } else { 2e-3 };
        let up = 0.02 * (2.0 * (time - 0.5)).clamp(0.0, 1.0);
        let swing = 4e-3 * (11.0 * time).sin() * (time - 1.0).clamp(0.0, 1.0);
        for (tip, side) in self.tips.iter_mut().zip([-1.0, 1.0]) {
            let shake = Vector3::from_fn(|_, _| self.random.between(-3e-5, 3e-5));
            let x = side * (0.5 * Self::EDGE + 8e-3 + open);
            let goal = Vector3::new(x, swing, up) + shake;
            // No quicker than a metre in a second.
            let way = goal - tip.to.translation.vector;
            let way = way * (1e-3 / way.norm().max(1e-3));
            *tip = tip.moved_to(Isometry3::from(tip.to.translation.vector + way));
        }
        let shapes = [table(-0.5 * Self::EDGE, 0.4), self.tips[0], self.tips[1]];
        let gravity = Vector3::new(0.0, 0.0, -GRAVITY);
        let energy = self.solid.substep(&shapes, &gravity, DT).energy;
        let gain = energy.stored() - *stored - energy.work;
        *stored = energy.stored();
        gain
    }
}

#[test]
fn a_cube_that_is_shaken_and_dropped_gains_no_energy() {
    let mut cube = Shaken::new();
    let (mut stored, mut lost, mut most, mut n_steps) = (0.0, 0.0, f64::NEG_INFINITY, 0);
    let mut steps = Steps::new(4_000);
    while steps.goes_on() {
        let gain = cube.step(n_steps, &mut stored);
        most = most.max(gain);
        lost -= gain;
        // A turn is linearised in each substep, so a single one may be off by its square; in sum
        // nothing is gained.
        assert!(gain < 1e-5 && lost > -1e-9, "step {n_steps}: {gain:e} J, in all {:e} J", -lost);
        n_steps += 1;
    }
    let height = cube.solid.motion().world_from_object.translation.z;
    println!("{n_steps} steps: lost {lost:.3e} J, largest gain {most:.1e} J, at {height:.4} m");
    assert!(lost > 1e-3 && height.abs() < 0.1);
}
