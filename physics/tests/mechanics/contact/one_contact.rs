//! One contact against tabulated values and against another algorithm.

use nalgebra::{Matrix3, Vector3};
use physics::contact::one_contact;

use crate::test_bodies::Random;

fn tabulated() -> Matrix3<f64> {
    Matrix3::new(2.0, 0.3, -0.1, 0.3, 1.5, 0.2, -0.1, 0.2, 1.8) * 1e-3
}

#[test]
fn one_contact_sticks_slides_and_opens_as_tabulated() {
    for (w, mu, expected) in [
        ([-1.0, 0.2, -0.1], 0.7, [0.544338, -0.257455, 0.114403]),
        ([-1.0, 0.2, -0.1], 0.4, [0.533599, -0.195262, 0.086192]),
        ([-1.0, 0.9, -0.4], 0.4, [0.533620, -0.195829, 0.084918]),
        ([0.5, -0.9, 0.2], 0.4, [0.0, 0.0, 0.0]),
    ] {
        let force = one_contact(&tabulated(), &(Vector3::from(w) * 1e-3), mu);
        assert!((force - Vector3::from(expected)).amax() < 1e-5, "{force}");
    }
    let w = Vector3::new(-1.0, 0.2, -0.1) * 1e-3;
    let slip = tabulated() * one_contact(&tabulated(), &w, 0.4) + w;
    assert!((slip.x.abs() < 1e-12) && (slip.y - 0.084425e-3).abs() < 1e-8, "{slip}");
    assert!((slip.z + 0.037266e-3).abs() < 1e-8, "{slip}");
}

/// Projected iteration of the bipotential: `l <- proj(l - rho (u + mu |u_t| n))` onto the cone.
/// Slow and independent of the solver's formulas.
fn projected(w: &Matrix3<f64>, q: &Vector3<f64>, mu: f64) -> Vector3<f64> {
    let rho = 0.3 / w.trace();
    let mut l = Vector3::zeros();
    for _ in 0..20_000 {
        let u = w * l + q;
        let mut step = u;
        step[0] += mu * u[1].hypot(u[2]);
        l = onto_cone(l - step * rho, mu);
    }
    l
}

fn onto_cone(l: Vector3<f64>, mu: f64) -> Vector3<f64> {
    let tangential = l[1].hypot(l[2]);
    if tangential <= mu * l[0] {
        return l;
    }
    if mu * tangential <= -l[0] {
        return Vector3::zeros();
    }
    let normal = (l[0] + mu * tangential) / (1.0 + mu * mu);
    let share = mu * normal / tangential;
    Vector3::new(normal, l[1] * share, l[2] * share)
}

#[test]
fn one_contact_agrees_with_a_projected_iteration() {
    let mut random = Random(5);
    let mut kinds = [0; 3];
    for _ in 0..60 {
        let any = Matrix3::from_fn(|_, _| random.between(-1.0, 1.0));
        let w = any * any.transpose() * 0.3 + Matrix3::identity();
        let most = if random.below(2) == 0 { 0.2 } else { 1.0 };
        let normal = random.between(-1.0, 0.3);
        let q = Vector3::new(normal, random.between(-most, most), random.between(-most, most));
        // With little friction and coupling there is one solution only.
        let mu = random.between(0.05, 0.6);
        let (exact, slow) = (one_contact(&w, &q, mu), projected(&w, &q, mu));
        assert!((exact - slow).amax() < 1e-6, "{w} {q} {mu}: {exact} {slow}");
        let tangential = exact[1].hypot(exact[2]);
        kinds[match (exact[0] > 0.0, tangential < mu * exact[0] * (1.0 - 1e-9)) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 2,
        }] += 1;
    }
    // Open, sticking and sliding contacts all occurred.
    assert!(kinds.iter().all(|kind| *kind >= 5), "{kinds:?}");
}
