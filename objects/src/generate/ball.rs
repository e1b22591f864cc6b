//! A ball.

use nalgebra::{Point3, Vector3};
use physics::TetMesh;

use super::lattice::{Body, BodyError, Interior, fill};

/// A solid sphere with the given radius in metres, its centre at the origin, with about `n_nodes`
/// nodes (50 to 200 000).
pub fn sphere(radius: f64, n_nodes: usize) -> Result<TetMesh, BodyError> {
    fill(&UnitBall, Interior::Regular, radius, n_nodes)
}

struct UnitBall;

impl Body for UnitBall {
    fn bounds(&self) -> [Point3<f64>; 2] {
        [Point3::new(-1.0, -1.0, -1.0), Point3::new(1.0, 1.0, 1.0)]
    }

    fn level(&self, x: &Point3<f64>) -> (f64, Vector3<f64>) {
        // A parabola instead of the distance: it is also smooth at the centre.
        (0.5 * (1.0 - x.coords.norm_squared()), -x.coords)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lattice::body_checks::{check_sound, volume};
    use super::*;

    #[test]
    fn balls_are_sound_in_any_resolution() {
        for n_nodes in [50, 63, 80, 100, 140, 200, 270, 400, 700, 1000, 5000, 20_000] {
            check_sound(&sphere(0.04, n_nodes).unwrap(), n_nodes, 20.0);
        }
    }

    #[test]
    fn skin_is_on_the_sphere() {
        for n_nodes in [50, 270, 5000] {
            let mesh = sphere(0.04, n_nodes).unwrap();
            for node in &mesh.surface().topology.nodes {
                let x = mesh.rest_positions()[node.index()];
                assert!((x.coords.norm() - 0.04).abs() < 1e-12);
            }
        }
    }

    /// Flat triangles cut off a share of the volume that is proportional to the square of their
    /// size: eight times as many nodes leave a quarter of it.
    #[test]
    fn volume_approaches_that_of_the_sphere() {
        let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.04_f64.powi(3);
        let lost = [150, 1200, 9600].map(|n| 1.0 - volume(&sphere(0.04, n).unwrap()) / exact);
        println!("share of the volume lost: {lost:?}");
        assert!(lost[0] < 0.07 && lost[2] > 0.0);
        assert!(lost[1] < lost[0] / 3.5 && lost[2] < lost[1] / 3.5);
    }

    #[test]
    fn the_same_request_gives_the_same_ball() {
        assert_eq!(sphere(0.04, 1000), sphere(0.04, 1000));
    }

    #[test]
    fn impossible_balls_are_refused() {
        assert_eq!(sphere(0.04, 49), Err(BodyError::Nodes(49)));
        assert_eq!(sphere(0.04, 200_001), Err(BodyError::Nodes(200_001)));
        assert_eq!(sphere(-0.04, 270), Err(BodyError::Size(-0.04)));
        assert_eq!(sphere(0.0, 270), Err(BodyError::Size(0.0)));
        assert_eq!(sphere(f64::INFINITY, 270), Err(BodyError::Size(f64::INFINITY)));
        assert!(matches!(sphere(f64::NAN, 270), Err(BodyError::Size(_))));
        assert!(matches!(sphere(1e-200, 270), Err(BodyError::Mesh(_))), "no volume in numbers");
    }
}
