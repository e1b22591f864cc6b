//! The points of the skin that lie under a fingertip.

use nalgebra::{Point3, Vector3};
use physics::NodeId;

use super::contact::SurfaceContact;
use super::touchable_surface::TouchableSurface;

/// Mark of a point that belongs to the patch. During the search, the contacts of a patch hold a
/// point number in place of a node, with these two marks in its upper bits; no surface has enough
/// points to reach them.
const CONNECTED: u32 = 1 << 31;
/// Mark of a point whose neighbours have been visited.
const ASKED: u32 = 1 << 30;
const MARKS: u32 = CONNECTED | ASKED;

impl TouchableSurface {
    /// Fills `patch` with the nodes under a disc. Their points are within `radius` of `centre`,
    /// both along the disc and along its `normal`; they face in the direction of `normal`; and they
    /// are connected with the nearest of them. The far side of a thin plate and a second plate
    /// behind it are therefore left out. Where the mesh is wider than the disc, the patch may be
    /// empty.
    ///
    /// The nodes are in ascending order, each once. `patch` is emptied first and keeps its memory.
    pub fn patch(
        &self,
        centre: &Point3<f64>,
        radius: f64,
        normal: &Vector3<f64>,
        patch: &mut Vec<SurfaceContact>,
    ) {
        patch.clear();
        let Some(normal) = normal.try_normalize(f64::MIN_POSITIVE) else { return };
        self.collect_facing(centre, radius, &normal, patch);
        patch.sort_unstable_by_key(|contact| contact.node);
        self.mark_connected(centre, patch);
        patch.retain(|contact| contact.node.0 & CONNECTED != 0);
        let nodes = &self.frame().topology.nodes;
        let point = |contact: &SurfaceContact| (contact.node.0 & !MARKS) as usize;
        patch.sort_unstable_by_key(|contact| (nodes[point(contact)], point(contact)));
        for contact in patch.iter_mut() {
            contact.node = nodes[point(contact)];
        }
        patch.dedup_by_key(|contact| contact.node);
    }

    /// Collects all points within the disc's height and radius that face its way.
    fn collect_facing(
        &self,
        centre: &Point3<f64>,
        radius: f64,
        normal: &Vector3<f64>,
        patch: &mut Vec<SurfaceContact>,
    ) {
        let skin = self.skin();
        // The ball around the disc's cylinder.
        let around = radius * std::f64::consts::SQRT_2;
        let is_near = |c: &Point3<f64>, r: f64| (c - centre).norm_squared() <= (around + r).powi(2);
        self.tree().search(is_near, &mut |triangle| {
            for point in skin.triangles[triangle] {
                // The search finds every triangle around a point in the ball; only the first adds
                // the point.
                let mut around = skin.adjacency.around(point).iter();
                let first = around.find(|&&t| skin.triangles[t as usize].contains(&point));
                if first != Some(&(triangle as u32)) {
                    continue;
                }
                let from_centre = skin.positions[point as usize] - centre;
                let height = from_centre.dot(normal);
                let across = (from_centre - normal * height).norm_squared();
                if height.abs() > radius || across > radius * radius {
                    continue;
                }
                let Some(point_normal) = skin.point_normal(point) else { continue };
                if point_normal.dot(normal) > 0.0 {
                    patch.push(SurfaceContact {
                        node: NodeId(point),
                        normal: point_normal,
                        displacement: self.displacement(point as usize),
                    });
                }
            }
        });
    }

    /// Marks the points that are connected with the one nearest to the centre: directly through
    /// triangles, or through a point outside of the disc that is a neighbour of both.
    fn mark_connected(&self, centre: &Point3<f64>, patch: &mut [SurfaceContact]) {
        let skin = self.skin();
        let distance = |contact: &SurfaceContact| {
            (skin.positions[contact.node.0 as usize] - centre).norm_squared()
        };
        let nearest =
            (0..patch.len()).min_by(|&a, &b| distance(&patch[a]).total_cmp(&distance(&patch[b])));
        let mut next = nearest;
        while let Some(at) = next {
            let point = patch[at].node.0 & !MARKS;
            patch[at].node.0 |= MARKS;
            for neighbour in self.neighbours(point) {
                if !mark(patch, neighbour) {
                    for beyond in self.neighbours(neighbour) {
                        mark(patch, beyond);
                    }
                }
            }
            next = patch.iter().position(|contact| contact.node.0 & MARKS == CONNECTED);
        }
    }

    /// The corners of all triangles around a point, itself among them.
    fn neighbours(&self, point: u32) -> impl Iterator<Item = u32> {
        let skin = self.skin();
        let around = skin.adjacency.around(point).iter();
        around.flat_map(move |&triangle| skin.triangles[triangle as usize])
    }
}

/// Marks a point as connected. Returns true if the point is in the patch.
fn mark(patch: &mut [SurfaceContact], point: u32) -> bool {
    match patch.binary_search_by_key(&point, |contact| contact.node.0 & !MARKS) {
        Ok(at) => {
            patch[at].node.0 |= CONNECTED;
            true
        }
        Err(_) => false,
    }
}
