//! Force on a fingertip between two frames of the solver: the newest model, faded in, within its
//! friction cone.

use nalgebra::{Point3, Vector3};

use crate::linear_contact::{CoupledContact, LinearContact};

/// Force by the newest model. The place of a model moves with a fingertip that slides.
#[derive(Debug, Clone, Copy)]
pub struct Renderer {
    from: LinearContact,
    to: LinearContact,
    /// Share of `to`.
    share: f64,
}

impl Default for Renderer {
    fn default() -> Self {
        Self { from: LinearContact::NONE, to: LinearContact::NONE, share: 1.0 }
    }
}

impl Renderer {
    /// Time in which a new model takes the place of the model before it, in seconds.
    pub const BLEND: f64 = 10e-3;

    /// Takes a new model, which fades in from the present force.
    pub fn take(&mut self, model: LinearContact) {
        self.from = self.from.on_the_way(&self.to, self.share);
        self.to = model;
        self.share = if self.from.is_contact() || model.is_contact() { 0.0 } else { 1.0 };
    }

    /// True while the model or the one before it has a contact.
    pub fn is_contact(&self) -> bool {
        self.to.is_contact() || (self.share < 1.0 && self.from.is_contact())
    }

    fn coupled(&self, coupling: f64) -> CoupledContact {
        self.from.on_the_way(&self.to, self.share).behind(coupling)
    }

    /// Energy that the spring of the present model can give back at a force, in joules.
    pub fn stored(&self, force: &Vector3<f64>, coupling: f64) -> f64 {
        // The work along the way on which the force vanishes: f² / 2k, by the stiffness along it.
        let squared = force.norm_squared();
        let along = force.dot(&(self.coupled(coupling).stiffness() * force));
        if along > 0.0 { 0.5 * squared * squared / along } else { 0.0 }
    }

    /// Force at a place after `dt` seconds, behind a coupling of this stiffness.
    pub fn force(&mut self, place: &Point3<f64>, coupling: f64, dt: f64) -> Vector3<f64> {
        self.share = (self.share + dt / Self::BLEND).min(1.0);
        let coupled = self.coupled(coupling);
        let (model, force) = (*coupled.model(), coupled.force_at(place));
        let pressed = model.normal.dot(&force).max(0.0);
        let across = force - model.normal * model.normal.dot(&force);
        let limit = model.friction * pressed;
        let pulled = across.norm();
        if pulled <= limit {
            // A force that would pull the fingertip into the matter is none.
            return if pressed > 0.0 { force } else { Vector3::zeros() };
        }
        let along = across / pulled;
        let stiffness = along.dot(&(coupled.stiffness() * along));
        if stiffness > 0.0 {
            // The matter slides along: the place at which it would not pull follows.
            let drag = along * ((pulled - limit) / stiffness);
            self.from.place -= drag;
            self.to.place -= drag;
        }
        model.normal * pressed + along * limit
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Matrix3;

    use super::*;

    const T: f64 = 1e-3;

    fn contact(force: f64) -> LinearContact {
        LinearContact {
            place: Point3::origin(),
            force: Vector3::new(0.0, force, 0.0),
            normal: Vector3::y(),
            friction: 0.5,
            stiffness: Matrix3::from_diagonal(&Vector3::new(400.0, 800.0, 400.0)),
        }
    }

    fn settled(model: LinearContact) -> Renderer {
        let mut renderer = Renderer::default();
        renderer.take(model);
        for _ in 0..10 {
            renderer.force(&Point3::origin(), 1e9, T);
        }
        renderer
    }

    #[test]
    fn a_new_model_takes_over_within_ten_milliseconds() {
        let mut renderer = settled(contact(1.0));
        renderer.take(contact(2.0));
        let forces: Vec<f64> =
            (0..12).map(|_| renderer.force(&Point3::origin(), 1e9, T).y).collect();
        for (i, force) in forces.iter().enumerate() {
            let expected = 1.0 + (i + 1).min(10) as f64 * 0.1;
            assert!((force - expected).abs() < 1e-5, "{i}: {force}");
        }
        // A third model begins at the present force.
        renderer.take(contact(1.0));
        renderer.force(&Point3::origin(), 1e9, T);
        renderer.take(LinearContact::NONE);
        let before = 1.9;
        let force = renderer.force(&Point3::origin(), 1e9, T).y;
        assert!((force - before * 0.9).abs() < 1e-5, "{force}");
    }

    #[test]
    fn matter_pushes_and_never_pulls() {
        let mut renderer = settled(contact(1.0));
        assert_eq!(renderer.force(&Point3::new(0.0, 2e-3, 0.0), 1e9, T), Vector3::zeros());
        assert!(renderer.force(&Point3::new(0.0, 1e-3, 0.0), 1e9, T).y > 0.0);
    }

    #[test]
    fn a_fingertip_that_slides_feels_friction_and_no_more_when_it_turns_back() {
        let mut renderer = settled(contact(1.0));
        let mut across = |x: f64| renderer.force(&Point3::new(x, 0.0, 0.0), 1e9, T).x;
        // It sticks up to 0.5 N, at 1.25 mm, and slides from there.
        assert!((across(1e-3) + 0.4).abs() < 1e-5);
        assert!((across(2e-3) + 0.5).abs() < 1e-5);
        assert!((across(2.5e-3) + 0.5).abs() < 1e-5);
        // On the way back it sticks where it is.
        assert!((across(2.3e-3) + 0.5 - 400.0 * 0.2e-3).abs() < 1e-5);
        assert!((across(1.25e-3)).abs() < 1e-5);
    }
}
