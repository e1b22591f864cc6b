//! The six rigid-body modes of a body, and which of them a set of nodes leaves free.

use nalgebra::{DMatrix, Matrix3, Point3, SMatrix, Vector3};

use crate::mesh::Dof;

/// Three translations and three infinitesimal rotations about the centroid. Rotations are scaled by the
/// body's size, so that all six are lengths and the small system is well conditioned.
#[derive(Debug, Clone)]
pub struct RigidModes {
    centroid: Point3<f64>,
    size: f64,
}

impl RigidModes {
    /// The modes of a body with these nodes.
    pub fn of(positions: impl Iterator<Item = Point3<f64>> + Clone) -> Self {
        let n = positions.clone().count().max(1) as f64;
        let sum: Vector3<f64> = positions.clone().map(|x| x.coords).sum();
        let centroid = Point3::from(sum / n);
        let size = positions.map(|x| (x - centroid).norm()).fold(0.0, f64::max);
        Self { centroid, size }
    }

    /// Mean of the nodes, about which the rotations turn.
    pub fn centroid(&self) -> &Point3<f64> {
        &self.centroid
    }

    /// Largest distance of a node from the centroid.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The rows of `R` that belong to a node at `x`.
    pub fn at(&self, x: &Point3<f64>) -> SMatrix<f64, 3, 6> {
        let arm = (x - self.centroid) / self.size;
        let mut r = SMatrix::<f64, 3, 6>::zeros();
        r.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::identity());
        // u = w x arm for each unit vector w.
        r.fixed_view_mut::<3, 3>(0, 3).copy_from(&-arm.cross_matrix());
        r
    }

    /// `C`: the rows of `R` at some degrees of freedom, one below the other.
    pub(super) fn at_dofs(&self, positions: &[Point3<f64>], dofs: &[Dof]) -> DMatrix<f64> {
        let mut c = DMatrix::zeros(dofs.len(), 6);
        for (i, dof) in dofs.iter().enumerate() {
            c.set_row(i, &self.at(&positions[dof.node().index()]).row(dof.axis()));
        }
        c
    }

    /// What rigid motion remains when the degrees of freedom of `c` are held, in words; `None` if none does.
    pub(super) fn free_motion(&self, c: &DMatrix<f64>) -> Option<String> {
        /// Below this share of the largest singular value, a motion counts as free: three nodes closer
        /// than a thousandth of the body to one line do not hold it.
        const FREE: f64 = 1e-3;
        // The normal matrix is always 6 x 6, so every mode shows, whatever the number of nodes.
        let eigen = (c.transpose() * c).symmetric_eigen();
        let largest = eigen.eigenvalues.iter().copied().fold(0.0, f64::max).sqrt();
        let free: Vec<usize> = (0..6)
            .filter(|&i| {
                eigen.eigenvalues[i].max(0.0).sqrt() <= FREE * largest.max(f64::MIN_POSITIVE)
            })
            .collect();
        match free[..] {
            [] => None,
            [one] => Some(self.named(&eigen.eigenvectors.fixed_view::<6, 1>(0, one).into_owned())),
            _ => Some(format!(
                "{} of the six rigid motions are free; three nodes that are not in line hold all of them",
                free.len()
            )),
        }
    }

    fn named(&self, mode: &nalgebra::SVector<f64, 6>) -> String {
        let rotation = mode.fixed_rows::<3>(3).into_owned();
        let translation = mode.fixed_rows::<3>(0).into_owned();
        let of = |v: Vector3<f64>| format!("({:.2}, {:.2}, {:.2})", v.x, v.y, v.z);
        match (rotation.try_normalize(1e-6), translation.try_normalize(1e-6)) {
            (Some(axis), _) => {
                // The axis passes where w x (x - centroid) + t = 0.
                let through = self.centroid
                    + rotation.cross(&translation) / rotation.norm_squared() * self.size;
                format!(
                    "the object is free to turn about the axis {} through {} m",
                    of(axis),
                    of(through.coords)
                )
            }
            (None, Some(direction)) => {
                format!("the object is free to move along {}", of(direction))
            }
            (None, None) => "a rigid motion is free".to_owned(),
        }
    }
}
