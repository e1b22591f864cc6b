//! From touch to touch in substeps of a fixed length, with the hands' shapes on their way.

use physics::{Deformable, Outcome, Proxy, Snapshot, StepReport, Touch};

/// A longer pause (a lost device, a stalled line) is not made up for in one stride, in seconds.
const LONGEST: f64 = 0.1;

/// Share of a substep. A touch that is early by less than this counts as on time: times are rounded.
const NEARLY: f64 = 1e-6;

/// The time that has passed for an object.
#[derive(Debug)]
pub(super) struct Stride {
    /// When its time began, and how many substeps there were since. It lags behind the last touch by
    /// less than one.
    origin: Option<f64>,
    n_substeps: u64,
    /// When the last touch was, and where the shapes were then.
    touched: f64,
    proxies: Vec<Proxy>,
    n_shortened: u64,
    /// Whether the matter moved after its last substep; true before the first one.
    is_moving: bool,
    /// How the last substep went; nothing before the first one.
    last: Option<StepReport>,
    /// The touch at the time of a substep, kept for its memory.
    between: Touch,
}

impl Default for Stride {
    fn default() -> Self {
        Self {
            origin: None,
            n_substeps: 0,
            touched: 0.0,
            proxies: Vec::new(),
            n_shortened: 0,
            is_moving: true,
            last: None,
            between: Touch::default(),
        }
    }
}

impl Stride {
    /// All of it that the next step depends on.
    pub(super) fn snapshot(&self) -> Snapshot {
        let Self { origin, n_substeps, touched, is_moving, .. } = *self;
        let proxies = self.proxies.clone();
        Snapshot { origin, n_substeps, touched, proxies, is_moving, ..Snapshot::default() }
    }

    /// Whether the matter moves, as far as is known.
    pub(super) fn is_moving(&self) -> bool {
        self.is_moving
    }

    /// How often a pause was too long to be made up for.
    pub(super) fn n_shortened(&self) -> u64 {
        self.n_shortened
    }

    /// Goes on from there.
    pub(super) fn restore(&mut self, snapshot: &Snapshot) {
        (self.origin, self.n_substeps) = (snapshot.origin, snapshot.n_substeps);
        self.touched = snapshot.touched;
        self.proxies.clone_from(&snapshot.proxies);
        self.is_moving = snapshot.is_moving;
        self.last = None;
    }

    /// Steps an object to the time of `touch`.
    pub(super) fn step(&mut self, object: &mut dyn Deformable, touch: &Touch) -> StepReport {
        let Some(substep) = object.substep() else { return self.answer(object, touch) };
        let mut origin = *self.origin.get_or_insert(touch.time);
        let reached = |origin: f64| ((touch.time - origin) / substep + NEARLY).max(0.0) as u64;
        let mut n_due = reached(origin).saturating_sub(self.n_substeps);
        let n_most = (LONGEST / substep).ceil() as u64;
        if n_due > n_most && !self.is_moving {
            // Resting matter loses nothing in a pause. Restart its time with one substep, and put the
            // shapes where they are now.
            (origin, n_due) = (touch.time - substep, 1);
            (self.origin, self.n_substeps) = (Some(origin), 0);
            self.proxies.clear();
        } else if n_due > n_most {
            origin += (n_due - n_most) as f64 * substep;
            (self.origin, n_due) = (Some(origin), n_most);
            self.n_shortened += 1;
            // The shapes move in the time that is left to them.
            self.touched = origin + self.n_substeps as f64 * substep;
        }
        self.between.copy_from(touch);
        let mut whole: Option<StepReport> = None;
        for i in 1..=n_due {
            // Only the last of them is shown.
            self.between.wants_fields = touch.wants_fields && i == n_due;
            let now = origin + (self.n_substeps + 1) as f64 * substep;
            self.between.time = now;
            self.move_proxies(touch, now);
            let report = object.step(&self.between, substep);
            if matches!(report.outcome, Outcome::Refused(_)) {
                // What it has reached stays, moving or not; the rest belongs to the next touch.
                return StepReport { is_moving: self.is_moving, ..report };
            }
            self.n_substeps += 1;
            self.is_moving = report.is_moving;
            self.last = Some(report.clone());
            whole = Some(match whole {
                Some(before) => StepReport {
                    iterations: before.iterations + report.iterations,
                    residual: before.residual.max(report.residual),
                    ..report
                },
                None => report,
            });
        }
        self.touched = touch.time;
        self.proxies.clone_from(&touch.proxies);
        if whole.is_none() && touch.wants_fields {
            // A touch of no duration changes nothing, but its fields are wanted.
            object.step(&self.between, 0.0);
        }
        // A touch that comes within a substep waits for the next one: nothing has changed.
        let last =
            || self.last.clone().unwrap_or_else(|| StepReport::without_solve(Outcome::Solved));
        whole.unwrap_or_else(|| StepReport { is_moving: self.is_moving, ..last() })
    }

    /// Matter without inertia answers at once.
    fn answer(&mut self, object: &mut dyn Deformable, touch: &Touch) -> StepReport {
        let before = self.origin.unwrap_or(touch.time);
        let report = object.step(touch, (touch.time - before).clamp(0.0, LONGEST));
        if !matches!(report.outcome, Outcome::Refused(_)) {
            // A refused touch moved nothing; its time belongs to the next one.
            self.origin = Some(touch.time.max(before));
        }
        report
    }

    /// Puts the shapes where they are at `now`, on their way from the last touch to this one, with the
    /// velocities of that way. A shape that was not there before is where the touch says.
    fn move_proxies(&mut self, touch: &Touch, now: f64) {
        let whole = touch.time - self.touched;
        let share = if whole > 0.0 { ((now - self.touched) / whole).clamp(0.0, 1.0) } else { 1.0 };
        for (i, (moved, proxy)) in self.between.proxies.iter_mut().zip(&touch.proxies).enumerate() {
            // Hands say their shapes in one order.
            let same = |before: &&Proxy| before.id == proxy.id;
            let before =
                self.proxies.get(i).filter(same).or_else(|| self.proxies.iter().find(same));
            if let Some(before) = before {
                moved.shape = before.shape.on_the_way(&proxy.shape, share);
                if whole > 0.0 {
                    let (velocity, angular) = before.shape.velocities_to(&proxy.shape, whole);
                    (moved.velocity, moved.angular_velocity) = (velocity, angular);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nalgebra::{Point3, Vector3};
    use physics::{Grip, ProxyId, Reaction, SampleId, Shape, State, StateError, Surface, Topology};

    use super::*;

    /// Matter that moves as long as it is told to, and keeps what it was asked.
    struct Probe {
        surface: Surface,
        moves: bool,
        asked: Vec<(Touch, f64)>,
    }

    impl Probe {
        fn new(moves: bool) -> Self {
            let topology = Topology::of_points(Grip::Contact, Vec::new(), Vec::new());
            let topology = Arc::new(topology);
            let surface = Surface { topology, positions: Arc::default(), fields: Vec::new() };
            Self { surface, moves, asked: Vec::new() }
        }
    }

    impl Deformable for Probe {
        fn surface(&self) -> &Surface {
            &self.surface
        }

        fn reactions(&self) -> &[Reaction] {
            &[]
        }

        fn substep(&self) -> Option<f64> {
            Some(1e-3)
        }

        fn state(&self) -> State {
            State::default()
        }

        fn restore(&mut self, _state: &State) -> Result<(), StateError> {
            Ok(())
        }

        fn step(&mut self, touch: &Touch, dt: f64) -> StepReport {
            self.asked.push((touch.clone(), dt));
            StepReport { is_moving: self.moves, ..StepReport::solved(Outcome::Solved, 0.0) }
        }
    }

    /// A fingertip at `x`, in metres, which says nothing of how it moves.
    fn touch(time: f64, x: f64) -> Touch {
        let proxy = Proxy {
            id: ProxyId { hand: 1, finger: 1, segment: ProxyId::TIP },
            shape: Shape::Sphere { centre: Point3::new(x, 0.0, 0.0), radius: 0.01 },
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
        };
        Touch { sample: SampleId(1), time, proxies: vec![proxy], ..Touch::default() }
    }

    fn places(probe: &Probe) -> Vec<f64> {
        let place = |(touch, _): &(Touch, f64)| match touch.proxies[0].shape {
            Shape::Sphere { centre, .. } => centre.x,
            Shape::Cylinder { .. } => f64::NAN,
        };
        probe.asked.iter().map(place).collect()
    }

    #[test]
    fn shapes_have_the_velocity_with_which_they_move() {
        let (mut stride, mut probe) = (Stride::default(), Probe::new(true));
        stride.step(&mut probe, &touch(0.0, 0.0));
        stride.step(&mut probe, &touch(0.005, 0.01));
        assert_eq!(probe.asked.len(), 5);
        for ((touch, _), place) in probe.asked.iter().zip([0.002, 0.004, 0.006, 0.008, 0.01]) {
            let Shape::Sphere { centre, .. } = touch.proxies[0].shape else { panic!("a ball") };
            assert!((centre.x - place).abs() < 1e-12, "{centre}");
            assert!((touch.proxies[0].velocity.x - 2.0).abs() < 1e-9, "2 m/s");
        }
    }

    #[test]
    fn shapes_do_not_leap_after_a_pause() {
        let (mut stride, mut probe) = (Stride::default(), Probe::new(true));
        stride.step(&mut probe, &touch(0.0, 0.0));
        stride.step(&mut probe, &touch(10.0, 0.1));
        assert_eq!((probe.asked.len(), stride.n_shortened()), (100, 1));
        let places = places(&probe);
        let steps = places.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(places[0] < 0.0011 && steps.fold(0.0, f64::max) < 0.0011, "{places:?}");
    }

    #[test]
    fn matter_at_rest_begins_anew_after_a_pause() {
        let (mut stride, mut probe) = (Stride::default(), Probe::new(false));
        stride.step(&mut probe, &touch(0.0, 0.0));
        stride.step(&mut probe, &touch(0.001, 0.0));
        probe.asked.clear();
        stride.step(&mut probe, &touch(10.0, 0.1));
        assert_eq!((places(&probe), stride.n_shortened()), (vec![0.1], 0));
        // From there on, time goes on as usual.
        stride.step(&mut probe, &touch(10.004, 0.1));
        assert_eq!(probe.asked.len(), 5);
    }

    #[test]
    fn fields_are_computed_without_time() {
        let (mut stride, mut probe) = (Stride::default(), Probe::new(false));
        stride.step(&mut probe, &touch(0.0, 0.0));
        stride.step(&mut probe, &touch(0.002, 0.0));
        probe.asked.clear();
        stride.step(&mut probe, &Touch { wants_fields: true, ..touch(0.002, 0.0) });
        assert_eq!(probe.asked.iter().map(|(_, dt)| *dt).collect::<Vec<_>>(), [0.0]);
    }
}
