//! Moves the skin of a lattice onto the surface of a body and adjusts the layers below.
//!
//! A move is made only if all tetrahedra around the node stay good, so that no tetrahedron is ever
//! inverted, whatever the body; at worst a node stays beside the surface.

use nalgebra::{Point3, Vector3};

use super::Body;
use super::neighbours::{N_NEIGHBOURS, step};
use super::quality::worst_angle;
use super::selection::Tets;
use super::stars::Stars;

/// A mesh that is being fitted to the surface of its body.
pub(super) struct Relaxation<'a, B> {
    body: &'a B,
    spacing: f64,
    points: Vec<Point3<f64>>,
    is_skin: Vec<bool>,
    stars: Stars,
    /// Nodes near the surface, which may be moved.
    mobile: Vec<usize>,
}

/// Lowest quality that a move towards the surface may leave. This and the next two are squared
/// sines of the worst dihedral angle; this one is 14 degrees.
const BEARABLE: f64 = 0.06;
/// Quality below which a better position is searched for; 25 degrees.
const POOR: f64 = 0.18;
/// Quality above which evenness matters more; 36 degrees.
const GOOD: f64 = 0.35;
/// Number of layers of nodes below the skin that are adjusted.
const MOBILE_LAYERS: usize = 3;
/// Number of passes that move the skin and even out nodes.
const SWEEPS: usize = 8;
/// Number of passes that search better positions for poor nodes.
const SEARCHES: usize = 6;
/// Largest displacement of a shaken node along each axis, in spacings.
const SHAKE: f64 = 0.14;

impl<'a, B: Body> Relaxation<'a, B> {
    pub(super) fn new(body: &'a B, spacing: f64, tets: Tets) -> Self {
        let stars = Stars::new(&tets);
        let mobile = stars.layers_below(&tets.is_skin, MOBILE_LAYERS);
        let Tets { points, is_skin, .. } = tets;
        Self { body, spacing, points, is_skin, stars, mobile }
    }

    /// Points, and corners of the tetrahedra.
    pub(super) fn into_parts(self) -> (Vec<Point3<f64>>, Vec<[u32; 4]>) {
        (self.points, self.stars.into_tets())
    }

    /// Displaces the inner nodes at random, the same each time.
    pub(super) fn shake(&mut self) {
        let mut random = Random(0);
        for node in 0..self.points.len() {
            let by = Vector3::from_fn(|_, _| random.next()) * (SHAKE * self.spacing);
            if !self.is_skin[node] {
                let to = self.points[node] + by;
                self.try_move(node, to, GOOD);
            }
        }
    }

    /// Moves the skin onto the surface and improves the nodes near it.
    pub(super) fn settle(&mut self) {
        let mobile = std::mem::take(&mut self.mobile);
        for _ in 0..SWEEPS {
            for &node in &mobile {
                if self.is_skin[node] {
                    self.approach_surface(node);
                }
                self.even_out(node);
            }
        }
        for _ in 0..SEARCHES {
            for &node in &mobile {
                self.seek_better(node);
            }
        }
        self.mobile = mobile;
    }

    /// Moves a node to the surface, or as far as the tetrahedra around it allow.
    fn approach_surface(&mut self, node: usize) {
        let from = self.points[node];
        let way = self.body.on_surface(&from) - from;
        let bearable = self.quality(node).min(BEARABLE);
        for share in [1.0, 0.5, 0.25] {
            if self.try_move(node, from + way * share, bearable) {
                return;
            }
        }
    }

    /// Moves a node to the middle of its surroundings, if quality allows.
    fn even_out(&mut self, node: usize) {
        let middle = self.stars.middle(node, &self.points);
        let wanted = self.quality(node).min(GOOD);
        let from = self.points[node];
        for share in [1.0, 0.5] {
            let to = self.constrained(node, from + (middle - from) * share);
            if self.try_move(node, to, wanted) {
                return;
            }
        }
    }

    /// Tries positions around a node of poor quality, at decreasing distances.
    fn seek_better(&mut self, node: usize) {
        let mut quality = self.quality(node);
        for share in [0.1, 0.05, 0.025] {
            for direction in (0..N_NEIGHBOURS).map(|n| Vector3::from(step(n).map(|s| s as f64))) {
                if quality >= POOR {
                    return;
                }
                let way = direction * (share * self.spacing);
                let to = self.constrained(node, self.points[node] + way);
                if self.try_move(node, to, quality.next_up()) {
                    quality = self.quality(node);
                }
            }
        }
    }

    /// Projects the target of a skin node onto the surface.
    fn constrained(&self, node: usize, to: Point3<f64>) -> Point3<f64> {
        if self.is_skin[node] { self.body.on_surface(&to) } else { to }
    }

    /// Moves a node if all tetrahedra around it then have at least the quality `wanted`; true if it
    /// moved.
    fn try_move(&mut self, node: usize, to: Point3<f64>, wanted: f64) -> bool {
        let from = std::mem::replace(&mut self.points[node], to);
        let is_good = self.stars.tets(node).all(|tet| self.angle(tet) >= wanted);
        if !is_good {
            self.points[node] = from;
        }
        is_good
    }

    fn quality(&self, node: usize) -> f64 {
        self.stars.tets(node).map(|tet| self.angle(tet)).fold(f64::INFINITY, f64::min)
    }

    fn angle(&self, tet: [u32; 4]) -> f64 {
        worst_angle(tet.map(|corner| &self.points[corner as usize]))
    }
}

/// Random numbers, the same each time: the SplitMix64 sequence.
struct Random(u64);

impl Random {
    /// The next number from -1 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}
