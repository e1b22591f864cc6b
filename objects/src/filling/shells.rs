//! Shells: parts of a surface that are not connected with others. They bound bodies, hollows, or
//! lie within the solid.

use nalgebra::Point3;

use super::triangle_tree::Triangle;
use super::winding::Winding;

/// Counts of the shells of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shells {
    /// Number of shells that bound a body from outside.
    pub n_outward: usize,
    /// Number of shells that lie inside the solid, which is filled on both of their sides.
    pub n_within: usize,
    /// Share of the whole area that lies inside the solid.
    pub share_within: f64,
}

/// Largest number of triangles of a shell at which the inside is looked up.
const MOST_LOOKS: usize = 100;
/// Share of a shell that must lie within the solid for all of it to count.
const NEARLY_ALL: f64 = 0.95;
/// Smallest volume of a body, as a share of the cube around all.
const NO_VOLUME: f64 = 1e-9;

/// Sorts the triangles by shells; `shell_of` names the shell of each.
pub(super) fn shells(
    triangles: &[Triangle],
    shell_of: &[u32],
    winding: &Winding<'_>,
    beside: f64,
) -> Shells {
    let mut order: Vec<(u32, u32)> = shell_of.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let all: Vec<&[(u32, u32)]> = order.chunk_by(|a, b| a.0 == b.0).collect();
    let volumes: Vec<f64> = all.iter().map(|shell| volume(triangles, shell)).collect();
    let sign = volumes.iter().sum::<f64>().signum();
    let mut found = Shells::default();
    let (mut whole, mut within) = (0.0, 0.0);
    for (shell, volume) in all.iter().zip(volumes) {
        let step = shell.len().div_ceil(MOST_LOOKS);
        let (mut n_looks, mut n_within, mut area) = (0, 0, 0.0);
        for (i, (_, number)) in shell.iter().enumerate() {
            let [a, b, c] = triangles[*number as usize];
            let normal = (b - a).cross(&(c - a));
            area += normal.norm() / 2.0;
            let Some(normal) = normal.try_normalize(0.0).filter(|_| i.is_multiple_of(step)) else {
                continue;
            };
            let middle = Point3::from((a.coords + b.coords + c.coords) / 3.0);
            n_looks += 1;
            let sides = [middle + normal * beside, middle - normal * beside];
            n_within += usize::from(sides.iter().all(|x| winding.is_inside(x)));
        }
        let share = f64::from(n_within as u32) / f64::from(n_looks.max(1) as u32);
        whole += area;
        within += area * share;
        if share >= NEARLY_ALL {
            found.n_within += 1;
        } else if volume * sign > NO_VOLUME {
            found.n_outward += 1;
        }
    }
    found.share_within = if whole > 0.0 { within / whole } else { 0.0 };
    found
}

/// Signed volume of a shell, counted from one of its own points.
fn volume(triangles: &[Triangle], shell: &[(u32, u32)]) -> f64 {
    let at = |number: u32| triangles[number as usize];
    let origin = shell.first().map_or_else(Point3::origin, |(_, number)| at(*number)[0]);
    let part = |(_, number): &(u32, u32)| {
        let [a, b, c] = at(*number).map(|x| x - origin);
        a.dot(&b.cross(&c)) / 6.0
    };
    shell.iter().map(part).sum()
}
