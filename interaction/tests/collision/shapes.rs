//! Skins for tests: boxes and balls in any resolution, deformed by smooth random waves.

use std::collections::HashMap;
use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use physics::{Grip, NodeId, SurfaceFrame, Topology};

/// Random numbers that are the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// In a cube about the origin, with this half edge.
    pub(crate) fn point(&mut self, half: f64) -> Point3<f64> {
        Point3::from([(); 3].map(|()| self.between(-half, half)))
    }

    /// Any direction.
    pub(crate) fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = self.point(1.0).coords;
            if (0.01..=1.0).contains(&v.norm()) {
                return v / v.norm();
            }
        }
    }
}

/// A skin at rest.
pub(crate) struct Body {
    pub(crate) topology: Arc<Topology>,
    pub(crate) rest: Vec<Point3<f64>>,
}

impl Body {
    /// A box about the origin, with `cells` along each axis.
    pub(crate) fn block(size: Vector3<f64>, cells: [usize; 3]) -> Self {
        let mut rest = Vec::new();
        let mut triangles = Vec::new();
        let mut found = HashMap::new();
        let mut point = |grid: [usize; 3]| {
            *found.entry(grid).or_insert_with(|| {
                let part = Vector3::from_fn(|i, _| grid[i] as f64 / cells[i] as f64 - 0.5);
                rest.push(Point3::from(part.component_mul(&size)));
                (rest.len() - 1) as u32
            })
        };
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for (i, j) in (0..cells[u]).flat_map(|i| (0..cells[v]).map(move |j| (i, j))) {
                for end in [0, cells[axis]] {
                    let mut at = |i: usize, j: usize| {
                        let mut grid = [0; 3];
                        (grid[axis], grid[u], grid[v]) = (end, i, j);
                        point(grid)
                    };
                    let square = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                    let [a, b, c, d] = square;
                    // Anticlockwise from outside; the diagonals alternate.
                    let halves = if (i + j) % 2 == 0 {
                        [[a, b, c], [a, c, d]]
                    } else {
                        [[a, b, d], [b, c, d]]
                    };
                    let outward =
                        |[a, b, c]: [u32; 3]| if end == 0 { [a, c, b] } else { [a, b, c] };
                    triangles.extend(halves.map(outward));
                }
            }
        }
        Self::new(rest, triangles)
    }

    /// A ball made from a cube with `cells` along each edge: `6 cells^2 + 2` points.
    pub(crate) fn ball(radius: f64, cells: usize) -> Self {
        let cube = Self::block(Vector3::repeat(2.0), [cells; 3]);
        let blown_up = |x: &Point3<f64>| Point3::from(x.coords * (radius / x.coords.norm()));
        Self::new(cube.rest.iter().map(blown_up).collect(), cube.topology.triangles.clone())
    }

    /// Several skins in one object.
    pub(crate) fn together(bodies: &[(&Self, Vector3<f64>)]) -> Self {
        let (mut rest, mut triangles) = (Vec::new(), Vec::new());
        for (body, by) in bodies {
            let first = rest.len() as u32;
            triangles.extend(body.topology.triangles.iter().map(|t| t.map(|i| i + first)));
            rest.extend(body.rest.iter().map(|x| x + by));
        }
        Self::new(rest, triangles)
    }

    pub(crate) fn new(rest: Vec<Point3<f64>>, triangles: Vec<[u32; 3]>) -> Self {
        let n_points = rest.len() as u32;
        let topology = Topology {
            version: 0,
            grip: Grip::Nodes,
            // Nodes in another order than points.
            nodes: (0..n_points).map(|i| NodeId(n_points - i)).collect(),
            rest_positions: rest.iter().map(rounded).collect(),
            triangles,
            fields: Vec::new(),
        };
        Self { topology: Arc::new(topology), rest }
    }

    /// The body with every point moved.
    pub(crate) fn frame(&self, moved: impl Fn(&Point3<f64>) -> Point3<f64>) -> Arc<SurfaceFrame> {
        let positions = self.rest.iter().map(|x| rounded(&moved(x))).collect();
        Arc::new(SurfaceFrame::at_rest(Arc::clone(&self.topology), Arc::new(positions)))
    }
}

fn rounded(x: &Point3<f64>) -> [f32; 3] {
    [x.x as f32, x.y as f32, x.z as f32]
}

/// A smooth deformation: some waves through space.
pub(crate) struct Waves(Vec<(Vector3<f64>, Vector3<f64>, f64)>);

impl Waves {
    /// Random waves with slopes that sum up to `steepness`; below one, the skin does not pass
    /// through itself.
    pub(crate) fn random(random: &mut Random, steepness: f64) -> Self {
        const N_WAVES: usize = 5;
        let waves = (0..N_WAVES).map(|_| {
            let wave_length = random.between(0.03, 0.15);
            let number = std::f64::consts::TAU / wave_length;
            let height = steepness / N_WAVES as f64 / number;
            (random.direction() * height, random.direction() * number, random.between(0.0, 6.0))
        });
        Self(waves.collect())
    }

    pub(crate) fn moved(&self, x: &Point3<f64>) -> Point3<f64> {
        self.0.iter().fold(*x, |sum, (height, number, phase)| {
            sum + height * (number.dot(&x.coords) + phase).sin()
        })
    }
}
