//! Block Gauss-Seidel over contacts, with an exact solution of each.

use nalgebra::{Matrix3, Vector3};

use super::one_contact::one_contact;
use super::pad::Pad;
use crate::linear::add_columns;

/// Contacts of one substep: `u = W l + w + pads`. Its memory is used again for the next substep.
#[derive(Debug, Clone, Default)]
pub struct ContactProblem {
    n_contacts: usize,
    /// `W` without pads: symmetric, row after row, three rows for each contact.
    w: Vec<f64>,
    /// Displacement `w` of each contact at no force.
    unforced: Vec<f64>,
    /// Displacement that held nodes add to `w`; empty if none is held.
    by_held: Vec<f64>,
    /// Forces.
    l: Vec<f64>,
    /// `W l + w`, without pads.
    u: Vec<f64>,
    sides: Vec<Side>,
}

/// Pad and friction of one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// Coefficient of friction.
    pub mu: f64,
    /// Pad between the body and the shape.
    pub pad: Pad,
    /// Area of the contact's point.
    pub area: f64,
}

/// How a solve went.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SolveReport {
    /// Number of sweeps.
    pub sweeps: u32,
    /// Largest change of displacement in the last sweep, in metres.
    pub residual: f64,
    /// False if the number of sweeps was limited before the change was small.
    pub has_converged: bool,
}

impl Side {
    /// Compliance of the pad under a normal force: along the normal and across it.
    fn compliance(&self, normal_force: f64) -> [f64; 2] {
        let secant = self.pad.secant(normal_force / self.area);
        [secant / self.area, self.pad.tangential / self.area]
    }
}

impl ContactProblem {
    /// Starts a problem of `n` contacts, with all numbers zero.
    pub fn start(&mut self, n: usize) {
        self.n_contacts = n;
        for (numbers, length) in [
            (&mut self.w, 9 * n * n),
            (&mut self.unforced, 3 * n),
            (&mut self.l, 3 * n),
            (&mut self.u, 3 * n),
        ] {
            numbers.clear();
            numbers.resize(length, 0.0);
        }
        self.sides.clear();
        self.by_held.clear();
    }

    /// Number of contacts.
    pub fn n_contacts(&self) -> usize {
        self.n_contacts
    }

    /// Sets the displacement at no force, the pad and the first guess of a contact. Contacts are
    /// set in order.
    pub fn set_contact(
        &mut self,
        i: usize,
        unforced: &Vector3<f64>,
        guess: &Vector3<f64>,
        side: Side,
    ) {
        self.unforced[3 * i..3 * i + 3].copy_from_slice(unforced.as_slice());
        // A guess outside the cone is moved to its edge.
        let normal = guess[0].max(0.0);
        let tangential = guess[1].hypot(guess[2]);
        let share = if tangential > side.mu * normal { side.mu * normal / tangential } else { 1.0 };
        let guess = [normal, guess[1] * share, guess[2] * share];
        self.l[3 * i..3 * i + 3].copy_from_slice(&guess);
        debug_assert_eq!(self.sides.len(), i);
        self.sides.push(side);
    }

    /// Sets the displacement of a contact's point by held nodes, at no force of contacts.
    pub(super) fn set_by_held(&mut self, i: usize, displacement: &Vector3<f64>) {
        self.by_held.resize(3 * self.n_contacts, 0.0);
        self.by_held[3 * i..3 * i + 3].copy_from_slice(displacement.as_slice());
    }

    /// Sets the block of `W` for two contacts, and its transpose.
    pub fn set_block(&mut self, i: usize, j: usize, block: &Matrix3<f64>) {
        let stride = 3 * self.n_contacts;
        for row in 0..3 {
            for column in 0..3 {
                self.w[(3 * i + row) * stride + 3 * j + column] = block[(row, column)];
                self.w[(3 * j + column) * stride + 3 * i + row] = block[(row, column)];
            }
        }
    }

    /// Force of a contact: normal and two tangents.
    pub fn force(&self, i: usize) -> Vector3<f64> {
        Vector3::from_column_slice(&self.l[3 * i..3 * i + 3])
    }

    /// Displacement of a contact's point, without that of the pad.
    pub fn displacement_without_pad(&self, i: usize) -> Vector3<f64> {
        Vector3::from_column_slice(&self.u[3 * i..3 * i + 3])
    }

    /// Displacement at no force.
    pub fn unforced(&self, i: usize) -> Vector3<f64> {
        Vector3::from_column_slice(&self.unforced[3 * i..3 * i + 3])
    }

    /// Displacement of a contact with the pad: opening of the gap, and slip.
    pub fn displacement(&self, i: usize) -> Vector3<f64> {
        self.displacement_without_pad(i) + self.pad_displacement(i)
    }

    /// Depth of the pad, and length of its bristle.
    pub fn pad_displacement(&self, i: usize) -> Vector3<f64> {
        let force = self.force(i);
        let [normal, tangential] = self.sides[i].compliance(force[0]);
        Vector3::new(normal * force[0], tangential * force[1], tangential * force[2])
    }

    /// Number of `W`, without pads: displacement along an axis of a contact by a force along an
    /// axis of another, as (contact, axis).
    pub fn compliance(&self, moved: (usize, usize), pushed: (usize, usize)) -> f64 {
        self.w[(3 * moved.0 + moved.1) * 3 * self.n_contacts + 3 * pushed.0 + pushed.1]
    }

    /// Growth of the pad's displacement with the force: along the normal and the two tangents.
    pub fn pad_slope(&self, i: usize) -> Vector3<f64> {
        let Side { pad, area, .. } = self.sides[i];
        let normal = pad.slope(self.force(i)[0] / area) / area;
        Vector3::new(normal, pad.tangential / area, pad.tangential / area)
    }

    /// Pad and friction of a contact.
    pub fn side(&self, i: usize) -> &Side {
        &self.sides[i]
    }

    /// Sweeps until displacements change by less than `tolerance` of the largest one at no force.
    pub fn solve(&mut self, tolerance: f64, most_sweeps: u32) -> SolveReport {
        let stride = 3 * self.n_contacts;
        self.u.copy_from_slice(&self.unforced);
        self.u.iter_mut().zip(&self.by_held).for_each(|(u, by_held)| *u += by_held);
        let at_no_force = if self.by_held.is_empty() { &self.unforced } else { &self.u };
        let largest = at_no_force.iter().fold(0.0_f64, |most, w| w.abs().max(most));
        let Self { w, u, l, .. } = self;
        add_columns(u, stride, |k| (&w[k * stride..(k + 1) * stride], l[k]));
        let mut report = SolveReport { has_converged: true, ..SolveReport::default() };
        for sweep in 1..=most_sweeps {
            let residual = self.sweep();
            report = SolveReport {
                sweeps: sweep,
                residual,
                has_converged: residual <= tolerance * largest,
            };
            if report.has_converged {
                break;
            }
        }
        report
    }

    /// Solves each contact once. Returns the largest change of a contact's own displacement.
    fn sweep(&mut self) -> f64 {
        let stride = 3 * self.n_contacts;
        let mut largest = 0.0_f64;
        for i in 0..self.n_contacts {
            let at = 3 * i;
            let old = self.force(i);
            let mut own = Matrix3::from_fn(|row, column| self.w[(at + row) * stride + at + column]);
            let q = self.displacement_without_pad(i) - own * old;
            let side = &self.sides[i];
            let [normal, tangential] = side.compliance(old[0]);
            own[(0, 0)] += normal;
            own[(1, 1)] += tangential;
            own[(2, 2)] += tangential;
            let new = one_contact(&own, &q, side.mu);
            let change = new - old;
            if change == Vector3::zeros() {
                continue;
            }
            largest = largest.max((own * change).amax());
            self.l[at..at + 3].copy_from_slice(new.as_slice());
            let w = &self.w;
            add_columns(&mut self.u, 3, |k| {
                (&w[(at + k) * stride..(at + k + 1) * stride], change[k])
            });
        }
        largest
    }
}
