//! Haptics: what the hands feel, for the threads of gloves, headset and devices that push back.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use drivers::Side;
use haptics::{FingerFelt, HandFelt, LinearContact};

use super::Session;
use super::health::{PartHealth, WatchedPart};
use crate::feedback::{Feedback, PushDevice};

/// Force at which a glove holds a finger with full strength, in newtons.
const FULL_FORCE: f64 = 3.0;

/// Outputs that do not belong to a glove, and the age of what they get.
#[derive(Default)]
pub(super) struct FeltOutputs {
    /// Outputs of a headset, left first; they last as long as its hands are the source.
    headset: Option<[Feedback; 2]>,
    /// Device that pushes a finger, if any.
    pub(super) push_device: Option<PushDevice>,
    /// Arrival of the newest sample of each hand, left first.
    sampled: [Option<Instant>; 2],
    /// Arrival of the newest frame of each thing.
    framed: Vec<Option<Instant>>,
}

impl FeltOutputs {
    /// Notes the arrival of a hand's sample.
    pub(super) fn see_hand(&mut self, side: Side, arrival: Instant) {
        self.sampled[side as usize] = Some(arrival);
    }

    /// Notes the arrival of a thing's frame.
    pub(super) fn see_frame(&mut self, thing: usize) {
        if self.framed.len() <= thing {
            self.framed.resize(thing + 1, None);
        }
        self.framed[thing] = Some(Instant::now());
    }

    /// Arrival of the newest frame of a thing.
    fn framed(&self, thing: usize) -> Option<Instant> {
        self.framed.get(thing).copied().flatten()
    }
}

impl Session {
    /// Takes all forces away: while the session takes no turns, no other code would.
    pub fn stop_haptics(&self) {
        let gloves = self.hands.device_hands().filter_map(|(parts, _)| parts.feedback.as_ref());
        gloves.chain(self.felt.headset.iter().flatten()).for_each(|feedback| feedback.feel(None));
        self.felt.push_device.iter().for_each(|device| device.feel(None));
    }

    /// Tells each output what its hand feels. Outputs end by themselves as soon as the hand's data
    /// or the thing's solver are out of date: a glove must never hold a finger for an object that
    /// is no longer there.
    pub(super) fn send_haptics(&mut self) -> io::Result<()> {
        self.follow_headset()?;
        let is_felt = |feedback: &Feedback| feedback.is_wanted();
        let has_glove = self
            .hands
            .device_hands()
            .any(|(parts, _)| parts.feedback.as_ref().is_some_and(is_felt));
        let has_output =
            has_glove || self.felt.headset.is_some() || self.felt.push_device.is_some();
        self.solvers.ask_for_contact_models(has_output);
        for (parts, last) in self.hands.device_hands() {
            if let Some(feedback) = parts.feedback.as_ref().filter(|it| it.is_wanted()) {
                feedback.feel(last.and_then(|(side, arrival)| self.felt_by(side, arrival)));
            }
        }
        for (side, feedback) in
            [Side::Left, Side::Right].into_iter().zip(self.felt.headset.iter().flatten())
        {
            feedback.feel(self.seen_at(side).and_then(|arrival| self.felt_by(side, arrival)));
        }
        if let Some(device) = &self.felt.push_device {
            let side = device.side();
            let arrival = self.felt.sampled[side as usize];
            device.feel(arrival.and_then(|arrival| self.felt_by(side, arrival)));
        }
        Ok(())
    }

    /// Health of the device that pushes a finger, and of loops that have ended by themselves.
    pub(super) fn felt_health(&mut self) -> Vec<(WatchedPart, PartHealth)> {
        let ended = || PartHealth::Failed("its loop ended; the log says why".to_owned());
        let gloves = self.hands.device_hands().filter_map(|(parts, _)| parts.feedback.as_ref());
        let has_ended =
            gloves.chain(self.felt.headset.iter().flatten()).any(|feedback| feedback.has_ended());
        let device = self.felt.push_device.as_mut().map(|device| match device.has_ended() {
            true => (WatchedPart::PushDevice, ended()),
            false => (WatchedPart::PushDevice, device.state().into()),
        });
        device.into_iter().chain(has_ended.then(|| (WatchedPart::Feedback, ended()))).collect()
    }

    /// Starts the outputs of a headset when its hands become the source, and ends them after that.
    fn follow_headset(&mut self) -> io::Result<()> {
        let Some(hands) = self.hands.headset_hands() else {
            self.felt.headset = None;
            return Ok(());
        };
        if self.felt.headset.is_none() {
            let start = |side: Side| {
                let link = Arc::clone(hands.headset());
                let put = move |output| link.felt[side as usize].put_at_once(output);
                Feedback::start("headset-feedback", put)
            };
            self.felt.headset = Some([start(Side::Left)?, start(Side::Right)?]);
        }
        Ok(())
    }

    /// Time at which a headset last saw a hand.
    fn seen_at(&self, side: Side) -> Option<Instant> {
        Instant::now().checked_sub(self.hands.headset_hands()?.age(side)?)
    }

    /// What a hand feels whose last sample came at `sampled`.
    fn felt_by(&self, side: Side, sampled: Instant) -> Option<HandFelt> {
        let is_solved = |thing: usize| self.solvers.is_ready(thing);
        let feelings = self.tabletop.feelings(side, is_solved)?;
        // Things with models are felt by these; of others, fingers feel the forces.
        let is_by_force =
            |thing: usize| is_solved(thing) && !self.tabletop.has_contact_models(thing);
        let held = self.tabletop.finger_forces(side, is_by_force);
        let fingers = std::array::from_fn(|i| {
            let finger = &feelings[i];
            let model = finger.model.as_ref();
            FingerFelt {
                tip: finger.tip,
                velocity: finger.velocity,
                curl: finger.curl,
                way: finger.way,
                model: model.map_or(LinearContact::NONE, |felt| {
                    LinearContact::of(&felt.model, &felt.world_from_object)
                }),
                framed: model.and_then(|felt| self.felt.framed(felt.thing)),
                slip_speed: model.map_or(0.0, |felt| f64::from(felt.model.slip_speed)),
                held: held[i] / FULL_FORCE,
            }
        });
        Some(HandFelt { fingers, sampled })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use calibration::HandPose;
    use drivers::replay::ReplayClock;
    use emulators::{OneAxisEmulator, OneAxisOptions, Push, ScriptClock};
    use engine::{Bell, MemoryBudget, SolverLocation, SolverResources};
    use haptics::{DeviceAxes, DevicePlacement};
    use interaction::grasp::GraspRules;
    use interaction::posture::{Posture, grasping_wrist};
    use interaction::thing::ThingParts;
    use nalgebra::{Isometry3, Translation3};
    use physics::contact::ContactSettings;
    use physics::material::IsotropicElastic;
    use physics::{ObjectSpec, SolidSpec};

    use super::*;
    use crate::input::{PosePlayer, RecordedPose};
    use crate::session::{HandSource, ProfilesInUse, SessionParts};

    /// A cube on the table that hands hold by contact.
    fn cube() -> ThingParts {
        let mesh = objects::generate::cube(0.06, 4).unwrap();
        let material = IsotropicElastic::new(2e4, 0.4).unwrap();
        let spec = SolidSpec::new(mesh, material, Vec::new()).unwrap();
        let spec = ObjectSpec::from(spec.held_by_contact(ContactSettings::default()).unwrap());
        let home = Isometry3::translation(0.0, 0.03, 0.0);
        ThingParts { name: "cube".to_owned(), spec: Arc::new(spec), home, colours: None }
    }

    /// A hand that closes around the cube again and again.
    fn hands() -> HandSource {
        let pose = |n: u32| {
            let seconds = f64::from(n) / 100.0;
            let closed = 0.4 * (1.0 - (4.0 * seconds).cos());
            let world_from_wrist = Translation3::new(0.0, -0.03, 0.0) * grasping_wrist(Side::Right);
            let angles = Posture::grasping().natural_angles(&[closed; 5]);
            let pose = Some(HandPose { angles, world_from_wrist });
            let at = Duration::from_secs_f64(seconds);
            RecordedPose { at, side: Side::Right, pose, size: None }
        };
        HandSource::Recorded(PosePlayer::new(
            (0..6000).map(pose).collect(),
            ReplayClock::new(1.0).unwrap(),
        ))
    }

    #[test]
    fn each_thing_has_the_arrival_of_its_own_frames() {
        let mut felt = FeltOutputs::default();
        felt.see_frame(2);
        let first = felt.framed(2).expect("a frame came");
        felt.see_frame(0);
        assert_eq!((felt.framed(1), felt.framed(2), felt.framed(7)), (None, Some(first), None));
        assert!(felt.framed(0) >= Some(first));
    }

    #[test]
    fn a_cube_pushes_the_finger_in_a_device_on_a_line_of_its_own() {
        let push = Push { steady: 0.0, swing: 0.0, hz: 0.0 };
        let options = OneAxisOptions { push, ..OneAxisOptions::default() };
        let clock = ScriptClock::since(Instant::now());
        let emulator = OneAxisEmulator::start(options, clock).unwrap();
        let placement = DevicePlacement { finger: 1, axes: DeviceAxes::OpeningFinger };
        let device = PushDevice::start(emulator.path(), Side::Right, placement).unwrap();
        let resources = SolverResources::new(Some(1), MemoryBudget::default()).unwrap();
        let session = Session::new(SessionParts {
            hands: hands(),
            profiles_in_use: ProfilesInUse::anonymous(),
            rules: GraspRules::default(),
            things: vec![cube()],
            states: Vec::new(),
            solvers: SolverLocation::Embedded(resources),
            bell: Arc::new(Bell::default()),
            trace: None,
            headset: None,
            profile_store: None,
            notes: None,
            emulated: Vec::new(),
        });
        let mut session = session.unwrap().with_push_device(Some(device));
        let mut turn_until = |what: &str, is_so: &dyn Fn() -> bool| {
            let deadline = Instant::now() + Duration::from_secs(60);
            while !is_so() {
                assert!(Instant::now() < deadline, "never: {what}");
                session.turn().unwrap();
            }
        };
        let force = || emulator.feedback().one_axis.force;
        turn_until("the finger is pushed open", &|| force() > 0.02);
        turn_until("the finger is free again", &|| force() < 0.001);
        turn_until("it is pushed again", &|| force() > 0.02);
        session.stop_haptics();
        let deadline = Instant::now() + Duration::from_secs(60);
        while force() != 0.0 {
            assert!(Instant::now() < deadline, "the device holds the finger");
            std::thread::park_timeout(Duration::from_millis(1));
        }
    }
}
