//! The tangent stiffness against differences of the solver's own forces.

use nalgebra::{Isometry3, Matrix3, Vector3};
use physics::contact::{ContactProxy, ContactSettings, ContactSolid};

use super::{DT, check, exact, fingertip, free_cube, glued, table};

/// Way of the differences, in metres.
const WAY: f64 = 1e-6;

/// Moves the first shape a little along each axis, in one substep from the same state, and takes
/// the differences of the forces on it.
fn by_differences(solid: &mut ContactSolid, proxies: &[ContactProxy]) -> Matrix3<f64> {
    let state = solid.state();
    let mut force = |way: Vector3<f64>| {
        solid.restore(&state).unwrap();
        let mut moved = proxies.to_vec();
        moved[0].to.translation.vector += way;
        solid.substep(&moved, &Vector3::zeros(), DT);
        -solid.reports()[0].force
    };
    let columns = [0, 1, 2].map(|axis| {
        let way = Vector3::ith(axis, WAY);
        -(force(way) - force(-way)) / (2.0 * WAY)
    });
    Matrix3::from_columns(&columns)
}

fn of_first(solid: &ContactSolid) -> Matrix3<f64> {
    solid.tangents()[0].stiffness
}

/// Substeps in which the shapes stand still, so that contacts have found their places.
fn rest(solid: &mut ContactSolid, proxies: &mut [ContactProxy], n: usize) {
    for _ in 0..n {
        solid.substep(proxies, &Vector3::zeros(), DT);
        proxies.iter_mut().for_each(|proxy| proxy.from = proxy.to);
    }
}

fn block(settings: ContactSettings) -> ContactSolid {
    glued([0.06, 0.06, 0.03], [8, 8, 4], (3e4, 0.3), settings)
}

/// A fingertip on the block, pressed in by `depth` and then moved aside by `aside`.
fn pressed(solid: &mut ContactSolid, depth: f64, aside: f64, mu: f64) -> Vec<ContactProxy> {
    let at =
        |depth: f64, aside: f64| Isometry3::translation(2e-3 + aside, -1e-3, 0.03 + 8e-3 - depth);
    let mut proxies = vec![fingertip(at(0.0, 0.0), mu)];
    for step in 1..=20 {
        let share = f64::from(step) / 20.0;
        proxies[0] = proxies[0].moved_to(at(depth * share, 0.0));
        solid.substep(&proxies, &Vector3::zeros(), DT);
    }
    for step in 1..=20 {
        proxies[0] = proxies[0].moved_to(at(depth, aside * f64::from(step) / 20.0));
        solid.substep(&proxies, &Vector3::zeros(), DT);
    }
    rest(solid, &mut proxies, 10);
    proxies
}

#[test]
fn a_fingertip_that_sticks_feels_the_tangent_stiffness() {
    let mut solid = block(exact());
    let proxies = pressed(&mut solid, 1.5e-3, 0.2e-3, 5.0);
    let report = solid.reports()[0];
    assert_eq!(report.sticking, report.points);
    let tangent = of_first(&solid);
    let differences = by_differences(&mut solid, &proxies);
    println!("tangent {tangent:.2} differences {differences:.2}");
    let error = (tangent - differences).norm() / differences.norm();
    println!("{:.3} % apart, force {:.3} N", 100.0 * error, report.force.norm());
    assert!(error < 0.04, "{error}");
    let least = tangent.symmetric_eigenvalues().min();
    assert!(least > 0.0 && (tangent - tangent.transpose()).norm() < 1e-9 * tangent.norm());
}

#[test]
fn a_fingertip_that_slides_feels_the_stiffness_along_its_normal() {
    let mut solid = block(exact());
    let proxies = pressed(&mut solid, 1.5e-3, 3e-3, 0.05);
    assert_eq!(solid.reports()[0].sticking, 0);
    let tangent = of_first(&solid);
    let differences = by_differences(&mut solid, &proxies);
    println!("tangent {tangent:.2} differences {differences:.2}");
    check("along the normal", tangent[(2, 2)], differences[(2, 2)], 0.1);
    assert!(tangent.symmetric_eigenvalues().min() > 0.0);
    // Only the differences of the normals resist across.
    assert!(tangent[(0, 0)] < 0.5 * tangent[(2, 2)]);
}

#[test]
fn two_fingertips_and_a_table_share_one_factorisation() {
    let mut solid = free_cube(0.04, 4, (5e4, 0.3), exact());
    let mut proxies = vec![
        fingertip(Isometry3::translation(-0.02 - 8e-3 + 1.2e-3, 1e-3, 0.0), 3.0),
        fingertip(Isometry3::translation(0.02 + 8e-3 - 1.2e-3, -1e-3, 2e-3), 3.0),
        table(-0.02, 3.0),
    ];
    rest(&mut solid, &mut proxies, 200);
    let tangents = solid.tangents();
    assert!(tangents.len() >= 2 && tangents[1].proxy == 1);
    assert!((tangents[0].friction - 3.0).abs() < 1e-12);
    let differences = by_differences(&mut solid, &proxies);
    let error = (tangents[0].stiffness - differences).norm() / differences.norm();
    println!("tangent {:.2} differences {differences:.2}", tangents[0].stiffness);
    println!("{:.3} % apart", 100.0 * error);
    assert!(error < 0.08, "{error}");
    // Without a substep there is nothing to feel.
    let fresh = free_cube(0.04, 2, (5e4, 0.3), exact());
    assert!(fresh.tangents().is_empty());
}
