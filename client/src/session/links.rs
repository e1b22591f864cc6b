//! The solvers of one thing: the one of its present shape, and the one of the shape that comes next.

use std::io;
use std::sync::Arc;

use engine::solve::{Algorithm, Question};
use engine::{Bell, LinkState, Mailbox, SolverLink, Solvers};
use physics::{
    KnownDisplacement, Loose, MeshError, ObjectSpec, SolidSpec, SurfaceFrame, TetMesh, Touch,
};

use super::shapes::ShapeId;

/// What came from a thing's solvers.
pub(super) enum FromSolver {
    Frame(ShapeId, Arc<SurfaceFrame>),
    /// A shape that was to be kept, or why it cannot be.
    Made(ShapeId, Result<Arc<ObjectSpec>, String>),
}

/// Links of one thing.
pub(super) struct Links {
    solvers: Solvers,
    bell: Arc<Bell>,
    shape: ShapeId,
    current: Box<dyn SolverLink>,
    /// What the hand did last to the present shape.
    last: Option<Touch>,
    next: Option<(ShapeId, Next)>,
}

/// Of a thing that has none yet.
const NO_SHAPE: ShapeId = ShapeId(u32::MAX);

/// Stands in for a solver that is being started, or that could not be.
struct NotYet(LinkState);

impl SolverLink for NotYet {
    fn submit(&mut self, touch: Touch) -> Option<Touch> {
        Some(touch)
    }

    fn latest(&mut self) -> Option<Arc<SurfaceFrame>> {
        None
    }

    fn state(&self) -> LinkState {
        self.0.clone()
    }
}

/// Where a thread of its own puts what it has found.
type Answers<T> = Arc<Mailbox<Result<T, String>>>;

/// A shape that comes.
enum Next {
    /// Its nodes are being found.
    Finding(Answers<Arc<ObjectSpec>>),
    /// Its solver is being started: an object is looked at and copied for that, which takes a while.
    Starting(Answers<Box<dyn SolverLink>>),
    /// It is being prepared.
    Preparing(Box<dyn SolverLink>),
}

impl Links {
    /// Starts to prepare a thing's first shape.
    pub(super) fn start(
        solvers: &Solvers,
        spec: &ObjectSpec,
        bell: &Arc<Bell>,
    ) -> io::Result<Self> {
        let current = solvers.link(spec, Arc::clone(bell))?;
        let (solvers, bell) = (solvers.clone(), Arc::clone(bell));
        Ok(Self { solvers, bell, shape: ShapeId::default(), current, last: None, next: None })
    }

    /// The same beside the hand: nothing is answered until that is done.
    pub(super) fn start_elsewhere(
        solvers: &Solvers,
        spec: Arc<ObjectSpec>,
        bell: &Arc<Bell>,
    ) -> io::Result<Self> {
        let (solvers, bell) = (solvers.clone(), Arc::clone(bell));
        let current = Box::new(NotYet(LinkState::Preparing("starting".to_owned())));
        let mut links = Self { solvers, bell, shape: NO_SHAPE, current, last: None, next: None };
        links.prepare(ShapeId::default(), spec)?;
        Ok(links)
    }

    pub(super) fn state(&self) -> LinkState {
        self.current.state()
    }

    /// The present shape has this number.
    pub(super) fn call(&mut self, shape: ShapeId) {
        self.shape = shape;
    }

    /// The shape that touches are answered for.
    pub(super) fn shape(&self) -> ShapeId {
        self.shape
    }

    /// Gives back a touch that nobody needs any more, if there is one.
    pub(super) fn submit(&mut self, touch: Touch) -> Option<Touch> {
        remember(self.last.get_or_insert_default(), &touch);
        self.current.submit(touch)
    }

    /// The last touch once more, so that its stresses can be seen.
    pub(super) fn ask_again_with_stresses(&mut self) {
        if let Some(touch) = &self.last {
            self.current.submit(Touch { wants_stresses: true, ..touch.clone() });
        }
    }

    /// Begins to find the shape with these displacements, on a thread of its own.
    pub(super) fn keep(
        &mut self,
        shape: ShapeId,
        spec: Arc<ObjectSpec>,
        known: Vec<KnownDisplacement>,
    ) -> io::Result<()> {
        let solvers = self.solvers.clone();
        let found = self.elsewhere("keep shape", move || kept(&solvers, &spec, known))?;
        self.next = Some((shape, Next::Finding(found)));
        Ok(())
    }

    /// Begins to prepare a shape.
    pub(super) fn prepare(&mut self, shape: ShapeId, spec: Arc<ObjectSpec>) -> io::Result<()> {
        let (solvers, bell) = (self.solvers.clone(), Arc::clone(&self.bell));
        let start = move || solvers.link(&spec, bell).map_err(|e| e.to_string());
        let started = self.elsewhere("start solver", start)?;
        self.next = Some((shape, Next::Starting(started)));
        Ok(())
    }

    /// Works on a thread of its own: the hand does not wait for it.
    fn elsewhere<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> io::Result<Answers<T>> {
        let answers: Answers<T> = Arc::new(Mailbox::ringing(Arc::clone(&self.bell)));
        let to = Arc::clone(&answers);
        std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            // However this ends, by a panic too, somebody waits for it.
            let mut answer = Answer { to, found: None };
            answer.found = Some(work());
        })?;
        Ok(answers)
    }

    /// What has come since this was last asked, the next shape first.
    pub(super) fn take(&mut self) -> io::Result<Option<FromSolver>> {
        if let Some(news) = self.take_next()? {
            return Ok(Some(news));
        }
        Ok(self.take_current())
    }

    /// Whether another shape is being prepared.
    pub(super) fn has_next(&self) -> bool {
        self.next.is_some()
    }

    /// What has come of the present shape.
    pub(super) fn take_current(&mut self) -> Option<FromSolver> {
        self.current.latest().map(|frame| FromSolver::Frame(self.shape, frame))
    }

    /// What has come of the next shape.
    pub(super) fn take_next(&mut self) -> io::Result<Option<FromSolver>> {
        let Some((shape, next)) = &mut self.next else { return Ok(None) };
        let shape = *shape;
        match next {
            Next::Finding(found) => {
                let Some(found) = found.take() else { return Ok(None) };
                match &found {
                    Ok(spec) => self.prepare(shape, Arc::clone(spec))?,
                    Err(_) => self.next = None,
                }
                Ok(Some(FromSolver::Made(shape, found)))
            }
            Next::Starting(started) => {
                match started.take() {
                    Some(Ok(link)) => *next = Next::Preparing(link),
                    Some(Err(why)) => {
                        self.give_up(&why);
                        return Ok(Some(FromSolver::Made(shape, Err(why))));
                    }
                    None => {}
                }
                Ok(None)
            }
            Next::Preparing(link) => {
                if let Some(frame) = link.latest() {
                    self.change_over(shape)?;
                    return Ok(Some(FromSolver::Frame(shape, frame)));
                }
                if let LinkState::Failed(why) = link.state() {
                    self.give_up(&why);
                    return Ok(Some(FromSolver::Made(shape, Err(why))));
                }
                Ok(None)
            }
        }
    }

    /// The next shape does not come. A thing that has no other one stays without a solver.
    fn give_up(&mut self, why: &str) {
        self.next = None;
        if self.shape == NO_SHAPE {
            self.current = Box::new(NotYet(LinkState::Failed(why.to_owned())));
        }
    }

    /// The next shape's link becomes the present one.
    fn change_over(&mut self, shape: ShapeId) -> io::Result<()> {
        if let Some((_, Next::Preparing(link))) = self.next.take() {
            let old = std::mem::replace(&mut self.current, link);
            self.shape = shape;
            self.last = None;
            // A link waits for its solver to end; the hand does not.
            std::thread::Builder::new().name("farewell".to_owned()).spawn(move || drop(old))?;
        }
        Ok(())
    }
}

/// Copies a touch into the memory of an older one.
fn remember(last: &mut Touch, touch: &Touch) {
    let (mut known, mut proxies) =
        (std::mem::take(&mut last.known), std::mem::take(&mut last.proxies));
    known.clone_from(&touch.known);
    proxies.clone_from(&touch.proxies);
    let Touch { sample, time, world_from_object, topology_version, loose, wants_stresses, .. } =
        *touch;
    *last = Touch {
        sample,
        time,
        world_from_object,
        topology_version,
        known,
        loose,
        proxies,
        wants_stresses,
    };
}

/// What was found, said when this is dropped.
struct Answer<T> {
    to: Answers<T>,
    found: Option<Result<T, String>>,
}

impl<T> Drop for Answer<T> {
    fn drop(&mut self) {
        let panicked = || Err("the solver panicked".to_owned());
        self.to.put(self.found.take().unwrap_or_else(panicked));
    }
}

/// The rest shape whose nodes are where the known displacements take them.
pub(super) fn kept(
    solvers: &Solvers,
    spec: &ObjectSpec,
    known: Vec<KnownDisplacement>,
) -> Result<Arc<ObjectSpec>, String> {
    let ObjectSpec::Solid(solid) = spec;
    let question = Question {
        spec: solid.clone(),
        known,
        loose: Loose::Refuse,
        algorithm: Algorithm::Factorise,
        wants_stresses: false,
    };
    let answer = solvers.answer(&question).map_err(|e| e.to_string())?;
    let moved = |share: f64| {
        let rest = solid.mesh().rest_positions().iter();
        let points = rest.zip(&answer.solution.displacements).map(|(x, u)| x + u * share).collect();
        TetMesh::new(points, solid.mesh().elements().to_vec())
    };
    let mesh = as_far_as_it_goes(moved).map_err(|e| e.to_string())?;
    let material = *solid.material();
    let spec = SolidSpec::new(mesh, material, solid.supports().to_vec());
    Ok(Arc::new(ObjectSpec::Solid(spec.map_err(|e| e.to_string())?)))
}

/// A mesh that is moved all the way or, if elements would turn inside out under a fingertip, nearly as far as they bear
/// it: small strains know nothing of that.
fn as_far_as_it_goes(
    moved: impl Fn(f64) -> Result<TetMesh, MeshError>,
) -> Result<TetMesh, MeshError> {
    /// With less of the way, another shape than the one that was seen would be kept.
    const LEAST: f64 = 0.5;
    /// Flat elements are of no use: so far from where they are.
    const MARGIN: f64 = 0.9;
    const N_HALVINGS: usize = 8;
    let mesh = moved(1.0);
    if !matches!(mesh, Err(MeshError::NotPositive { .. })) {
        return mesh;
    }
    let (mut good, mut bad) = (0.0, 1.0);
    for _ in 0..N_HALVINGS {
        let middle = 0.5 * (good + bad);
        match moved(middle) {
            Ok(_) => good = middle,
            Err(_) => bad = middle,
        }
    }
    if good * MARGIN < LEAST {
        return mesh;
    }
    tracing::info!("shape: {:.0} % of it can be kept", 100.0 * good * MARGIN);
    moved(good * MARGIN)
}
