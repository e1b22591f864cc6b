//! Distances between the skin of a solid and the surface it was made of, sampled in both
//! directions.

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::triangle_tree::{Triangle, TriangleTree};
use super::winding::Winding;

/// Distances between the skin of a solid and the surface it was made of, in metres, at some
/// thousands of points spread over each by area.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Deviation {
    /// Distances from points of the solid's skin to the surface.
    pub solid_to_surface: Distances,
    /// Distances from points of the surface to the solid's skin. Walls inside the solid, such as
    /// those of two intersecting bodies, do not count.
    pub surface_to_solid: Distances,
}

/// Largest and mean of a set of distances.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Distances {
    /// Largest distance.
    pub most: f64,
    /// Mean distance.
    pub mean: f64,
}

impl Deviation {
    /// Largest distance in either direction.
    pub fn most(&self) -> f64 {
        self.solid_to_surface.most.max(self.surface_to_solid.most)
    }

    pub(super) fn scaled(self, by: f64) -> Self {
        let scaled = |d: Distances| Distances { most: d.most * by, mean: d.mean * by };
        Self {
            solid_to_surface: scaled(self.solid_to_surface),
            surface_to_solid: scaled(self.surface_to_solid),
        }
    }
}

/// Number of points to measure from, in each direction.
const N_SAMPLES: usize = 8000;
/// Distance beside the surface, in spacings, at which the winding number is evaluated to find out
/// if the inside ends there.
pub(super) const BESIDE: f64 = 1e-3;

pub(super) fn deviation(
    surface: &TriangleTree,
    winding: &Winding<'_>,
    skin: &[Triangle],
    spacing: f64,
) -> Deviation {
    let skin_tree = TriangleTree::new(skin);
    let solid_to_surface = distances(&samples(skin), surface);
    let at_the_end: Vec<(Point3<f64>, Vector3<f64>)> = samples(surface.triangles())
        .into_par_iter()
        .filter(|(x, normal)| {
            let way = normal * (BESIDE * spacing);
            winding.is_inside(&(x + way)) != winding.is_inside(&(x - way))
        })
        .collect();
    Deviation { solid_to_surface, surface_to_solid: distances(&at_the_end, &skin_tree) }
}

/// True if the surface encloses its inside once and does not intersect itself, so that the enclosed
/// volume can be summed over its triangles.
pub(super) fn is_simple(surface: &TriangleTree, winding: &Winding<'_>, spacing: f64) -> bool {
    /// Share of the points that must have an inner and an outer side: beside holes and edges, a few
    /// have not.
    const NEARLY_ALL: f64 = 0.98;
    let samples = spread(surface.triangles());
    let n_with = |is_inside_ahead: bool| {
        let is_side = |(x, normal): &&(Point3<f64>, Vector3<f64>)| {
            let way = normal * (BESIDE * spacing);
            winding.is_inside(&(x + way)) == is_inside_ahead
                && winding.is_inside(&(x - way)) != is_inside_ahead
        };
        samples.par_iter().filter(is_side).count()
    };
    n_with(false).max(n_with(true)) as f64 >= NEARLY_ALL * samples.len() as f64
}

/// Volume of the inside of a closed surface, also where parts of it overlap: the divergence
/// theorem over the samples at which the inside ends.
pub(super) fn volume_inside(
    surface: &TriangleTree,
    winding: &Winding<'_>,
    spacing: f64,
    area: f64,
) -> f64 {
    let samples = spread(surface.triangles());
    let part = |(x, normal): &(Point3<f64>, Vector3<f64>)| {
        let way = normal * (BESIDE * spacing);
        match [winding.is_inside(&(x + way)), winding.is_inside(&(x - way))] {
            [false, true] => x.coords.dot(normal),
            [true, false] => -x.coords.dot(normal),
            _ => 0.0,
        }
    };
    let parts: Vec<f64> = samples.par_iter().map(part).collect();
    parts.iter().sum::<f64>() * area / (3.0 * samples.len().max(1) as f64)
}

fn distances(samples: &[(Point3<f64>, Vector3<f64>)], to: &TriangleTree) -> Distances {
    let all: Vec<f64> = samples.par_iter().map(|(x, _)| to.distance(x)).collect();
    Distances {
        most: all.iter().copied().fold(0.0, f64::max),
        mean: all.iter().sum::<f64>() / all.len().max(1) as f64,
    }
}

/// Points spread evenly over triangles, with their normals; for few triangles all corners as well.
fn samples(triangles: &[Triangle]) -> Vec<(Point3<f64>, Vector3<f64>)> {
    let mut samples = spread(triangles);
    if triangles.len() <= N_SAMPLES / 3 {
        let corners = triangles.iter().filter_map(|triangle| {
            let [a, b, c] = *triangle;
            let normal = (b - a).cross(&(c - a)).try_normalize(0.0)?;
            Some(triangle.map(|corner| (corner, normal)))
        });
        samples.extend(corners.flatten());
    }
    samples
}

pub(super) fn spread(triangles: &[Triangle]) -> Vec<(Point3<f64>, Vector3<f64>)> {
    let areas: Vec<f64> =
        triangles.iter().map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0).collect();
    let whole: f64 = areas.iter().sum();
    let mut samples = Vec::with_capacity(2 * N_SAMPLES);
    let mut due = 0.5;
    let mut count = 0_u32;
    for (&[a, b, c], area) in triangles.iter().zip(areas) {
        if area == 0.0 {
            continue;
        }
        let normal = (b - a).cross(&(c - a)) / (2.0 * area);
        due += N_SAMPLES as f64 * area / whole;
        while due >= 1.0 {
            due -= 1.0;
            count += 1;
            let (mut u, mut v) = scattered(count);
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            samples.push((a + (b - a) * u + (c - a) * v, normal));
        }
    }
    samples
}

/// Pairs of numbers that fill the unit square evenly: multiples of powers of the plastic number.
fn scattered(count: u32) -> (f64, f64) {
    const PLASTIC: f64 = 1.324_717_957_244_746;
    let at = |step: f64| (f64::from(count) * step).fract();
    (at(1.0 / PLASTIC), at(1.0 / (PLASTIC * PLASTIC)))
}

#[cfg(test)]
mod tests {
    use super::super::test_samples::ball;
    use super::*;

    /// The distance between two concentric balls is the difference of their radii everywhere,
    /// except for their flat triangles.
    #[test]
    fn distance_between_balls_is_that_of_their_radii() {
        let (surface, skin) = (TriangleTree::new(&ball(1.0, 60)), ball(0.9, 60));
        let Deviation { solid_to_surface, surface_to_solid } =
            deviation(&surface, &Winding::new(&surface), &skin, 0.1);
        for distances in [solid_to_surface, surface_to_solid] {
            assert!((distances.mean - 0.1).abs() < 2e-3, "{distances:?}");
            assert!((0.099..0.103).contains(&distances.most), "{distances:?}");
        }
    }

    #[test]
    fn walls_inside_do_not_count() {
        let both = TriangleTree::new(&[ball(1.0, 40), ball(0.5, 20)].concat());
        let found = deviation(&both, &Winding::new(&both), &ball(1.0, 40), 0.1);
        assert!(found.most() < 1e-9, "{found:?}");
    }

    #[test]
    fn samples_are_spread_by_area() {
        let [a, b, c] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
        let [d, e, f] = [a, b, c].map(|x| x * 2.0 + Vector3::new(5.0, 0.0, 0.0));
        let samples = samples(&[[a, b, c], [d, e, f]]);
        let n_first = samples.iter().filter(|(x, _)| x.x < 2.0).count() as f64;
        let share = n_first / samples.len() as f64;
        assert!((share - 0.2).abs() < 0.01, "{share}");
        let inside = |x: &Point3<f64>| x.x >= 0.0 && x.y >= 0.0 && x.z == 0.0;
        assert!(samples.iter().all(|(x, _)| inside(x)));
    }
}
