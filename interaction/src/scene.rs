//! One moment of the workstation, ready to be drawn: plain data in the world frame, in metres.
//!
//! The hand loop makes scenes, views draw them. To draw, a view needs to know of no device, grasp
//! rule or family of matter: it draws surfaces, shapes and signs, and a `FingerContact` as a
//! colour. A thing's `ObjectSpec` and the displacements that fingers impose on it come along for
//! the panels that change and save things; these ask a spec and never take it apart.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};
use physics::{FieldKind, KnownDisplacement, ObjectSpec, Shape, SurfaceFrame};

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
    /// What the things' colours say.
    pub colouring: Colouring,
    /// Solid signs between the things: arrows and points.
    pub marks: Vec<Mark>,
    /// Thin lines over the things.
    pub lines: Vec<Line>,
}

impl Scene {
    /// What the things can tell about each point, each field once, in the order of the things. Its
    /// scale reaches over all things that have it.
    pub fn fields(&self) -> Vec<ShownField> {
        let mut fields: Vec<ShownField> = Vec::new();
        for frame in self.objects.iter().map(|object| &object.frame) {
            for kind in &frame.topology.fields {
                let range = frame.field(&kind.name).map(|field| field.range.map(f64::from));
                match fields.iter_mut().find(|field| field.kind.name == kind.name) {
                    Some(field) => field.range = wider(field.range, range),
                    None => fields.push(ShownField { kind: kind.clone(), range }),
                }
            }
        }
        fields
    }
}

fn wider(one: Option<[f64; 2]>, other: Option<[f64; 2]>) -> Option<[f64; 2]> {
    match (one, other) {
        (Some([a, b]), Some([c, d])) => Some([a.min(c), b.max(d)]),
        (range, None) | (None, range) => range,
    }
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
    /// Whether its matter has moved by itself, so that it can be put back to where it was at first.
    pub has_moved: bool,
    /// Largest distance of a point from its rest position.
    pub squeeze: f64,
    /// Of each finger of both hands, in newtons: the left hand first, thumb first.
    pub forces: [[f64; 5]; 2],
    /// Where fingers press it: fingertips that hold nodes, and all parts of hands that push.
    pub presses: Vec<Press>,
    /// The displacements that the fingers impose on it.
    pub known: Vec<KnownDisplacement>,
    /// Linear colour of each node.
    pub colours: Option<Arc<Vec<[f32; 3]>>>,
    /// Middle of its bounding box now; before it is visible, the place where it stands.
    pub middle: Point3<f64>,
}

/// A place where a hand presses a thing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Press {
    /// On the skin, if it is near.
    pub at: Point3<f64>,
    /// With which the hand presses, in newtons.
    pub force: Vector3<f64>,
}

/// A quantity that things offer to be shown as colours.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownField {
    pub kind: FieldKind,
    /// From where to where a scale of it reaches now, if the solver was asked for it.
    pub range: Option<[f64; 2]>,
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
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Colouring {
    /// What they are made of, lit up where the skin is stretched or pressed.
    #[default]
    Natural,
    /// How far each point is from where it is at rest; the last colour means `full`, in metres.
    Displacement { full: f64 },
    /// How much longer or shorter the skin is than at rest; the last colour means this part of its length.
    Strain { full: f64 },
    /// The field with this name; the first colour means `low`, the last one `high`. Things that do
    /// not offer it keep their own colours.
    Field { name: Arc<str>, low: f64, high: f64 },
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

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use physics::{FieldValues, Grip, Topology};

    use super::*;

    /// A triangle with these fields, all of whose scales end at `high`.
    fn object(names: &[&'static str], high: f32) -> ObjectView {
        let rest_positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let kind = |name: &&'static str| FieldKind {
            name: Cow::Borrowed(*name),
            unit: Cow::Borrowed("m/s"),
        };
        let triangle = vec![[0, 1, 2]];
        let topology = Topology::of_points(Grip::Contact, rest_positions.clone(), triangle);
        let topology = Topology { fields: names.iter().map(kind).collect(), ..topology };
        let fields = names.iter().map(|_| FieldValues::from_zero(vec![high; 3], 0.1)).collect();
        let frame = SurfaceFrame::at_rest(Arc::new(topology), Arc::new(rest_positions));
        let frame = Arc::new(SurfaceFrame { fields, ..frame });
        ObjectView { thing: 0, frame, world_from_object: Isometry3::identity(), colours: None }
    }

    #[test]
    fn a_scene_offers_the_fields_of_all_things_each_once() {
        let names = ["a", "b", "c", "d", "e", "speed"];
        let objects = vec![object(&["speed", "heat"], 2.0), object(&names, 5.0), object(&[], 9.0)];
        let mut scene = Scene { objects, ..Scene::default() };
        let shown: Vec<_> =
            scene.fields().iter().map(|f| (f.kind.name.to_string(), f.range)).collect();
        let own = |name: &str, high| (name.to_owned(), Some([0.0, high]));
        let first = [own("speed", 5.0), own("heat", 2.0)];
        let second = ["a", "b", "c", "d", "e"].map(|name| own(name, 5.0));
        assert_eq!(shown, [&first[..], &second[..]].concat());
        // A thing whose solver was not asked for fields offers them all the same.
        let asked = Arc::make_mut(&mut scene.objects[1].frame);
        asked.fields.clear();
        let fields = scene.fields();
        assert_eq!((fields[0].range, fields[2].range), (Some([0.0, 2.0]), None));
    }
}
