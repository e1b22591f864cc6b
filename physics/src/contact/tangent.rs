//! Tangent stiffness: how the force on each shape changes as the shape moves.
//!
//! Contacts that push keep their normals closed, and those that stick their tangents; both are the
//! rows `a`. With `Q_a` their directions for a shape, `K = Q_a^T W_aa^-1 Q_a`: the other shapes
//! stay where they are. A pad counts with the slope of its law at the present pressure. The turn of
//! the contacts' frames and areas with the shape is left out, so that `K` is symmetric and positive
//! definite. While contacts stick it is then within about a tenth of what the solver answers.

use nalgebra::{Cholesky, DMatrix, Matrix3, Vector3};

use super::solid::ContactSolid;

/// A contact whose friction is this close to the cone's edge slides.
const EDGE: f64 = 1.0 - 1e-7;

/// What a shape feels as it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tangent {
    /// Place of the shape in the step's list.
    pub proxy: u32,
    /// Stiffness, in N/m and in the world's axes: a shape that moves by `d` feels `-K d` more.
    pub stiffness: Matrix3<f64>,
    /// Mean coefficient of friction of the contacts that push.
    pub friction: f64,
}

/// A row of the active contacts: contact, axis of its frame, and shape.
struct ActiveRow {
    contact: usize,
    axis: usize,
    proxy: u32,
    direction: Vector3<f64>,
}

impl ContactSolid {
    /// Tangents of the shapes that the last substep pushed, ascending. One factorisation of the
    /// active rows.
    pub fn tangents(&self) -> Vec<Tangent> {
        let rows = self.active_rows();
        let problem = &self.scratch.problem;
        let n = rows.len();
        let mut w = DMatrix::from_fn(n, n, |i, j| {
            let (row, column) = (&rows[i], &rows[j]);
            problem.compliance((row.contact, row.axis), (column.contact, column.axis))
        });
        for (i, row) in rows.iter().enumerate() {
            w[(i, i)] += problem.pad_slope(row.contact)[row.axis];
        }
        let mut proxies: Vec<u32> = rows.iter().map(|row| row.proxy).collect();
        proxies.dedup();
        // Pads make the matrix positive definite.
        let Some(factor) = Cholesky::new(w) else { return Vec::new() };
        let turn = self.motion.world_from_object.rotation.to_rotation_matrix();
        let tangent = |proxy: u32| {
            let q = DMatrix::from_fn(n, 3, |i, axis| match rows[i].proxy == proxy {
                true => rows[i].direction[axis],
                false => 0.0,
            });
            let stiffness = q.transpose() * factor.solve(&q);
            let stiffness = Matrix3::from_fn(|row, column| {
                0.5 * (stiffness[(row, column)] + stiffness[(column, row)])
            });
            let (mut friction, mut n_contacts) = (0.0, 0.0);
            for row in rows.iter().filter(|row| row.proxy == proxy && row.axis == 0) {
                friction += problem.side(row.contact).mu;
                n_contacts += 1.0;
            }
            Tangent {
                proxy,
                stiffness: turn.matrix() * stiffness * turn.matrix().transpose(),
                friction: friction / f64::max(n_contacts, 1.0),
            }
        };
        proxies.into_iter().map(tangent).collect()
    }

    /// Normals of contacts that push, and tangents of those that stick.
    fn active_rows(&self) -> Vec<ActiveRow> {
        let (problem, contacts) = (&self.scratch.problem, &self.scratch.contacts);
        let mut rows = Vec::with_capacity(3 * contacts.len());
        if problem.n_contacts() != contacts.len() {
            return rows;
        }
        for (i, contact) in contacts.iter().enumerate() {
            let force = problem.force(i);
            if force[0] <= 0.0 {
                continue;
            }
            let limit = problem.side(i).mu * force[0] * EDGE;
            let sticks = force[1].hypot(force[2]) < limit;
            for axis in 0..if sticks { 3 } else { 1 } {
                let direction = contact.frame.row(axis).transpose();
                rows.push(ActiveRow { contact: i, axis, proxy: contact.proxy, direction });
            }
        }
        rows
    }
}
