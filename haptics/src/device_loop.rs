//! A kinaesthetic device with the loop of its fingertip.
//!
//! The hand in the scene has the place of the fingertip, some ten milliseconds late and some
//! hundred times a second. The device measures how the fingertip has moved since, so the loop adds
//! both: where the hand's sample has the fingertip, and the device's way since that sample.

use std::time::{Duration, Instant};

use drivers::{DeviceError, KinaestheticDevice, KinaestheticProfile};
use nalgebra::{Point3, UnitQuaternion, Vector3};

use crate::finger_loop::{FingerLoop, FingerOutput, LoopSettings, Position};
use crate::hand_loop::HandFelt;
use crate::limiter::ForceLimits;

/// Where a device acts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DevicePlacement {
    /// Finger of the hand, from 0, the thumb.
    pub finger: usize,
    /// The device's axes in the world.
    pub axes: DeviceAxes,
}

/// Axes of a device in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DeviceAxes {
    /// Turn of the device's axes into those of the world.
    Fixed(UnitQuaternion<f64>),
    /// The device's x is the way of the fingertip as its finger opens, as of a tendon.
    OpeningFinger,
}

/// Time without a place after which a device counts as silent: its force ends.
const SILENT: Duration = Duration::from_millis(20);

/// Length of a finger's way from which on it has a direction, in metres for a whole unit of curl.
const LEAST_WAY: f64 = 1e-6;

/// Number of remembered places: more than a hand's sample is old.
const REMEMBERED: usize = 256;

/// A device on a fingertip. Dropping it drops the device, which lets go.
pub struct DeviceLoop<D> {
    device: D,
    placement: DevicePlacement,
    finger: FingerLoop,
    /// Newest places in the device's frame with their moments, in a ring.
    places: [Option<(Instant, Point3<f64>)>; REMEMBERED],
    next: usize,
    /// Arrival of the frame from which the newest model is; `None` without a model.
    framed: Option<Instant>,
    /// The same of the last model that was one, which may still fade out.
    faded: Option<Instant>,
}

impl From<&KinaestheticProfile> for LoopSettings {
    /// The stiffest loop that a device allows, within our own limits.
    fn from(profile: &KinaestheticProfile) -> Self {
        let own = ForceLimits { force: profile.most_force, slew: profile.most_slew };
        Self {
            period: profile.period,
            delay: profile.delay,
            damping: profile.damping,
            mass: profile.mass,
            limits: ForceLimits::default().within(own),
            coupling: 0.0,
        }
        .coupled()
    }
}

impl<D: KinaestheticDevice> DeviceLoop<D> {
    /// Starts without force, with the stiffest coupling that the device allows.
    pub fn new(device: D, placement: DevicePlacement) -> Result<Self, DeviceError> {
        let settings = device.profile().into();
        Self::with(device, placement, settings)
    }

    /// Starts without force.
    pub fn with(
        mut device: D,
        placement: DevicePlacement,
        settings: LoopSettings,
    ) -> Result<Self, DeviceError> {
        device.release()?;
        Ok(Self {
            device,
            placement,
            finger: FingerLoop::new(settings),
            places: [None; REMEMBERED],
            next: 0,
            framed: None,
            faded: None,
        })
    }

    /// The device.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// The loop of the fingertip.
    pub fn finger(&self) -> &FingerLoop {
        &self.finger
    }

    /// Newest place of the fingertip in the device's frame, with its moment.
    pub fn newest(&self) -> Option<(Instant, Point3<f64>)> {
        self.ago(1)
    }

    /// One period: reads the device, for at most `patience`, and sends it the force for what the
    /// hand feels. Without a hand, or with a silent device, the force is zero at once.
    pub fn turn(
        &mut self,
        felt: Option<&HandFelt>,
        now: Instant,
        patience: Duration,
    ) -> Result<FingerOutput, DeviceError> {
        if let Some(place) = self.device.newest_place(patience)? {
            self.places[self.next] = Some((now, place));
            self.next = (self.next + 1) % REMEMBERED;
        }
        let is_silent =
            self.ago(1).is_none_or(|(at, _)| now.saturating_duration_since(at) >= SILENT);
        let felt = felt.filter(|felt| !felt.is_lost(now) && !is_silent);
        let world_from_device = self.world_from_device(felt);
        let position = felt.zip(world_from_device);
        let position = position.and_then(|(felt, turn)| self.position(felt, &turn));
        if let Some(felt) = felt.and_then(|felt| felt.fingers.get(self.placement.finger))
            && self.framed != felt.framed
        {
            // A model that is known already stays where the fingertip has dragged it.
            self.framed = felt.framed;
            self.faded = felt.framed.or(self.faded);
            self.finger.take(&felt.model);
        }
        let age = |framed| now.saturating_duration_since(framed).as_secs_f64();
        let model_age = self.faded.map_or(f64::INFINITY, age);
        let output = self.finger.step(position.as_ref(), model_age);
        if position.is_none() {
            // The release forgot the model; the next hand brings one.
            (self.framed, self.faded) = (None, None);
        }
        // Without a direction there is no position, so no force.
        let mut force = world_from_device.unwrap_or_default().inverse() * output.force;
        let n_axes = usize::from(self.device.profile().n_axes);
        force.iter_mut().skip(n_axes).for_each(|component| *component = 0.0);
        self.device.push(&force)?;
        Ok(output)
    }

    /// Turn of the device's axes into those of the world; `None` for a finger without a way, whose
    /// device has no direction.
    fn world_from_device(&self, felt: Option<&HandFelt>) -> Option<UnitQuaternion<f64>> {
        match self.placement.axes {
            DeviceAxes::Fixed(turn) => Some(turn),
            DeviceAxes::OpeningFinger => {
                let way = felt?.fingers.get(self.placement.finger)?.way;
                let opening = (-way).try_normalize(LEAST_WAY)?;
                // Opposite directions have no turn between them that is the shortest.
                let half_a_turn =
                    || UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI);
                let turn = UnitQuaternion::rotation_between(&Vector3::x(), &opening);
                Some(turn.unwrap_or_else(half_a_turn))
            }
        }
    }

    /// Place of the fingertip in the world: that of the hand's sample, and the device's way since.
    fn position(
        &self,
        felt: &HandFelt,
        world_from_device: &UnitQuaternion<f64>,
    ) -> Option<Position> {
        let newest = self.ago(1)?.1;
        // The oldest place, if the sample is older than all.
        let mut then = newest;
        for n in 1..=REMEMBERED {
            let Some((at, place)) = self.ago(n) else { break };
            then = place;
            if at <= felt.sampled {
                break;
            }
        }
        let way: Vector3<f64> = world_from_device * (newest - then);
        let place = felt.fingers.get(self.placement.finger)?.tip + way;
        Some(Position { measured: newest, turn: *world_from_device, ..Position::at(place) })
    }

    /// The place before `n - 1` newer ones.
    fn ago(&self, n: usize) -> Option<(Instant, Point3<f64>)> {
        self.places[(self.next + 2 * REMEMBERED - n) % REMEMBERED]
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Matrix3;

    use super::*;
    use crate::hand_loop::FingerFelt;
    use crate::linear_contact::LinearContact;

    const T: Duration = Duration::from_millis(1);

    /// Device with two axes whose places a test sets.
    struct Scripted {
        profile: KinaestheticProfile,
        place: Option<Point3<f64>>,
        pushed: Vector3<f64>,
    }

    impl KinaestheticDevice for Scripted {
        fn name(&self) -> &str {
            "scripted"
        }

        fn profile(&self) -> &KinaestheticProfile {
            &self.profile
        }

        fn newest_place(&mut self, _: Duration) -> Result<Option<Point3<f64>>, DeviceError> {
            Ok(self.place)
        }

        fn push(&mut self, force: &Vector3<f64>) -> Result<(), DeviceError> {
            self.pushed = *force;
            Ok(())
        }
    }

    fn device() -> Scripted {
        let profile = KinaestheticProfile {
            n_axes: 2,
            period: 1e-3,
            delay: 0.0,
            damping: 0.5,
            mass: 0.1,
            most_force: 12.0,
            most_slew: 1e5,
        };
        Scripted { profile, place: Some(Point3::origin()), pushed: Vector3::zeros() }
    }

    /// Finger that is pushed along the world's y with 1 N at the origin.
    fn felt(now: Instant, tip: f64) -> HandFelt {
        let model = LinearContact {
            place: Point3::origin(),
            force: Vector3::new(0.0, 1.0, 0.0),
            normal: Vector3::y(),
            friction: 0.6,
            stiffness: Matrix3::identity() * 800.0,
        };
        let tip = Point3::new(0.0, tip, 0.0);
        let finger = FingerFelt { tip, model, framed: Some(now), ..FingerFelt::NONE };
        HandFelt { fingers: [finger; 5], sampled: now }
    }

    #[test]
    fn the_devices_way_since_the_hands_sample_is_added_and_forces_are_along_its_axes() {
        // The device's x is the world's y.
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.5 * std::f64::consts::PI);
        let placement = DevicePlacement { finger: 1, axes: DeviceAxes::Fixed(turn) };
        let mut looped = DeviceLoop::new(device(), placement).unwrap();
        let start = Instant::now();
        let mut now = start;
        for _ in 0..700 {
            looped.turn(Some(&felt(now, 0.0)), now, Duration::ZERO).unwrap();
            now += T;
        }
        let pushed = looped.device().pushed;
        assert!((pushed - Vector3::new(0.5, 0.0, 0.0)).norm() < 1e-6, "{pushed}");
        // The device moves by 0.5 mm after the hand's last sample: 0.4 N/mm with the coupling.
        let last = felt(now - T, 0.0);
        looped.device.place = Some(Point3::new(-0.5e-3, 0.0, 0.0));
        for _ in 0..10 {
            looped.turn(Some(&last), now, Duration::ZERO).unwrap();
            now += T;
        }
        assert!((looped.device().pushed.x - 0.7).abs() < 1e-6, "{}", looped.device().pushed);
        // The hand's next sample has moved as well: the same place, the same force.
        looped.turn(Some(&felt(now, -0.5e-3)), now, Duration::ZERO).unwrap();
        assert!((looped.device().pushed.x - 0.7).abs() < 1e-6, "{}", looped.device().pushed);
    }

    #[test]
    fn a_tendon_pulls_whichever_way_its_finger_closes_and_not_without_a_way() {
        let placement = DevicePlacement { finger: 2, axes: DeviceAxes::OpeningFinger };
        for (way, wanted) in [
            (Vector3::<f64>::x(), Vector3::<f64>::x()),
            (-Vector3::x(), Vector3::x()),
            (Vector3::z(), Vector3::x()),
            (Vector3::zeros(), Vector3::zeros()),
            (Vector3::new(f64::NAN, 0.0, 0.0), Vector3::zeros()),
        ] {
            let mut looped = DeviceLoop::new(device(), placement).unwrap();
            let mut now = Instant::now();
            for _ in 0..600 {
                let mut felt = felt(now, 0.0);
                let finger = &mut felt.fingers[2];
                // The matter pushes the finger open.
                let open = (-way).try_normalize(0.0).unwrap_or(Vector3::x());
                (finger.way, finger.model.force, finger.model.normal) = (way * 0.08, open, open);
                looped.turn(Some(&felt), now, Duration::ZERO).unwrap();
                now += T;
            }
            let pushed = looped.device().pushed;
            assert!((pushed - wanted * 0.5).norm() < 1e-6, "{way}: {pushed}");
        }
    }

    #[test]
    fn a_hand_that_moves_with_its_device_gives_the_device_no_energy() {
        let placement = DevicePlacement { finger: 1, axes: DeviceAxes::Fixed(Default::default()) };
        let mut looped = DeviceLoop::new(device(), placement).unwrap();
        let mut now = Instant::now();
        let mut at = felt(now, 0.0);
        for step in 0..1500_u32 {
            if step.is_multiple_of(10) {
                // The arm goes up, with noise, and the matter follows; the device stands still.
                let samples = f64::from(step.saturating_sub(700) / 10);
                let noise = 3e-4 * (7.0 * samples).sin();
                at = felt(now, 1e-3 * samples + noise);
                for finger in &mut at.fingers {
                    finger.model.force.y = 4.0;
                    finger.model.place = finger.tip;
                }
            }
            let output = looped.turn(Some(&at), now, Duration::ZERO).unwrap();
            assert!(!output.is_active, "{step}");
            assert!(looped.finger().balance() <= 0.0, "{step}");
            now += T;
        }
        assert!(looped.device().pushed.y > 1.5, "{}", looped.device().pushed);
    }

    #[test]
    fn a_tendon_pulls_along_the_way_on_which_its_finger_opens() {
        let placement = DevicePlacement { finger: 2, axes: DeviceAxes::OpeningFinger };
        let mut looped = DeviceLoop::new(device(), placement).unwrap();
        let mut now = Instant::now();
        for _ in 0..600 {
            // The finger closes downwards: matter below it pushes it open.
            let mut felt = felt(now, 0.0);
            felt.fingers[2].way = Vector3::new(0.0, -0.08, 0.0);
            looped.turn(Some(&felt), now, Duration::ZERO).unwrap();
            now += T;
        }
        assert!((looped.device().pushed - Vector3::new(0.5, 0.0, 0.0)).norm() < 1e-6);
    }

    #[test]
    fn a_finger_follows_the_frames_of_its_own_thing_alone() {
        let placement = DevicePlacement { finger: 0, axes: DeviceAxes::Fixed(Default::default()) };
        let mut looped = DeviceLoop::new(device(), placement).unwrap();
        let start = Instant::now();
        let mut now = start;
        // Turns with frames of a thing at other fingers, at a place along x.
        let mut turns = |n: usize, x: f64, framed: Option<Instant>, is_fresh: bool| {
            for _ in 0..n {
                let mut felt = felt(now, 0.0);
                let finger = &mut felt.fingers[0];
                finger.tip.x = x;
                finger.framed = if is_fresh { Some(now) } else { framed };
                if finger.framed.is_none() {
                    finger.model = LinearContact::NONE;
                }
                looped.turn(Some(&felt), now, Duration::ZERO).unwrap();
                now += T;
            }
            (now - T, looped.device().pushed)
        };
        // Coupled, 0.5 N and 400 N/m: the fingertip slides with 0.3 N from 0.75 mm on.
        let (_, pushed) = turns(700, 0.0, None, true);
        assert!((pushed - Vector3::new(0.0, 0.5, 0.0)).norm() < 1e-6, "{pushed}");
        let (framed, _) = turns(1, 0.0, None, true);
        let (_, pushed) = turns(10, 2e-3, Some(framed), false);
        assert!((pushed.x + 0.3).abs() < 1e-6, "{pushed}");
        // It turns back: the model is still where it was dragged to.
        let (_, pushed) = turns(2, 1.5e-3, Some(framed), false);
        assert!((pushed.x + 0.1).abs() < 1e-6, "{pushed}");
        // No model is new at once, and fades in 10 ms.
        let (_, pushed) = turns(5, 1.5e-3, None, false);
        assert!((pushed.y - 0.25).abs() < 0.1, "{pushed}");
        let (_, pushed) = turns(5, 1.5e-3, None, false);
        assert!(pushed.norm() < 1e-6, "{pushed}");
        // A thing that stalls loses its force, and the end of its contact brings none back.
        turns(50, 0.0, None, true);
        let (framed, pushed) = turns(1, 0.0, None, true);
        assert!(pushed.y > 0.4, "{pushed}");
        let (_, pushed) = turns(70, 0.0, Some(framed), false);
        assert_eq!(pushed, Vector3::zeros());
        for _ in 0..10 {
            assert_eq!(turns(1, 0.0, None, false).1, Vector3::zeros());
        }
    }

    #[test]
    fn a_silent_device_and_a_lost_hand_have_no_force_at_once() {
        let placement = DevicePlacement { finger: 0, axes: DeviceAxes::Fixed(Default::default()) };
        let running = || {
            let mut looped = DeviceLoop::new(device(), placement).unwrap();
            let mut now = Instant::now();
            for _ in 0..300 {
                looped.turn(Some(&felt(now, 0.0)), now, Duration::ZERO).unwrap();
                now += T;
            }
            assert!(looped.device().pushed.y > 0.1);
            (looped, now)
        };
        let (mut looped, now) = running();
        looped.turn(None, now, Duration::ZERO).unwrap();
        assert_eq!(looped.device().pushed, Vector3::zeros());
        let (mut looped, now) = running();
        let old = felt(now - Duration::from_millis(300), 0.0);
        looped.turn(Some(&old), now, Duration::ZERO).unwrap();
        assert_eq!(looped.device().pushed, Vector3::zeros());
        let (mut looped, mut now) = running();
        looped.device.place = None;
        for _ in 0..19 {
            looped.turn(Some(&felt(now, 0.0)), now, Duration::ZERO).unwrap();
            now += T;
        }
        assert!(looped.device().pushed.y > 0.1);
        // Time counts, not turns: a loop that wakes late passes several periods in one.
        looped.turn(Some(&felt(now, 0.0)), now + T, Duration::ZERO).unwrap();
        assert_eq!(looped.device().pushed, Vector3::zeros());
        let (mut looped, now) = running();
        looped.device.place = None;
        let late = now + 30 * T;
        looped.turn(Some(&felt(late, 0.0)), late, Duration::ZERO).unwrap();
        assert_eq!(looped.device().pushed, Vector3::zeros());
    }
}
