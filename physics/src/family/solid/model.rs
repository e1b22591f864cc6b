//! `SolidModel`: what never changes while a solid is squeezed.

use crate::frame::{KnownDisplacement, Touch};
use crate::linear::{Compliance, ContactError, ContactSystem};
use crate::mesh::{Dof, NodeId, Surface, TetMesh};
use crate::spec::{BuildError, SolidSpec};

/// Far more nodes than fingertips cover. Each costs three columns as long as the surface, so a peer must
/// not choose freely.
const MOST_TOUCHED: usize = 256;

/// Rest shape and factorised stiffness of a solid.
pub struct SolidModel {
    mesh: TetMesh,
    rest_surface: Surface,
    supports: Vec<NodeId>,
    compliance: Compliance,
}

impl SolidModel {
    /// Assembles and factorises: the long part.
    pub fn new(spec: &SolidSpec) -> Result<Self, BuildError> {
        Ok(Self {
            mesh: spec.mesh().clone(),
            rest_surface: spec.mesh().surface(),
            supports: spec.supports().to_vec(),
            compliance: Compliance::new(spec.mesh(), spec.material(), spec.supports())?,
        })
    }

    /// The skin at rest.
    pub fn rest_surface(&self) -> &Surface {
        &self.rest_surface
    }

    /// The small system of some degrees of freedom (ascending, each once), answered at the surface.
    pub fn contact_system(&self, touched: &[Dof]) -> Result<ContactSystem, ContactError> {
        self.contact_system_at(touched, &self.rest_surface.topology.nodes)
    }

    /// The same, answered at any nodes.
    pub fn contact_system_at(
        &self,
        touched: &[Dof],
        wanted: &[NodeId],
    ) -> Result<ContactSystem, ContactError> {
        ContactSystem::new(
            &self.compliance,
            self.mesh.rest_positions(),
            touched,
            wanted,
            &self.supports,
        )
    }

    /// Says what is wrong with a touch that cannot be meant for this object.
    pub(super) fn check(&self, touch: &Touch) -> Result<(), String> {
        let version = self.rest_surface.topology.version;
        if touch.topology_version != version {
            return Err(format!(
                "the touch is for topology {}, the object has {version}",
                touch.topology_version
            ));
        }
        if touch.known.len() > MOST_TOUCHED {
            return Err(format!(
                "{} nodes are touched, expected at most {MOST_TOUCHED}",
                touch.known.len()
            ));
        }
        self.check_known(&touch.known)
    }

    /// Says what is wrong with prescribed displacements, if anything is.
    pub fn check_known(&self, known: &[KnownDisplacement]) -> Result<(), String> {
        let n_nodes = self.mesh.n_nodes();
        for known in known {
            if known.node.index() >= n_nodes {
                return Err(format!(
                    "node {} does not exist, there are {n_nodes} nodes",
                    known.node.0
                ));
            }
            if !self.mesh.is_in_body(known.node) {
                return Err(format!("node {} belongs to no element", known.node.0));
            }
            if !known.displacement.iter().flatten().all(|c| c.is_finite()) {
                return Err(format!("the displacement of node {} is not finite", known.node.0));
            }
        }
        match known.windows(2).find(|pair| pair[0].node >= pair[1].node) {
            Some(pair) => Err(format!(
                "node {} follows node {}, expected ascending nodes, each once",
                pair[1].node.0, pair[0].node.0
            )),
            None => Ok(()),
        }
    }
}
