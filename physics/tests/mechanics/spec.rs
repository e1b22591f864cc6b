//! Tests of object descriptions, for all families.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

use nalgebra::{Isometry3, Vector3};
use physics::material::{IsotropicElastic, MaterialError, USUAL_DENSITY};
use physics::{ObjectSpec, RestError};

use crate::test_bodies::soft_block;

fn block() -> ObjectSpec {
    soft_block().into()
}

fn hash(spec: &ObjectSpec) -> u64 {
    let mut hasher = DefaultHasher::new();
    spec.hash_content(&mut hasher);
    hasher.finish()
}

#[test]
fn bounds_are_those_of_the_nodes_where_they_are_placed() {
    let spec = block();
    let up = Vector3::new(0.0, 0.5, 0.0);
    let (here, there) =
        (spec.bounds(&Isometry3::identity()), spec.bounds(&Isometry3::translation(0.0, 0.5, 0.0)));
    assert!((there.low - here.low - up).norm() < 1e-15);
    assert!((there.middle() - here.middle() - up).norm() < 1e-15);
    let turned = spec.bounds(&Isometry3::rotation(Vector3::z() * std::f64::consts::FRAC_PI_2));
    let (flat, tall) = (here.high - here.low, turned.high - turned.low);
    assert!((flat.x - tall.y).abs() < 1e-12 && (flat.y - tall.x).abs() < 1e-12);
}

#[test]
fn another_material_is_another_content_and_the_same_shape() {
    let spec = block();
    assert_eq!(spec.material().density(), USUAL_DENSITY);
    let heavier = spec.with_material(spec.material().with_density(1300.0).unwrap());
    assert_eq!(heavier.rest_points(), spec.rest_points());
    assert_eq!(heavier.rest_surface(), spec.rest_surface());
    assert_ne!(heavier, spec);
    assert_ne!(hash(&heavier), hash(&spec));
    assert_eq!(hash(&heavier.with_material(*spec.material())), hash(&spec));
}

#[test]
fn a_density_is_a_positive_number() {
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = material.with_density(wrong).unwrap_err();
        assert!(matches!(error, MaterialError::Density(_)), "{wrong}: {error}");
    }
}

#[test]
fn a_squeezed_shape_becomes_the_rest_shape_as_far_as_elements_bear_it() {
    let spec = block();
    let n = spec.n_nodes();
    let carried = vec![Vector3::new(0.1, 0.0, 0.0); n];
    let moved = spec.with_rest(&carried).unwrap();
    assert_eq!(moved.share, 1.0);
    let points = moved.spec.rest_points().iter().zip(spec.rest_points());
    assert!(points.map(|(now, then)| (now - then - carried[0]).norm()).all(|off| off < 1e-15));
    // If pressing flattens the elements and a little more, most of the displacements are applied.
    let flat: Vec<_> =
        spec.rest_points().iter().map(|x| Vector3::new(0.0, 0.0, -1.2 * x.z)).collect();
    let pressed = spec.with_rest(&flat).unwrap();
    assert!((0.5..0.84).contains(&pressed.share), "{}", pressed.share);
    // A shape that turns the elements inside out is refused.
    let inside_out: Vec<_> = spec.rest_points().iter().map(|x| -4.0 * x.coords).collect();
    assert_eq!(spec.with_rest(&inside_out).unwrap_err(), RestError::TooFar);
    let error = spec.with_rest(&carried[1..]).unwrap_err();
    assert_eq!(error, RestError::Length { got: n - 1, want: n });
}
