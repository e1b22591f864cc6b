//! Runs a scenario: builds the object, moves the shapes, and passes every step to an observer.

use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use nalgebra::{Isometry3, Point3, Vector3};
use objects::filling::Progress as FillingProgress;
use objects::generate::{cube, generate};
use physics::contact::{ContactSolid, EnergyAccount, Motion, ProxyReport, SolveReport};
use physics::family::solid::SolidModel;
use physics::material::IsotropicElastic;
use physics::{Bounds, MemoryLimits, NodeId, Progress, SolidSpec, TetMesh};

use super::scenario::{ObjectSource, Scenario, ScenarioObject};
use crate::command_line::{MaterialChoice, MaterialsFile};
use crate::materials;
use crate::object_file::open_solid;
use crate::progress_bar::run_with_bar;

/// Default Young's modulus and Poisson's ratio.
const USUAL: [f64; 2] = [1e4, 0.4];

/// Longest substep, in seconds.
const LONGEST_SUBSTEP: f64 = 1e-3;

/// Longest way of a shape in a substep, in metres: half of the thickness of a fingertip's pad.
const LONGEST_WAY: f64 = 2e-3;

/// Depth of a shape in the body at the start that is rounding, in metres.
const ROUNDING: f64 = 1e-6;

/// A scenario with its object.
pub(super) struct Simulation {
    pub(super) scenario: Scenario,
    pub(super) solid: ContactSolid,
    /// Point whose place is reported as the body's: the centre of mass, or the middle of the box of
    /// a glued body.
    centre: Point3<f64>,
}

/// One moment of a simulation, after a step.
pub(super) struct Moment<'a> {
    pub(super) time: f64,
    pub(super) shapes: Vec<(&'a str, Isometry3<f64>, ProxyReport)>,
    pub(super) motion: Motion,
    /// Place of the body's centre.
    pub(super) centre: Point3<f64>,
    pub(super) energy: EnergyAccount,
    /// Work of the shapes since the start, in joules.
    pub(super) work: f64,
    pub(super) solve: SolveReport,
    pub(super) contacts: u32,
}

impl Simulation {
    /// Builds the object and puts everything in its place.
    pub(super) fn new(scenario: Scenario, materials: &MaterialsFile) -> anyhow::Result<Self> {
        let object = &scenario.object;
        let mesh = mesh(object)?;
        let bounds = Bounds::around(mesh.rest_positions().iter().copied());
        let supports = if object.is_glued { bottom(&mesh, &bounds) } else { Vec::new() };
        let spec = SolidSpec::new(mesh, material(object, materials)?, supports)
            .context("cannot use the object")?;
        let progress = Progress::default();
        let build = || SolidModel::new(&spec, MemoryLimits::default(), &progress);
        let model = run_with_bar("preparing the object", || progress.share(), build)?
            .context("cannot prepare the object")?;
        let mut solid = ContactSolid::new(Arc::new(model), scenario.contact)?;
        let middle = bounds.middle();
        let at = object.at.unwrap_or_else(|| standing(&spec, &object.turn, &middle));
        let to_middle = Isometry3::translation(-middle.x, -middle.y, -middle.z);
        solid.place(Motion {
            world_from_object: Isometry3::from_parts(at.into(), object.turn) * to_middle,
            velocity: object.velocity,
            spin: object.spin,
        });
        let centre = solid.body().map_or(middle, |body| body.centre);
        let simulation = Self { scenario, solid, centre };
        simulation.check_start()?;
        Ok(simulation)
    }

    /// Fails if a shape starts inside the body.
    fn check_start(&self) -> anyhow::Result<()> {
        for shape in &self.scenario.shapes {
            let (gap, is_surrounded) = self.solid.clearance(&shape.resting(shape.pose_at(0.0)));
            let (line, name) = (shape.line, &shape.name);
            ensure!(
                gap >= -ROUNDING,
                "line {line}: shape {name:?} starts {:.3} mm inside the body, expected a start \
                 outside or touching it",
                -1e3 * gap
            );
            ensure!(
                !is_surrounded,
                "line {line}: shape {name:?} starts inside the body, expected a start outside or \
                 touching it"
            );
        }
        Ok(())
    }

    /// Runs all steps. `observe` gets the moment after each, with the solid.
    pub(super) fn run(
        &mut self,
        mut observe: impl FnMut(u64, &Moment<'_>, &mut ContactSolid) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let Self { scenario, solid, centre } = self;
        let mut work = 0.0;
        let mut proxies = Vec::with_capacity(scenario.shapes.len());
        for step in 0..scenario.n_steps {
            let moment = |step: u64| step as f64 * scenario.step;
            let way = |shape: &super::scenario::ScriptedShape| {
                let (from, to) = (shape.pose_at(moment(step)), shape.pose_at(moment(step + 1)));
                physics::contact::ContactProxy { to, ..shape.resting(from) }
            };
            let ways: Vec<_> = scenario.shapes.iter().map(way).collect();
            let travel = ways.iter().map(|way| way.travel()).fold(0.0, f64::max);
            let n = (scenario.step / LONGEST_SUBSTEP - 1e-9).ceil().max(1.0);
            let n = n.max((travel / LONGEST_WAY).ceil()) as u64;
            let dt = scenario.step / n as f64;
            let mut report = Default::default();
            for part in 0..n {
                let share = |part: u64| part as f64 / n as f64;
                proxies.clear();
                proxies.extend(ways.iter().map(|way| physics::contact::ContactProxy {
                    from: way.pose_at(share(part)),
                    to: way.pose_at(share(part + 1)),
                    ..*way
                }));
                report = solid.substep(&proxies, &scenario.gravity, dt);
                work += report.energy.work;
            }
            let motion = *solid.motion();
            let numbers = motion.velocity.iter().chain(&motion.spin);
            let forces = solid.reports().iter().flat_map(|report| report.force.iter());
            if !numbers.chain(forces).all(|number| number.is_finite()) {
                bail!("at {:.6} s the numbers are no longer finite", moment(step + 1));
            }
            let shapes = scenario.shapes.iter().zip(&ways).zip(solid.reports());
            let shapes =
                shapes.map(|((shape, way), report)| (shape.name.as_str(), way.to, *report));
            let now = Moment {
                time: moment(step + 1),
                shapes: shapes.collect(),
                motion,
                centre: motion.world_from_object * *centre,
                energy: report.energy,
                work,
                solve: report.solve,
                contacts: report.contacts,
            };
            observe(step + 1, &now, solid)?;
        }
        Ok(())
    }
}

fn mesh(object: &ScenarioObject) -> anyhow::Result<TetMesh> {
    let mesh = match &object.source {
        ObjectSource::Made { kind, cells: Some(cells), .. } => {
            cube(kind.size(), *cells as usize).with_context(|| format!("cannot make the {kind}"))?
        }
        ObjectSource::Made { kind, nodes, cells: None } => {
            generate(*kind, *nodes as usize)
                .with_context(|| format!("cannot make the {kind}"))?
                .mesh
        }
        ObjectSource::File { path, unit, nodes } => {
            let progress = FillingProgress::default();
            let open = || open_solid(path, *unit, *nodes, &progress);
            let title = format!("reading {}", path.display());
            let found = run_with_bar(&title, || progress.share(), open)?
                .with_context(|| format!("cannot use {}", path.display()))?;
            if found.is_remarkable() {
                found.to_string().lines().for_each(|line| tracing::info!("{line}"));
            }
            found.mesh
        }
    };
    let Some(size) = object.size else { return Ok(mesh) };
    let bounds = Bounds::around(mesh.rest_positions().iter().copied());
    let middle = bounds.middle();
    let scale = size.component_div(&(bounds.high - bounds.low));
    let stretched = |x: &Point3<f64>| Point3::from((x - middle).component_mul(&scale));
    let positions = mesh.rest_positions().iter().map(stretched).collect();
    TetMesh::new(positions, mesh.elements().to_vec()).context("cannot stretch the object")
}

fn material(object: &ScenarioObject, file: &MaterialsFile) -> anyhow::Result<IsotropicElastic> {
    let choice = MaterialChoice {
        material: object.material.clone(),
        young: object.young,
        poisson: object.poisson,
        density: object.density,
        file: file.clone(),
    };
    materials::chosen(&choice, Some(USUAL))
}

/// Nodes of the lowest level, in the object's own frame.
fn bottom(mesh: &TetMesh, bounds: &Bounds) -> Vec<NodeId> {
    let level = bounds.low.y + 1e-6 * (bounds.high.y - bounds.low.y);
    let numbered = mesh.rest_positions().iter().zip(0..);
    numbered.filter(|(x, _)| x.y <= level).map(|(_, node)| NodeId(node)).collect()
}

/// Place of the middle of an object that is turned and stands on y = 0.
fn standing(
    spec: &SolidSpec,
    turn: &nalgebra::UnitQuaternion<f64>,
    middle: &Point3<f64>,
) -> Vector3<f64> {
    let heights = spec.mesh().rest_positions().iter().map(|x| (turn * (x - middle)).y);
    Vector3::new(0.0, -heights.fold(f64::INFINITY, f64::min), 0.0)
}
