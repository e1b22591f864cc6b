//! Content of frames: positions of the surface, or displacements of all nodes.

use std::sync::Arc;

use crate::mesh::{NodeId, Topology};

/// Content of an object's frames besides forces, fields and the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrameContent {
    /// Positions of the surface, in `f32`.
    #[default]
    SurfacePositions,
    /// Displacements of all nodes, in `f64`, as a single solve gives them. Each frame takes one
    /// more solution with the factor, for the nodes inside the object.
    DisplacementsF64,
    /// The same displacements, rounded to `f32`.
    DisplacementsF32,
}

impl FrameContent {
    /// Displacements as a frame carries them; `None` if it does not carry any.
    pub fn displacements(
        self,
        exact: impl FnOnce() -> Vec<[f64; 3]>,
    ) -> Option<NodalDisplacements> {
        match self {
            Self::SurfacePositions => None,
            Self::DisplacementsF64 => Some(NodalDisplacements::F64(Arc::new(exact()))),
            Self::DisplacementsF32 => {
                let rounded = exact().iter().map(|u| u.map(|c| c as f32)).collect();
                Some(NodalDisplacements::F32(Arc::new(rounded)))
            }
        }
    }
}

/// Displacement of each node of an object.
#[derive(Debug, Clone, PartialEq)]
pub enum NodalDisplacements {
    /// All digits.
    F64(Arc<Vec<[f64; 3]>>),
    /// Rounded to `f32`.
    F32(Arc<Vec<[f32; 3]>>),
}

impl NodalDisplacements {
    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        match self {
            Self::F64(all) => all.len(),
            Self::F32(all) => all.len(),
        }
    }

    /// Content of a frame that carries these displacements.
    pub fn content(&self) -> FrameContent {
        match self {
            Self::F64(_) => FrameContent::DisplacementsF64,
            Self::F32(_) => FrameContent::DisplacementsF32,
        }
    }

    /// Displacement of a node, in `f32`. Panics if there is no such node.
    pub fn rounded(&self, node: NodeId) -> [f32; 3] {
        match self {
            Self::F64(all) => all[node.index()].map(|c| c as f32),
            Self::F32(all) => all[node.index()],
        }
    }

    /// Positions of a surface whose nodes have these displacements. Both formats give the same
    /// bits. Panics if the topology names a node that is not there.
    pub fn surface_positions(&self, topology: &Topology) -> Vec<[f32; 3]> {
        let position = |(rest, node): (&[f32; 3], &NodeId)| {
            let u = self.rounded(*node);
            std::array::from_fn(|axis| u[axis] + rest[axis])
        };
        topology.rest_positions.iter().zip(&topology.nodes).map(position).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Grip;

    #[test]
    fn both_formats_show_the_same_surface() {
        let rest = vec![[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]];
        let topology = Topology {
            nodes: vec![NodeId(2), NodeId(0)],
            ..Topology::of_points(Grip::Nodes, rest, Vec::new())
        };
        let exact = || vec![[1e-3 / 3.0, 0.0, -1e-3], [7.0; 3], [0.0, 2e-3 / 7.0, 0.0]];
        let [precise, short] = [FrameContent::DisplacementsF64, FrameContent::DisplacementsF32]
            .map(|content| content.displacements(exact).unwrap());
        assert_eq!(precise.surface_positions(&topology), short.surface_positions(&topology));
        let expected = [[0.1, (2e-3_f64 / 7.0) as f32 + 0.2, 0.3]];
        assert_eq!(precise.surface_positions(&topology)[..1], expected);
        assert_eq!(FrameContent::SurfacePositions.displacements(|| panic!("not needed")), None);
    }
}
