//! Measures the way from a surface of triangles to a solid: its time, and how the time grows.

use std::f64::consts::TAU;

use anyhow::Context;
use nalgebra::{Point3, Vector3};
use objects::TriangleSurface;
use objects::filling::{Filled, Progress, fill};

use crate::Arguments;
use benchmark::power_law::exponent;
use benchmark::statistics::{least, quantile, timed};

/// Approximate numbers of triangles of the surfaces.
const TRIANGLES: [usize; 3] = [12_500, 25_000, 50_000];
/// Requested numbers of nodes.
const NODES: [usize; 3] = [5000, 10_000, 20_000];
/// Usual number of rounds: several, because other programs may use the machine as well.
const ROUNDS: f64 = 5.0;

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    println!("\nmeshing: a surface, a lumpy ring, filled with tetrahedra");
    println!(
        "{:>10} {:>7} {:>8} {:>9} {:>9} {:>7} {:>7} {:>18}",
        "triangles", "nodes", "elements", "least", "median", "angles", "", "deviation, mm of m"
    );
    let pool = crate::pool(arguments.threads)?;
    let rounds = ((arguments.rounds * ROUNDS) as usize).max(1);
    let mut times = Vec::new();
    for n_triangles in TRIANGLES {
        let surface = lumpy_ring(n_triangles)?;
        for n_nodes in NODES {
            let mut seconds = Vec::new();
            let mut filled: Option<Filled> = None;
            for _ in 0..rounds {
                let (time, result) =
                    timed(|| pool.install(|| fill(&surface, n_nodes, &Progress::default())));
                seconds.push(time);
                filled = Some(result?);
            }
            let filled = filled.context("there is at least one round")?;
            println!(
                "{:>10} {:>7} {:>8} {:>6.0} ms {:>6.0} ms {:>7.1} {:>7.1} {:>8.2} {:>9.3}",
                surface.triangles().len(),
                filled.mesh.n_nodes(),
                filled.mesh.elements().len(),
                least(&seconds) * 1e3,
                quantile(&seconds, 0.5) * 1e3,
                filled.dihedral_deg[0],
                filled.dihedral_deg[1],
                filled.deviation.most() * 1e3,
                filled.deviation.solid_to_surface.mean * 1e3,
            );
            times.push((n_triangles as f64, n_nodes as f64, least(&seconds)));
        }
    }
    let of_nodes: Vec<_> =
        times.iter().filter(|t| t.0 == TRIANGLES[2] as f64).map(|t| (t.1, t.2)).collect();
    let of_triangles: Vec<_> =
        times.iter().filter(|t| t.1 == NODES[2] as f64).map(|t| (t.0, t.2)).collect();
    println!(
        "time grows as nodes^{:.2} at {} triangles, and as triangles^{:.2} at {} nodes",
        exponent(&of_nodes),
        TRIANGLES[2],
        exponent(&of_triangles),
        NODES[2]
    );
    Ok(())
}

/// A closed ring, one metre across, twisted and of varying thickness, with about `n_triangles`
/// triangles.
fn lumpy_ring(n_triangles: usize) -> anyhow::Result<TriangleSurface> {
    // Twice as many points along the ring as around its tube, two triangles for each.
    let around = (n_triangles as f64 / 4.0).sqrt().round() as u32;
    let along = 2 * around;
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..along {
        for j in 0..around {
            let u = TAU * f64::from(i) / f64::from(along);
            let v = TAU * f64::from(j) / f64::from(around);
            let tube = 0.12 + 0.03 * (5.0 * u).cos() + 0.008 * (6.0 * v + 3.0 * u).cos();
            let out = Vector3::new(u.cos(), u.sin(), 0.0);
            points.push(Point3::from(
                out * (0.33 + tube * v.cos()) + Vector3::z() * (tube * v.sin()),
            ));
            let [a, b] = [i, (i + 1) % along].map(|i| i * around);
            let [c, d] = [j, (j + 1) % around];
            triangles.extend([[a + c, b + c, b + d], [a + c, b + d, a + d]]);
        }
    }
    Ok(TriangleSurface::new(points, triangles)?)
}
