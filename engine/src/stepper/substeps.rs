//! Steps an object from touch to touch in substeps of fixed length, and interpolates the hands'
//! proxies.

use physics::{Deformable, Outcome, Proxy, Snapshot, StepReport, Touch};

/// Longest time that one touch makes up for, in seconds. The rest of a longer pause (a lost device,
/// a stalled line) is skipped.
const LONGEST: f64 = 0.1;

/// Tolerance for rounded times, as a share of a substep: a touch that is early by less counts as on
/// time.
const NEARLY: f64 = 1e-6;

/// Time of one object, in substeps.
#[derive(Debug)]
pub(super) struct Substeps {
    /// Start of the object's time, in seconds; `None` before the first touch. For matter without
    /// substeps, the time of the last touch.
    origin: Option<f64>,
    /// Number of substeps since `origin`. The object lags behind the last touch by less than one.
    n_substeps: u64,
    /// Time of the last touch, in seconds.
    touched: f64,
    /// Proxies of the last touch.
    proxies: Vec<Proxy>,
    /// Number of pauses longer than `LONGEST` that were cut.
    n_shortened: u64,
    /// True if the matter moved after its last substep, and before the first one.
    is_moving: bool,
    /// Report of the last substep; `None` before the first one and after a restore.
    last: Option<StepReport>,
    /// Touch at the time of a substep. Kept so that its memory is used again.
    between: Touch,
}

impl Default for Substeps {
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

impl Substeps {
    /// The fields that the next step depends on.
    pub(super) fn snapshot(&self) -> Snapshot {
        let Self { origin, n_substeps, touched, is_moving, .. } = *self;
        let proxies = self.proxies.clone();
        Snapshot { origin, n_substeps, touched, proxies, is_moving, ..Snapshot::default() }
    }

    /// True if the matter moved after its last substep, and before the first one.
    pub(super) fn is_moving(&self) -> bool {
        self.is_moving
    }

    /// Number of pauses longer than `LONGEST` that were cut.
    pub(super) fn n_shortened(&self) -> u64 {
        self.n_shortened
    }

    /// Restores the fields of [`Self::snapshot`].
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
            // Resting matter loses nothing in a pause. Restart its time with one substep, with the
            // proxies at their present places.
            (origin, n_due) = (touch.time - substep, 1);
            (self.origin, self.n_substeps) = (Some(origin), 0);
            self.proxies.clear();
        } else if n_due > n_most {
            origin += (n_due - n_most) as f64 * substep;
            (self.origin, n_due) = (Some(origin), n_most);
            self.n_shortened += 1;
            // The proxies make their whole way in the time that is left.
            self.touched = origin + self.n_substeps as f64 * substep;
        }
        self.between.copy_from(touch);
        let mut whole: Option<StepReport> = None;
        for i in 1..=n_due {
            // Only the fields and the surface of the last substep are shown.
            self.between.wants_fields = touch.wants_fields && i == n_due;
            self.between.is_between = i < n_due;
            let now = origin + (self.n_substeps + 1) as f64 * substep;
            self.between.time = now;
            self.move_proxies(touch, now);
            let report = object.step(&self.between, substep);
            if matches!(report.outcome, Outcome::Refused(_)) {
                // Keep the time reached so far; the next touch makes up for the rest.
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
            self.between.is_between = false;
            // A step of length 0 changes nothing, but computes the fields.
            object.step(&self.between, 0.0);
        }
        // No substep was due: report the last one again.
        let last =
            || self.last.clone().unwrap_or_else(|| StepReport::without_solve(Outcome::Solved));
        whole.unwrap_or_else(|| StepReport { is_moving: self.is_moving, ..last() })
    }

    /// Steps matter without inertia: once per touch.
    fn answer(&mut self, object: &mut dyn Deformable, touch: &Touch) -> StepReport {
        let before = self.origin.unwrap_or(touch.time);
        let report = object.step(touch, (touch.time - before).clamp(0.0, LONGEST));
        if !matches!(report.outcome, Outcome::Refused(_)) {
            // A refused touch moves nothing; the next touch makes up for its time.
            self.origin = Some(touch.time.max(before));
        }
        report
    }

    /// Interpolates the proxies between the last touch and this one at `now`, with the velocities
    /// of that motion. A proxy that the last touch did not have stays as the touch gives it.
    fn move_proxies(&mut self, touch: &Touch, now: f64) {
        let whole = touch.time - self.touched;
        let share = if whole > 0.0 { ((now - self.touched) / whole).clamp(0.0, 1.0) } else { 1.0 };
        for (i, (moved, proxy)) in self.between.proxies.iter_mut().zip(&touch.proxies).enumerate() {
            // Hands list their proxies in a fixed order: try the same place first.
            let same = |before: &&Proxy| before.id == proxy.id;
            let before =
                self.proxies.get(i).filter(same).or_else(|| self.proxies.iter().find(same));
            if let Some(before) = before {
                moved.shape = before.shape.on_the_way(&proxy.shape, share);
                // Orientations half a turn apart have no shortest way between them.
                let turned = before.orientation.try_slerp(&proxy.orientation, share, 1e-9);
                moved.orientation = turned.unwrap_or(proxy.orientation);
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

    use nalgebra::{Point3, UnitQuaternion, Vector3};
    use physics::{Grip, ProxyId, Reaction, SampleId, Shape, State, StateError, Surface, Topology};

    use super::*;

    /// Matter that reports `moves` and records its steps.
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

        fn displacements(&self) -> Vec<[f64; 3]> {
            Vec::new()
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

    /// Touch with one fingertip at `x`, in metres, without a velocity.
    fn touch(time: f64, x: f64) -> Touch {
        let proxy = Proxy {
            id: ProxyId { hand: 1, finger: 1, segment: ProxyId::TIP },
            shape: Shape::Sphere { centre: Point3::new(x, 0.0, 0.0), radius: 0.01 },
            orientation: UnitQuaternion::identity(),
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
        let (mut substeps, mut probe) = (Substeps::default(), Probe::new(true));
        substeps.step(&mut probe, &touch(0.0, 0.0));
        substeps.step(&mut probe, &touch(0.005, 0.01));
        assert_eq!(probe.asked.len(), 5);
        for ((touch, _), place) in probe.asked.iter().zip([0.002, 0.004, 0.006, 0.008, 0.01]) {
            let Shape::Sphere { centre, .. } = touch.proxies[0].shape else { panic!("a ball") };
            assert!((centre.x - place).abs() < 1e-12, "{centre}");
            assert!((touch.proxies[0].velocity.x - 2.0).abs() < 1e-9, "2 m/s");
        }
    }

    #[test]
    fn shapes_do_not_leap_after_a_pause() {
        let (mut substeps, mut probe) = (Substeps::default(), Probe::new(true));
        substeps.step(&mut probe, &touch(0.0, 0.0));
        substeps.step(&mut probe, &touch(10.0, 0.1));
        assert_eq!((probe.asked.len(), substeps.n_shortened()), (100, 1));
        let places = places(&probe);
        let steps = places.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(places[0] < 0.0011 && steps.fold(0.0, f64::max) < 0.0011, "{places:?}");
    }

    #[test]
    fn matter_at_rest_begins_anew_after_a_pause() {
        let (mut substeps, mut probe) = (Substeps::default(), Probe::new(false));
        substeps.step(&mut probe, &touch(0.0, 0.0));
        substeps.step(&mut probe, &touch(0.001, 0.0));
        probe.asked.clear();
        substeps.step(&mut probe, &touch(10.0, 0.1));
        assert_eq!((places(&probe), substeps.n_shortened()), (vec![0.1], 0));
        // Time goes on as usual from the restart.
        substeps.step(&mut probe, &touch(10.004, 0.1));
        assert_eq!(probe.asked.len(), 5);
    }

    #[test]
    fn fields_are_computed_without_time() {
        let (mut substeps, mut probe) = (Substeps::default(), Probe::new(false));
        substeps.step(&mut probe, &touch(0.0, 0.0));
        substeps.step(&mut probe, &touch(0.002, 0.0));
        probe.asked.clear();
        substeps.step(&mut probe, &Touch { wants_fields: true, ..touch(0.002, 0.0) });
        assert_eq!(probe.asked.iter().map(|(_, dt)| *dt).collect::<Vec<_>>(), [0.0]);
    }
}
