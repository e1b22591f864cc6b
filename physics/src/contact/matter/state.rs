//! State of a solid in contact as plain numbers.

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

use super::{KnownShape, TABLE};
use crate::contact::anchors::{ContactMemory, ContactState};
use crate::contact::candidates::MOST_CONTACTS;
use crate::contact::free_body::Motion;
use crate::state::{State, StateError};

/// Name of this matter in a [`State`].
const FAMILY: &str = "solid in contact";

/// Version of the [`State`].
const VERSION: u32 = 1;

/// State that was read.
pub(super) struct Written {
    pub(super) contact: ContactState,
    pub(super) shapes: Vec<KnownShape>,
    /// Substeps without motion.
    pub(super) n_still: u64,
    /// Error for numbers that do not fit this object.
    pub(super) wrong: StateError,
}

/// Writes a state: the motion, the shapes, the contacts, and at the end the held nodes, whose
/// number follows from the length.
pub(super) fn written(state: &ContactState, shapes: &[KnownShape], n_still: u64) -> State {
    let ContactState { motion, contacts, held } = state;
    let mut reals = Vec::new();
    put_pose(&mut reals, &motion.world_from_object);
    reals.extend(motion.velocity.iter().chain(&motion.spin));
    let mut integers = vec![n_still, shapes.len() as u64, contacts.len() as u64];
    for (number, pose) in shapes {
        integers.push(u64::from(*number));
        put_pose(&mut reals, pose);
    }
    for contact in contacts {
        let flags = u64::from(contact.anchor.is_some()) | u64::from(contact.is_sliding) << 1;
        integers.extend([u64::from(contact.proxy), u64::from(contact.point), flags]);
        let anchor = contact.anchor.unwrap_or_default().coords;
        reals.extend(anchor.iter().chain(&contact.force).chain(&contact.displacement));
    }
    for (point, force) in held {
        integers.push(u64::from(*point));
        reals.extend(force.iter());
    }
    State { family: FAMILY.to_owned(), version: VERSION, reals, integers }
}

/// Reads a state of a skin with `n_points` points. Fails if its numbers do not fit together.
pub(super) fn read(state: &State, n_points: usize) -> Result<Written, StateError> {
    let (shapes, contacts) = match state.integers[..] {
        [_, shapes, contacts, ..] => (shapes as usize, contacts as usize),
        _ => (0, 0),
    };
    let fits = shapes <= TABLE as usize && contacts <= MOST_CONTACTS;
    let (shapes, contacts) = if fits { (shapes, contacts) } else { (0, 0) };
    let held = state.integers.len().saturating_sub(3 + shapes + 3 * contacts).min(n_points);
    let lengths = [13 + 7 * shapes + 9 * contacts + 3 * held, 3 + shapes + 3 * contacts + held];
    state.check(FAMILY, VERSION, lengths)?;
    let mut reader = Reader { reals: &state.reals, integers: &state.integers[3..] };
    let motion = Motion {
        world_from_object: reader.pose(),
        velocity: reader.vector(),
        spin: reader.vector(),
    };
    let shapes: Vec<_> = (0..shapes).map(|_| (reader.whole() as u32, reader.pose())).collect();
    let contacts: Vec<_> = (0..contacts).map(|_| reader.contact()).collect();
    let held: Vec<_> = (0..held).map(|_| (reader.point(), reader.vector())).collect();
    let wrong =
        StateError::Length { got: [state.reals.len(), state.integers.len()], want: lengths };
    let is_ascending = contacts.is_sorted_by(|a, b| (a.proxy, a.point) < (b.proxy, b.point))
        && held.is_sorted_by(|(a, _), (b, _)| a < b)
        && shapes.is_sorted_by(|(a, _), (b, _)| a < b);
    let poses = shapes.iter().map(|(_, pose)| *pose).chain([motion.world_from_object]);
    let are_turns = { poses }.all(|pose| (pose.rotation.norm() - 1.0).abs() < 1e-6);
    let of_shapes = contacts.iter().all(|contact| (contact.proxy as usize) < shapes.len());
    if !(is_ascending && are_turns && of_shapes) {
        return Err(wrong);
    }
    let contact = ContactState { motion, contacts, held };
    Ok(Written { contact, shapes, n_still: state.integers[0], wrong })
}

/// Appends a pose.
fn put_pose(reals: &mut Vec<f64>, pose: &Isometry3<f64>) {
    reals.extend(pose.translation.vector.iter().chain(pose.rotation.coords.iter()));
}

/// Numbers of a state, one after the other. Their count has been checked.
struct Reader<'a> {
    reals: &'a [f64],
    integers: &'a [u64],
}

impl Reader<'_> {
    fn real(&mut self) -> f64 {
        let (first, rest) = self.reals.split_first().expect("checked length");
        self.reals = rest;
        *first
    }

    fn whole(&mut self) -> u64 {
        let (first, rest) = self.integers.split_first().expect("checked length");
        self.integers = rest;
        *first
    }

    fn vector(&mut self) -> Vector3<f64> {
        let [x, y, z] = [(); 3].map(|()| self.real());
        Vector3::new(x, y, z)
    }

    fn pose(&mut self) -> Isometry3<f64> {
        let shift = self.vector();
        let [i, j, k, w] = [(); 4].map(|()| self.real());
        // Not normalised: the same bits must come back.
        let turn = UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k));
        Isometry3::from_parts(shift.into(), turn)
    }

    /// Number of a point; too large ones are above all of a skin.
    fn point(&mut self) -> u32 {
        u32::try_from(self.whole()).unwrap_or(u32::MAX)
    }

    fn contact(&mut self) -> ContactMemory {
        let (proxy, point, flags) = (self.whole(), self.point(), self.whole());
        let anchor = Point3::from(self.vector());
        ContactMemory {
            proxy: proxy as u32,
            point,
            anchor: (flags & 1 == 1).then_some(anchor),
            force: self.vector(),
            displacement: self.vector(),
            is_sliding: flags >> 1 & 1 == 1,
        }
    }
}
