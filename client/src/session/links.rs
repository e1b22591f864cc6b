//! The solvers of one thing: the one of its present shape, and the one of the shape that comes next.

use std::io;
use std::sync::Arc;

use engine::{Bell, LinkState, Mailbox, SolverLink, Solvers};
use interaction::shapes::ShapeId;
use physics::{KnownDisplacement, ObjectSpec, SampleId, SurfaceFrame, Touch};

use super::kept::kept;

/// What came from a thing's solvers.
pub(super) enum FromSolver {
    Frame(ShapeId, Arc<SurfaceFrame>),
    /// A shape that was to be kept, or why it cannot be.
    Made(ShapeId, Result<Arc<ObjectSpec>, String>),
    /// The present shape cannot be solved where it was to be from now on, and why.
    Stays(String),
}

/// Links of one thing.
pub(super) struct Links {
    solvers: Solvers,
    bell: Arc<Bell>,
    shape: ShapeId,
    current: Box<dyn SolverLink>,
    /// Whether anything has come of the present shape.
    has_answered: bool,
    /// What the hand did last to the present shape.
    last: Option<Touch>,
    /// The newest touch that was answered.
    answered: SampleId,
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
    Starting(Answers<Box<dyn SolverLink>>, Arc<ObjectSpec>),
    /// It is being prepared.
    Preparing(Box<dyn SolverLink>, Arc<ObjectSpec>),
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
        Ok(Self {
            solvers,
            bell,
            shape: ShapeId::default(),
            current,
            has_answered: false,
            last: None,
            answered: SampleId::default(),
            next: None,
        })
    }

    /// The same beside the hand: nothing is answered until that is done.
    pub(super) fn start_elsewhere(
        solvers: &Solvers,
        spec: Arc<ObjectSpec>,
        bell: &Arc<Bell>,
    ) -> io::Result<Self> {
        let (solvers, bell) = (solvers.clone(), Arc::clone(bell));
        let current = Box::new(NotYet(LinkState::Preparing("starting".to_owned())));
        let mut links = Self {
            solvers,
            bell,
            shape: NO_SHAPE,
            current,
            has_answered: false,
            last: None,
            answered: SampleId::default(),
            next: None,
        };
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

    /// Whether the answer to the last touch is on its way, or comes as soon as the solver is back.
    pub(super) fn owes_answer(&self) -> bool {
        let is_open = self.last.as_ref().is_some_and(|last| last.sample > self.answered);
        is_open && !matches!(self.state(), LinkState::Failed(_))
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
        let of = Arc::clone(&spec);
        let start = move || solvers.link(&of, bell).map_err(|e| e.to_string());
        let started = self.elsewhere("start solver", start)?;
        self.next = Some((shape, Next::Starting(started, spec)));
        Ok(())
    }

    /// Begins to prepare the present shape elsewhere, or the one that comes next, and no longer where that was being prepared
    /// until now.
    pub(super) fn move_to(
        &mut self,
        solvers: &Solvers,
        shape: ShapeId,
        spec: &Arc<ObjectSpec>,
    ) -> io::Result<()> {
        self.solvers = solvers.clone();
        match self.next.take() {
            // It is prepared there as soon as it is found.
            Some((coming, finding @ Next::Finding(_))) => {
                self.next = Some((coming, finding));
                Ok(())
            }
            Some((coming, Next::Starting(old, spec))) => {
                farewell(old)?;
                self.prepare(coming, spec)
            }
            Some((coming, Next::Preparing(old, spec))) => {
                farewell(old)?;
                self.prepare(coming, spec)
            }
            None => self.prepare(shape, Arc::clone(spec)),
        }
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
        let frame = self.current.latest()?;
        self.has_answered = true;
        self.answered = frame.sample;
        Some(FromSolver::Frame(self.shape, frame))
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
            Next::Starting(started, spec) => {
                match started.take() {
                    Some(Ok(link)) => *next = Next::Preparing(link, Arc::clone(spec)),
                    Some(Err(why)) => return Ok(self.give_up(shape, why)),
                    None => {}
                }
                Ok(None)
            }
            Next::Preparing(link, _) => {
                if let Some(frame) = link.latest() {
                    // Another solver of a shape that is seen: it is as it is, and nothing has happened to it.
                    let is_known = shape == self.shape && self.has_answered;
                    self.change_over(shape)?;
                    if is_known {
                        return Ok(None);
                    }
                    return Ok(Some(FromSolver::Frame(shape, frame)));
                }
                if let LinkState::Failed(why) = link.state() {
                    return Ok(self.give_up(shape, why));
                }
                Ok(None)
            }
        }
    }

    /// The next shape does not come. A thing that has no other one stays without a solver.
    fn give_up(&mut self, shape: ShapeId, why: String) -> Option<FromSolver> {
        self.next = None;
        if self.shape == shape {
            return Some(FromSolver::Stays(why));
        }
        if self.shape == NO_SHAPE {
            self.current = Box::new(NotYet(LinkState::Failed(why.clone())));
        }
        Some(FromSolver::Made(shape, Err(why)))
    }

    /// The next shape's link becomes the present one.
    fn change_over(&mut self, shape: ShapeId) -> io::Result<()> {
        if let Some((_, Next::Preparing(link, _))) = self.next.take() {
            let old = std::mem::replace(&mut self.current, link);
            self.shape = shape;
            self.has_answered = true;
            self.last = None;
            farewell(old)?;
        }
        Ok(())
    }
}

/// A link waits for its solver to end; the hand does not.
fn farewell(old: impl Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("farewell".to_owned()).spawn(move || drop(old)).map(drop)
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use engine::{Budget, Workshop};
    use physics::SolidSpec;
    use physics::material::IsotropicElastic;

    use super::*;

    /// Waits for what comes of a thing.
    fn next(links: &mut Links, bell: &Bell) -> FromSolver {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            assert!(Instant::now() < deadline, "nothing came: {:?}", links.state());
            if let Some(news) = links.take().unwrap() {
                return news;
            }
            bell.wait_for(Duration::from_millis(50));
        }
    }

    /// Who never answered has shown nothing: the first answer of the one that takes over must be seen.
    #[test]
    fn a_thing_appears_once_it_leaves_a_server_that_never_answered() {
        let mesh = objects::generate::cube(0.06, 2).unwrap();
        let material = IsotropicElastic::new(1e4, 0.4).unwrap();
        let solid = SolidSpec::new(mesh, material, Vec::new()).unwrap();
        let spec = Arc::new(ObjectSpec::Solid(solid));
        let bell = Arc::new(Bell::default());
        // Nobody listens on that port, and nobody but the system's administrator may.
        let nobody = Solvers::Remote("http://127.0.0.1:1".parse().unwrap());
        let here = Solvers::Embedded(Workshop::new(Some(1), Budget::default()).unwrap());
        let shape = ShapeId::default();

        let mut links = Links::start(&nobody, &spec, &bell).unwrap();
        links.move_to(&here, shape, &spec).unwrap();
        assert!(matches!(next(&mut links, &bell), FromSolver::Frame(of, _) if of == shape));

        // The same while it is still waited for, and without another frame once it is seen.
        let mut links = Links::start_elsewhere(&nobody, Arc::clone(&spec), &bell).unwrap();
        links.move_to(&here, shape, &spec).unwrap();
        assert!(matches!(next(&mut links, &bell), FromSolver::Frame(of, _) if of == shape));
        links.move_to(&here, shape, &spec).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while links.has_next() {
            assert!(Instant::now() < deadline, "it never moved");
            assert!(links.take_next().unwrap().is_none(), "nothing has happened to it");
            bell.wait_for(Duration::from_millis(50));
        }
    }
}
