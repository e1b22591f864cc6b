//! Rigid-body modes of a body, and the motions that a set of held nodes leaves free.

use nalgebra::{DMatrix, Matrix3, Matrix6, Point3, SMatrix, SymmetricEigen, U6, Vector3, Vector6};

use crate::mesh::Dof;

/// Rigid-body modes of one body: three translations and three infinitesimal rotations about the
/// centroid. Rotations are multiplied by the body's size, so that all six amounts are lengths and
/// the contact system is well conditioned.
#[derive(Debug, Clone)]
pub struct RigidModes {
    centroid: Point3<f64>,
    size: f64,
}

impl RigidModes {
    /// Creates the modes of a body with nodes at `positions`.
    pub fn of(positions: impl Iterator<Item = Point3<f64>> + Clone) -> Self {
        let n = positions.clone().count().max(1) as f64;
        let sum: Vector3<f64> = positions.clone().map(|x| x.coords).sum();
        let centroid = Point3::from(sum / n);
        let size = positions.map(|x| (x - centroid).norm()).fold(0.0, f64::max);
        Self { centroid, size }
    }

    /// Mean of the nodes, the centre of the rotations.
    pub fn centroid(&self) -> &Point3<f64> {
        &self.centroid
    }

    /// Largest distance of a node from the centroid.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Lever arm of a point, divided by the body's size.
    pub fn arm(&self, x: &Point3<f64>) -> Vector3<f64> {
        (x - self.centroid) / self.size
    }

    /// Rows of `R` for a node at `x`.
    pub fn at(&self, x: &Point3<f64>) -> SMatrix<f64, 3, 6> {
        let arm = self.arm(x);
        let mut r = SMatrix::<f64, 3, 6>::zeros();
        r.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::identity());
        // u = w x arm for each unit vector w.
        r.fixed_view_mut::<3, 3>(0, 3).copy_from(&-arm.cross_matrix());
        r
    }

    /// Matrix `C`: the rows of `R` at some degrees of freedom, one below the other.
    pub(super) fn at_dofs(&self, positions: &[Point3<f64>], dofs: &[Dof]) -> DMatrix<f64> {
        let mut c = DMatrix::zeros(dofs.len(), 6);
        for (i, dof) in dofs.iter().enumerate() {
            c.set_row(i, &self.at(&positions[dof.node().index()]).row(dof.axis()));
        }
        c
    }

    /// Describes the rigid motion that is free when the degrees of freedom of `c` are held; `None`
    /// if there is none.
    pub(super) fn free_motion(&self, c: &DMatrix<f64>) -> Option<String> {
        let (eigen, is_free) = mode_strengths(c);
        let free: Vec<usize> = (0..6).filter(|&i| is_free[i]).collect();
        match free[..] {
            [] => None,
            [one] => Some(self.named(&eigen.eigenvectors.column(one).into_owned())),
            _ => Some(format!(
                "{} of the six rigid motions are free; \
                 three nodes that are not in line hold all of them",
                free.len()
            )),
        }
    }

    /// Combinations of modes, one per column, that the degrees of freedom of `c` determine.
    /// Rotations are about `pivot`, so a body that is free to turn there only shifts with the
    /// pivot.
    pub(super) fn held_motions(&self, c: &DMatrix<f64>, pivot: &Point3<f64>) -> DMatrix<f64> {
        // A rotation about the pivot also shifts the centroid, about which the modes rotate.
        let mut from_pivot = DMatrix::identity(6, 6);
        let shift = self.arm(pivot).cross_matrix();
        from_pivot.fixed_view_mut::<3, 3>(0, 3).copy_from(&shift);
        let (eigen, is_free) = mode_strengths(&(c * &from_pivot));
        let basis = from_pivot * eigen.eigenvectors;
        let held: Vec<usize> = (0..6).filter(|&i| !is_free[i]).collect();
        DMatrix::from_fn(6, held.len(), |row, column| basis[(row, held[column])])
    }

    fn named(&self, mode: &Vector6<f64>) -> String {
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

/// Computes the eigenvectors of the normal matrix of `c`, which are combinations of modes, and
/// marks those that `c` leaves free. The normal matrix is always 6 x 6, so there are six of them
/// for any number of nodes.
fn mode_strengths(c: &DMatrix<f64>) -> (SymmetricEigen<f64, U6>, [bool; 6]) {
    /// Share of the largest singular value below which a motion counts as free: three nodes that
    /// are closer to one line than a thousandth of the body's size do not hold the body.
    const FREE: f64 = 1e-3;
    let normal: Matrix6<f64> = (c.transpose() * c).fixed_view::<6, 6>(0, 0).into_owned();
    let eigen = normal.symmetric_eigen();
    let strength = eigen.eigenvalues.map(|value| value.max(0.0).sqrt());
    let limit = FREE * strength.max().max(f64::MIN_POSITIVE);
    let is_free = [0, 1, 2, 3, 4, 5].map(|i| strength[i] <= limit);
    (eigen, is_free)
}
