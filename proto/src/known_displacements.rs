//! Conversions of known displacements.

use physics::{KnownDisplacement, NodeId, WhenUnderdetermined};

use crate::array::{WireError, packed, same_length, unpacked, vectors};
use crate::v1;

impl From<&[KnownDisplacement]> for v1::Known {
    fn from(known: &[KnownDisplacement]) -> Self {
        Self {
            nodes: packed(known.iter().map(|k| k.node.0)),
            displacements: packed(known.iter().flat_map(|k| <[f64; 3]>::from(k.vector()))),
            axes: known.iter().map(axes).collect::<Vec<u8>>().into(),
        }
    }
}

impl TryFrom<v1::Known> for Vec<KnownDisplacement> {
    type Error = WireError;

    fn try_from(known: v1::Known) -> Result<Self, WireError> {
        let nodes = unpacked::<u32, 4, 1>("known nodes", &known.nodes)?;
        let displacements = vectors("known displacements", &known.displacements)?;
        same_length("known displacements", displacements.len(), nodes.len(), 24)?;
        same_length("known axes", known.axes.len(), nodes.len(), 1)?;
        Ok(nodes
            .into_iter()
            .zip(displacements)
            .zip(&known.axes)
            .map(|(([node], u), axes)| KnownDisplacement {
                node: NodeId(node),
                displacement: [0, 1, 2].map(|axis| (axes >> axis & 1 == 1).then_some(u[axis])),
            })
            .collect())
    }
}

/// Returns a bit mask with one bit for each prescribed component.
fn axes(known: &KnownDisplacement) -> u8 {
    known.components().fold(0, |axes, (dof, _)| axes | 1 << dof.axis())
}

pub(crate) fn when_underdetermined(least_motion: bool) -> WhenUnderdetermined {
    if least_motion { WhenUnderdetermined::LeastMotion } else { WhenUnderdetermined::Refuse }
}
