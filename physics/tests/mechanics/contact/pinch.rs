//! A free cube between two fingertips: it is lifted if and only if they press enough.

use nalgebra::Vector3;
use physics::contact::{ContactProxy, ContactSettings, ContactSolid, Pad, ProxyShape};

use super::{DT, GRAVITY, RIGID, check, free_cube, plane, table};

const EDGE: f64 = 0.04;
const MU: f64 = 0.5;
/// In kg: 1000 kg/m³.
const MASS: f64 = 0.064;

fn down() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -GRAVITY)
}

/// Two flat jaws of soft pads on both sides of a cube, which stands on a table.
struct Jaws {
    solid: ContactSolid,
    proxies: [ContactProxy; 3],
    depth: f64,
    height: f64,
}

impl Jaws {
    fn of(young: f64, cells: usize) -> Self {
        let settings = ContactSettings { spacing: Some(0.02), ..ContactSettings::default() };
        let mut solid = free_cube(EDGE, cells, (young, 0.3), settings);
        let jaw = |side: f64| {
            // Wider than the cube, so that the area does not change as the cube slides.
            let half_extents = Vector3::new(2e-3, 0.05, 0.05);
            let pad = Pad::FINGERTIP;
            let jaw = plane(Vector3::x(), 0.0, pad, MU);
            let pose = super::at(side * (0.5 * EDGE + 2e-3), 0.0, 0.0);
            ContactProxy { shape: ProxyShape::Box { half_extents }, from: pose, to: pose, ..jaw }
        };
        solid.place(Default::default());
        Self {
            solid,
            proxies: [table(-0.5 * EDGE, 0.4), jaw(-1.0), jaw(1.0)],
            depth: 0.0,
            height: 0.0,
        }
    }

    /// Moves the jaws inwards and upwards within a time.
    fn go(&mut self, depth: f64, height: f64, seconds: f64) {
        let n = (seconds / DT).round() as usize;
        for step in 0..n {
            let left = (n - step) as f64;
            self.depth += (depth - self.depth) / left;
            self.height += (height - self.height) / left;
            for (jaw, side) in self.proxies[1..].iter_mut().zip([-1.0, 1.0]) {
                let x = side * (0.5 * EDGE + 2e-3 - self.depth);
                *jaw = jaw.moved_to(super::at(x, 0.0, self.height));
            }
            self.solid.substep(&self.proxies, &down(), DT);
        }
        self.proxies.iter_mut().for_each(|proxy| proxy.from = proxy.to);
    }

    /// Presses with a force of each jaw, by the depth that it needs.
    fn press(&mut self, force: f64) {
        let mut depth = 0.02e-3;
        for _ in 0..4 {
            self.go(depth, 0.0, 0.05);
            depth *= force / self.squeeze();
        }
        self.go(depth, 0.0, 0.2);
    }

    fn squeeze(&self) -> f64 {
        0.5 * self.solid.reports()[1..].iter().map(|jaw| jaw.normal_force).sum::<f64>()
    }

    fn bottom(&self) -> f64 {
        self.solid.motion().world_from_object.translation.z
    }
}

#[test]
fn a_cube_is_lifted_if_and_only_if_it_is_squeezed_enough() {
    let critical = MASS * GRAVITY / (2.0 * MU);
    check("critical squeeze", critical, 0.6278, 1e-3);
    for (share, is_lifted) in [(0.93, false), (1.06, true)] {
        let mut jaws = Jaws::of(RIGID, 4);
        jaws.press(share * critical);
        check("squeeze", jaws.squeeze(), share * critical, 0.01);
        let depth = jaws.depth;
        jaws.go(depth, 0.01, 0.5);
        jaws.go(depth, 0.01, 0.1);
        let lifted = jaws.bottom();
        println!("squeezed by {share} of critical: lifted by {:.3} mm", 1e3 * lifted);
        assert_eq!(lifted > 0.009, is_lifted);
        assert_eq!(lifted < 0.001, !is_lifted);
    }
}

#[test]
fn a_held_cube_does_not_creep() {
    let mut jaws = Jaws::of(RIGID, 4);
    jaws.press(1.2 * MASS * GRAVITY / (2.0 * MU));
    let depth = jaws.depth;
    jaws.go(depth, 0.01, 0.2);
    jaws.go(depth, 0.01, 1.0);
    let before = jaws.solid.motion().world_from_object.translation.vector;
    jaws.go(depth, 0.01, 10.0);
    let drift = (jaws.solid.motion().world_from_object.translation.vector - before).norm();
    println!("creep {drift:.2e} m in 10 s");
    assert!(drift < 1e-6, "less than a tenth of a micrometre in a second");
    let jaw = &jaws.solid.reports()[1];
    check("share of the weight", jaw.force.z, 0.5 * MASS * GRAVITY, 0.01);
    assert_eq!(jaw.sticking, jaw.points);
}

#[test]
fn a_cube_that_is_squeezed_too_little_slides_down_with_friction() {
    let mut jaws = Jaws::of(RIGID, 4);
    jaws.press(0.5 * MASS * GRAVITY / (2.0 * MU));
    let squeeze = jaws.squeeze();
    // The table goes away; beyond the sliding of the bristles, friction is constant.
    jaws.proxies[0] = table(-0.5, 0.4);
    let depth = jaws.depth;
    jaws.go(depth, 0.0, 0.02);
    let speed = |jaws: &Jaws| -jaws.solid.motion().velocity.z;
    let before = speed(&jaws);
    jaws.go(depth, 0.0, 0.02);
    let fall = (speed(&jaws) - before) / 0.02;
    check("acceleration", fall, GRAVITY - 2.0 * MU * squeeze / MASS, 0.05);
}
