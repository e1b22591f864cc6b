//! Reads the trace of a run, as a script of a user would.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Line {
    Hand(Hand),
    Size(Size),
    Sample(Sample),
    Frame(Frame),
    Grasp { to: String, reason: String },
    Gone {},
    Event { text: String },
}

/// State of a hand.
#[derive(Debug, Deserialize)]
pub(crate) struct Hand {
    pub(crate) hand: String,
    pub(crate) time: f64,
    pub(crate) world_from_wrist: [f64; 7],
    pub(crate) angles: [f64; 24],
}

/// Size of a hand from this moment on.
#[derive(Debug, Deserialize)]
pub(crate) struct Size {
    pub(crate) length: f64,
    pub(crate) breadth: f64,
    pub(crate) segments: [[Option<f64>; 3]; 5],
    pub(crate) radii: [[Option<f64>; 3]; 5],
}

#[derive(Debug, Deserialize)]
pub(crate) struct Sample {
    pub(crate) hand: String,
    pub(crate) sample: u64,
    pub(crate) state: String,
    pub(crate) tips: [Vector; 5],
    pub(crate) known: Vec<OnNode>,
    pub(crate) world_from_object: [f64; 7],
}

#[derive(Debug, Deserialize)]
pub(crate) struct Frame {
    pub(crate) sample: u64,
    pub(crate) outcome: String,
    nodes: Option<Vec<u32>>,
    positions: Vec<Vector>,
    pub(crate) reactions: Vec<OnNode>,
    /// Forces of the hands' shapes that push.
    #[serde(default)]
    pub(crate) contacts: Vec<OnFinger>,
    /// Pose of a body that moves as a whole.
    pub(crate) pose: Option<[f64; 7]>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct OnFinger {
    pub(crate) finger: u8,
    pub(crate) vector: Vector,
}

#[derive(Debug, Deserialize)]
pub(crate) struct OnNode {
    pub(crate) node: u32,
    pub(crate) vector: Vector,
}

impl Frame {
    /// Largest distance of a point from its position in another frame.
    pub(crate) fn farthest_from(&self, other: &Self) -> f64 {
        let apart = self.positions.iter().zip(&other.positions).map(|(a, b)| (a.0 - b.0).norm());
        apart.fold(0.0, f64::max)
    }
}

/// Three numbers; nalgebra's own vectors do not read JSON here.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(from = "[f64; 3]")]
pub(crate) struct Vector(pub(crate) Vector3<f64>);

impl From<[f64; 3]> for Vector {
    fn from(numbers: [f64; 3]) -> Self {
        Self(numbers.into())
    }
}

/// All events of a run's trace.
pub(crate) struct RunTrace {
    /// In the order in which they came.
    pub(crate) hands: Vec<Hand>,
    /// In the order in which they came.
    pub(crate) sizes: Vec<Size>,
    pub(crate) samples: HashMap<u64, Sample>,
    /// In the order in which they came.
    pub(crate) frames: Vec<Frame>,
    pub(crate) states: Vec<String>,
    pub(crate) nodes: Vec<u32>,
}

impl RunTrace {
    pub(crate) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let mut trace = Self {
            hands: Vec::new(),
            sizes: Vec::new(),
            samples: HashMap::new(),
            frames: Vec::new(),
            states: Vec::new(),
            nodes: Vec::new(),
        };
        for line in text.lines() {
            match serde_json::from_str(line).unwrap_or_else(|e| panic!("{e} in {line}")) {
                Line::Hand(hand) => trace.hands.push(hand),
                Line::Size(size) => trace.sizes.push(size),
                Line::Sample(sample) => {
                    trace.samples.insert(sample.sample, sample);
                }
                Line::Frame(mut frame) => {
                    if let Some(nodes) = frame.nodes.take() {
                        assert!(trace.nodes.is_empty(), "a solid never changes its topology");
                        trace.nodes = nodes;
                    }
                    trace.frames.push(frame);
                }
                Line::Grasp { to, reason } => {
                    assert!(!reason.is_empty());
                    trace.states.push(to);
                }
                Line::Gone {} => {}
                Line::Event { text } => panic!("nothing should be lost, but: {text}"),
            }
        }
        trace
    }

    /// Displacement of each node from the first frame, which is at rest.
    pub(crate) fn displacements(&self, frame: &Frame) -> HashMap<u32, Vector3<f64>> {
        let rest = &self.frames[0].positions;
        let moved = frame.positions.iter().zip(rest).map(|(x, rest)| x.0 - rest.0);
        self.nodes.iter().copied().zip(moved).collect()
    }

    /// Displacements without the small rigid motion that fits them best.
    pub(crate) fn without_rigid_motion(&self, frame: &Frame) -> Vec<(u32, Vector3<f64>)> {
        let rest = &self.frames[0].positions;
        let moved = self.displacements(frame);
        let n = self.nodes.len();
        // Least squares for u = t + w x X: one row for each component.
        let mut rows = DMatrix::zeros(3 * n, 6);
        let mut u = DVector::zeros(3 * n);
        for (i, (node, x)) in self.nodes.iter().zip(rest).enumerate() {
            rows.fixed_view_mut::<3, 3>(3 * i, 0).copy_from(&Matrix3::identity());
            rows.fixed_view_mut::<3, 3>(3 * i, 3).copy_from(&-x.0.cross_matrix());
            u.fixed_rows_mut::<3>(3 * i).copy_from(&moved[node]);
        }
        let rigid = rows.clone().svd(true, true).solve(&u, 1e-9).unwrap();
        let remains = u - rows * rigid;
        let vector = |i: usize| remains.fixed_rows::<3>(3 * i).into_owned();
        self.nodes.iter().enumerate().map(|(i, node)| (*node, vector(i))).collect()
    }

    /// The frame in which the held nodes moved farthest.
    pub(crate) fn deepest(&self) -> &Frame {
        let depth = |frame: &&Frame| {
            let known = &self.samples[&frame.sample].known;
            known.iter().map(|k| k.vector.0.norm()).sum::<f64>()
        };
        let solved = self.frames.iter().filter(|frame| frame.outcome == "solved");
        solved.max_by(|a, b| depth(a).total_cmp(&depth(b))).expect("something was squeezed")
    }
}
