//! The loop of one fingertip: from its place and the newest model to the force of a period.

use nalgebra::{Point3, UnitQuaternion, Vector3};

use crate::coupling::CouplingRule;
use crate::energy::EnergyAccount;
use crate::limiter::{ForceLimiter, ForceLimits};
use crate::linear_contact::LinearContact;
use crate::renderer::Renderer;
use crate::watchdog::{EXTRAPOLATION, StartRamp, share_by_age};

/// What a loop must know of its device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoopSettings {
    /// Time for which a force is held, in seconds.
    pub period: f64,
    /// Age of a position when its force begins to act, in seconds.
    pub delay: f64,
    /// Damping of device and finger, in N s/m.
    pub damping: f64,
    /// Mass of device and finger, in kg.
    pub mass: f64,
    /// Limits of the force.
    pub limits: ForceLimits,
    /// Stiffness of the virtual coupling, in N/m. [`Self::coupled`] gives the one that is safe.
    pub coupling: f64,
}

impl LoopSettings {
    /// The same settings, with the stiffest coupling that the device's damping allows.
    pub fn coupled(self) -> Self {
        let Self { damping, period, delay, .. } = self;
        let rule = CouplingRule { damping, rendered_damping: 0.0, period, delay };
        Self { coupling: rule.stiffness(), ..self }
    }
}

/// Place of a fingertip as a device gave it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    /// Place at the time of the measurement.
    pub place: Point3<f64>,
    /// Velocity then; zero for a device that is read in every period.
    pub velocity: Vector3<f64>,
    /// Time since the measurement, in seconds.
    pub age: f64,
    /// Place as the device measures it: its way is the one along which the force gives energy. A
    /// hand's sample moves `place` as well, and no force has done that.
    pub measured: Point3<f64>,
    /// Turn of the axes of `measured` into those of `place`.
    pub turn: UnitQuaternion<f64>,
}

impl Position {
    /// Place that a device measures in the axes of the model.
    pub fn at(place: Point3<f64>) -> Self {
        let (velocity, turn) = (Vector3::zeros(), UnitQuaternion::identity());
        Self { place, velocity, age: 0.0, measured: place, turn }
    }

    /// Place now, by a velocity that holds for [`EXTRAPOLATION`] at most.
    pub fn now(&self) -> Point3<f64> {
        self.place + self.velocity * self.age.clamp(0.0, EXTRAPOLATION)
    }
}

/// Result of one period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FingerOutput {
    /// Force on the fingertip.
    pub force: Vector3<f64>,
    /// True while the loop gives more energy than it may, and for some seconds after that.
    pub is_active: bool,
}

/// Largest delay whose forces are remembered, in periods.
const MOST_DELAYED: usize = 32;

/// Time for which an active loop stays softer, in seconds.
const SOFTENED: f64 = 5.0;

/// Last part of that time, in which its stiffness grows back.
const RECOVERY: f64 = 1.0;

/// Share of the coupling's stiffness that an active loop keeps.
const SOFTER: f64 = 0.5;

/// Loop of one fingertip.
#[derive(Debug, Clone)]
pub struct FingerLoop {
    settings: LoopSettings,
    renderer: Renderer,
    limiter: ForceLimiter,
    account: EnergyAccount,
    ramp: StartRamp,
    /// Time for which the loop stays softer, in seconds.
    softened: f64,
    /// Forces of the last periods in the device's axes, in a ring: with a delay, an older one acted
    /// in the last period.
    sent: [Vector3<f64>; MOST_DELAYED],
    /// Place in the ring of the next force.
    next: usize,
    n_delayed: usize,
}

impl FingerLoop {
    /// Starts without contact and without force.
    pub fn new(settings: LoopSettings) -> Self {
        let n_delayed = (settings.delay / settings.period).round();
        Self {
            settings,
            renderer: Renderer::default(),
            limiter: ForceLimiter::new(settings.limits),
            account: EnergyAccount::new(settings.damping, settings.mass),
            ramp: StartRamp::default(),
            softened: 0.0,
            sent: [Vector3::zeros(); MOST_DELAYED],
            next: 0,
            n_delayed: (n_delayed.max(0.0) as usize).min(MOST_DELAYED - 1),
        }
    }

    /// Settings of the loop.
    pub fn settings(&self) -> &LoopSettings {
        &self.settings
    }

    /// Energy that the loop has given to the device, in joules.
    pub fn balance(&self) -> f64 {
        self.account.balance()
    }

    /// True while the newest model, or the one that fades out, has a contact.
    pub fn is_contact(&self) -> bool {
        self.renderer.is_contact()
    }

    /// Takes the newest model. One with numbers that are not finite ends the force at once.
    pub fn take(&mut self, model: &LinearContact) {
        if model.is_finite() {
            self.renderer.take(*model);
        } else {
            self.release();
        }
    }

    /// Force for the next period. Without a position, or with one that is not finite, there is no
    /// force, at once. `model_age` is the time since the newest model was made, in seconds.
    pub fn step(&mut self, position: Option<&Position>, model_age: f64) -> FingerOutput {
        let places = position.map(|position| (position.now(), position.measured, position.turn));
        let are_finite = |place: &Point3<f64>| place.iter().all(|x| x.is_finite());
        let Some((place, measured, turn)) =
            places.filter(|(place, measured, _)| are_finite(place) && are_finite(measured))
        else {
            self.release();
            return FingerOutput { force: Vector3::zeros(), is_active: false };
        };
        let LoopSettings { period, coupling, .. } = self.settings;
        let at = (self.next + 2 * MOST_DELAYED - 1 - self.n_delayed) % MOST_DELAYED;
        let held = self.sent[at];
        let softer = coupling * self.softness();
        let share = share_by_age(model_age) * self.ramp.share_after(period);
        let rendered = self.renderer.force(&place, softer, period);
        let stored = self.renderer.stored(&rendered, softer);
        let mut damping = turn * self.account.enter(&measured, &held, stored, period);
        let recovers = self.softened > 0.0 && self.softened < RECOVERY;
        if share < 1.0 || recovers {
            // A force that grows with time gives energy; the time limits it.
            self.account.forgive(stored);
            damping = Vector3::zeros();
        }
        self.softened = match self.account.is_active() {
            true => SOFTENED,
            false => (self.softened - period).max(0.0),
        };
        let wanted = rendered * share + damping;
        if !wanted.iter().all(|x| x.is_finite()) {
            self.release();
            return FingerOutput { force: Vector3::zeros(), is_active: false };
        }
        let force = self.limiter.limit(&wanted, period);
        self.sent[self.next] = turn.inverse_transform_vector(&force);
        self.next = (self.next + 1) % MOST_DELAYED;
        FingerOutput { force, is_active: self.softened > 0.0 }
    }

    /// Share of the coupling's stiffness: less for some seconds after the loop was active, then
    /// growing back.
    fn softness(&self) -> f64 {
        1.0 - (1.0 - SOFTER) * (self.softened / RECOVERY).min(1.0)
    }

    /// Ends the force at once. A later one grows as after a start.
    pub fn release(&mut self) {
        self.renderer = Renderer::default();
        self.limiter.release();
        self.account.forget();
        self.ramp.restart();
        self.sent = [Vector3::zeros(); MOST_DELAYED];
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Matrix3;

    use super::*;

    fn settings() -> LoopSettings {
        LoopSettings {
            period: 1e-3,
            delay: 0.0,
            damping: 0.5,
            mass: 0.1,
            limits: ForceLimits::default(),
            coupling: 0.0,
        }
        .coupled()
    }

    fn contact() -> LinearContact {
        LinearContact {
            place: Point3::origin(),
            force: Vector3::new(0.0, 1.0, 0.0),
            normal: Vector3::y(),
            friction: 0.6,
            stiffness: Matrix3::identity() * 800.0,
        }
    }

    fn at(y: f64) -> Position {
        Position::at(Point3::new(0.0, y, 0.0))
    }

    fn running() -> FingerLoop {
        let mut finger = FingerLoop::new(settings());
        finger.take(&contact());
        for _ in 0..600 {
            finger.step(Some(&at(0.0)), 0.0);
        }
        finger
    }

    #[test]
    fn a_force_starts_slowly_and_ends_at_once() {
        let mut finger = FingerLoop::new(settings());
        finger.take(&contact());
        let forces: Vec<f64> = (0..600).map(|_| finger.step(Some(&at(0.0)), 0.0).force.y).collect();
        // Matter as stiff as the coupling is felt with half its force.
        assert!((forces[249] - 0.25).abs() < 1e-9 && (forces[599] - 0.5).abs() < 1e-9);
        assert_eq!(finger.step(None, 0.0).force, Vector3::zeros());
        assert!(finger.step(Some(&at(0.0)), 0.0).force.norm() < 1e-12, "the model is gone too");
        for bad in [f64::NAN, f64::INFINITY] {
            let mut finger = running();
            assert_eq!(finger.step(Some(&at(bad)), 0.0).force, Vector3::zeros());
            let mut finger = running();
            finger.take(&LinearContact { friction: bad, ..contact() });
            assert_eq!(finger.step(Some(&at(0.0)), 0.0).force, Vector3::zeros());
        }
    }

    #[test]
    fn an_old_model_loses_its_force() {
        let mut finger = running();
        let mut force = |age: f64| finger.step(Some(&at(0.0)), age).force.y;
        assert!((force(0.02) - 0.5).abs() < 1e-9);
        assert!((force(0.04) - 0.25).abs() < 1e-9);
        assert_eq!((force(0.06), force(f64::NAN)), (0.0, 0.0));
    }

    #[test]
    fn a_position_is_extrapolated_for_ten_milliseconds() {
        let moving = |age| Position { velocity: Vector3::new(0.0, -0.1, 0.0), age, ..at(0.0) };
        assert!((moving(4e-3).now().y + 4e-4).abs() < 1e-12);
        assert!((moving(0.3).now().y + 1e-3).abs() < 1e-12);
    }
}
