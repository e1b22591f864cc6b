//! One moment of the workstation, ready to be drawn: plain data in the world frame, in metres.
//!
//! The hand loop makes scenes, views draw them. A view knows nothing of devices, grasp rules or
//! families of matter.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3};
use physics::{Shape, SurfaceFrame};

pub use crate::grasp::FingerContact;
pub use crate::hand::Palm;

/// Everything that a view needs for one picture.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// The things to squeeze; one is absent while it is being prepared.
    pub objects: Vec<ObjectView>,
    /// The hands; one is absent until both of its devices have spoken.
    pub hands: Vec<HandView>,
    /// What the person at the desk should know.
    pub status: Vec<StatusLine>,
}

/// The object as it is now.
#[derive(Debug, Clone)]
pub struct ObjectView {
    /// Its surface, in the object's frame; where its skin is stretched or pressed, it is coloured.
    pub frame: Arc<SurfaceFrame>,
    /// Where the object is.
    pub world_from_object: Isometry3<f64>,
    /// Linear colour of each point of the surface at rest; none for the colour that nothing else has.
    pub colours: Option<Arc<Vec<[f32; 3]>>>,
}

/// The hand as it is now.
#[derive(Debug, Clone)]
pub struct HandView {
    /// Finger segments and fingertips.
    pub shapes: Vec<Shape>,
    /// A rounded slab.
    pub palm: Palm,
    /// Where each fingertip is, thumb first.
    pub fingertips: [FingertipView; 5],
    /// Whose it is; drawn as its colour.
    pub role: HandRole,
}

/// What a hand is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandRole {
    /// The person's own, in its glove.
    Own,
    /// One to be imitated.
    Model,
}

/// One fingertip.
#[derive(Debug, Clone, Copy)]
pub struct FingertipView {
    /// Centre of its sphere.
    pub centre: Point3<f64>,
    /// Radius of its sphere.
    pub radius: f64,
    /// What it does to the object; drawn as its colour.
    pub contact: FingerContact,
}

/// One line of the status panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLine {
    /// What it is about: "glove", "tracker", "solver", "grasp".
    pub name: &'static str,
    /// How well that is.
    pub level: Level,
    /// In words.
    pub text: String,
}

/// How well something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// As it should be.
    Good,
    /// Not there yet, or not needed now.
    Waiting,
    /// Lost or broken: the person should look.
    Bad,
}
