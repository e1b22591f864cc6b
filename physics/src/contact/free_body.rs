//! Rigid motion of a free body, and its compliance in the frame that floats with it.
//!
//! `R` are the rigid motions about the centre of mass, `M` the lumped mass, `H = M R`,
//! `J = R^T M R`, `P = I - H J^-1 R^T`. Then `Ghat = P^T G P` is the elastic compliance: it is zero
//! for gravity and inertia, and does not depend on the nodes that `G` holds.

use nalgebra::{Isometry3, Matrix3, Matrix6, Point3, SMatrix, UnitQuaternion, Vector3, Vector6};

use crate::element::Tet;
use crate::family::solid::SolidModel;

/// Rows of `R`, or of a matrix like it, at one node.
pub type NodeRows = SMatrix<f64, 3, 6>;

/// Mass of a body, and what `Ghat` adds to `G`.
#[derive(Debug, Clone)]
pub struct FreeBody {
    /// Mass in kg.
    pub mass: f64,
    /// Centre of mass, in the object's frame.
    pub centre: Point3<f64>,
    /// Rotational inertia about the centre of mass, in kg m², along the object's axes.
    pub inertia: Matrix3<f64>,
    inverse_inertia: Matrix3<f64>,
    /// `G H J^-1 - R S / 2` at each surface node, with `S = J^-1 H^T G H J^-1`: then
    /// `Ghat_ij = G_ij - R_i T_j^T - T_i R_j^T`.
    relief: Vec<NodeRows>,
}

/// Place and motion of a body. A supported body stays where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Pose of the object's frame in the world.
    pub world_from_object: Isometry3<f64>,
    /// Velocity of the centre of mass, in the world.
    pub velocity: Vector3<f64>,
    /// Angular velocity, in the world.
    pub spin: Vector3<f64>,
}

impl Default for Motion {
    fn default() -> Self {
        Self {
            world_from_object: Isometry3::identity(),
            velocity: Vector3::zeros(),
            spin: Vector3::zeros(),
        }
    }
}

/// Angular velocity above which the gyroscopic torque counts, in rad/s.
const FAST_SPIN: f64 = 10.0;

impl FreeBody {
    /// Mass and floating frame of a model's body. Six solves.
    pub(crate) fn of(model: &SolidModel) -> Self {
        let masses = nodal_masses(model);
        let mass: f64 = masses.iter().sum();
        let weighted = model.mesh().rest_positions().iter().zip(&masses);
        let centre =
            Point3::from(weighted.clone().map(|(x, m)| x.coords * *m).sum::<Vector3<f64>>() / mass);
        let inertia: Matrix3<f64> = weighted
            .map(|(x, m)| {
                let arm = x - centre;
                (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose()) * *m
            })
            .sum();
        let inverse_inertia = inertia.try_inverse().expect("a body with volume has inertia");
        let mut body = Self { mass, centre, inertia, inverse_inertia, relief: Vec::new() };
        body.relief = body.find_relief(model, &masses);
        body
    }

    fn find_relief(&self, model: &SolidModel, masses: &[f64]) -> Vec<NodeRows> {
        let positions = model.mesh().rest_positions();
        let inverse = self.inverse_inertia_of_motions();
        // Columns of Y = G H J^-1.
        let columns: Vec<Vec<f64>> = (0..6)
            .map(|motion| {
                let force = |(x, m): (&Point3<f64>, &f64)| {
                    let force = self.rows(x) * inverse.column(motion) * *m;
                    [force.x, force.y, force.z]
                };
                let forces: Vec<f64> = positions.iter().zip(masses).flat_map(force).collect();
                model.compliance().factor().displacements(&forces)
            })
            .collect();
        let at = |node: usize| NodeRows::from_fn(|axis, motion| columns[motion][3 * node + axis]);
        let mut s = Matrix6::zeros();
        for (node, (x, m)) in positions.iter().zip(masses).enumerate() {
            s += self.rows(x).transpose() * at(node) * *m;
        }
        let s = inverse * s;
        // Symmetric up to rounding.
        let half_s = (s + s.transpose()) * 0.25;
        let of_node =
            |node: &crate::NodeId| at(node.index()) - self.rows(&positions[node.index()]) * half_s;
        model.rest_surface().topology.nodes.iter().map(of_node).collect()
    }

    /// `Ghat f`: displacements of all nodes under forces at all nodes. One solve.
    pub(super) fn elastic_displacements(&self, model: &SolidModel, forces: &mut [f64]) -> Vec<f64> {
        let (positions, masses) = (model.mesh().rest_positions(), nodal_masses(model));
        let inverse = self.inverse_inertia_of_motions();
        let load: Vector6<f64> = positions
            .iter()
            .zip(forces.as_chunks().0)
            .map(|(x, force)| self.rows(x).transpose() * Vector3::from(*force))
            .sum();
        let acceleration = inverse * load;
        for ((x, m), force) in positions.iter().zip(&masses).zip(forces.as_chunks_mut::<3>().0) {
            let inertia = self.rows(x) * acceleration * *m;
            (0..3).for_each(|axis| force[axis] -= inertia[axis]);
        }
        let mut u = model.compliance().factor().displacements(forces);
        let momentum: Vector6<f64> = positions
            .iter()
            .zip(&masses)
            .zip(u.as_chunks().0)
            .map(|((x, m), u)| self.rows(x).transpose() * Vector3::from(*u) * *m)
            .sum();
        let rigid = inverse * momentum;
        for (x, u) in positions.iter().zip(u.as_chunks_mut::<3>().0) {
            let shift = self.rows(x) * rigid;
            (0..3).for_each(|axis| u[axis] -= shift[axis]);
        }
        u
    }

    /// Rows of `R` at a place: displacement by the six rigid motions.
    pub fn rows(&self, x: &Point3<f64>) -> NodeRows {
        let mut rows = NodeRows::zeros();
        rows.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::identity());
        rows.fixed_view_mut::<3, 3>(0, 3).copy_from(&-(x - self.centre).cross_matrix());
        rows
    }

    /// `J^-1`.
    pub fn inverse_inertia_of_motions(&self) -> Matrix6<f64> {
        let mut inverse = Matrix6::zeros();
        let of_shift = Matrix3::identity() / self.mass;
        inverse.fixed_view_mut::<3, 3>(0, 0).copy_from(&of_shift);
        inverse.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.inverse_inertia);
        inverse
    }

    /// Difference between `Ghat` and `G` at two surface nodes, given by number and rest position.
    pub(super) fn relief(
        &self,
        (i, at_i): (usize, &Point3<f64>),
        (j, at_j): (usize, &Point3<f64>),
    ) -> Matrix3<f64> {
        -(self.rows(at_i) * self.relief[j].transpose()
            + self.relief[i] * self.rows(at_j).transpose())
    }

    /// `T` at a surface node: see [`FreeBody`].
    pub(super) fn relief_rows(&self, node: usize) -> &NodeRows {
        &self.relief[node]
    }

    /// Centre of mass in the world.
    pub fn centre_in_world(&self, motion: &Motion) -> Point3<f64> {
        motion.world_from_object * self.centre
    }

    /// Motion after `dt` under gravity alone.
    pub(super) fn predicted(&self, motion: &Motion, gravity: &Vector3<f64>, dt: f64) -> Motion {
        let mut spin = motion.spin;
        if spin.norm() > FAST_SPIN {
            let turn = motion.world_from_object.rotation;
            let own = turn.inverse() * spin;
            spin -= turn * (self.inverse_inertia * own.cross(&(self.inertia * own))) * dt;
        }
        let velocity = motion.velocity + gravity * dt;
        self.moved(&Motion { velocity, spin, ..*motion }, &(velocity * dt), &(spin * dt))
    }

    /// Motion after the forces of contacts have added `dt J^-1 load`. `load` holds force and
    /// moment about the centre of mass, along the object's axes.
    pub(super) fn pushed(&self, motion: &Motion, load: &Vector6<f64>, dt: f64) -> Motion {
        let turn = motion.world_from_object.rotation;
        let change = self.inverse_inertia_of_motions() * load * dt;
        let velocity = turn * change.fixed_rows::<3>(0).into_owned();
        let spin = turn * change.fixed_rows::<3>(3).into_owned();
        let faster =
            Motion { velocity: motion.velocity + velocity, spin: motion.spin + spin, ..*motion };
        self.moved(&faster, &(velocity * dt), &(spin * dt))
    }

    /// Moves the pose by a shift of the centre of mass and a turn about it.
    fn moved(&self, motion: &Motion, shift: &Vector3<f64>, turn: &Vector3<f64>) -> Motion {
        let centre = self.centre_in_world(motion) + shift;
        let rotation = UnitQuaternion::new(*turn) * motion.world_from_object.rotation;
        // Rounding accumulates over many steps.
        let rotation = UnitQuaternion::new_normalize(rotation.into_inner());
        let origin = centre - rotation * self.centre.coords;
        let world_from_object = Isometry3::from_parts(origin.coords.into(), rotation);
        Motion { world_from_object, ..*motion }
    }

    /// Kinetic energy, in joules.
    pub fn kinetic_energy(&self, motion: &Motion) -> f64 {
        let own = motion.world_from_object.rotation.inverse() * motion.spin;
        0.5 * (self.mass * motion.velocity.norm_squared() + own.dot(&(self.inertia * own)))
    }

    /// Potential energy of the weight, in joules.
    pub fn potential_energy(&self, motion: &Motion, gravity: &Vector3<f64>) -> f64 {
        -self.mass * gravity.dot(&self.centre_in_world(motion).coords)
    }
}

/// Lumped mass of each node, in kg.
fn nodal_masses(model: &SolidModel) -> Vec<f64> {
    let mesh = model.mesh();
    let mut masses = vec![0.0; mesh.n_nodes()];
    for nodes in mesh.elements() {
        let tet = Tet::new(&nodes.map(|node| mesh.rest_positions()[node.index()]));
        for node in nodes {
            masses[node.index()] += 0.25 * tet.volume * model.material().density();
        }
    }
    masses
}
