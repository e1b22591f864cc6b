//! The rules of grasping.

mod settings;

use calibration::Finger;

pub use settings::{RuleError, RuleSetting};

/// Rules for taking, deforming and releasing an object. From the thesis (\[Ma98\], section 4.5)
/// come the fingers that take it, the number of fingers that deform it, the hold on one node per
/// finger, and a palm that touches nothing. The other rules keep a trembling hand from flickering
/// between states.
#[derive(Debug, Clone, PartialEq)]
pub struct GraspRules {
    /// The hand takes the object when all of these fingers touch it at the same time.
    pub attach_fingers: Vec<Finger>,
    /// The hand drops the object when fewer of `attach_fingers` than this hold it.
    pub hold_on_with: usize,
    /// The object begins to deform when this many fingertips hold it.
    pub deform_with: usize,
    /// The object goes on deforming while this many fingertips hold it. Three that are not in line
    /// determine a shape.
    pub keep_deforming_with: usize,
    /// A finger releases its nodes when it is this far outside of where it touched, in metres. The
    /// gap is wider than the step of a bend sensor, so that a trembling finger neither drops nor
    /// takes the object.
    pub release_gap: f64,
    /// A hand with a smaller mean bend of its fingers from knuckle to tip, in radians, is open and
    /// holds nothing. A person whose straight fingers hold an object can always drop it in this
    /// way.
    pub open_hand: f64,
    /// A hand that has closed by this angle since it took an object, in radians on average, drops
    /// the object when it is as open again as then. Without this rule, fingers that took an object
    /// while they were open could not get far enough outside to release it.
    pub reopening: f64,
    /// A finger that touches keeps touching until it is this far from the skin, in metres.
    pub touch_gap: f64,
    /// A touch ends at once when all fingertips are farther from the skin than this, in metres.
    pub clear_gap: f64,
    /// A touch also ends when no fingertip has touched for this time, in seconds.
    pub linger: f64,
    /// The hand drops the object when its devices have sent nothing for this time, in seconds. The
    /// time is longer than a sleeping device takes to wake.
    pub lost_hand: f64,
    /// Nodes that a fingertip holds.
    pub patch: Patch,
    /// Radius of a fingertip's disc, as a multiple of the fingertip's radius.
    pub disc: f64,
    /// Shape of the object after the hand lets go.
    pub release: AfterRelease,
    /// Drawing of the fingers at the skin.
    pub fingers: AtSkin,
    /// Drawing of the palm at the skin.
    pub palm: AtSkin,
}

/// Nodes that a fingertip holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patch {
    /// The nearest node, as in the thesis. A finer mesh is softer under it.
    Node,
    /// The nodes under the fingertip's disc, which move together.
    Disc,
}

/// Shape of an object after the hand lets go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterRelease {
    /// The object springs back to its rest shape.
    Springs,
    /// The last shape in the hand becomes the rest shape.
    Keeps,
}

/// Drawing of a part of the hand at the skin of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtSkin {
    /// The part is drawn where the skin stops it, even if the real part is deeper.
    Stops,
    /// The part passes through the skin.
    Passes,
}

impl Default for GraspRules {
    fn default() -> Self {
        Self {
            attach_fingers: vec![Finger::Index, Finger::Middle, Finger::Ring],
            hold_on_with: 2,
            deform_with: 5,
            keep_deforming_with: 3,
            release_gap: 0.003,
            open_hand: 25_f64.to_radians(),
            reopening: 20_f64.to_radians(),
            touch_gap: 0.002,
            clear_gap: 0.006,
            linger: 1.0,
            lost_hand: 2.0,
            patch: Patch::Node,
            disc: 0.8,
            release: AfterRelease::Springs,
            fingers: AtSkin::Stops,
            palm: AtSkin::Passes,
        }
    }
}
