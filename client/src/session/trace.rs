//! Everything that happens in a run, written down as JSON lines for scripts.
//!
//! Each line is an object with a `kind`:
//! - `sample`: what the hand did: `sample`, `time` (s), `state`, `tips` (fingertip centres in the object's
//!   frame, thumb first), `known` (node and displacement), `world_from_object` (position, then
//!   quaternion x y z w);
//! - `frame`: what the solver answered: `sample`, `outcome`, `nodes` (only when the topology is new),
//!   `positions` (of those nodes), `reactions` (node and force);
//! - `grasp`: a change of state: `time`, `from`, `to`, `reason`;
//! - `event`: a loss or a return: `time`, `text`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use physics::{Outcome, SurfaceFrame, Touch};
use serde::Serialize;

use super::status::Event;
use crate::grasp::{Grasp, Transition};
use crate::hand::Hand;

/// A file of JSON lines.
pub struct Trace {
    file: BufWriter<File>,
    topology_version: Option<u32>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line<'a> {
    Sample {
        sample: u64,
        time: f64,
        state: &'static str,
        tips: [[f64; 3]; 5],
        known: Vec<OnNode<f64>>,
        world_from_object: [f64; 7],
    },
    Frame {
        sample: u64,
        outcome: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        nodes: Option<Vec<u32>>,
        positions: &'a [[f32; 3]],
        reactions: Vec<OnNode<f32>>,
    },
    Grasp {
        time: f64,
        from: &'static str,
        to: &'static str,
        reason: &'a str,
    },
    Event {
        time: f64,
        text: &'a str,
    },
}

#[derive(Serialize)]
struct OnNode<T> {
    node: u32,
    vector: [T; 3],
}

impl Trace {
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(File::create(path)?), topology_version: None })
    }

    pub(super) fn sample(&mut self, touch: &Touch, grasp: &Grasp, hand: &Hand) -> io::Result<()> {
        let pose = grasp.world_from_object();
        let (t, q) = (pose.translation.vector, pose.rotation);
        self.write(&Line::Sample {
            sample: touch.sample.0,
            time: touch.time,
            state: grasp.state().name(),
            tips: grasp.tips_in_object(hand).map(|tip| tip.centre.coords.into()),
            known: touch
                .known
                .iter()
                .map(|k| OnNode { node: k.node.0, vector: k.vector().into() })
                .collect(),
            world_from_object: [t.x, t.y, t.z, q.i, q.j, q.k, q.w],
        })
    }

    pub(super) fn frame(&mut self, frame: &SurfaceFrame) -> io::Result<()> {
        let version = Some(frame.topology.version);
        let is_new = std::mem::replace(&mut self.topology_version, version) != version;
        self.write(&Line::Frame {
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
            reactions: frame
                .reactions
                .iter()
                .map(|(node, force)| OnNode { node: node.0, vector: *force })
                .collect(),
        })
    }

    pub(super) fn transition(&mut self, time: f64, transition: &Transition) -> io::Result<()> {
        self.write(&Line::Grasp {
            time,
            from: transition.from.name(),
            to: transition.to.name(),
            reason: &transition.reason,
        })
    }

    pub(super) fn event(&mut self, event: &Event) -> io::Result<()> {
        self.write(&Line::Event { time: event.time, text: &event.text })
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.file.flush()
    }

    fn write(&mut self, line: &Line<'_>) -> io::Result<()> {
        serde_json::to_writer(&mut self.file, line)?;
        self.file.write_all(b"\n")
    }
}
