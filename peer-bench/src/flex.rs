//! A body that a fingertip presses: a substep of ours beside a step of MuJoCo's flex, on the same
//! mesh.
//!
//! The same: tetrahedra, material, held nodes, fingertip and its way, step, friction. Different:
//! the flex has mass in every node and large deformations, its contacts are at nodes and as hard as
//! its step allows; ours is linear without inertia of its vibrations, has a soft pad and points on
//! the skin 2 mm apart. Ours prepares for longer. Both compute the shape of the whole skin in each
//! step.

use std::sync::Arc;

use anyhow::Context;
use benchmark::Body;
use benchmark::statistics::{quantile, timed};
use nalgebra::{Isometry3, Vector3};
use physics::contact::{ContactProxy, ContactSettings, ContactSolid, Friction, Pad, ProxyShape};
use physics::family::solid::SolidModel;
use physics::{MemoryLimits, NodeId, Progress, SolidSpec};
use serde_json::{Value, json};

use crate::peer::Peer;
use crate::{Arguments, case::Case, pool};

const RADIUS: f64 = 8e-3;
/// In seconds.
const STEP: f64 = 1e-3;
const FRICTION: f64 = 0.6;
/// Depth of the fingertip, in metres, and steps of the way there.
const DEPTH: f64 = 2e-3;
const WAY: usize = 40;
/// Steps of each in a round.
const STEPS: usize = 20;

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    println!("\n# A cube of 10 cm that a fingertip presses by 2 mm, beside MuJoCo's flex");
    let Some(python) = &arguments.flex else {
        println!("(no peer: cargo xtask bench sets it up)");
        return Ok(());
    };
    for &n_nodes in arguments.nodes.iter().filter(|n| **n >= 1000) {
        let case = Case::new(Body::Cube, n_nodes)?;
        let mut peer = Peer::start_script(python, "flex.py", &[])?;
        pool(arguments.threads)?.install(|| {
            let mut ours = Ours::new(&case)?;
            let mut theirs = Theirs::new(&case, &ours, &mut peer)?;
            let rounds = WAY / STEPS + (arguments.rounds(n_nodes) / 2).max(1);
            for round in 0..rounds {
                let places: Vec<_> = (0..STEPS).map(|i| ours.place(round * STEPS + i)).collect();
                // What happens on the way down is not counted.
                let counts = (round + 1) * STEPS > WAY;
                theirs.step(&mut peer, &places, counts)?;
                ours.step(&places, counts);
            }
            report(&case, &peer.name, &ours, &theirs);
            anyhow::Ok(())
        })?;
    }
    Ok(())
}

/// Our body.
struct Ours {
    solid: ContactSolid,
    /// Nodes of the lowest side.
    supports: Vec<NodeId>,
    /// Middle of the highest side.
    top: Vector3<f64>,
    tip: ContactProxy,
    preparing: f64,
    positions: Vec<[f32; 3]>,
    /// Seconds of each step.
    times: Vec<f64>,
}

impl Ours {
    fn new(case: &Case) -> anyhow::Result<Self> {
        let mesh = &case.subject.mesh;
        let places = || mesh.rest_positions().iter().map(|x| x.coords);
        let low = places().fold(Vector3::repeat(f64::INFINITY), |low, x| low.inf(&x));
        let high = places().fold(Vector3::repeat(f64::NEG_INFINITY), |high, x| high.sup(&x));
        let is_low = |(x, _): &(Vector3<f64>, u32)| x.z < low.z + 1e-9;
        let supports: Vec<_> =
            places().zip(0..).filter(is_low).map(|(_, node)| NodeId(node)).collect();
        let spec = SolidSpec::new(mesh.clone(), case.subject.material, supports.clone())?;
        let (preparing, model) =
            timed(|| SolidModel::new(&spec, MemoryLimits::default(), &Progress::default()));
        let solid = ContactSolid::new(Arc::new(model?), ContactSettings::default())?;
        let middle = (low + high) * 0.5;
        let top = Vector3::new(middle.x, middle.y, high.z);
        let pose = Isometry3::from(top + Vector3::z() * RADIUS);
        let shape = ProxyShape::Sphere { radius: RADIUS };
        let tip = ContactProxy::fixed(shape, pose, Pad::FINGERTIP, Friction::of(FRICTION));
        let (positions, times) = (Vec::new(), Vec::new());
        Ok(Self { solid, supports, top, tip, preparing, positions, times })
    }

    /// Place of the fingertip after a step: down, and then swaying by half a millimetre.
    fn place(&self, step: usize) -> Vector3<f64> {
        let depth = DEPTH * (step as f64 / WAY as f64).min(1.0);
        let sway = 5e-4 * (0.02 * step.saturating_sub(WAY) as f64).sin();
        self.top + Vector3::new(sway, 0.0, RADIUS - depth)
    }

    fn step(&mut self, places: &[Vector3<f64>], counts: bool) {
        for place in places {
            self.tip = self.tip.moved_to(Isometry3::from(*place));
            let (time, _) = timed(|| {
                self.solid.substep(&[self.tip], &Vector3::zeros(), STEP);
                self.solid.surface_positions(&mut self.positions);
            });
            self.times.extend(counts.then_some(time));
        }
    }
}

/// Their body.
struct Theirs {
    preparing: f64,
    times: Vec<f64>,
    /// Last answer.
    answer: Value,
}

impl Theirs {
    fn new(case: &Case, ours: &Ours, peer: &mut Peer) -> anyhow::Result<Self> {
        let mesh = &case.subject.mesh;
        let points: Vec<[f64; 3]> = mesh.rest_positions().iter().map(|x| x.coords.into()).collect();
        let elements: Vec<[u32; 4]> =
            mesh.elements().iter().map(|nodes| nodes.map(|node| node.0)).collect();
        let pins: Vec<u32> = ours.supports.iter().map(|node| node.0).collect();
        let material = &case.subject.material;
        let volume = |nodes: &[NodeId; 4]| {
            let [a, b, c, d] = nodes.map(|node| mesh.rest_positions()[node.index()]);
            (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
        };
        let mass = material.density() * mesh.elements().iter().map(volume).sum::<f64>();
        let place: [f64; 3] = ours.place(0).into();
        let answer = peer.ask(&json!({
            "do": "body", "points": points, "elements": elements, "pins": pins, "mass": mass,
            "young": material.young(), "poisson": material.poisson(), "radius": RADIUS,
            "place": place, "friction": FRICTION, "dt": STEP,
        }))?;
        let preparing = answer["seconds"].as_f64().context("no seconds")?;
        Ok(Self { preparing, times: Vec::new(), answer })
    }

    fn step(
        &mut self,
        peer: &mut Peer,
        places: &[Vector3<f64>],
        counts: bool,
    ) -> anyhow::Result<()> {
        let places: Vec<[f64; 3]> = places.iter().map(|place| (*place).into()).collect();
        self.answer = peer.ask(&json!({"do": "step", "places": places}))?;
        let times = self.answer["seconds"].as_array().context("no seconds")?;
        if counts {
            self.times.extend(times.iter().filter_map(Value::as_f64));
        }
        Ok(())
    }
}

fn report(case: &Case, name: &str, ours: &Ours, theirs: &Theirs) {
    let at = |times: &[f64], share: f64| 1e3 * quantile(times, share);
    let felt = &ours.solid.reports()[0];
    println!(
        "{case} nodes: ours {:.3} ms a step (99th percentile {:.3}), {} points, {:.3} N, ready in \
         {:.2} s",
        at(&ours.times, 0.5),
        at(&ours.times, 0.99),
        felt.points,
        -felt.force.z,
        ours.preparing,
    );
    println!(
        "  {name}: {:.2} ms a step (99th percentile {:.2}), {} contacts, {:.3} N, ready in {:.2} s",
        at(&theirs.times, 0.5),
        at(&theirs.times, 0.99),
        theirs.answer["contacts"],
        theirs.answer["force"][2].as_f64().unwrap_or(f64::NAN).abs(),
        theirs.preparing,
    );
    println!(
        "  ours makes {:.0} times as many steps in the same time (median / median)",
        quantile(&theirs.times, 0.5) / quantile(&ours.times, 0.5)
    );
}
