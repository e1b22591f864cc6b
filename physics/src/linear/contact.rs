//! `ContactSystem`: the small dense problem of one set of touched nodes.
//!
//! Built once per contact set; each frame then costs two small triangular solves and one
//! matrix-vector product over the rows that are wanted.

use nalgebra::{DMatrix, DVector, Dyn, LU, Point3, Vector3};

use super::compliance::Compliance;
use crate::frame::Reaction;
use crate::mesh::{Dof, NodeId};

/// Answers any displacements of one set of degrees of freedom.
pub struct ContactSystem {
    touched: Vec<Dof>,
    /// The saddle matrix `[A C; C^T 0]` with forces measured in `force_scale`.
    saddle: DMatrix<f64>,
    saddle_lu: LU<f64, Dyn, Dyn>,
    force_scale: f64,
    /// `[G B, R]` at the wanted rows.
    rows: DMatrix<f64>,
}

/// Why a set of nodes cannot be prescribed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContactError {
    /// The nodes leave a rigid motion free; the text names it.
    #[error("the touch does not hold the object: {0}")]
    Underdetermined(String),
    /// A node cannot be both glued and moved.
    #[error("node {} is a support and cannot be moved", .0.0)]
    Support(NodeId),
    /// The small system has no solution in floating point.
    #[error("the touched nodes are too close together to tell apart")]
    Singular,
}

/// Displacements and forces that answer one touch.
#[derive(Debug, Clone)]
pub struct ContactAnswer {
    /// Displacement at each wanted node.
    pub displacements: Vec<Vector3<f64>>,
    /// Force that holds each touched node, zero along its free axes.
    pub reactions: Vec<Reaction>,
    /// Largest difference between prescribed and obtained displacement, in metres.
    pub residual: f64,
}

impl ContactSystem {
    /// Prepares the degrees of freedom `touched` (ascending, each once), to be answered at the nodes
    /// `wanted`.
    pub fn new(
        compliance: &Compliance,
        rest_positions: &[Point3<f64>],
        touched: &[Dof],
        wanted: &[NodeId],
        supports: &[NodeId],
    ) -> Result<Self, ContactError> {
        if let Some(dof) = touched.iter().find(|dof| supports.contains(&dof.node())) {
            return Err(ContactError::Support(dof.node()));
        }
        let modes = compliance.modes();
        let c = modes.map(|modes| modes.at_dofs(rest_positions, touched));
        if let (Some(modes), Some(c)) = (modes, &c)
            && let Some(free) = modes.free_motion(c)
        {
            return Err(ContactError::Underdetermined(free));
        }

        let wanted: Vec<Dof> = wanted.iter().flat_map(|n| Dof::all_of(*n)).collect();
        let (m, n_modes) = (touched.len(), modes.map_or(0, |_| 6));
        let force_scale = compliance.stiffness_scale();
        let rows_of_columns: Vec<Dof> = touched.iter().chain(&wanted).copied().collect();
        let columns = compliance.columns(touched, &rows_of_columns);
        let mut saddle = DMatrix::zeros(m + n_modes, m + n_modes);
        let mut rows = DMatrix::zeros(wanted.len(), m + n_modes);
        for (j, column) in columns.iter().enumerate() {
            let (at_touched, at_wanted) = column.split_at(m);
            for (i, u) in at_touched.iter().enumerate() {
                saddle[(i, j)] = force_scale * u;
            }
            for (i, u) in at_wanted.iter().enumerate() {
                rows[(i, j)] = force_scale * u;
            }
        }
        if let (Some(modes), Some(c)) = (modes, &c) {
            saddle.view_mut((0, m), (m, 6)).copy_from(c);
            saddle.view_mut((m, 0), (6, m)).copy_from(&c.transpose());
            rows.view_mut((0, m), (wanted.len(), 6))
                .copy_from(&modes.at_dofs(rest_positions, &wanted));
        }
        let saddle_lu = saddle.clone().lu();
        if !saddle_lu.is_invertible() {
            return Err(ContactError::Singular);
        }
        Ok(Self { touched: touched.to_vec(), saddle, saddle_lu, force_scale, rows })
    }

    /// The touched degrees of freedom, in the order of prescribed displacements.
    pub fn touched(&self) -> &[Dof] {
        &self.touched
    }

    /// Displacements at the wanted nodes and reactions at the touched ones, for one prescribed
    /// displacement per touched degree of freedom.
    pub fn answer(&self, prescribed: &[f64]) -> ContactAnswer {
        let m = self.touched.len();
        let mut d = DVector::zeros(self.saddle.nrows());
        d.rows_mut(0, m).copy_from_slice(prescribed);
        let l_and_a =
            self.saddle_lu.solve(&d).expect("an invertible system was checked when it was built");
        let residual = (&self.saddle * &l_and_a - &d).rows(0, m).amax();
        let u = &self.rows * &l_and_a;
        let mut reactions: Vec<Reaction> = Vec::new();
        for (dof, force) in self.touched.iter().zip(l_and_a.iter()) {
            if reactions.last().is_none_or(|last| last.node != dof.node()) {
                reactions.push(Reaction { node: dof.node(), force: Vector3::zeros() });
            }
            if let Some(last) = reactions.last_mut() {
                last.force[dof.axis()] = force * self.force_scale;
            }
        }
        ContactAnswer {
            displacements: (0..u.len() / 3).map(|i| u.fixed_rows::<3>(3 * i).into()).collect(),
            reactions,
            residual,
        }
    }
}
