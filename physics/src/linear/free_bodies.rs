//! Bodies of an object without supports, and the rigid motions that a touch gives them.

use nalgebra::{DMatrix, Point3};

use super::rigid_modes::RigidModes;
use crate::mesh::{Dof, NodeId, TetMesh};
use crate::touch::WhenUnderdetermined;

/// Free bodies of an object.
pub struct FreeBodies {
    /// Free body of each node.
    of_node: Vec<Option<u32>>,
    modes: Vec<RigidModes>,
    /// Name of each free body in error texts; empty if the object has one body only.
    names: Vec<String>,
    is_everything: bool,
}

/// Rigid motions that a touch determines. A body that nothing touches stays at rest.
pub(crate) struct Motions {
    /// Touched free bodies, each with the combinations of its six modes that the touch determines.
    pub(super) of_bodies: Vec<(usize, DMatrix<f64>)>,
    /// Matrix `C`: one row for each touched degree of freedom, one column for each motion.
    pub(super) c: DMatrix<f64>,
}

impl FreeBodies {
    /// Collects the bodies for which `is_free` is true.
    pub(super) fn of(mesh: &TetMesh, is_free: impl Fn(usize) -> bool) -> Self {
        let mut index = vec![None; mesh.n_bodies()];
        let mut all = Self {
            of_node: Vec::new(),
            modes: Vec::new(),
            names: Vec::new(),
            is_everything: false,
        };
        for body in (0..mesh.n_bodies()).filter(|&body| is_free(body)) {
            let nodes = mesh.nodes_of_body(body);
            let first = nodes.clone().next().expect("a body has nodes");
            index[body] = Some(all.modes.len() as u32);
            all.modes.push(RigidModes::of(nodes.map(|n| mesh.rest_positions()[n.index()])));
            all.names.push(match mesh.n_bodies() {
                1 => String::new(),
                _ => format!("the body with node {}: ", first.0),
            });
        }
        all.of_node = (0..mesh.n_nodes() as u32)
            .map(|node| mesh.body_of(NodeId(node)).and_then(|body| index[body]))
            .collect();
        all.is_everything = all.modes.len() == 1 && all.of_node.iter().all(Option::is_some);
        all
    }

    /// Free body that a node belongs to.
    pub fn of_node(&self, node: NodeId) -> Option<usize> {
        self.of_node[node.index()].map(|body| body as usize)
    }

    /// Rigid modes of a free body.
    pub fn modes(&self, body: usize) -> &RigidModes {
        &self.modes[body]
    }

    /// True if the object is one free body that contains all nodes.
    pub fn is_everything(&self) -> bool {
        self.is_everything
    }

    /// Number of free bodies.
    pub fn count(&self) -> usize {
        self.modes.len()
    }

    /// Returns the rigid motions that the degrees of freedom `touched` determine. The error names a
    /// motion that stays free.
    pub(crate) fn motions(
        &self,
        rest_positions: &[Point3<f64>],
        touched: &[Dof],
        when_underdetermined: WhenUnderdetermined,
    ) -> Result<Motions, String> {
        let mut bodies: Vec<usize> =
            touched.iter().filter_map(|dof| self.of_node(dof.node())).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let mut motions = Motions { of_bodies: Vec::new(), c: DMatrix::zeros(touched.len(), 0) };
        for body in bodies {
            let modes = &self.modes[body];
            let of_body = |dof: &Dof| self.of_node(dof.node()) == Some(body);
            let mut c = modes.at_dofs(rest_positions, touched);
            for (row, _) in touched.iter().enumerate().filter(|(_, dof)| !of_body(dof)) {
                c.row_mut(row).fill(0.0);
            }
            let basis = match (modes.free_motion(&c), when_underdetermined) {
                (None, _) => DMatrix::identity(6, 6),
                (Some(free), WhenUnderdetermined::Refuse) => {
                    return Err(format!("{}{free}", self.names[body]));
                }
                (Some(_), WhenUnderdetermined::LeastMotion) => {
                    let held = touched.iter().filter(|dof| of_body(dof));
                    let held = held.map(|dof| rest_positions[dof.node().index()]);
                    modes.held_motions(&c, RigidModes::of(held).centroid())
                }
            };
            let at = motions.c.ncols();
            motions.c = motions.c.insert_columns(at, basis.ncols(), 0.0);
            motions.c.columns_mut(at, basis.ncols()).copy_from(&(c * &basis));
            motions.of_bodies.push((body, basis));
        }
        Ok(motions)
    }
}
