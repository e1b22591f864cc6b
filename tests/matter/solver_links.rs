//! A damped mass behind each kind of link.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Bell, LinkState, MemoryBudget, SolverLink, SolverLocation, SolverResources, Stepper};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use physics::material::IsotropicElastic;
use physics::{
    MemoryLimits, Model, ObjectSpec, Progress, Proxy, ProxyId, SampleId, Shape, SolidSpec,
    SurfaceFrame, Surroundings, Touch,
};
use solver_server::{Limits, ServerThread};
use tests::DampedMass;

/// Nothing takes longer than this here.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A cube of 6 cm: what the mass looks like.
pub(crate) fn cube() -> ObjectSpec {
    let mesh = objects::generate::cube(0.06, 1).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    SolidSpec::new(mesh, material, Vec::new()).unwrap().into()
}

/// The mass in this thread.
pub(crate) fn stepper() -> Stepper {
    let model = Model::prepare(&cube(), MemoryLimits::default(), &Progress::default()).unwrap();
    Stepper::new(DampedMass::of(&model))
}

/// Solvers of masses in this process.
pub(crate) fn resources() -> Arc<SolverResources> {
    SolverResources::making(Some(1), MemoryBudget::default(), DampedMass::of).unwrap()
}

/// A server of masses.
pub(crate) fn server(port: u16) -> ServerThread {
    ServerThread::start(port, resources(), Limits { sessions: 4, nodes: 1000 }).unwrap()
}

pub(crate) fn url(server: &ServerThread) -> engine::ServerUrl {
    format!("http://{}", server.address()).parse().unwrap()
}

/// A link and what wakes its reader.
pub(crate) struct Solved {
    pub(crate) link: Box<dyn SolverLink>,
    bell: Arc<Bell>,
}

impl Solved {
    /// A mass that is ready, and has said how it is at rest.
    pub(crate) fn by(solvers: &SolverLocation) -> Self {
        Self::by_spec(solvers, &cube())
    }

    /// Another object that is ready, and has said how it is at rest.
    pub(crate) fn by_spec(solvers: &SolverLocation, spec: &ObjectSpec) -> Self {
        let bell = Arc::new(Bell::default());
        let link = solvers.link(spec, Arc::clone(&bell)).unwrap();
        let mut solved = Self { link, bell };
        assert_eq!(solved.next().sample, SampleId::default());
        solved
    }

    /// The next frame.
    pub(crate) fn next(&mut self) -> Arc<SurfaceFrame> {
        self.wait_for(|link| link.latest())
    }

    /// Submits a touch and waits for its own frame.
    pub(crate) fn step(&mut self, touch: &Touch) -> Arc<SurfaceFrame> {
        self.link.submit(touch.clone());
        let sample = touch.sample;
        self.wait_for(|link| link.latest().filter(|frame| frame.sample == sample))
    }

    pub(crate) fn wait_for<T>(
        &mut self,
        mut look: impl FnMut(&mut dyn SolverLink) -> Option<T>,
    ) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = look(&mut *self.link) {
                return found;
            }
            let state = self.link.state();
            assert!(!matches!(state, LinkState::Failed(_)), "{state:?}");
            assert!(Instant::now() < deadline, "nothing came: {state:?}");
            self.bell.wait_for(Duration::from_millis(20));
        }
    }
}

/// One fingertip that goes in and out of the mass's side.
pub(crate) fn fingertip(time: f64) -> Proxy {
    let x = 0.045 - 0.025 * (1.0 - (6.0 * time).cos()) / 2.0;
    Proxy {
        id: ProxyId { hand: 1, finger: 1, segment: ProxyId::TIP },
        shape: Shape::Sphere { centre: Point3::new(x, -0.025, 0.002), radius: 0.007 },
        orientation: UnitQuaternion::identity(),
        velocity: Vector3::zeros(),
        angular_velocity: Vector3::zeros(),
    }
}

/// What a hand does at `time`, as sample `i`, in free fall above no table.
pub(crate) fn touch(i: u64, time: f64) -> Touch {
    let surroundings = Surroundings { table: None, ..Surroundings::on_table() };
    Touch {
        sample: SampleId(i),
        time,
        world_from_object: Isometry3::translation(0.0, 0.03, 0.0),
        proxies: vec![fingertip(time)],
        surroundings,
        wants_fields: i.is_multiple_of(2),
        ..Touch::default()
    }
}

/// Touches of a hand, a hundred in a second.
pub(crate) fn script(n: u64) -> Vec<Touch> {
    (1..=n).map(|i| touch(i, 0.01 * i as f64)).collect()
}

/// What a frame says about the object, without how it was delivered.
pub(crate) fn bits(frame: &SurfaceFrame) -> Vec<u32> {
    let forces = frame.contact_forces.iter().map(|(_, force)| force);
    let numbers = frame.positions.iter().chain(forces).flatten();
    let fields = frame.fields.iter().flat_map(|field| field.values.iter());
    numbers.chain(fields).map(|number| number.to_bits()).collect()
}

/// Returns the mass's distance from its rest position.
pub(crate) fn displacement(frame: &SurfaceFrame) -> Vector3<f64> {
    let [now, rest] = [frame.positions[0], frame.topology.rest_positions[0]]
        .map(|x| Vector3::from(x.map(f64::from)));
    now - rest
}
