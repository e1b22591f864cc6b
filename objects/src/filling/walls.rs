//! Thickness of thin walls, in the surface and in the solid that is made of it.
//!
//! A body counts as thin if it is like a plate or a shell: the distance to the opposite wall, along
//! the normal, is at most `THIN` of the body's size for half of the surface, and about twice the
//! volume over the area. (In a plate it is exactly that; in a rod it is twice as much, in a ball
//! three times.) Cells that are clearly smaller than the thickness keep it, because flat walls are
//! cut exactly; larger ones may not.

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::deviation::spread;
use super::triangle_tree::{Triangle, TriangleTree};

/// Walls of a thin body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Walls {
    /// Median thickness in the surface.
    pub(super) thickness: f64,
    /// Thickness in the solid as a share of that in the surface, the mean of the middle half.
    pub(super) share: f64,
}

/// Largest thickness of a thin body, as a share of its size.
const THIN: f64 = 0.15;
/// Largest thickness of a thin body, as a multiple of twice the volume over the area.
const LIKE_A_PLATE: f64 = 1.5;
/// Largest spacing that keeps any thickness, as a share of the thickness.
pub(super) const SURELY_KEPT: f64 = 0.9;
/// One of this number of samples of the surface is used.
const EVERY: usize = 4;
/// Distance of two crossings that count as one, as a share of the thickness.
const SAME: f64 = 1e-4;

/// Measures the walls; `None` if the body is not thin, or if cells are so small that its thickness
/// is kept.
pub(super) fn walls(
    surface: &TriangleTree,
    skin: &[Triangle],
    spacing: f64,
    volume: f64,
) -> Option<Walls> {
    let area: f64 =
        surface.triangles().iter().map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0).sum();
    let mean = 2.0 * volume.abs() / area;
    if spacing < SURELY_KEPT * mean || mean > THIN {
        return None;
    }
    let samples: Vec<(Point3<f64>, Vector3<f64>)> =
        spread(surface.triangles()).into_iter().step_by(EVERY).collect();
    let signed: f64 =
        surface.triangles().iter().map(|[a, b, c]| a.coords.dot(&b.coords.cross(&c.coords))).sum();
    let outward = signed.signum();
    let reach = 2.0 * LIKE_A_PLATE * mean;
    // Distance to the opposite wall; infinite if it is far.
    let thickness = |(x, normal): &(Point3<f64>, Vector3<f64>)| {
        let inward = normal * -outward;
        let from = x + inward * (SAME * mean);
        let ahead = surface.crossings(&from, &(x + inward * reach));
        ahead.first().map_or(f64::INFINITY, |share| SAME * mean + share * (reach - SAME * mean))
    };
    let measured: Vec<f64> = samples.par_iter().map(thickness).collect();
    let mut sorted = measured.clone();
    sorted.sort_by(f64::total_cmp);
    let median = *sorted.get(sorted.len() / 2)?;
    if median > THIN || median > LIKE_A_PLATE * mean || spacing < SURELY_KEPT * median {
        return None;
    }
    let skin = TriangleTree::new(skin);
    let share = |((x, normal), thickness): (&(Point3<f64>, Vector3<f64>), &f64)| {
        if *thickness > LIKE_A_PLATE * median {
            return None;
        }
        let inward = normal * -outward;
        let [from, to] = [x - inward * spacing, x + inward * (thickness + spacing)];
        let length = thickness + 2.0 * spacing;
        let crossings = |tree: &TriangleTree| {
            let mut shares = tree.crossings(&from, &to);
            shares.dedup_by(|a, b| (*a - *b) * length < SAME * median);
            shares
        };
        // Where other walls are near, it is not clear which one is which.
        if crossings(surface).len() != 2 {
            return None;
        }
        match crossings(&skin).as_slice() {
            [] => Some(0.0),
            [enter, leave] => Some((leave - enter) * length / thickness),
            _ => None,
        }
    };
    let mut shares: Vec<f64> = samples.par_iter().zip(&measured).filter_map(share).collect();
    shares.sort_by(f64::total_cmp);
    let middle = shares.get(shares.len() / 4..3 * shares.len() / 4).filter(|m| !m.is_empty())?;
    Some(Walls { thickness: median, share: middle.iter().sum::<f64>() / middle.len() as f64 })
}

#[cfg(test)]
mod tests {
    use super::super::test_samples::ball;
    use super::*;

    /// A box from the origin.
    fn block([x, y, z]: [f64; 3]) -> Vec<Triangle> {
        const FACES: [[usize; 4]; 6] =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let corner = |i: usize| {
            let at = |bit: usize, size: f64| if i >> bit & 1 == 1 { size } else { 0.0 };
            Point3::new(at(0, x), at(1, y), at(2, z))
        };
        FACES
            .iter()
            .flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]])
            .map(|t| t.map(corner))
            .collect()
    }

    fn measured(surface: &[Triangle], skin: &[Triangle], spacing: f64) -> Option<Walls> {
        let volume =
            surface.iter().map(|[a, b, c]| a.coords.dot(&b.coords.cross(&c.coords)) / 6.0).sum();
        walls(&TriangleTree::new(surface), skin, spacing, volume)
    }

    #[test]
    fn a_plate_that_became_thicker_is_measured() {
        let (plate, thicker) = (block([1.0, 1.0, 0.02]), block([1.0, 1.0, 0.0238]));
        let found = measured(&plate, &thicker, 0.024).unwrap();
        assert!((found.thickness - 0.02).abs() < 1e-9, "{found:?}");
        assert!((found.share - 1.19).abs() < 1e-6, "{found:?}");
        assert_eq!(measured(&plate, &thicker, 0.01), None, "small cells keep the thickness");
    }

    #[test]
    fn rods_balls_and_blocks_are_not_thin() {
        for body in [block([1.0, 0.02, 0.02]), block([1.0, 0.5, 0.4]), ball(0.5, 20)] {
            assert_eq!(measured(&body, &body, 0.5), None);
        }
    }
}
