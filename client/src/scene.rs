//! One moment of the workstation, ready to be drawn: plain data in the world frame, in metres.
//!
//! The hand loop makes scenes, views draw them. A view knows nothing of devices, grasp rules or
//! families of matter.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3};
use physics::{Shape, SurfaceFrame};

/// Everything that a view needs for one picture.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The thing in the hand; absent while it is being prepared.
    pub object: Option<ObjectView>,
    /// The hand; absent until both devices have spoken.
    pub hand: Option<HandView>,
    /// What the person at the desk should know.
    pub status: Vec<StatusLine>,
}

/// The object as it is now.
#[derive(Debug, Clone)]
pub struct ObjectView {
    /// Its surface, in the object's frame.
    pub frame: Arc<SurfaceFrame>,
    /// The same points at rest; where the skin is stretched or pressed, it is coloured.
    pub rest_positions: Arc<Vec<[f32; 3]>>,
    /// Where the object is.
    pub world_from_object: Isometry3<f64>,
}

/// The hand as it is now.
#[derive(Debug, Clone)]
pub struct HandView {
    /// Finger segments and fingertips.
    pub shapes: Vec<Shape>,
    /// Outline of the palm, in order round it, and half its thickness.
    pub palm: Palm,
    /// Where each fingertip is, thumb first.
    pub fingertips: [FingertipView; 5],
}

/// The palm: a rounded slab. It is drawn but takes no part in contact.
#[derive(Debug, Clone, Copy)]
pub struct Palm {
    /// Corners, in order round the palm.
    pub outline: [Point3<f64>; 6],
    /// Half the thickness.
    pub radius: f64,
}

/// One fingertip.
#[derive(Debug, Clone, Copy)]
pub struct FingertipView {
    /// Centre of its sphere.
    pub centre: Point3<f64>,
    /// Radius of its sphere.
    pub radius: f64,
    /// What it does to the object; drawn as its colour.
    pub contact: ContactView,
}

/// What a fingertip does to the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactView {
    /// It is in the air.
    Free,
    /// It touches the skin.
    Touching,
    /// It holds a node and moves it.
    Pressing,
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
