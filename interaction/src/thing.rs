//! One thing on the table: its shapes, its surface and the grasp of it.

mod change;
mod chore;

use std::sync::Arc;

use drivers::Hand as Side;
use nalgebra::{Isometry3, Vector3};
use physics::{
    Grip, KnownDisplacement, Loose, NodeId, ObjectSpec, Outcome, SampleId, SurfaceFrame,
    Surroundings, Topology, Touch,
};

use crate::blend::Blend;
use crate::collision::TouchableSurface;
use crate::grasp::{Grasp, GraspRules, GraspState};
use crate::hand::Hand;
use crate::scene::ObjectView;
use crate::shapes::{Made, ShapeId, Shapes};

pub(super) use change::Meanwhile;
use change::{Change, ToKeep};
pub use chore::{Chore, Matter};

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
pub struct Thing {
    /// What a person calls it.
    pub name: String,
    /// What the hand has to do with it, and where it is.
    pub grasp: Grasp,
    /// Nothing to touch until the solver has sent the object at rest.
    pub surface: Option<TouchableSurface>,
    /// The hand that the grasp is of.
    pub hand: Option<Side>,
    /// When it was last touched, or time last passed for it, in seconds since the session began.
    pub(super) touched: f64,
    /// Whether its matter has moved by itself, so that it may be elsewhere than at rest.
    has_moved: bool,
    /// Whether it was put elsewhere since: matter that moves may have to find its rest anew.
    pub(super) is_disturbed: bool,
    /// The last displacements that fingers imposed.
    pub(super) last_known: Vec<KnownDisplacement>,
    /// What is to be kept when the shape that is being prepared is ready.
    to_keep: Option<ToKeep>,
    /// What became of the last order, in words.
    pub news: Option<String>,
    shapes: Shapes,
    /// The shape that a person gave it, as opposed to what hands of a recording left to it.
    own: ShapeId,
    /// How its shape is shown.
    blend: Blend,
    /// What is seen of it while that is on its way to the solved shape.
    on_its_way: Option<TouchableSurface>,
    change: Option<Change>,
    node_colours: Option<Colours>,
    /// Of the points of this topology.
    colours: Option<(Arc<Topology>, Colours)>,
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
            touched: f64::NEG_INFINITY,
            has_moved: false,
            is_disturbed: false,
            last_known: Vec::new(),
            to_keep: None,
            news: None,
            shapes: Shapes::new(parts.spec),
            own: ShapeId::default(),
            blend: Blend::default(),
            on_its_way: None,
            change: None,
            node_colours: parts.colours,
            colours: None,
        }
    }

    /// The shape that it has now.
    pub fn shape(&self) -> &Made {
        self.shapes.current()
    }

    /// What it is made from, as it is now.
    pub fn parts(&self) -> ThingParts {
        ThingParts {
            name: self.name.clone(),
            spec: Arc::clone(&self.shapes.current().1),
            home: *self.grasp.home(),
            colours: self.node_colours.clone(),
        }
    }

    /// The shapes that it has had.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    pub(super) fn set_shapes(&mut self, shapes: Shapes) {
        self.shapes = shapes;
    }

    /// The shape that it has now is its own, or the one that it is about to have.
    pub(super) fn begin_here(&mut self) {
        self.own = self.shapes.current().0;
        self.change.iter_mut().for_each(|change| change.is_own = true);
        self.to_keep.iter_mut().for_each(|to_keep| to_keep.is_own = true);
    }

    /// Rest shapes between the original and the present one.
    pub fn n_kept(&self) -> usize {
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

    /// Whether it is about to have another shape.
    pub fn is_changing(&self) -> bool {
        self.change.is_some()
    }

    /// As many nodes as it shows: fingers cannot hold more.
    pub(super) fn n_nodes(&self) -> usize {
        self.surface.as_ref().map_or(0, |surface| surface.frame().topology.nodes.len())
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
            for known in self.to_keep.iter_mut().flat_map(|to_keep| &mut to_keep.known) {
                for (u, moved) in known.displacement.iter_mut().zip(moved(known.node).iter()) {
                    *u = u.map(|u| u - moved);
                }
            }
            self.shapes.settle((shape, spec));
            if change.is_own {
                self.own = shape;
            }
            self.news = Some(change.done.to_owned());
            // In a hand that deforms it, the answer to the next touch is shown: not the rest shape in between. Nor
            // is it shown of what stays as it was left.
            if !self.is_deforming() && self.to_keep.is_none() {
                self.show(frame);
            } else {
                self.rest_elsewhere(&frame);
            }
            return Taken::Changed;
        }
        if shape != self.shapes.current().0 || !self.answers() {
            return Taken::Ignored;
        }
        self.show(frame);
        Taken::Shown
    }

    /// Where hands and fingers leave it, for a picture.
    pub(super) fn view(&mut self, thing: usize, time: f64) -> Option<ObjectView> {
        let frame = self.blend.view(self.surface.as_ref()?.frame(), time);
        let world_from_object = *self.grasp.world_from_object();
        let colours = self.colours_of(&frame.topology);
        Some(ObjectView { thing, colours, frame, world_from_object })
    }

    /// Looks at it at `time`, for whoever asks then what is [seen](Self::seen) of it.
    pub(super) fn look(&mut self, time: f64) {
        let Some(surface) = &self.surface else { return };
        let shown = self.blend.view(surface.frame(), time);
        match &mut self.on_its_way {
            _ if !self.blend.is_under_way() => self.on_its_way = None,
            Some(seen) => seen.update(shown),
            none => *none = Some(TouchableSurface::new(shown)),
        }
    }

    /// The surface as it was seen when somebody last looked: hands stop at that.
    pub(super) fn seen(&self) -> Option<&TouchableSurface> {
        self.on_its_way.as_ref().or(self.surface.as_ref())
    }

    /// How the last touch was answered.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.surface.as_ref().map(|surface| &surface.frame().report.outcome)
    }

    /// A touch that does nothing yet, in the memory of an older one if there is one.
    pub(super) fn touch(&mut self, sample: SampleId, time: f64, spare: Option<Touch>) -> Touch {
        (self.touched, self.is_disturbed) = (time, false);
        let mut touch = spare.unwrap_or_default();
        make_room(&mut touch, self.n_nodes());
        let version = self.surface.as_ref().map(|surface| surface.frame().topology.version);
        Touch {
            sample,
            time,
            world_from_object: *self.grasp.world_from_object(),
            topology_version: version.unwrap_or_default(),
            loose: Loose::Refuse,
            surroundings: Surroundings::on_table(),
            wants_fields: false,
            wants_state: false,
            ..touch
        }
    }

    /// Keeps in mind what the fingers impose, for whoever wants to keep the shape.
    pub(super) fn remember_known(&mut self, known: &[KnownDisplacement]) {
        if self.is_deforming() {
            self.last_known.clear();
            self.last_known.reserve(self.n_nodes());
            self.last_known.extend_from_slice(known);
        } else if !self.is_changing() {
            self.last_known.clear();
        }
    }

    /// Whether it is on its way home and no hand has to do with it.
    pub(super) fn is_left_alone(&self) -> bool {
        self.hand.is_none() && self.grasp.is_settling()
    }

    /// Whether its matter moves on by itself.
    pub fn is_moving(&self) -> bool {
        let is_moving = |surface: &TouchableSurface| surface.frame().report.is_moving;
        let moves = self.surface.as_ref().is_some_and(is_moving);
        moves || (self.is_disturbed && self.has_moved)
    }

    /// Whether its matter may have come to rest elsewhere than it was at first.
    pub(super) fn has_moved(&self) -> bool {
        self.has_moved
    }

    /// Whether hands push it with their shapes instead of holding its nodes.
    pub(super) fn is_pushed(&self) -> bool {
        let grip = self.surface.as_ref().map(|surface| surface.frame().topology.grip);
        grip == Some(Grip::Contact)
    }

    /// Whether the shapes of hands push it, as of its last frame.
    pub(super) fn is_pressed(&self) -> bool {
        self.surface.as_ref().is_some_and(|surface| is_pressed(surface.frame()))
    }

    /// Whether it was pushed a moment ago, so that time has to pass until the push is over.
    pub(super) fn is_push_ending(&self) -> bool {
        self.is_pushed() && self.grasp.state() == GraspState::Pushed && !self.is_pressed()
    }

    /// The force with which each finger of a hand acts on it, in newtons: through nodes that the
    /// finger holds, and through shapes that push.
    pub fn finger_forces(&self, side: Side) -> [f64; 5] {
        let Some(surface) = &self.surface else { return [0.0; 5] };
        let frame = surface.frame();
        let mut forces = pushing_forces(frame, side);
        if self.hand == Some(side) && self.is_deforming() {
            for (force, held) in forces.iter_mut().zip(self.grasp.finger_forces(frame)) {
                *force += held.norm();
            }
        }
        forces
    }

    /// Whether its shape is shown on its way.
    pub(super) fn is_on_its_way(&self) -> bool {
        self.blend.is_under_way()
    }

    /// Whether the hand gives it another shape just now.
    pub(super) fn is_deforming(&self) -> bool {
        self.grasp.state() == GraspState::Deforming
    }

    /// The surface stays where it is, with the points of `frame` at rest: a finger that takes hold before the next
    /// answer counts from there.
    fn rest_elsewhere(&mut self, frame: &SurfaceFrame) {
        let Some(surface) = &mut self.surface else { return };
        let now = surface.frame();
        if now.positions.len() == frame.positions.len() {
            let topology = Arc::clone(&frame.topology);
            let now = Arc::new(SurfaceFrame { topology, ..(**now).clone() });
            surface.update(now);
        }
    }

    fn show(&mut self, frame: Arc<SurfaceFrame>) {
        self.has_moved |= frame.report.is_moving;
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

/// Whether the shapes of hands push the object of a frame.
pub fn is_pressed(frame: &SurfaceFrame) -> bool {
    frame.contact_forces.iter().any(|(_, force)| *force != [0.0; 3])
}

/// The force with which each finger of a hand pushes the object of a frame, in newtons. The
/// magnitudes of its segments' forces are added up: a finger that is squeezed from two sides feels
/// both, although as vectors they cancel.
pub fn pushing_forces(frame: &SurfaceFrame, side: Side) -> [f64; 5] {
    let mut forces = [0.0; 5];
    for (proxy, force) in frame.contact_forces.iter().filter(|(id, _)| id.hand == side as u8) {
        if let Some(sum) = forces.get_mut(usize::from(proxy.finger)) {
            *sum += Vector3::from(force.map(f64::from)).norm();
        }
    }
    forces
}

fn rest_position(spec: &ObjectSpec, node: NodeId) -> Vector3<f64> {
    spec.rest_points().get(node.index()).map_or_else(Vector3::zeros, |x| x.coords)
}

/// A finger or a dent holds a node once, so as many nodes as a thing shows are as many as can ever be held.
pub(crate) fn make_room(touch: &mut Touch, n_nodes: usize) {
    touch.known.clear();
    touch.known.reserve(n_nodes);
    touch.proxies.clear();
    // Of both hands.
    touch.proxies.reserve(2 * Hand::N_SHAPES);
}
