//! Trace: a log of a run as JSON lines, for scripts.
//!
//! Each line is an object with a `kind`:
//! - `hand`: a pose of a hand: `hand` (`left` or `right`), `sample`, `time` (s), `world_from_wrist`
//!   (position, then quaternion x y z w), `angles` (rad, as the sensors of a glove measure them, in
//!   the order of its mask);
//! - `size`: a new size of a hand: `hand`, `length`, `breadth`, `segments` and `radii` (three for
//!   each finger, thumb first, `null` where they follow from the length);
//! - `sample`: a touch of an object by a hand: `object` (its index), `hand`, `sample`, `time` (s),
//!   `state`, `tips` (fingertip centres in the object's frame, thumb first), `known` (node and
//!   displacement), `world_from_object` (position, then quaternion x y z w);
//! - `frame`: a frame of a solver: `object`, `sample`, `outcome`, `nodes` (only if the topology is
//!   new), `positions` (of those nodes), `pose` (of the positions in the object's frame, for a body
//!   that moves as a whole), `reactions` (node and force), `contacts` (hand, finger, segment and
//!   force, if any);
//! - `grasp`: a change of state: `object`, `time`, `from`, `to`, `reason`;
//! - `gone`: a hand was lost, or another one took its place: `hand`, `sample`, `time`, `reason`;
//! - `event`: a device, a solver or a headset was lost, is doubtful, or returned: `time`, `part`
//!   (such as `glove`, `tracker 2` or `solver`; `null` for other news), `text`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use calibration::{HandPose, HandSize, PerSensor};
use drivers::{Sensor, Side};
use interaction::grasp::{Grasp, Transition};
use interaction::hand::Hand;
use nalgebra::Isometry3;
use physics::{Outcome, ProxyId, SampleId, SurfaceFrame, Topology, Touch};
use serde::Serialize;

use super::status::RunEvent;

/// A file of JSON lines.
pub struct Trace {
    file: BufWriter<File>,
    /// The topology of each object that was written last.
    topologies: Vec<Option<Arc<Topology>>>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum TraceLine<'a> {
    Hand {
        hand: &'static str,
        sample: u64,
        time: f64,
        world_from_wrist: [f64; 7],
        angles: PerSensor<f64>,
    },
    Size {
        hand: &'static str,
        length: f64,
        breadth: f64,
        segments: [[Option<f64>; 3]; 5],
        radii: [[Option<f64>; 3]; 5],
    },
    Sample {
        object: usize,
        hand: &'static str,
        sample: u64,
        time: f64,
        state: &'static str,
        tips: [[f64; 3]; 5],
        known: Vec<OnNode<f64>>,
        world_from_object: [f64; 7],
    },
    Frame {
        object: usize,
        sample: u64,
        outcome: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        nodes: Option<Vec<u32>>,
        positions: &'a [[f32; 3]],
        #[serde(skip_serializing_if = "Option::is_none")]
        pose: Option<[f64; 7]>,
        reactions: Vec<OnNode<f32>>,
        /// Forces of the hands' shapes that push.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        contacts: Vec<OnProxy>,
    },
    Grasp {
        object: usize,
        time: f64,
        from: &'static str,
        to: &'static str,
        reason: &'a str,
    },
    Gone {
        hand: &'static str,
        sample: u64,
        time: f64,
        reason: &'a str,
    },
    Event {
        time: f64,
        part: Option<&'static str>,
        text: &'a str,
    },
}

#[derive(Serialize)]
struct OnNode<T> {
    node: u32,
    vector: [T; 3],
}

/// A force of one part of a hand. The number 0 stands for the left hand, the thumb, and the segment
/// at the palm.
#[derive(Serialize)]
struct OnProxy {
    hand: u8,
    finger: u8,
    segment: u8,
    vector: [f32; 3],
}

impl From<&(ProxyId, [f32; 3])> for OnProxy {
    fn from((id, vector): &(ProxyId, [f32; 3])) -> Self {
        Self { hand: id.hand, finger: id.finger, segment: id.segment, vector: *vector }
    }
}

impl Trace {
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(File::create(path)?), topologies: Vec::new() })
    }

    pub(super) fn hand(
        &mut self,
        side: Side,
        sample: SampleId,
        time: f64,
        pose: &HandPose,
    ) -> io::Result<()> {
        let (hand, world_from_wrist) = (side.name(), numbers(&pose.world_from_wrist));
        let angles = Sensor::ALL.map(|s| pose.angles.measured_by(s).unwrap_or(0.0));
        self.write(&TraceLine::Hand { hand, sample: sample.0, time, world_from_wrist, angles })
    }

    pub(super) fn size(&mut self, side: Side, size: &HandSize) -> io::Result<()> {
        let HandSize { length, breadth, segments, radii } = *size;
        self.write(&TraceLine::Size { hand: side.name(), length, breadth, segments, radii })
    }

    pub(super) fn sample(
        &mut self,
        object: usize,
        side: Side,
        touch: &Touch,
        grasp: &Grasp,
        hand: &Hand,
    ) -> io::Result<()> {
        self.write(&TraceLine::Sample {
            object,
            hand: side.name(),
            sample: touch.sample.0,
            time: touch.time,
            state: grasp.state().name(),
            tips: grasp.tips_in_object(hand).map(|tip| tip.centre.coords.into()),
            known: touch
                .known
                .iter()
                .map(|k| OnNode { node: k.node.0, vector: k.vector().into() })
                .collect(),
            world_from_object: numbers(grasp.world_from_object()),
        })
    }

    pub(super) fn frame(&mut self, object: usize, frame: &SurfaceFrame) -> io::Result<()> {
        if self.topologies.len() <= object {
            self.topologies.resize(object + 1, None);
        }
        let known = self.topologies[object].replace(Arc::clone(&frame.topology));
        // Frames from a server may carry an equal copy.
        let is_new = known
            .is_none_or(|k| !Arc::ptr_eq(&k, &frame.topology) && k.nodes != frame.topology.nodes);
        self.write(&TraceLine::Frame {
            object,
            sample: frame.sample.0,
            outcome: match frame.report.outcome {
                Outcome::AtRest => "at_rest",
                Outcome::Solved => "solved",
                Outcome::Underdetermined(_) => "underdetermined",
                Outcome::Refused(_) => "refused",
                Outcome::Frozen => "frozen",
            },
            nodes: is_new.then(|| frame.topology.nodes.iter().map(|n| n.0).collect()),
            positions: &frame.positions,
            pose: (frame.pose != Isometry3::identity()).then(|| numbers(&frame.pose)),
            reactions: frame
                .reactions
                .iter()
                .map(|(node, force)| OnNode { node: node.0, vector: *force })
                .collect(),
            contacts: frame.contact_forces.iter().map(OnProxy::from).collect(),
        })
    }

    pub(super) fn transition(
        &mut self,
        time: f64,
        object: usize,
        transition: &Transition,
    ) -> io::Result<()> {
        self.write(&TraceLine::Grasp {
            object,
            time,
            from: transition.from.name(),
            to: transition.to.name(),
            reason: &transition.reason,
        })
    }

    pub(super) fn event(&mut self, event: &RunEvent) -> io::Result<()> {
        let RunEvent { time, part, text } = event;
        self.write(&TraceLine::Event { time: *time, part: *part, text })
    }

    pub(super) fn gone(
        &mut self,
        side: Side,
        reason: &str,
        sample: SampleId,
        time: f64,
    ) -> io::Result<()> {
        self.write(&TraceLine::Gone { hand: side.name(), sample: sample.0, time, reason })
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.file.flush()
    }

    fn write(&mut self, line: &TraceLine<'_>) -> io::Result<()> {
        serde_json::to_writer(&mut self.file, line)?;
        self.file.write_all(b"\n")
    }
}

/// Position, then quaternion x y z w.
fn numbers(pose: &Isometry3<f64>) -> [f64; 7] {
    let (t, q) = (pose.translation.vector, pose.rotation);
    [t.x, t.y, t.z, q.i, q.j, q.k, q.w]
}
