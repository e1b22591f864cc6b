//! The rules of grasping, each by name.

use calibration::Finger;

/// When a hand takes an object, deforms it and lets go. Which fingers take it and how many begin to
/// deform it are the thesis' rules; the rest keeps a trembling hand from flickering.
#[derive(Debug, Clone, PartialEq)]
pub struct GraspRules {
    /// The object is taken when all of these touch at the same time.
    pub attach_fingers: Vec<Finger>,
    /// It is let go when fewer of them than this hold on.
    pub hold_on_with: usize,
    /// It begins to deform when this many fingertips hold on.
    pub deform_with: usize,
    /// It goes on deforming while this many do. Three that are not in line determine a shape.
    pub keep_deforming_with: usize,
    /// A finger has opened when it is this far outside of where it touched, in metres. It is wider than
    /// the step of a bend sensor, so that a trembling finger neither drops nor takes the object.
    pub release_gap: f64,
}

impl Default for GraspRules {
    fn default() -> Self {
        Self {
            attach_fingers: vec![Finger::Index, Finger::Middle, Finger::Ring],
            hold_on_with: 2,
            deform_with: 5,
            keep_deforming_with: 3,
            release_gap: 0.003,
        }
    }
}
