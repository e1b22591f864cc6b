//! A smooth body without symmetry: thick and thin lobes, and a dent.

use nalgebra::{Point3, Vector3};
use physics::TetMesh;

use super::lattice::{Body, BodyError, Interior, fill};

/// A potato-shaped body, `size` metres long, its middle near the origin, with about `n_nodes` nodes
/// (50 to 200 000) that are irregular inside.
pub fn blob(size: f64, n_nodes: usize) -> Result<TetMesh, BodyError> {
    fill(&Blob, Interior::Irregular, size, n_nodes)
}

struct Blob;

/// Centre and radius of the balls that are blended together, largest first.
const LOBES: [([f64; 3], f64); 5] = [
    ([-0.190, 0.034, -0.021], 0.307),
    ([0.129, 0.093, -0.057], 0.236),
    ([-0.237, -0.107, 0.156], 0.165),
    ([-0.084, -0.178, -0.163], 0.153),
    ([0.388, 0.140, 0.002], 0.106),
];
/// Centre and radius of the ball that is cut out of them.
const DENT: ([f64; 3], f64) = ([0.034, 0.270, 0.321], 0.200);
/// Width of the blend between two balls.
const BLEND: f64 = 0.059;

impl Body for Blob {
    fn bounds(&self) -> [Point3<f64>; 2] {
        [Point3::new(-0.52, -0.37, -0.36), Point3::new(0.52, 0.37, 0.36)]
    }

    fn level(&self, x: &Point3<f64>) -> (f64, Vector3<f64>) {
        let lobes = LOBES.map(|(centre, radius)| inside_ball(x, centre, radius));
        let (dent, dent_gradient) = inside_ball(x, DENT.0, DENT.1);
        let (body, gradient) = smooth_max(&lobes);
        let (outside, outward) = smooth_max(&[(-body, -gradient), (dent, dent_gradient)]);
        (-outside, -outward)
    }
}

/// Depth of a point inside a ball, and its gradient.
fn inside_ball(x: &Point3<f64>, centre: [f64; 3], radius: f64) -> (f64, Vector3<f64>) {
    let from_centre = x - Point3::from(centre);
    let distance = from_centre.norm();
    // The centre of a ball has no outward direction; any short vector will do there.
    (radius - distance, -from_centre / distance.max(f64::MIN_POSITIVE))
}

/// Smooth maximum of several levels: the logarithm of a sum of exponentials.
fn smooth_max(levels: &[(f64, Vector3<f64>)]) -> (f64, Vector3<f64>) {
    let greatest = levels.iter().fold(f64::NEG_INFINITY, |most, (level, _)| most.max(*level));
    let mut sum = 0.0;
    let mut gradient = Vector3::zeros();
    for (level, slope) in levels {
        let weight = ((level - greatest) / BLEND).exp();
        sum += weight;
        gradient += slope * weight;
    }
    (greatest + BLEND * sum.ln(), gradient / sum)
}

#[cfg(test)]
mod tests {
    use super::super::lattice::body_checks::{check_sound, volume};
    use super::*;

    #[test]
    fn blobs_are_sound_in_any_resolution() {
        for n_nodes in [50, 63, 80, 100, 140, 200, 270, 400, 700, 1000, 5000, 20_000] {
            check_sound(&blob(0.1, n_nodes).unwrap(), n_nodes, 15.0);
        }
    }

    #[test]
    fn skin_is_on_the_formula() {
        for n_nodes in [50, 270, 5000] {
            let mesh = blob(1.0, n_nodes).unwrap();
            for node in &mesh.surface().topology.nodes {
                let x = mesh.rest_positions()[node.index()];
                assert!(Blob.level(&x).0.abs() < 1e-6, "{x} is at {}", Blob.level(&x).0);
            }
        }
    }

    #[test]
    fn blob_is_as_long_as_asked_for_and_within_its_box() {
        let mesh = blob(0.1, 5000).unwrap();
        let [low, high] = Blob.bounds().map(|corner| corner * 0.1);
        let [mut least, mut most] = [high, low];
        for x in mesh.rest_positions() {
            (least, most) = (least.inf(x), most.sup(x));
        }
        assert!(low < least && most < high);
        assert!(((most - least).max() - 0.1).abs() < 0.002, "{}", (most - least).max());
        let middle = nalgebra::center(&least, &most);
        assert!(middle.coords.norm() < 0.002, "{middle}");
    }

    #[test]
    fn gradient_is_that_of_the_level() {
        const STEP: f64 = 1e-6;
        for x in blob(1.0, 270).unwrap().rest_positions() {
            let (_, gradient) = Blob.level(x);
            for axis in 0..3 {
                let step = Vector3::ith(axis, STEP);
                let rise = Blob.level(&(x + step)).0 - Blob.level(&(x - step)).0;
                assert!((gradient[axis] - rise / (2.0 * STEP)).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn volume_settles() {
        let [coarse, medium, fine] = [150, 1200, 9600].map(|n| volume(&blob(0.1, n).unwrap()));
        assert!((fine - medium).abs() < (medium - coarse).abs() / 3.0);
    }

    #[test]
    fn inside_is_no_lattice() {
        let mesh = blob(0.1, 1000).unwrap();
        let mut planes: Vec<u64> = mesh.rest_positions().iter().map(|x| x.x.to_bits()).collect();
        planes.sort_unstable();
        planes.dedup();
        assert!(planes.len() > mesh.n_nodes() * 9 / 10);
    }

    #[test]
    fn the_same_request_gives_the_same_blob() {
        assert_eq!(blob(0.1, 1000), blob(0.1, 1000));
    }

    #[test]
    fn impossible_blobs_are_refused() {
        assert_eq!(blob(0.1, 0), Err(BodyError::Nodes(0)));
        assert_eq!(blob(-1.0, 270), Err(BodyError::Size(-1.0)));
        assert_eq!(
            blob(f64::NEG_INFINITY, 270).unwrap_err().to_string(),
            "the body has a size of -inf m, expected a positive, finite length"
        );
    }
}
