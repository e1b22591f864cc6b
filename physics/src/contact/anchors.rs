//! Memory of contacts from substep to substep: anchors, forces, sliding. It is the state of
//! contact.

use nalgebra::{Point3, Vector3};

use super::free_body::Motion;

/// Memory of one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactMemory {
    /// Shape: its place in the list of a step's shapes.
    pub proxy: u32,
    /// Point of the skin.
    pub point: u32,
    /// Place on the shape that the point sticks to, in the shape's frame; `None` while the contact
    /// carries no force.
    pub anchor: Option<Point3<f64>>,
    /// Force on the body in the last substep, along the object's axes.
    pub force: Vector3<f64>,
    /// Elastic displacement of the point in the last substep, along the object's axes.
    pub displacement: Vector3<f64>,
    /// True if the contact slides, so that the coefficient of sliding friction holds.
    pub is_sliding: bool,
}

/// Everything that the next substep depends on, except the body and the shapes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactState {
    /// Place and motion of the body.
    pub motion: Motion,
    /// Contacts, ascending by shape and point.
    pub contacts: Vec<ContactMemory>,
    /// Forces on nodes that were held, along the object's axes, ascending by surface point.
    pub held: Vec<(u32, Vector3<f64>)>,
}

/// Speed below which a sliding contact may stick again, in m/s.
const SLOW: f64 = 1e-3;

/// True if a contact slides after a substep in which its point has slipped by `slip` metres (`None`
/// if it stuck).
pub fn slides_on(was_sliding: bool, slip: Option<f64>, dt: f64) -> bool {
    match slip {
        None => false,
        // The first substep of a slip is as slow as friction allows; it says nothing yet.
        Some(_) if !was_sliding => true,
        Some(slip) => slip / dt >= SLOW,
    }
}
