//! Surfaces by formula, many of them difficult to fill.

use std::collections::{HashMap, HashSet};
use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};
use objects::TriangleSurface;

/// Points and triangles from which a surface is made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Soup {
    pub(crate) points: Vec<Point3<f64>>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Soup {
    pub(crate) fn surface(self) -> TriangleSurface {
        TriangleSurface::new(self.points, self.triangles).unwrap()
    }

    /// Exact volume of a closed surface that is oriented outward, by the divergence theorem.
    pub(crate) fn volume(&self) -> f64 {
        let at = |i: u32| self.points[i as usize].coords;
        self.triangles.iter().map(|t| at(t[0]).dot(&at(t[1]).cross(&at(t[2]))) / 6.0).sum()
    }

    pub(crate) fn mapped(mut self, map: impl Fn(Point3<f64>) -> Point3<f64>) -> Self {
        self.points.iter_mut().for_each(|x| *x = map(*x));
        self
    }

    pub(crate) fn moved(self, by: [f64; 3]) -> Self {
        self.mapped(|x| x + Vector3::from(by))
    }

    pub(crate) fn scaled(self, by: f64) -> Self {
        self.mapped(|x| x * by)
    }

    pub(crate) fn and(mut self, other: Self) -> Self {
        let n = self.points.len() as u32;
        self.points.extend(other.points);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + n)));
        self
    }

    pub(crate) fn inside_out(mut self) -> Self {
        self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        self
    }

    /// Reverses some triangles.
    pub(crate) fn with_flipped(mut self, which: impl Fn(usize) -> bool) -> Self {
        for (_, t) in self.triangles.iter_mut().enumerate().filter(|(i, _)| which(*i)) {
            t.swap(1, 2);
        }
        self
    }

    pub(crate) fn without(mut self, which: impl Fn(usize) -> bool) -> Self {
        let mut number = 0..;
        self.triangles.retain(|_| !which(number.next().unwrap()));
        self
    }

    /// Gives every triangle points of its own, as in an STL file.
    pub(crate) fn unwelded(self) -> Self {
        let corners = self.triangles.as_flattened();
        let points: Vec<_> = corners.iter().map(|&i| self.points[i as usize]).collect();
        let triangles = (0..self.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
        Self { triangles: triangles.collect(), points }
    }
}

/// A closed grid of `n` by `m` points that wraps round both ways.
fn wrapped(n: usize, m: usize, at: impl Fn(f64, f64) -> Point3<f64>) -> Soup {
    let mut soup = Soup::default();
    for i in 0..n {
        for j in 0..m {
            soup.points.push(at(i as f64 / n as f64, j as f64 / m as f64));
            let [a, b] = [i, (i + 1) % n].map(|i| (i * m) as u32);
            let [c, d] = [j, (j + 1) % m].map(|j| j as u32);
            soup.triangles.extend([[a + c, b + c, b + d], [a + c, b + d, a + d]]);
        }
    }
    soup
}

/// A ball whose radius depends on the direction.
pub(crate) fn star_shaped(n: usize, radius: impl Fn(&Vector3<f64>) -> f64) -> Soup {
    let mut soup = Soup::default();
    let mut add =
        |direction: Vector3<f64>| soup.points.push((direction * radius(&direction)).into());
    for i in 1..n {
        for j in 0..2 * n {
            let (polar, turn) = (PI * i as f64 / n as f64, PI * j as f64 / n as f64);
            add(Vector3::new(polar.sin() * turn.cos(), polar.sin() * turn.sin(), polar.cos()));
        }
    }
    add(Vector3::z());
    add(-Vector3::z());
    let m = 2 * n as u32;
    let rows = n as u32 - 1;
    let (north, south) = (rows * m, rows * m + 1);
    for j in 0..m {
        let next = (j + 1) % m;
        soup.triangles.push([north, j, next]);
        soup.triangles.push([south, (rows - 1) * m + next, (rows - 1) * m + j]);
        for row in 0..rows - 1 {
            let [a, b] = [row * m, (row + 1) * m];
            soup.triangles.extend([[a + j, b + j, b + next], [a + j, b + next, a + next]]);
        }
    }
    soup
}

pub(crate) fn ball(radius: f64, n: usize) -> Soup {
    star_shaped(n, |_| radius)
}

pub(crate) fn torus(ring: f64, tube: f64, n: usize, m: usize) -> Soup {
    wrapped(n, m, |u, v| {
        let (u, v) = (2.0 * PI * u, 2.0 * PI * v);
        let out = ring + tube * v.cos();
        Point3::new(out * u.cos(), out * u.sin(), tube * v.sin())
    })
    .outward()
}

/// A trefoil knot of the given thickness.
pub(crate) fn knot(tube: f64, n: usize, m: usize) -> Soup {
    let line = |u: f64| {
        let t = 2.0 * PI * u;
        Point3::new(
            t.sin() + 2.0 * (2.0 * t).sin(),
            t.cos() - 2.0 * (2.0 * t).cos(),
            -(3.0 * t).sin(),
        )
    };
    wrapped(n, m, |u, v| {
        let along = (line(u + 1e-4) - line(u - 1e-4)).normalize_or(Vector3::x());
        let side = along.cross(&line(u).coords).normalize_or(Vector3::x());
        let up = along.cross(&side);
        let v = 2.0 * PI * v;
        line(u) + (side * v.cos() + up * v.sin()) * tube
    })
    .outward()
}

trait Direction {
    fn normalize_or(self, other: Self) -> Self;
}

impl Direction for Vector3<f64> {
    fn normalize_or(self, other: Self) -> Self {
        self.try_normalize(1e-12).unwrap_or(other)
    }
}

impl Soup {
    fn outward(self) -> Self {
        if self.volume() < 0.0 { self.inside_out() } else { self }
    }
}

/// The outer faces of unit cubes on a grid.
pub(crate) fn cubes(cells: &[[i32; 3]]) -> Soup {
    let filled: HashSet<[i32; 3]> = cells.iter().copied().collect();
    let mut number: HashMap<[i32; 3], u32> = HashMap::new();
    let mut soup = Soup::default();
    for cell in cells {
        for axis in 0..3 {
            for up in [0, 1] {
                let mut beside = *cell;
                beside[axis] += 2 * up - 1;
                if filled.contains(&beside) {
                    continue;
                }
                let corner = |u: i32, v: i32| {
                    let mut at = *cell;
                    at[axis] += up;
                    at[(axis + 1) % 3] += u;
                    at[(axis + 2) % 3] += v;
                    at
                };
                let mut ring = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                if up == 0 {
                    ring.reverse();
                }
                let [a, b, c, d] = ring.map(|at| {
                    *number.entry(at).or_insert_with(|| {
                        soup.points.push(Point3::from(at.map(f64::from)));
                        soup.points.len() as u32 - 1
                    })
                });
                soup.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    soup
}

pub(crate) fn block(edges: [f64; 3]) -> Soup {
    cubes(&[[0; 3]]).mapped(|x| Point3::new(x.x * edges[0], x.y * edges[1], x.z * edges[2]))
}

/// A cylinder whose side is one belt of slivers, with fans as lids.
pub(crate) fn slivers(n: usize) -> Soup {
    let mut soup = Soup::default();
    for j in 0..n {
        let turn = 2.0 * PI * j as f64 / n as f64;
        soup.points.extend([0.0, 1.0].map(|z| Point3::new(turn.cos(), turn.sin(), 4.0 * z)));
    }
    soup.points.extend([Point3::new(0.9, 0.0, 0.0), Point3::new(-0.7, 0.5, 4.0)]);
    let m = 2 * n as u32;
    for j in 0..n as u32 {
        let (a, b) = (2 * j, 2 * ((j + 1) % n as u32));
        soup.triangles.extend([[a, b, b + 1], [a, b + 1, a + 1], [m, b, a], [m + 1, a + 1, b + 1]]);
    }
    soup
}
