//! One thing on the table, with its shapes, its surface and its grasp.

mod material;
mod shape_change;
mod solver_task;

use std::sync::Arc;

use drivers::Side;
use nalgebra::{Isometry3, Vector3};
use physics::{
    Grip, KnownDisplacement, NodeId, ObjectSpec, Outcome, SampleId, SurfaceFrame, Surroundings,
    Topology, Touch, WhenUnderdetermined,
};

use crate::collision::TouchableSurface;
use crate::grasp::{Grasp, GraspRules, GraspState, Push};
use crate::hand::Hand;
use crate::scene::ObjectView;
use crate::shape_history::{RestShape, ShapeHistory, ShapeId};
use crate::shown_shape::ShownShape;

pub use material::NamedMaterial;
pub(super) use shape_change::WhilePreparing;
use shape_change::{QueuedKeep, ShapeChange};
pub use solver_task::SolverTask;

/// Height above the table from which a thing that hands press counts as lifted, in metres.
const LIFTED: f64 = 1e-3;

/// Distance from its home at which a thing is out of reach, in metres.
const OUT_OF_REACH: f64 = 1.0;

/// Everything from which a thing is made.
#[derive(Debug, Clone, PartialEq)]
pub struct ThingParts {
    /// Name of the thing, shown to the person.
    pub name: String,
    pub spec: Arc<ObjectSpec>,
    /// Place of the thing when no hand holds it.
    pub home: Isometry3<f64>,
    /// Linear colour of each node.
    pub colours: Option<Colours>,
}

/// Linear colours, shared with the views that draw them.
pub type Colours = Arc<Vec<[f32; 3]>>;

/// A thing on the table, and its grasp by a hand.
pub struct Thing {
    /// Name of the thing, shown to the person.
    pub name: String,
    /// State of the grasp, and the place of the thing.
    pub grasp: Grasp,
    /// Newest surface; `None` until the solver has sent the object at rest.
    pub surface: Option<TouchableSurface>,
    /// The hand to which the grasp belongs.
    pub hand: Option<Side>,
    /// Time of the last touch sent to the solver, in seconds since the session began.
    pub(super) touched: f64,
    /// True if the matter has moved by itself, so that it may lie elsewhere than at rest.
    has_moved: bool,
    /// True if the thing was placed elsewhere since the last touch: moving matter may have to find
    /// its rest again.
    pub(super) is_disturbed: bool,
    /// True if the thing is out of reach and is being put back in its place.
    is_fetched: bool,
    /// Displacements that fingers imposed last.
    pub(super) last_displacements: Vec<KnownDisplacement>,
    /// Shape to keep when the shape in preparation is ready.
    queued_keep: Option<QueuedKeep>,
    /// Result of the last order, in words.
    pub message: Option<String>,
    shapes: ShapeHistory,
    /// The shape that the user chose, as opposed to one that a recorded hand left.
    users_shape: ShapeId,
    /// The drawn shape.
    shown_shape: ShownShape,
    /// Surface of the drawn shape during a fade.
    fading_surface: Option<TouchableSurface>,
    change: Option<ShapeChange>,
    node_colours: Option<Colours>,
    /// Colour of each surface point, for this topology.
    colours: Option<(Arc<Topology>, Colours)>,
}

/// Effect of a new frame on a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameEffect {
    /// The surface was updated.
    Shown,
    /// The object has another rest shape now.
    Changed,
    /// The frame was out of date and was dropped.
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
            is_fetched: false,
            last_displacements: Vec::new(),
            queued_keep: None,
            message: None,
            shapes: ShapeHistory::new(parts.spec),
            users_shape: ShapeId::default(),
            shown_shape: ShownShape::default(),
            fading_surface: None,
            change: None,
            node_colours: parts.colours,
            colours: None,
        }
    }

    /// The present rest shape.
    pub fn shape(&self) -> &RestShape {
        self.shapes.current()
    }

    /// The parts of the thing in its present state.
    pub fn parts(&self) -> ThingParts {
        ThingParts {
            name: self.name.clone(),
            spec: Arc::clone(&self.shapes.current().1),
            home: *self.grasp.home(),
            colours: self.node_colours.clone(),
        }
    }

    /// History of the thing's rest shapes.
    pub fn shapes(&self) -> &ShapeHistory {
        &self.shapes
    }

    pub(super) fn set_shapes(&mut self, shapes: ShapeHistory) {
        self.shapes = shapes;
    }

    /// Marks the present shape, and the one in preparation, as chosen by the user.
    pub(super) fn begin_here(&mut self) {
        self.users_shape = self.shapes.current().0;
        self.change.iter_mut().for_each(|change| change.is_users_choice = true);
        self.queued_keep.iter_mut().for_each(|queued_keep| queued_keep.is_users_choice = true);
    }

    /// Number of rest shapes after the original, up to the present one.
    pub fn n_kept(&self) -> usize {
        self.shapes.n_kept()
    }

    /// Number of undone rest shapes that can be redone.
    pub(super) fn n_undone(&self) -> usize {
        self.shapes.n_undone()
    }

    /// Linear colour of each node.
    pub(super) fn node_colours(&self) -> Option<&Colours> {
        self.node_colours.as_ref()
    }

    /// True while another shape is being prepared.
    pub fn is_changing(&self) -> bool {
        self.change.is_some()
    }

    /// Number of nodes of the surface: fingers cannot hold more.
    pub(super) fn n_nodes(&self) -> usize {
        self.surface.as_ref().map_or(0, |surface| surface.frame().topology.nodes.len())
    }

    /// True if the solver should get touches of the thing now.
    pub(super) fn answers(&self) -> bool {
        self.change.as_ref().is_none_or(|change| change.while_preparing == WhilePreparing::GoesOn)
    }

    /// Takes a solved frame of one of the thing's shapes.
    pub(super) fn take_frame(&mut self, shape: ShapeId, frame: Arc<SurfaceFrame>) -> FrameEffect {
        if let Some(change) = self.change.take_if(|change| change.shape == shape) {
            if let Some(successor) = change.successor {
                self.become_successor(shape, successor);
                self.show(frame);
                return FrameEffect::Changed;
            }
            let Some(spec) = change.spec else { return FrameEffect::Ignored };
            let before = Arc::clone(&self.shapes.current().1);
            let moved = |node| rest_position(&spec, node) - rest_position(&before, node);
            self.grasp.rest_moved(moved);
            for known in self.queued_keep.iter_mut().flat_map(|queued_keep| &mut queued_keep.known)
            {
                for (u, moved) in known.displacement.iter_mut().zip(moved(known.node).iter()) {
                    *u = u.map(|u| u - moved);
                }
            }
            match spec.grip() == before.grip() {
                true => self.shapes.set_current((shape, spec)),
                false => self.shapes.change_grip((shape, spec)),
            }
            if change.is_users_choice {
                self.users_shape = shape;
            }
            self.message = Some(change.done_message.to_owned());
            // While a hand deforms the thing, the next frame to show is the answer to the next
            // touch, not the rest shape. While a shape waits to be kept, the surface stays as well.
            if !self.is_deforming() && self.queued_keep.is_none() {
                self.show(frame);
            } else {
                self.rest_elsewhere(&frame);
            }
            return FrameEffect::Changed;
        }
        if shape != self.shapes.current().0 || !self.answers() {
            return FrameEffect::Ignored;
        }
        self.show(frame);
        FrameEffect::Shown
    }

    /// The thing as drawn at `time`.
    pub(super) fn view(&mut self, thing: usize, time: f64) -> Option<ObjectView> {
        let frame = self.shown_shape.view(self.surface.as_ref()?.frame(), time);
        let world_from_object = self.world_from_surface();
        let colours = self.colours_of(&frame.topology);
        Some(ObjectView { thing, colours, frame, world_from_object })
    }

    /// Updates the surface of the drawn shape to `time`, for
    /// [`shown_surface`](Self::shown_surface).
    pub(super) fn update_fading_surface(&mut self, time: f64) {
        let Some(surface) = &self.surface else { return };
        let shown = self.shown_shape.view(surface.frame(), time);
        match &mut self.fading_surface {
            _ if !self.shown_shape.is_fading() => self.fading_surface = None,
            Some(seen) => seen.update(shown),
            none => *none = Some(TouchableSurface::new(shown)),
        }
    }

    /// Surface of the shape that was drawn last: drawn hands stop at it.
    pub(super) fn shown_surface(&self) -> Option<&TouchableSurface> {
        self.fading_surface.as_ref().or(self.surface.as_ref())
    }

    /// Place of the surface: the object's frame, moved by a free body's rigid motion.
    pub(super) fn world_from_surface(&self) -> Isometry3<f64> {
        let frame = *self.grasp.world_from_object();
        self.surface.as_ref().map_or(frame, |surface| frame * surface.frame().pose)
    }

    /// Outcome of the last solved touch.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.surface.as_ref().map(|surface| &surface.frame().report.outcome)
    }

    /// Creates a touch without contacts, reusing the memory of `spare`.
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
            when_underdetermined: WhenUnderdetermined::Refuse,
            surroundings: Surroundings::on_table(),
            wants_fields: false,
            wants_state: false,
            is_between: false,
            wants_contact_models: false,
            ..touch
        }
    }

    /// Stores the displacements that the fingers impose, for an order to keep the shape.
    pub(super) fn remember_displacements(&mut self, known: &[KnownDisplacement]) {
        if self.is_deforming() {
            self.last_displacements.clear();
            self.last_displacements.reserve(self.n_nodes());
            self.last_displacements.extend_from_slice(known);
        } else if !self.is_changing() {
            self.last_displacements.clear();
        }
    }

    /// True if the thing is on its way home and no hand acts on it.
    pub(super) fn is_left_alone(&self) -> bool {
        self.hand.is_none() && self.grasp.is_returning_home()
    }

    /// True while the matter moves by itself.
    pub fn is_moving(&self) -> bool {
        let is_moving = |surface: &TouchableSurface| surface.frame().report.is_moving;
        let moves = self.surface.as_ref().is_some_and(is_moving);
        moves || (self.is_disturbed && self.has_moved)
    }

    /// True if the matter may have come to rest elsewhere than at first.
    pub(super) fn has_moved(&self) -> bool {
        self.has_moved
    }

    /// True if hands push the thing with their shapes instead of holding its nodes.
    pub(super) fn is_pushed(&self) -> bool {
        let grip = self.surface.as_ref().map(|surface| surface.frame().topology.grip);
        grip == Some(Grip::Contact)
    }

    /// True if the shapes of hands push the thing in its last frame.
    pub(super) fn is_pressed(&self) -> bool {
        self.surface.as_ref().is_some_and(|surface| is_pressed(surface.frame()))
    }

    /// What hands do to a thing that they push, according to its last frame.
    pub(super) fn push(&self) -> Push {
        if !self.is_pressed() {
            return Push::None;
        }
        if self.height() > LIFTED { Push::Above } else { Push::OnTable }
    }

    /// Height of the thing's lowest point above the table, in metres.
    fn height(&self) -> f64 {
        let Some(surface) = &self.surface else { return 0.0 };
        let Some(table) = Surroundings::on_table().table else { return f64::INFINITY };
        let world_from_surface = self.world_from_surface();
        let up = world_from_surface.rotation.inverse() * table.normal;
        let positions = surface.frame().positions.iter();
        let lowest = positions
            .map(|x| up.dot(&Vector3::from(x.map(f64::from))))
            .fold(f64::INFINITY, f64::min);
        lowest + table.normal.dot(&world_from_surface.translation.vector) - table.offset
    }

    /// True if the thing was pushed a moment ago: time must pass until the push is over.
    pub(super) fn is_push_ending(&self) -> bool {
        let is_push = matches!(self.grasp.state(), GraspState::Pushed | GraspState::Lifted);
        self.is_pushed() && is_push && !self.is_pressed()
    }

    /// Force of each finger of a hand on the thing, in newtons: through nodes that the finger
    /// holds, and through shapes that push.
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

    /// True while the drawn shape fades over to the solved one.
    pub(super) fn is_shape_fading(&self) -> bool {
        self.shown_shape.is_fading()
    }

    /// True while the hand deforms the thing.
    pub(super) fn is_deforming(&self) -> bool {
        self.grasp.state() == GraspState::Deforming
    }

    /// Keeps the surface where it is and takes only the rest positions from `frame`: a finger that
    /// takes hold before the next answer counts from there.
    fn rest_elsewhere(&mut self, frame: &SurfaceFrame) {
        let Some(surface) = &mut self.surface else { return };
        let now = surface.frame();
        if now.positions.len() == frame.positions.len() {
            let topology = Arc::clone(&frame.topology);
            let now = Arc::new(SurfaceFrame { topology, ..(**now).clone() });
            surface.update(now);
        }
    }

    /// Begins to put a thing that fell or rolled out of reach back in its place. Returns the work
    /// to do, if any.
    pub(super) fn fetch_back(&mut self, thing: usize) -> Option<SolverTask> {
        let frame = self.surface.as_ref()?.frame();
        if frame.pose == Isometry3::identity() {
            self.is_fetched = false;
            return None;
        }
        let is_away = !self.is_pressed() && {
            let centre = self.shapes.current().1.bounds(&Isometry3::identity()).middle();
            (frame.pose * centre - centre).norm() > OUT_OF_REACH
        };
        let is_new = is_away && !std::mem::replace(&mut self.is_fetched, is_away);
        self.is_fetched = is_away;
        if !is_new {
            return None;
        }
        self.message = Some("it was out of reach, and is back in its place".to_owned());
        Some(SolverTask::ReturnToRest { thing })
    }

    fn show(&mut self, frame: Arc<SurfaceFrame>) {
        self.has_moved |= frame.report.is_moving;
        self.shown_shape.take(self.shapes.current().0, &frame);
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

/// True if the shapes of hands push the object of a frame.
pub fn is_pressed(frame: &SurfaceFrame) -> bool {
    frame.contact_forces.iter().any(|(_, force)| *force != [0.0; 3])
}

/// Force with which each finger of a hand pushes the object of a frame, in newtons. The magnitudes
/// of the forces on its segments are added up: a finger that is squeezed from two sides feels both
/// forces, although as vectors they cancel.
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

/// Reserves room for all held nodes of a thing. Fingers and dents hold each node at most once, so
/// `n_nodes` is enough.
pub(crate) fn make_room(touch: &mut Touch, n_nodes: usize) {
    touch.known.clear();
    touch.known.reserve(n_nodes);
    touch.proxies.clear();
    // Proxies of both hands.
    touch.proxies.reserve(2 * Hand::N_SHAPES);
}
