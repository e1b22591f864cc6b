//! The rules of grasping, each by name.

mod settings;

use calibration::Finger;

pub use settings::{RuleError, Setting};

/// When a hand takes an object, deforms it and lets go. Which fingers take it, how many begin to deform it,
/// that a finger holds one node and that the palm touches nothing are the thesis' rules ([Ma98], section
/// 4.5); the rest keeps a trembling hand from flickering.
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
    /// A hand whose fingers, on average, bend less than this from knuckle to tip, in radians, is open and
    /// holds nothing: whoever got an object stuck to straight fingers is rid of it so.
    pub open_hand: f64,
    /// A hand that has closed by so much since it took an object, in radians on average, and is as open as then again lets
    /// go: fingers that took it while they were open would never be farther outside.
    pub reopening: f64,
    /// A finger that touched touches still while it is nearer to the skin than this, in metres.
    pub touch_gap: f64,
    /// A touch is over at once when all fingertips are farther from the skin than this, in metres ...
    pub clear_gap: f64,
    /// ... and else when none has touched for so long, in seconds.
    pub linger: f64,
    /// What a hand holds is let go when its devices have said nothing for so long, in seconds. It is longer than
    /// a device takes that only has to be woken.
    pub lost_hand: f64,
    /// What a fingertip holds.
    pub patch: Patch,
    /// Radius of the disc of a fingertip, as a part of the fingertip's own.
    pub disc: f64,
    /// What becomes of the shape when the hand lets go.
    pub release: AfterRelease,
    /// Whether fingers stop at the skin.
    pub fingers: AtSkin,
    /// Whether the palm does.
    pub palm: AtSkin,
}

/// What a fingertip holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patch {
    /// The nearest node, as in the thesis. A finer mesh yields more to it.
    Node,
    /// The nodes under the fingertip's disc, which move together.
    Disc,
}

/// What becomes of the shape when the hand lets go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterRelease {
    /// It springs back.
    Springs,
    /// The last shape in the hand becomes the rest shape.
    Keeps,
}

/// What a part of the hand does at the skin of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtSkin {
    /// It is shown where the skin stops it, wherever the real one is.
    Stops,
    /// It goes through.
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
