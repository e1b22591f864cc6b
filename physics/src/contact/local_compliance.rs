//! Local compliance: the dent under a patch that is smaller than the mesh's edges.
//!
//! Nodal loads cannot dent a patch that is smaller than an edge. So the compliance of a half-space
//! is added, less what the mesh has already:
//!
//! ```text
//! D_ij = (1-nu²)/(pi E) [ (r² + s_i s_j)^(-1/2) - (r³ + (l_i l_j)^(3/2))^(-1/3) ]
//! r = |x_i - x_j|
//! ```
//!
//! `s` follows from a point's area. `l` is the length at which the mesh's own compliance at the
//! point ends to rise; the body's thickness and bending are taken out of it by the regular part
//! `C`, which is read from the columns at a distance of two to three edges.

use nalgebra::{Matrix3, Vector3};

use super::free_body::FreeBody;
use super::node_compliance::{NodeCompliance, rest_position};
use super::points::SkinPoint;
use crate::family::solid::SolidModel;

/// Local compliance of a model's skin.
pub(super) struct LocalCompliance {
    /// Length of the edges around each surface point: the root of twice the mean area.
    edges: Vec<f64>,
    normals: Vec<Vector3<f64>>,
    /// Regular part of the compliance at each surface point, once it is known.
    regular: Vec<Option<f64>>,
    /// `pi E / (1 - nu²)`.
    modulus: f64,
    /// Compliance across the normal, as a share of that along it.
    across: f64,
}

/// Lengths of one point in the formula.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LocalLengths {
    s: f64,
    l: f64,
}

impl LocalCompliance {
    pub(super) fn of(model: &SolidModel) -> Self {
        let topology = &model.rest_surface().topology;
        let n = topology.nodes.len();
        let (mut areas, mut counts) = (vec![0.0; n], vec![0_u32; n]);
        let mut normals = vec![Vector3::zeros(); n];
        for triangle in &topology.triangles {
            let [a, b, c] = triangle.map(|at| rest_position(model, at));
            let doubled = (b - a).cross(&(c - a));
            for at in triangle.map(|at| at as usize) {
                areas[at] += 0.5 * doubled.norm();
                counts[at] += 1;
                normals[at] += doubled;
            }
        }
        let edge = |(area, count): (&f64, &u32)| (2.0 * area / f64::from((*count).max(1))).sqrt();
        for normal in &mut normals {
            *normal = normal.try_normalize(0.0).unwrap_or_else(Vector3::y);
        }
        let (young, nu) = (model.material().young(), model.material().poisson());
        Self {
            edges: areas.iter().zip(&counts).map(edge).collect(),
            normals,
            regular: vec![None; n],
            modulus: std::f64::consts::PI * young / (1.0 - nu * nu),
            across: (1.0 + nu) * (2.0 - nu) / (2.0 * (1.0 - nu * nu)),
        }
    }

    /// Lengths of a point whose corners have a place in `nodes`.
    pub(super) fn lengths(
        &mut self,
        point: &SkinPoint,
        nodes: &NodeCompliance,
        model: &SolidModel,
        body: Option<&FreeBody>,
    ) -> LocalLengths {
        let (mut own, mut regular, mut edge) = (0.0, 0.0, 0.0);
        let n = point.normal;
        for (&a, weight_a) in point.corners.iter().zip(point.weights) {
            if weight_a == 0.0 {
                continue;
            }
            regular += weight_a * self.regular_part(a, nodes, model, body);
            edge += weight_a * self.edges[a as usize];
            for (&b, weight_b) in point.corners.iter().zip(point.weights) {
                own += weight_a * weight_b * n.dot(&(nodes.block(a, b) * n));
            }
        }
        let s = 0.5 * (point.area / std::f64::consts::PI).sqrt();
        let rise = own * self.modulus - regular;
        let l = if rise > 0.0 { 0.75 / rise } else { f64::INFINITY };
        LocalLengths { s, l: l.clamp(0.15 * edge, 0.7 * edge).max(s) }
    }

    /// Mean difference between a node's compliance and that of a half-space, at two to three edges.
    fn regular_part(
        &mut self,
        at: u32,
        nodes: &NodeCompliance,
        model: &SolidModel,
        body: Option<&FreeBody>,
    ) -> f64 {
        if let Some(regular) = self.regular[at as usize] {
            return regular;
        }
        let (i, x, edge) = (at as usize, rest_position(model, at), self.edges[at as usize]);
        let columns = nodes.columns(at);
        let unscale = 1.0 / model.compliance().stiffness_scale();
        let (mut sum, mut count) = (0.0, 0_u32);
        for j in 0..self.normals.len() {
            let other = rest_position(model, j as u32);
            let r = (other - x).norm();
            if r < 1.9 * edge || r > 3.1 * edge {
                continue;
            }
            // The far side of a thin part, and faces around a corner, are no half-space.
            let Some(n) = (self.normals[i] + self.normals[j]).try_normalize(1.0) else { continue };
            let mut block =
                Matrix3::from_fn(|force, moved| columns.exact(force, 3 * j + moved) * unscale);
            if let Some(body) = body {
                block += body.relief((i, &x), (j, &other));
            }
            sum += n.dot(&(block * n)) * self.modulus - 1.0 / r;
            count += 1;
        }
        let regular = sum / f64::from(count.max(1));
        self.regular[i] = Some(regular);
        regular
    }

    /// Block of two points of one patch.
    pub(super) fn block(
        &self,
        (one, a): (&SkinPoint, LocalLengths),
        (other, b): (&SkinPoint, LocalLengths),
    ) -> Matrix3<f64> {
        let r = (one.rest - other.rest).norm();
        let n = (one.normal + other.normal).try_normalize(1e-9).unwrap_or(one.normal);
        let half_space = 1.0 / (r * r + a.s * b.s).sqrt();
        let of_mesh = 1.0 / (r.powi(3) + (a.l * b.l).powf(1.5)).cbrt();
        let along = (half_space - of_mesh) / self.modulus;
        Matrix3::identity() * (along * self.across)
            + n * n.transpose() * (along * (1.0 - self.across))
    }
}
