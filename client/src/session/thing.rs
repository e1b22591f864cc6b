//! One thing on the table: its shapes, its surface and the grasp of it.

use std::sync::Arc;

use drivers::Hand as Side;
use nalgebra::{Isometry3, Vector3};
use physics::{
    KnownDisplacement, Loose, NodeId, ObjectSpec, Outcome, SampleId, SolidSpec, SurfaceFrame,
    Topology, Touch,
};

use super::blend::Blend;
use super::shapes::{Back, Made, ShapeId, Shapes};
use super::tabletop::{Chore, Matter};
use crate::collision::TouchableSurface;
use crate::grasp::{Grasp, GraspRules, GraspState};
use crate::scene::ObjectView;

/// What a thing is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct ThingParts {
    /// What a person calls it.
    pub name: String,
    pub spec: Arc<ObjectSpec>,
    /// Where it stands when nobody holds it.
    pub home: Isometry3<f64>,
    /// Linear colour of each node.
    pub colours: Option<Colours>,
}

/// Linear colours, shared by whoever draws them.
pub type Colours = Arc<Vec<[f32; 3]>>;

/// A thing and what a hand does to it.
pub(super) struct Thing {
    pub(super) name: String,
    pub(super) grasp: Grasp,
    /// Nothing to touch until the solver has sent the object at rest.
    pub(super) surface: Option<TouchableSurface>,
    /// The hand that the grasp is of.
    pub(super) hand: Option<Side>,
    /// The last displacements that fingers imposed.
    pub(super) last_known: Vec<KnownDisplacement>,
    /// What is to be kept when the shape that is being prepared is ready.
    to_keep: Option<Vec<KnownDisplacement>>,
    /// What became of the last order, in words.
    pub(super) news: Option<String>,
    shapes: Shapes,
    /// How its shape is shown.
    blend: Blend,
    change: Option<Change>,
    node_colours: Option<Colours>,
    /// Of the points of this topology.
    colours: Option<(Arc<Topology>, Colours)>,
}

/// A new rest shape in the making.
struct Change {
    shape: ShapeId,
    /// Known once it is made.
    spec: Option<Arc<ObjectSpec>>,
    meanwhile: Meanwhile,
    /// What to say when it is there.
    done: &'static str,
    /// The farthest that a node is to be kept from where it rested.
    asked: Option<KnownDisplacement>,
    /// It is the shape of another thing, which takes this one's place.
    successor: Option<ThingParts>,
}

/// What the object does while its new rest shape is being prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meanwhile {
    /// It goes on as before.
    GoesOn,
    /// It keeps the shape that was left to it.
    StaysAsItIs,
}

/// What a frame meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// The surface is new.
    Shown,
    /// The object has another rest shape now.
    Changed,
    /// It was of no interest any more.
    Ignored,
}

impl Thing {
    pub(super) fn new(parts: ThingParts, rules: GraspRules) -> Self {
        Self {
            name: parts.name,
            grasp: Grasp::new(rules, parts.home),
            surface: None,
            hand: None,
            last_known: Vec::new(),
            to_keep: None,
            news: None,
            shapes: Shapes::new(parts.spec),
            blend: Blend::default(),
            change: None,
            node_colours: parts.colours,
            colours: None,
        }
    }

    /// The shape that it has now.
    pub(super) fn shape(&self) -> &Made {
        self.shapes.current()
    }

    /// What it is made from, as it is now.
    pub(super) fn parts(&self) -> ThingParts {
        ThingParts {
            name: self.name.clone(),
            spec: Arc::clone(&self.shapes.current().1),
            home: *self.grasp.home(),
            colours: self.node_colours.clone(),
        }
    }

    pub(super) fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    pub(super) fn set_shapes(&mut self, shapes: Shapes) {
        self.shapes = shapes;
    }

    /// Rest shapes between the original and the present one.
    pub(super) fn n_kept(&self) -> usize {
        self.shapes.n_kept()
    }

    /// Rest shapes that were undone and can be had again.
    pub(super) fn n_undone(&self) -> usize {
        self.shapes.n_undone()
    }

    /// Linear colour of each node.
    pub(super) fn node_colours(&self) -> Option<&Colours> {
        self.node_colours.as_ref()
    }

    pub(super) fn is_changing(&self) -> bool {
        self.change.is_some()
    }

    /// Whether touches are of any use now.
    pub(super) fn answers(&self) -> bool {
        self.change.as_ref().is_none_or(|change| change.meanwhile == Meanwhile::GoesOn)
    }

    /// Takes a frame of one of its shapes.
    pub(super) fn take_frame(&mut self, shape: ShapeId, frame: Arc<SurfaceFrame>) -> Taken {
        if let Some(change) = self.change.take_if(|change| change.shape == shape) {
            if let Some(successor) = change.successor {
                self.give_way(shape, successor);
                self.show(frame);
                return Taken::Changed;
            }
            let Some(spec) = change.spec else { return Taken::Ignored };
            let before = Arc::clone(&self.shapes.current().1);
            let moved = |node| rest_position(&spec, node) - rest_position(&before, node);
            self.grasp.rest_moved(moved);
            for known in self.to_keep.iter_mut().flatten() {
                for (u, moved) in known.displacement.iter_mut().zip(moved(known.node).iter()) {
                    *u = u.map(|u| u - moved);
                }
            }
            self.shapes.settle((shape, spec));
            self.news = Some(change.done.to_owned());
            // In a hand that deforms it, the answer to the next touch is shown: not the rest shape in between. Nor
            // is it shown of what stays as it was left.
            if !self.is_deforming() && self.to_keep.is_none() {
                self.show(frame);
            }
            return Taken::Changed;
        }
        if shape != self.shapes.current().0 || !self.answers() {
            return Taken::Ignored;
        }
        self.show(frame);
        Taken::Shown
    }

    /// Begins to keep the shape that a hand left to it; says what has to be done. Until another shape that is being
    /// prepared is ready, it stays as it is.
    pub(super) fn keep_as_left(&mut self, thing: usize) -> Option<Chore> {
        match &mut self.change {
            Some(change) if change.successor.is_none() && !self.last_known.is_empty() => {
                change.meanwhile = Meanwhile::StaysAsItIs;
                self.to_keep = Some(std::mem::take(&mut self.last_known));
                None
            }
            _ => self.keep(thing, Meanwhile::StaysAsItIs),
        }
    }

    /// Begins to keep the shape that waited for another one to be ready.
    pub(super) fn keep_next(&mut self, thing: usize) -> Option<Chore> {
        self.last_known = self.to_keep.take()?;
        self.keep(thing, Meanwhile::StaysAsItIs)
    }

    /// Begins to keep the shape that the hand gives it now; says what has to be done.
    pub(super) fn keep(&mut self, thing: usize, meanwhile: Meanwhile) -> Option<Chore> {
        if self.is_busy() {
            return None;
        }
        if self.last_known.is_empty() {
            self.news = Some("there is no new shape to keep: squeeze first".to_owned());
            return None;
        }
        let (shape, spec) = (self.shapes.begin(), Arc::clone(&self.shapes.current().1));
        let done = "this is the rest shape now";
        let by_length = |a: &&KnownDisplacement, b: &&KnownDisplacement| {
            a.vector().norm().total_cmp(&b.vector().norm())
        };
        let asked = self.last_known.iter().max_by(by_length).copied();
        self.change = Some(Change { shape, spec: None, meanwhile, done, asked, successor: None });
        self.news = Some("keeping the shape ...".to_owned());
        Some(Chore::Keep { thing, shape, spec, known: self.last_known.clone() })
    }

    /// Begins to go back to a shape that was there before; says what has to be done.
    pub(super) fn go_back(&mut self, thing: usize, back: Back) -> Option<Chore> {
        if self.is_busy() {
            return None;
        }
        let Some((shape, spec)) = self.shapes.before(back).cloned() else {
            let none = match back {
                Back::Undo => "there is nothing to undo",
                Back::Redo => "there is nothing to redo",
                Back::Reset => "it has its original shape",
            };
            self.news = Some(none.to_owned());
            return None;
        };
        let done = match back {
            Back::Undo => "undone",
            Back::Redo => "done again",
            Back::Reset => "it has its original shape again",
        };
        let meanwhile = Meanwhile::GoesOn;
        let known = Some(Arc::clone(&spec));
        self.change =
            Some(Change { shape, spec: known, meanwhile, done, asked: None, successor: None });
        Some(Chore::Prepare { thing, shape, spec })
    }

    /// Begins to make room for another thing; says what has to be done. Until that is ready, and if it never
    /// is, this one stays.
    pub(super) fn replace(&mut self, thing: usize, parts: &ThingParts) -> Option<Chore> {
        if self.is_busy() {
            return None;
        }
        let (shape, spec) = (self.shapes.begin(), Arc::clone(&parts.spec));
        self.news = Some(format!("{} is being prepared ...", parts.name));
        self.change = Some(Change {
            shape,
            spec: Some(Arc::clone(&spec)),
            meanwhile: Meanwhile::GoesOn,
            done: "",
            asked: None,
            successor: Some(parts.clone()),
        });
        Some(Chore::Prepare { thing, shape, spec })
    }

    /// Begins to become of other matter; says what has to be done.
    pub(super) fn remake(&mut self, thing: usize, matter: &Matter) -> Option<Chore> {
        if self.is_busy() {
            return None;
        }
        let ObjectSpec::Solid(solid) = &*self.shapes.current().1;
        if *solid.material() == matter.material {
            self.news = Some(format!("it is {} already", matter.name));
            return None;
        }
        let (mesh, supports) = (solid.mesh().clone(), solid.supports().to_vec());
        let spec = match SolidSpec::new(mesh, matter.material, supports) {
            Ok(remade) => Arc::new(ObjectSpec::Solid(remade)),
            Err(why) => {
                self.news = Some(format!("it stays as it was: {why}"));
                return None;
            }
        };
        let shape = self.shapes.begin();
        self.news = Some(format!("{} is being prepared ...", matter.name));
        self.change = Some(Change {
            shape,
            spec: Some(Arc::clone(&spec)),
            meanwhile: Meanwhile::GoesOn,
            done: "it is of the other material now",
            asked: None,
            successor: None,
        });
        Some(Chore::Prepare { thing, shape, spec })
    }

    /// The shape that was to be kept has been found, or why it cannot be.
    pub(super) fn made(&mut self, shape: ShapeId, found: Result<Arc<ObjectSpec>, String>) {
        let Some(change) = self.change.as_mut().filter(|change| change.shape == shape) else {
            return;
        };
        match found {
            Ok(spec) => {
                if let Some(asked) = change.asked {
                    let before = rest_position(&self.shapes.current().1, asked.node);
                    let moved = (rest_position(&spec, asked.node) - before).norm();
                    if moved < 0.98 * asked.vector().norm() {
                        change.done = "this is the rest shape now, as far as the matter bears it";
                    }
                }
                change.spec = Some(spec);
            }
            Err(why) => {
                self.change = None;
                self.to_keep = None;
                self.news = Some(format!("the shape stays as it was: {why}"));
            }
        }
    }

    /// Where hands and fingers leave it, for a picture.
    pub(super) fn view(&mut self, thing: usize, time: f64) -> Option<ObjectView> {
        let frame = self.blend.view(self.surface.as_ref()?.frame(), time);
        let world_from_object = *self.grasp.world_from_object();
        let colours = self.colours_of(&frame.topology);
        Some(ObjectView { thing, colours, frame, world_from_object })
    }

    /// How the last touch was answered.
    pub(super) fn outcome(&self) -> Option<&Outcome> {
        self.surface.as_ref().map(|surface| &surface.frame().report.outcome)
    }

    /// A touch that does nothing yet, in the memory of an older one if there is one.
    pub(super) fn touch(&self, sample: SampleId, time: f64, spare: Option<Touch>) -> Touch {
        let mut touch = spare.unwrap_or_default();
        touch.known.clear();
        touch.proxies.clear();
        let version = self.surface.as_ref().map(|surface| surface.frame().topology.version);
        Touch {
            sample,
            time,
            world_from_object: *self.grasp.world_from_object(),
            topology_version: version.unwrap_or_default(),
            loose: Loose::Refuse,
            wants_stresses: false,
            ..touch
        }
    }

    /// Keeps in mind what the fingers impose, for whoever wants to keep the shape.
    pub(super) fn remember_known(&mut self, known: &[KnownDisplacement]) {
        if self.is_deforming() {
            self.last_known.clear();
            self.last_known.extend_from_slice(known);
        } else if !self.is_changing() {
            self.last_known.clear();
        }
    }

    /// Whether it is on its way home and no hand has to do with it.
    pub(super) fn is_left_alone(&self) -> bool {
        self.hand.is_none() && self.grasp.is_settling()
    }

    /// Whether its shape is shown on its way.
    pub(super) fn is_on_its_way(&self) -> bool {
        self.blend.is_under_way()
    }

    /// Whether the hand gives it another shape just now.
    pub(super) fn is_deforming(&self) -> bool {
        self.grasp.state() == GraspState::Deforming
    }

    /// Another thing stands here from now on, and begins with this shape.
    fn give_way(&mut self, shape: ShapeId, parts: ThingParts) {
        let rules = self.grasp.rules().clone();
        let shapes = Shapes::beginning_with((shape, Arc::clone(&parts.spec)));
        let news = format!("{} is on the table", parts.name);
        *self = Self { shapes, news: Some(news), ..Self::new(parts, rules) };
    }

    fn is_busy(&mut self) -> bool {
        if self.change.is_some() {
            self.news = Some("one after the other: a shape is still being prepared".to_owned());
        }
        self.change.is_some()
    }

    fn show(&mut self, frame: Arc<SurfaceFrame>) {
        self.blend.take(self.shapes.current().0, &frame);
        match &mut self.surface {
            Some(surface) => surface.update(frame),
            None => self.surface = Some(TouchableSurface::new(frame)),
        }
    }

    fn colours_of(&mut self, topology: &Arc<Topology>) -> Option<Colours> {
        let of_nodes = self.node_colours.as_ref()?;
        if let Some((known, colours)) = &self.colours
            && Arc::ptr_eq(known, topology)
        {
            return Some(Arc::clone(colours));
        }
        let of = |node: &NodeId| of_nodes.get(node.index()).copied().unwrap_or([0.5; 3]);
        let colours = Arc::new(topology.nodes.iter().map(of).collect::<Vec<_>>());
        self.colours = Some((Arc::clone(topology), Arc::clone(&colours)));
        Some(colours)
    }
}

fn rest_position(spec: &ObjectSpec, node: NodeId) -> Vector3<f64> {
    let ObjectSpec::Solid(solid) = spec;
    solid.mesh().rest_positions().get(node.index()).map_or_else(Vector3::zeros, |x| x.coords)
}
