//! Sizes of messages: what an object, a question, an answer or a touch takes at most.
//!
//! Both sides check them before they send or compute, because gRPC ends a call whose message is too
//! large only after it was sent.

use physics::family::solid::SolveQuestion;
use prost::Message;

use crate::object::ClaimedSize;

/// Largest message of gRPC, which sends the length of a message in 32 bits.
pub const MOST_BYTES: u64 = u32::MAX as u64;

/// Message that every server accepts, however small its limits are. Servers that do not describe
/// themselves accept no larger one.
pub const LEAST_LIMIT: u64 = 64 << 20;

/// Size of the largest touch or restored state of a solid: a touch has at most 1024 proxies of some
/// 220 bytes, and a solid answers at most 256 known displacements of 29 bytes. A state has about
/// 100 bytes for each contact.
pub const TOUCH_BYTES: u64 = 256 << 10;

/// Room for the numbers and lengths in a message.
const SLACK: u64 = 4 << 10;

/// Bytes of `n` items of `each` bytes.
fn array(n: usize, each: u64) -> u64 {
    (n as u64).saturating_mul(each)
}

/// Size of the largest request with an object of this size: a single solve in which all nodes are
/// supports and have known displacements.
pub fn question_bytes(size: ClaimedSize) -> u64 {
    const POSITION_SUPPORT_KNOWN: u64 = 24 + 4 + (4 + 24 + 1);
    array(size.n_nodes, POSITION_SUPPORT_KNOWN)
        .saturating_add(array(size.n_elements, 16))
        .saturating_add(SLACK)
}

/// Size of the largest answer for an object of this size.
pub fn answer_bytes(size: ClaimedSize, wants_stresses: bool) -> u64 {
    const DISPLACEMENT_REACTION: u64 = 24 + (4 + 24);
    let stresses = if wants_stresses { array(size.n_elements, 48) } else { 0 };
    array(size.n_nodes, DISPLACEMENT_REACTION).saturating_add(stresses).saturating_add(SLACK)
}

/// Size of the largest reply in a session of an object with this number of nodes, which a client
/// should accept: topology, frame with fields, or state. Much larger than today's replies, so that
/// newer servers may send more.
pub fn frame_bytes(n_nodes: usize) -> u64 {
    LEAST_LIMIT.saturating_add(array(n_nodes, 1024)).min(MOST_BYTES)
}

/// Size of a message on the wire.
pub fn encoded_bytes(message: &impl Message) -> u64 {
    message.encoded_len() as u64
}

impl From<&SolveQuestion> for ClaimedSize {
    fn from(question: &SolveQuestion) -> Self {
        let mesh = question.spec.mesh();
        Self { n_nodes: mesh.n_nodes(), n_elements: mesh.elements().len() }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::v1;

    fn bytes(n: u64) -> Bytes {
        vec![0; n as usize].into()
    }

    #[test]
    fn the_largest_messages_are_within_their_bounds() {
        let size = ClaimedSize { n_nodes: 1000, n_elements: 7000 };
        let solid = v1::Solid {
            rest_positions: bytes(24_000),
            elements: bytes(112_000),
            supports: bytes(4000),
            young: 1e4,
            poisson: 0.4,
            density: Some(1e3),
            contact: Some((&physics::contact::ContactSettings::default()).into()),
        };
        let known =
            v1::Known { nodes: bytes(4000), displacements: bytes(24_000), axes: bytes(1000) };
        let question = v1::SolveRequest {
            object: Some(v1::Object { family: Some(v1::object::Family::Solid(solid)) }),
            known: Some(known),
            algorithm: 1,
            wants_stresses: true,
            ..Default::default()
        };
        let stage = v1::StageTime { name: "factorising".to_owned(), seconds: 1.0 };
        let mut answer = v1::Answer {
            displacements: bytes(24_000),
            reaction_nodes: bytes(4000),
            reaction_forces: bytes(24_000),
            strain_energy: 1.0,
            residual: 1e-12,
            stages: vec![stage; 12],
            stresses: bytes(336_000),
            ..Default::default()
        };
        let check = |needed: u64, bound: u64| {
            assert!(needed <= bound && bound - needed <= SLACK, "{needed} of {bound}");
        };
        check(encoded_bytes(&question), question_bytes(size));
        check(encoded_bytes(&answer), answer_bytes(size, true));
        answer.stresses = Bytes::new();
        check(encoded_bytes(&answer), answer_bytes(size, false));

        let proxy = v1::Proxy {
            velocity: bytes(24),
            angular_velocity: bytes(24),
            shape: Some(v1::proxy::Shape::Cylinder(v1::Cylinder {
                start: bytes(24),
                end: bytes(24),
                radius: 0.01,
            })),
            ..Default::default()
        };
        let touch = v1::Touch {
            sample: u64::MAX,
            time: 1.0,
            known: Some(v1::Known {
                nodes: bytes(4 * 256),
                displacements: bytes(24 * 256),
                axes: bytes(256),
            }),
            proxies: vec![proxy; 1024],
            world_from_object: bytes(56),
            surroundings: Some(v1::Surroundings { gravity: bytes(24), table: bytes(32) }),
            ..Default::default()
        };
        assert!(encoded_bytes(&touch) < TOUCH_BYTES, "{}", encoded_bytes(&touch));
    }
}
