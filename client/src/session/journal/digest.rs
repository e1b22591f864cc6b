//! Digest of a frame, sixteen digits from all of its bits, for the comparison of two runs.

use nalgebra::Isometry3;
use physics::SurfaceFrame;

use super::pose_numbers::placed;

/// Returns the digest of a frame.
pub(in crate::session) fn digest(frame: &SurfaceFrame) -> String {
    // FNV-1a: short to write, and the same everywhere.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |bits: u32| {
        for byte in bits.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    frame.positions.iter().flatten().for_each(|x| eat(x.to_bits()));
    for (node, force) in &frame.reactions {
        eat(node.0);
        force.iter().for_each(|f| eat(f.to_bits()));
    }
    for (proxy, force) in &frame.contact_forces {
        eat(u32::from_le_bytes([proxy.hand, proxy.finger, proxy.segment, 0]));
        force.iter().for_each(|f| eat(f.to_bits()));
    }
    if frame.pose != Isometry3::identity() {
        placed(&frame.pose).into_iter().map(f64::to_bits).for_each(|bits| {
            eat(bits as u32);
            eat((bits >> 32) as u32);
        });
    }
    let topology = &frame.topology;
    // The first topology follows from the object's spec. Without a later one, digests equal those
    // of earlier versions.
    if topology.version > 0 {
        eat(topology.version);
        eat(topology.rest_positions.len() as u32);
        topology.triangles.iter().flatten().for_each(|point| eat(*point));
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use physics::{Grip, NodeId, ProxyId, Topology};

    use super::*;

    /// A square in two triangles, cut along one diagonal or the other.
    fn frame(version: u32, triangles: [[u32; 3]; 2]) -> SurfaceFrame {
        let rest = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let topology = Topology::of_points(Grip::Contact, rest.clone(), triangles.to_vec());
        let topology = Topology { version, ..topology };
        let frame = SurfaceFrame::at_rest(Arc::new(topology), Arc::new(rest));
        let id = ProxyId { hand: 1, finger: 2, segment: 3 };
        SurfaceFrame {
            reactions: vec![(NodeId(2), [0.5, 0.0, -1.0])],
            contact_forces: vec![(id, [0.0, 2.0, 0.0])],
            ..frame
        }
    }

    const ONE: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];
    const OTHER: [[u32; 3]; 2] = [[0, 1, 3], [1, 2, 3]];

    #[test]
    fn a_change_of_topology_shows_although_no_point_moves() {
        let all = [frame(1, ONE), frame(1, OTHER), frame(2, ONE)].map(|frame| digest(&frame));
        assert!(all[0] != all[1] && all[0] != all[2] && all[1] != all[2], "{all:?}");
        assert_ne!(digest(&frame(0, ONE)), all[0]);
    }

    /// Digests computed by earlier versions: recordings keep them.
    #[test]
    fn digests_of_a_first_topology_stay_what_they_were() {
        assert_eq!(digest(&frame(0, ONE)), "f361e09660f16afb");
        assert_eq!(digest(&frame(0, ONE)), digest(&frame(0, OTHER)));
    }
}
