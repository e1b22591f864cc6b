//! A checked scenario: an object, and shapes that touch it along prescribed paths.

mod reading;

use std::path::{Path, PathBuf};

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use objects::Unit;
use objects::generate::GeneratedKind;
use physics::contact::{ContactProxy, ContactSettings, Friction, Pad, ProxyShape};

/// A scenario.
#[derive(Debug, Clone)]
pub(super) struct Scenario {
    pub(super) object: ScenarioObject,
    pub(super) gravity: Vector3<f64>,
    /// Step in seconds, and number of steps.
    pub(super) step: f64,
    pub(super) n_steps: u64,
    /// Number of steps from row to row of the result.
    pub(super) row_every: u64,
    pub(super) contact: ContactSettings,
    pub(super) shapes: Vec<ScriptedShape>,
}

/// Object of a scenario.
#[derive(Debug, Clone)]
pub(super) struct ScenarioObject {
    pub(super) source: ObjectSource,
    /// Box that the object is stretched to, in metres.
    pub(super) size: Option<Vector3<f64>>,
    pub(super) material: Option<String>,
    pub(super) young: Option<f64>,
    pub(super) poisson: Option<f64>,
    pub(super) density: Option<f64>,
    pub(super) is_glued: bool,
    /// Place of the middle of the object's box; `None`: it stands on y = 0.
    pub(super) at: Option<Vector3<f64>>,
    pub(super) turn: UnitQuaternion<f64>,
    pub(super) velocity: Vector3<f64>,
    pub(super) spin: Vector3<f64>,
}

/// Where an object comes from.
#[derive(Debug, Clone)]
pub(super) enum ObjectSource {
    Made { kind: GeneratedKind, nodes: u32, cells: Option<u32> },
    File { path: PathBuf, unit: Option<Unit>, nodes: u32 },
}

/// Shape with a prescribed motion.
#[derive(Debug, Clone)]
pub(super) struct ScriptedShape {
    pub(super) name: String,
    /// Line of the scenario that begins the shape.
    pub(super) line: usize,
    shape: ProxyShape,
    pad: Pad,
    friction: Friction,
    touches_nodes_only: bool,
    /// Moments in ascending order, at least one.
    path: Vec<(f64, Isometry3<f64>)>,
}

impl ScenarioObject {
    /// Reads a relative file from the folder of the scenario.
    pub(super) fn resolve_beside(&mut self, scenario: &Path) {
        if let (ObjectSource::File { path, .. }, Some(folder)) =
            (&mut self.source, scenario.parent())
        {
            *path = folder.join(&*path);
        }
    }
}

impl ScriptedShape {
    /// The shape without its place.
    pub(super) fn shape(&self) -> &ProxyShape {
        &self.shape
    }

    /// Pose at a moment. Between two moments of the path the speed is constant.
    pub(super) fn pose_at(&self, time: f64) -> Isometry3<f64> {
        let next = self.path.partition_point(|(moment, _)| *moment <= time);
        match (next.checked_sub(1).map(|last| self.path[last]), self.path.get(next)) {
            (Some((_, pose)), None) => pose,
            (None, Some((_, pose))) => *pose,
            (Some((from, start)), Some((to, end))) => {
                let way = ContactProxy { from: start, to: *end, ..self.resting(start) };
                way.pose_at((time - from) / (to - from))
            }
            (None, None) => Isometry3::identity(),
        }
    }

    /// The shape at rest in a pose.
    pub(super) fn resting(&self, pose: Isometry3<f64>) -> ContactProxy {
        ContactProxy {
            touches_nodes_only: self.touches_nodes_only,
            ..ContactProxy::fixed(self.shape, pose, self.pad, self.friction)
        }
    }
}
