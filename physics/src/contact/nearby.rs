//! Points near each shape: the broad phase, repeated when shapes or skin have moved far enough.

use nalgebra::{Isometry3, Point3, Vector3};

use super::points::SkinPoints;
use super::shape::ContactProxy;

/// Largest gap of a point in contact's list, in metres.
pub(super) const CANDIDATE: f64 = 0.5e-3;

/// Largest gap of a point that is near.
const NEAR: f64 = 3e-3;

/// Largest number of near points of all shapes together. A shape that swallows a fine body is
/// stopped by the points that lie deepest.
const MOST_NEAR: usize = 1536;

/// Substeps after which the search is repeated in any case.
const MOST_AGE: u32 = 25;

/// Points near shapes.
#[derive(Default)]
pub(super) struct Nearby {
    /// Near points of each shape, ascending.
    of_proxy: Vec<Vec<NearPoint>>,
    /// Pose of each shape in the object's frame at the search.
    poses: Vec<Isometry3<f64>>,
    age: u32,
    is_stale: bool,
    /// Bound of the change of displacements since the search.
    drift: f64,
}

/// Point and its place at the search.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearPoint {
    pub(super) point: u32,
    pub(super) place: Point3<f64>,
    pub(super) gap: f64,
}

/// A number that belongs to `number` alone; neighbours get numbers far apart.
pub(super) fn scattered(number: u32) -> u32 {
    number.wrapping_mul(2_654_435_761)
}

impl Nearby {
    /// Asks for a new search.
    pub(super) fn make_stale(&mut self) {
        self.is_stale = true;
    }

    /// Notes that displacements of contacts have changed by up to `change` in a substep.
    pub(super) fn note_drift(&mut self, change: f64) {
        // Points away from contacts may move more than those in contact.
        self.drift += 2.0 * change;
    }

    /// Bound of the distance between a near point and its place at the search.
    pub(super) fn drift(&self) -> f64 {
        self.drift
    }

    /// True if points that were not near may be in contact by now.
    pub(super) fn must_search(
        &mut self,
        proxies: &[ContactProxy],
        poses: &[Isometry3<f64>],
        body_reach: f64,
    ) -> bool {
        self.age += 1;
        if self.is_stale || self.age > MOST_AGE || self.poses.len() != poses.len() {
            return true;
        }
        let moved = proxies.iter().zip(poses).zip(&self.poses).map(|((proxy, now), then)| {
            let angle = now.rotation.angle_to(&then.rotation);
            let shift = (now.translation.vector - then.translation.vector).norm();
            // A turn of the frames moves far points more; a plane reaches as far as the body.
            let reach = proxy.shape.reach().min(2.0 * body_reach + now.translation.vector.norm());
            shift + angle * reach
        });
        moved.fold(0.0, f64::max) + self.drift > NEAR - CANDIDATE
    }

    /// Searches. `displacement` returns the displacement of each point; none is longer than
    /// `largest`.
    pub(super) fn search(
        &mut self,
        points: &SkinPoints,
        proxies: &[ContactProxy],
        poses: &[Isometry3<f64>],
        largest: f64,
        displacement: impl Fn(u32, usize) -> Vector3<f64>,
    ) {
        self.of_proxy.resize_with(proxies.len(), Vec::new);
        self.poses.clear();
        self.poses.extend_from_slice(poses);
        (self.age, self.is_stale, self.drift) = (0, false, 0.0);
        for (number, (proxy, pose)) in proxies.iter().zip(poses).enumerate() {
            let gap = |x: &Point3<f64>| proxy.shape.gap(&pose.inverse_transform_point(x));
            let near = &mut self.of_proxy[number];
            near.clear();
            for at in points.in_groups(NEAR + largest, |centre| gap(centre).distance) {
                let point = &points.points()[at as usize];
                if proxy.touches_nodes_only && !point.is_node {
                    continue;
                }
                let place = point.rest + displacement(at, number);
                let gap = gap(&place).distance;
                if gap < NEAR {
                    near.push(NearPoint { point: at, place, gap });
                }
            }
        }
        self.keep_the_deepest();
    }

    /// Drops the shallowest points beyond [`MOST_NEAR`].
    fn keep_the_deepest(&mut self) {
        let n_near: usize = self.of_proxy.iter().map(Vec::len).sum();
        if n_near <= MOST_NEAR {
            return;
        }
        // Of points that lie equally deep, as on a flat face, those that stay are spread over it.
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let gaps = self.of_proxy.iter().flatten().map(|near| near.gap);
        let mut keys: Vec<(f64, u32)> = gaps.zip((0..).map(scattered)).collect();
        let (_, first_dropped, _) = keys.select_nth_unstable_by(MOST_NEAR, order);
        let first_dropped = *first_dropped;
        let mut numbers = (0..).map(scattered);
        for near in &mut self.of_proxy {
            near.retain(|near| {
                let number = numbers.next().expect("without end");
                order(&(near.gap, number), &first_dropped).is_lt()
            });
        }
    }

    /// Near points of a shape, ascending.
    pub(super) fn of_proxy(&self, proxy: usize) -> &[NearPoint] {
        &self.of_proxy[proxy]
    }
}
