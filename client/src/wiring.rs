//! The only place that picks devices, object and solver.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use calibration::Profile;
use drivers::{CyberGlove, Fastrak, Hand};
use emulators::{
    Emulator, GloveEmulator, GloveOptions, Motion, ScriptClock, TrackerEmulator, TrackerOptions,
};
use engine::{Bell, Budget, EmbeddedLink, RemoteLink, SolverLink, Workshop};
use nalgebra::Isometry3;
use physics::material::IsotropicElastic;
use physics::{ObjectSpec, SolidSpec};

use crate::command_line::{EmulatedDevice, Source, Squeeze};
use crate::input::{Feed, Pairing, Port};
use crate::session::{Parts, Profiles, Session, Trace};

/// Edge of the cube. The emulated hand's script is fitted to it.
const CUBE_EDGE: f64 = 0.06;

/// A session with all that it needs, wired up as the command line asks.
pub struct Workstation {
    pub session: Session,
    /// In words, for the person at the desk.
    pub description: String,
    /// The emulated devices live as long as the session.
    pub emulators: Vec<Emulator>,
}

/// Starts devices and solver.
pub fn workstation(options: &Squeeze) -> anyhow::Result<Workstation> {
    let object = soft_cube(options)?;
    let n_nodes = object.n_nodes();
    let trace = options
        .trace
        .as_deref()
        .map(|path| {
            Trace::create(path)
                .with_context(|| format!("cannot write the trace {}", path.display()))
        })
        .transpose()?;

    let clock = ScriptClock::since(Instant::now());
    let mut emulators = Vec::new();
    let mut port = |source: &Source, baud: u32, device: EmulatedDevice| {
        let path = match source {
            Source::Port(path) => path.clone(),
            Source::Emulated => {
                let emulator = emulated(device, clock)?;
                let path = emulator.path().to_owned();
                emulators.push(emulator);
                path
            }
        };
        anyhow::Ok(Port { path, baud })
    };
    let glove_port = port(&options.glove, options.glove_baud, EmulatedDevice::Glove)?;
    let tracker_port = port(&options.tracker, options.tracker_baud, EmulatedDevice::Tracker)?;
    let description = format!(
        "{} and {} squeeze a soft cube of {n_nodes} nodes, {}",
        in_words("glove", &options.glove, &glove_port),
        in_words("tracker", &options.tracker, &tracker_port),
        match &options.server {
            Some(url) => format!("solved by {url}"),
            None => "solved in this process".to_owned(),
        }
    );

    let bell = Arc::new(Bell::default());
    let link = solver(options, object, Arc::clone(&bell))?;
    let glove = Feed::start::<CyberGlove>(glove_port, Arc::clone(&bell))
        .context("cannot start the glove's thread")?;
    let tracker = Feed::start::<Fastrak>(tracker_port, Arc::clone(&bell))
        .context("cannot start the tracker's thread")?;
    let session = Session::new(Parts {
        pairing: Pairing::new(glove, tracker),
        profiles: Profiles {
            left: Profile::uncalibrated(Hand::Left),
            right: Profile::uncalibrated(Hand::Right),
        },
        link,
        bell,
        home: Isometry3::translation(0.0, CUBE_EDGE / 2.0, 0.0),
        trace,
    });
    Ok(Workstation { session, description, emulators })
}

/// Starts one emulated device that repeats the demonstration.
pub fn emulated(device: EmulatedDevice, clock: ScriptClock) -> anyhow::Result<Emulator> {
    let motion = Motion::grasp_and_squeeze();
    match device {
        EmulatedDevice::Glove => GloveEmulator::start(GloveOptions::default(), motion, clock)
            .context("cannot emulate a glove"),
        EmulatedDevice::Tracker => TrackerEmulator::start(TrackerOptions::default(), motion, clock)
            .context("cannot emulate a tracker"),
    }
}

fn soft_cube(options: &Squeeze) -> anyhow::Result<ObjectSpec> {
    let mesh =
        objects::generate::cube(CUBE_EDGE, options.cells.into()).context("cannot make the cube")?;
    let material = IsotropicElastic::new(options.young, options.poisson)?;
    warn_of_locking(options.poisson);
    Ok(ObjectSpec::Solid(SolidSpec::new(mesh, material, Vec::new())?))
}

/// Nearly incompressible matter needs other elements.
pub(crate) fn warn_of_locking(poisson: f64) {
    if poisson > 0.45 {
        tracing::warn!("above a Poisson's ratio of 0.45 linear tetrahedra are much too stiff");
    }
}

fn solver(
    options: &Squeeze,
    object: ObjectSpec,
    bell: Arc<Bell>,
) -> anyhow::Result<Box<dyn SolverLink>> {
    match options.server {
        Some(url) => Ok(Box::new(
            RemoteLink::start(url, object, bell).context("cannot start the solver link")?,
        )),
        None => {
            let workshop = Workshop::new(options.threads.map(usize::from), Budget::default())?;
            let link =
                EmbeddedLink::start(&object, workshop, bell).context("cannot start the solver")?;
            Ok(Box::new(link))
        }
    }
}

fn in_words(device: &str, source: &Source, port: &Port) -> String {
    match source {
        Source::Emulated => format!("an emulated {device} ({})", port.path),
        Source::Port(path) => format!("the {device} at {path}"),
    }
}
