//! One moment of the workstation, ready to be drawn: plain data in the world frame, in metres.
//!
//! The hand loop makes scenes, and views draw them. Drawing needs no knowledge of devices, grasp
//! rules or families of matter: a view draws surfaces, shapes and marks, and shows a
//! `FingerContact` as a colour. A scene also holds each thing's `ObjectSpec` and the displacements
//! that fingers impose on the selected thing. The panels that change and save things need them;
//! they call methods of the spec and never look into its parts.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};
use physics::{FieldKind, KnownDisplacement, ObjectSpec, Shape, SurfaceFrame};

pub use crate::grasp::FingerContact;
pub use crate::hand::Palm;

/// Everything that a view needs for one picture.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// The things to squeeze, without those that are still being prepared.
    pub objects: Vec<ObjectView>,
    /// The hands, without those whose devices have not all sent a sample yet.
    pub hands: Vec<HandView>,
    /// Status lines for the person at the desk.
    pub status: Vec<StatusLine>,
    /// All things on the table, drawn or not.
    pub things: Vec<ThingOnTable>,
    /// The thing to which orders apply.
    pub selected: Option<SelectedThing>,
    /// Shapes of the real hands, as opposed to the drawn hands that the skin stops.
    pub real_hands: Vec<Shape>,
    /// Closing of each finger of the mouse hand, from 0 to 1, thumb first.
    pub mouse_hand_closed: Option<[f64; 5]>,
    /// Progress of a seek in a recording, from 0 to 1; `None` without a seek.
    pub seek_progress: Option<f64>,
    /// Delays of samples on their path through the program.
    pub latency: Latency,
    /// Quantity that the colours of things show.
    pub colouring: Colouring,
    /// Solid marks between the things: arrows and balls.
    pub marks: Vec<Mark>,
    /// Thin lines over the things.
    pub lines: Vec<ThinLine>,
}

impl Scene {
    /// The fields that the things offer, each once, in the order of the things. The range of a
    /// field covers all things that offer it.
    pub fn fields(&self) -> Vec<OfferedField> {
        let mut fields: Vec<OfferedField> = Vec::new();
        for frame in self.objects.iter().map(|object| &object.frame) {
            for kind in &frame.topology.fields {
                let range = frame.field(&kind.name).map(|field| field.range.map(f64::from));
                match fields.iter_mut().find(|field| field.kind.name == kind.name) {
                    Some(field) => field.range = wider(field.range, range),
                    None => fields.push(OfferedField { kind: kind.clone(), range }),
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

/// A thing on the table with the data that files need.
#[derive(Debug, Clone)]
pub struct ThingOnTable {
    /// Name of the thing, shown to the person.
    pub name: String,
    /// Present rest shape and material.
    pub spec: Arc<ObjectSpec>,
    /// Number of rest shapes after the original, up to the present one.
    pub n_kept: usize,
    /// Place of the thing when no hand holds it.
    pub home: Isometry3<f64>,
}

/// The thing to which orders apply, and its contacts with the fingers.
#[derive(Debug, Clone)]
pub struct SelectedThing {
    /// Index of the thing.
    pub thing: usize,
    pub name: String,
    /// Present rest shape and material.
    pub spec: Arc<ObjectSpec>,
    /// Number of rest shapes after the original, up to the present one.
    pub n_kept: usize,
    /// Number of undone rest shapes that can be redone.
    pub n_undone: usize,
    /// True if the matter has moved by itself, so that it can be put back to its original state.
    pub has_moved: bool,
    /// Largest distance of a point from its rest position.
    pub squeeze: f64,
    /// Force of each finger of both hands, in newtons: left hand first, thumb first.
    pub forces: [[f64; 5]; 2],
    /// Places where fingers press the thing: fingertips that hold nodes, and all parts of hands
    /// that push.
    pub presses: Vec<PressPoint>,
    /// Displacements that the fingers impose on the thing.
    pub known_displacements: Vec<KnownDisplacement>,
    /// Linear colour of each node.
    pub colours: Option<Arc<Vec<[f32; 3]>>>,
    /// Middle of the thing's bounding box; before the thing is visible, the place where it stands.
    pub middle: Point3<f64>,
}

/// A place where a hand presses a thing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PressPoint {
    /// Position, on the skin if the skin is near.
    pub at: Point3<f64>,
    /// Force of the hand, in newtons.
    pub force: Vector3<f64>,
}

/// A quantity that things can show as colours.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedField {
    pub kind: FieldKind,
    /// Present range of the values, if the solver was asked for the field.
    pub range: Option<[f64; 2]>,
}

/// Delay of samples from stage to stage: medians over the last second, in seconds. `None` for a
/// stage without samples.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Latency {
    /// From the glove's last byte to the pair with the tracker's sample.
    pub to_pair: Option<f64>,
    /// From the pair to the touch that is handed to the solver.
    pub to_touch: Option<f64>,
    /// From the touch to the solved frame.
    pub to_frame: Option<f64>,
}

/// Quantity that the colours of things show.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Colouring {
    /// The colour of the material, brighter where the skin is stretched or pressed.
    #[default]
    Natural,
    /// Distance of each point from its rest position; the last colour means `full`, in metres.
    Displacement { full: f64 },
    /// Relative change of the skin's length against rest; the last colour means `full`.
    Strain { full: f64 },
    /// The field with this name; the first colour means `low`, the last one `high`. Things without
    /// this field keep their own colours.
    Field { name: Arc<str>, low: f64, high: f64 },
}

/// A solid mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    pub shape: MarkShape,
    /// Linear RGB.
    pub colour: [f32; 3],
}

/// Shape of a mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MarkShape {
    /// An arrow from its foot to its point.
    Arrow { from: Point3<f64>, to: Point3<f64>, radius: f64 },
    /// A ball.
    Ball { centre: Point3<f64>, radius: f64 },
}

/// A line of the smallest possible width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThinLine {
    pub ends: [Point3<f64>; 2],
    /// Linear RGB.
    pub colour: [f32; 3],
}

/// A thing, ready to be drawn.
#[derive(Debug, Clone)]
pub struct ObjectView {
    /// Index of the thing.
    pub thing: usize,
    /// Surface in the object's frame; colours show where its skin is stretched or pressed.
    pub frame: Arc<SurfaceFrame>,
    /// Place of the object.
    pub world_from_object: Isometry3<f64>,
    /// Linear colour of each point of the surface at rest; `None` for the default colour, which no
    /// other thing has.
    pub colours: Option<Arc<Vec<[f32; 3]>>>,
}

/// A hand, ready to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct HandView {
    /// Finger segments and fingertips.
    pub shapes: Vec<Shape>,
    /// The palm, a rounded slab.
    pub palm: Palm,
    /// Fingertips, thumb first.
    pub fingertips: [FingertipView; 5],
    /// Role of the hand, shown as its colour.
    pub role: HandRole,
}

/// Role of a hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandRole {
    /// The person's own hand, in its glove.
    Own,
    /// A model hand for the person to imitate.
    Model,
}

/// One fingertip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FingertipView {
    /// Centre of its sphere.
    pub centre: Point3<f64>,
    /// Radius of its sphere.
    pub radius: f64,
    /// Contact with the object, shown as the fingertip's colour.
    pub contact: FingerContact,
}

/// One line of the status panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLine {
    /// Subject of the line: "glove", "tracker", "solver", "grasp".
    pub name: &'static str,
    /// State of the subject.
    pub level: StatusLevel,
    /// The state in words.
    pub text: String,
}

/// State of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusLevel {
    /// Works as it should.
    Good,
    /// Missing so far, or not needed now.
    Waiting,
    /// Lost or broken: the person should act.
    Bad,
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use physics::{FieldValues, Grip, Topology};

    use super::*;

    /// A triangle with these fields; every range ends at `high`.
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
