//! Nodes that are held by known displacements while shapes push the same body.
//!
//! Held components `k` stand in the same problem as contacts `c`. They have neither pad nor limit
//! of friction, so that their forces follow from the others, and they are eliminated before the
//! contacts are solved:
//!
//! ```text
//! l_k = -W_kk^-1 (w_k + W_kc l_c),    W_kk = L L^T,    V = L^-1 W_kc
//! u_c = (W_cc - V^T V) l_c + w_c - V^T L^-1 w_k
//! ```
//!
//! `W_cc - V^T V` is the compliance of a body that the held nodes support. It stays the same while
//! the same nodes are held, so the blocks of contacts keep it, and the solver of contacts has no
//! more to do than without held nodes.
//!
//! A free body keeps its inertia. Three held nodes lead it, fewer let it swing; nothing is
//! underdetermined.

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3, Vector6};

use super::free_body::NodeRows;
use super::node_compliance::{NodeCompliance, rest_position};
use super::pair_compliance::{Compliances, Place, computed};
use super::settings::ContactError;
use crate::family::solid::{SolidModel, TouchError};
use crate::mesh::NodeId;
use crate::surface_frame::Reaction;
use crate::touch::KnownDisplacement;

/// Smallest pivot of `W_kk`, as a share of the component's own compliance: below it, two components
/// cannot be told apart.
const LEAST_PIVOT: f64 = 1e-10;

/// A substep cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SubstepError {
    /// The displacements do not fit this object.
    #[error(transparent)]
    Touch(#[from] TouchError),
    /// A support cannot be moved.
    #[error("node {} is a support and cannot be moved", .0.0)]
    Support(NodeId),
    /// The system of the held nodes has no accurate solution in floating point.
    #[error("the held nodes are too close together to tell apart")]
    TooClose,
    /// A shape cannot be.
    #[error(transparent)]
    Shape(#[from] ContactError),
    /// Gravity or time are no numbers.
    #[error("a substep of {dt} s under gravity {gravity:?} m/s², expected finite numbers and time")]
    Numbers {
        /// Length of the substep, in seconds.
        dt: f64,
        /// Gravity, in m/s².
        gravity: [f64; 3],
    },
}

/// Component of a node that is held.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    /// Surface point.
    corner: u32,
    /// Direction of the component, along the object's axes.
    direction: Vector3<f64>,
    /// Axis of the touch, if the node is free along another one.
    axis: Option<usize>,
}

/// Held components of one substep.
#[derive(Default)]
pub(super) struct HeldNodes {
    rows: Vec<Row>,
    /// Components for which [`factor`](Self::factor) was made.
    prepared: Vec<Row>,
    /// Place of each prepared component's node in the blocks.
    places: Vec<Place>,
    /// `L`, the lower triangle row by row.
    factor: Vec<f64>,
    /// Displacement `w_k` of each component at no force, from where it must be.
    unforced: Vec<f64>,
    /// `L^-1 w_k`.
    reduced: Vec<f64>,
    /// Force of each component, in newtons.
    forces: Vec<f64>,
    /// Place in the world where each component's node must be.
    to: Vec<Point3<f64>>,
    /// Elastic displacement of each component's node before the substep.
    before: Vec<Vector3<f64>>,
}

impl HeldNodes {
    /// True if no node is held.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Number of held components.
    pub(super) fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Surface points of the held nodes, ascending; a point may come several times.
    pub(super) fn corners(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().map(|row| row.corner)
    }

    /// Lets go of all nodes.
    pub(super) fn release(&mut self) {
        self.rows.clear();
    }

    /// Takes the components of a touch, which has been checked, for a body that is predicted at
    /// `world_from_object`. Sets how far each is from where it must be.
    pub(super) fn hold(
        &mut self,
        model: &SolidModel,
        known: &[KnownDisplacement],
        world_from_object: &Isometry3<f64>,
    ) {
        for list in [&mut self.unforced, &mut self.reduced, &mut self.forces] {
            list.clear();
        }
        self.rows.clear();
        self.to.clear();
        let surface = &model.rest_surface().topology.nodes;
        for known in known {
            let corner = surface.binary_search(&known.node).expect("a checked touch") as u32;
            let rest = rest_position(model, corner);
            let to = rest + known.vector();
            let apart = rest - world_from_object.inverse_transform_point(&to);
            let is_whole = known.displacement.iter().all(Option::is_some);
            for axis in (0..3).filter(|axis| known.displacement[*axis].is_some()) {
                // The object's axes do for a whole node; they do not turn with the body.
                let own = Vector3::ith(axis, 1.0);
                let turned = world_from_object.inverse_transform_vector(&own);
                let direction = if is_whole { own } else { turned };
                self.rows.push(Row { corner, direction, axis: (!is_whole).then_some(axis) });
                self.unforced.push(direction.dot(&apart));
                self.to.push(to);
            }
        }
    }

    /// True if the factor is that of the present components.
    pub(super) fn is_prepared(&self) -> bool {
        self.prepared == self.rows
    }

    /// Makes the factor of the present components, whose nodes have places in the node compliance.
    pub(super) fn prepare(&mut self, from: &Compliances<'_>) -> Result<(), SubstepError> {
        let Self { rows, prepared, places, factor, .. } = self;
        prepared.clear();
        places.clear();
        factor.clear();
        for row in &*rows {
            places.push(Place::held(row.corner, from));
        }
        for (i, row) in rows.iter().enumerate() {
            for j in 0..=i {
                let block = computed(&places[i], &places[j], from);
                factor.push(row.direction.dot(&(block * rows[j].direction)));
            }
        }
        for i in 0..rows.len() {
            let own = factor[first(i) + i];
            for j in 0..=i {
                let known: f64 = (0..j).map(|k| factor[first(i) + k] * factor[first(j) + k]).sum();
                let rest = factor[first(i) + j] - known;
                factor[first(i) + j] = if j < i {
                    rest / factor[first(j) + j]
                } else if rest > LEAST_PIVOT * own {
                    rest.sqrt()
                } else {
                    return Err(SubstepError::TooClose);
                };
            }
        }
        prepared.extend_from_slice(rows);
        Ok(())
    }

    /// Computes `V` of a contact: one row for each held component.
    pub(super) fn find_reduced(
        &self,
        place: &Place,
        from: &Compliances<'_>,
        reduced: &mut [Vector3<f64>],
    ) {
        for (i, row) in self.prepared.iter().enumerate() {
            let mut v = computed(place, &self.places[i], from) * row.direction;
            for (known, share) in reduced[..i].iter().zip(&self.factor[first(i)..]) {
                v -= known * *share;
            }
            reduced[i] = v / self.factor[first(i) + i];
        }
    }

    /// Computes `L^-1 w_k` for the present substep.
    pub(super) fn reduce(&mut self) {
        for i in 0..self.rows.len() {
            let known: f64 = (0..i).map(|k| self.factor[first(i) + k] * self.reduced[k]).sum();
            self.reduced.push((self.unforced[i] - known) / self.factor[first(i) + i]);
        }
        self.forces.clone_from(&self.reduced);
    }

    /// Displacement of a contact's point by the held nodes, at no force of contacts.
    pub(super) fn displacement(&self, of_contact: &[Vector3<f64>]) -> Vector3<f64> {
        -of_contact.iter().zip(&self.reduced).map(|(v, y)| v * *y).sum::<Vector3<f64>>()
    }

    /// Adds the force of a contact to the load of the held nodes.
    pub(super) fn add_contact(&mut self, of_contact: &[Vector3<f64>], force: &Vector3<f64>) {
        for (sum, v) in self.forces.iter_mut().zip(of_contact) {
            *sum += v.dot(force);
        }
    }

    /// Computes the forces that hold the nodes, when all contacts have been added. `before` are the
    /// forces on surface points in the last substep.
    pub(super) fn find_forces(&mut self, nodes: &NodeCompliance, before: &[(u32, Vector3<f64>)]) {
        self.before.clear();
        self.before.extend(self.rows.iter().map(|row| nodes.displacement(row.corner, before)));
        for i in (0..self.rows.len()).rev() {
            let later = i + 1..self.rows.len();
            let known: f64 = later.map(|k| self.factor[first(k) + i] * self.forces[k]).sum();
            self.forces[i] = (-self.forces[i] - known) / self.factor[first(i) + i];
        }
    }

    /// Forces on the held nodes along the object's axes, ascending by surface point.
    pub(super) fn nodal_forces(&self, sums: &mut Vec<(u32, Vector3<f64>)>) {
        sums.clear();
        for (row, force) in self.rows.iter().zip(&self.forces) {
            let force = row.direction * *force;
            match sums.last_mut() {
                Some((corner, sum)) if *corner == row.corner => *sum += force,
                _ => sums.push((row.corner, force)),
            }
        }
    }

    /// Adds the forces that hold the nodes, in the world, for a body that is turned by `turn`.
    pub(super) fn add_reactions(
        &self,
        model: &SolidModel,
        turn: &UnitQuaternion<f64>,
        reactions: &mut Vec<Reaction>,
    ) {
        let surface = &model.rest_surface().topology.nodes;
        for (row, force) in self.rows.iter().zip(&self.forces) {
            // A node that is free along an axis feels no force there, not even by rounding.
            let force = match row.axis {
                Some(axis) => Vector3::ith(axis, *force),
                None => turn * (row.direction * *force),
            };
            let node = surface[row.corner as usize];
            match reactions.last_mut() {
                Some(last) if last.node == node => last.force += force,
                _ => reactions.push(Reaction { node, force }),
            }
        }
    }

    /// Force and moment about the centre of mass, along the object's axes.
    pub(super) fn load(&self) -> Vector6<f64> {
        let of_component =
            |held: HeldComponent<'_>| held.rows.transpose() * held.direction * held.force;
        self.components().map(of_component).sum()
    }

    /// The components after the solve.
    pub(super) fn components(&self) -> impl Iterator<Item = HeldComponent<'_>> {
        self.rows.iter().enumerate().map(|(i, row)| HeldComponent {
            direction: row.direction,
            rest: self.places[i].rest(),
            rows: self.places[i].rows(),
            unforced: self.unforced[i],
            force: self.forces[i],
            to: self.to[i],
            elastic_before: self.before[i],
        })
    }
}

/// A held component after the solve.
pub(super) struct HeldComponent<'a> {
    /// Direction along the object's axes.
    pub(super) direction: Vector3<f64>,
    /// Rest position of the node.
    pub(super) rest: Point3<f64>,
    /// Rows of `R` at the node.
    pub(super) rows: &'a NodeRows,
    /// Displacement at no force, from where the component must be.
    pub(super) unforced: f64,
    /// Force along the direction, in newtons.
    pub(super) force: f64,
    /// Place in the world where the node must be.
    pub(super) to: Point3<f64>,
    /// Elastic displacement of the node before the substep.
    pub(super) elastic_before: Vector3<f64>,
}

/// Place of a row in a lower triangle.
fn first(row: usize) -> usize {
    row * (row + 1) / 2
}
