//! Energy: shapes put it in, friction takes it out, and contact makes none.

use nalgebra::Vector3;
use physics::contact::{ContactProxy, ContactSettings};

use super::{DT, at, fingertip, free_cube};
use crate::test_bodies::Random;

#[test]
fn a_pinched_cube_never_has_more_energy_than_the_fingers_have_put_in() {
    const EDGE: f64 = 0.04;
    let settings = ContactSettings { tolerance: 1e-9, most_sweeps: 200, ..Default::default() };
    let mut solid = free_cube(EDGE, 3, (5e4, 0.3), settings);
    let place = |side: f64| Vector3::new(side * (0.5 * EDGE + 8e-3), 0.0, 0.0);
    let mut tips: [ContactProxy; 2] =
        [-1.0, 1.0].map(|side| fingertip(at(place(side).x, 0.0, 0.0), 0.5));
    let mut random = Random(23);
    let (mut stored, mut lost, mut moved) = (0.0, 0.0, [Vector3::zeros(); 2]);
    let mut largest_gain = 0.0_f64;
    for step in 0..400 {
        for (i, tip) in tips.iter_mut().enumerate() {
            let side = if i == 0 { -1.0 } else { 1.0 };
            let goal = Vector3::new(-side * 1.2e-3, 0.0, 0.0);
            let shake = Vector3::from_fn(|_, _| random.between(-4e-5, 4e-5));
            moved[i] += (goal - moved[i]) * 0.02 + shake;
            let to = place(side) + moved[i];
            *tip = tip.moved_to(at(to.x, to.y, to.z));
        }
        let energy = solid.substep(&tips, &Vector3::zeros(), DT).energy;
        let gain = energy.stored() - stored - energy.work;
        largest_gain = largest_gain.max(gain);
        assert!(gain < 1e-9, "step {step}: {gain:e} J came from nowhere");
        (stored, lost) = (energy.stored(), lost - gain);
    }
    println!("stored {stored:.3e} J, lost {lost:.3e} J, largest gain {largest_gain:.1e} J");
    assert!(stored > 1e-5 && lost > 1e-5);
}
