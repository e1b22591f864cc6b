//! One moment of the workstation, ready to be drawn: plain data in the world frame, in metres.
//!
//! The hand loop makes scenes, views draw them. A view knows nothing of devices, grasp rules or
//! families of matter.

use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Isometry3, Point3, Vector3};
use physics::{KnownDisplacement, ObjectSpec, Shape, SurfaceFrame};

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
    /// The things on the table, seen or not.
    pub things: Vec<ThingOnTable>,
    /// The thing that orders are about.
    pub chosen: Option<ChosenThing>,
    /// Where the real hands are, as opposed to those that the skin stops.
    pub real_hands: Vec<Shape>,
    /// How far each finger of the hand is closed that mouse and keys drive, from 0 to 1, thumb first.
    pub driven: Option<[f64; 5]>,
    /// How much of the way to a place in a recording lies behind, from 0 to 1, while one is sought.
    pub sought: Option<f64>,
    /// How long samples take on their way here.
    pub latency: Latency,
    /// When it was put together.
    pub made: Option<Instant>,
    /// What the things' colours say.
    pub colouring: Colouring,
    /// Solid signs between the things: arrows and points.
    pub marks: Vec<Mark>,
    /// Thin lines over the things.
    pub lines: Vec<Line>,
}

/// A thing, and what would go with it.
#[derive(Debug, Clone)]
pub struct ThingOnTable {
    /// What a person calls it.
    pub name: String,
    /// Its present rest shape and what it is made of.
    pub spec: Arc<ObjectSpec>,
    /// Rest shapes between the original and the present one.
    pub n_kept: usize,
    /// Where it stands when nobody holds it.
    pub home: Isometry3<f64>,
}

/// The thing that orders are about, and what the fingers do to it.
#[derive(Debug, Clone)]
pub struct ChosenThing {
    /// Which of the things it is.
    pub thing: usize,
    pub name: String,
    /// Its present rest shape and what it is made of.
    pub spec: Arc<ObjectSpec>,
    /// Rest shapes between the original and the present one.
    pub n_kept: usize,
    /// Rest shapes that were undone and can be had again.
    pub n_undone: usize,
    /// Largest distance of a point from its rest position.
    pub squeeze: f64,
    /// What nearly all points of its skin stay below, in Pa, if the solver was asked for it: right at a fingertip it
    /// is larger, and the larger the finer the mesh.
    pub stress: f64,
    /// With which each finger presses it, thumb first, in the world, in newtons.
    pub forces: [Vector3<f64>; 5],
    /// Where each finger presses it, if it does.
    pub contacts: [Option<Point3<f64>>; 5],
    /// The displacements that the fingers impose on it.
    pub known: Vec<KnownDisplacement>,
    /// Linear colour of each node.
    pub colours: Option<Arc<Vec<[f32; 3]>>>,
    /// Of the box around it, where it is now; that of where it stands until it can be seen.
    pub middle: Point3<f64>,
}

/// How long a sample takes from stage to stage: medians over the last second, in seconds. Nothing is known of
/// a stage that nothing passed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Latency {
    /// From the glove's last byte to the pair with the tracker's sample.
    pub to_pair: Option<f64>,
    /// From there to the touch that is handed to the solver.
    pub to_touch: Option<f64>,
    /// From there to the frame that comes back.
    pub to_frame: Option<f64>,
}

/// What the colours of things say.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Colouring {
    /// What they are made of, lit up where the skin is stretched or pressed.
    #[default]
    Natural,
    /// How far each point is from where it is at rest; the last colour means `full`, in metres.
    Displacement { full: f64 },
    /// How much longer or shorter the skin is than at rest; the last colour means this part of its length.
    Strain { full: f64 },
    /// How hard the matter under the skin is sheared, by von Mises; the last colour means `full`, in Pa. Things
    /// whose solver was not asked for it keep their own colours.
    Stress { full: f64 },
}

/// A solid sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    pub shape: MarkShape,
    /// Linear.
    pub colour: [f32; 3],
}

/// The shape of a sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MarkShape {
    /// From its foot to its point.
    Arrow {
        from: Point3<f64>,
        to: Point3<f64>,
        radius: f64,
    },
    Ball {
        centre: Point3<f64>,
        radius: f64,
    },
}

/// A line as thin as can be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    pub ends: [Point3<f64>; 2],
    /// Linear.
    pub colour: [f32; 3],
}

/// The object as it is now.
#[derive(Debug, Clone)]
pub struct ObjectView {
    /// Which of the things it is.
    pub thing: usize,
    /// Its surface, in the object's frame; where its skin is stretched or pressed, it is coloured.
    pub frame: Arc<SurfaceFrame>,
    /// Where the object is.
    pub world_from_object: Isometry3<f64>,
    /// Linear colour of each point of the surface at rest; none for the colour that nothing else has.
    pub colours: Option<Arc<Vec<[f32; 3]>>>,
}

/// The hand as it is now.
#[derive(Debug, Clone, PartialEq)]
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
#[derive(Debug, Clone, Copy, PartialEq)]
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
