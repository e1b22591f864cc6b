//! Curl at which a servo glove stops a finger: such a glove gives no force, it ends a way.

use nalgebra::{Point3, Vector3};

use crate::linear_contact::LinearContact;

/// How a fingertip moves as its finger closes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FingerWay {
    /// Curl of the finger: 0 open, 1 closed.
    pub curl: f64,
    /// Place of the fingertip.
    pub place: Point3<f64>,
    /// Way of the fingertip for a whole unit of curl, in metres.
    pub way: Vector3<f64>,
}

/// Stop of one finger, from period to period.
#[derive(Debug, Clone, Copy, Default)]
pub struct ServoStop {
    /// Share of the whole way that is closed to the finger.
    share: f64,
}

impl ServoStop {
    /// Force that the matter may have before the finger stops, in newtons.
    pub const FORCE: f64 = 1.0;

    /// Largest change towards the finger, in whole ways per second. Away from it the stop moves at
    /// once.
    pub const TIGHTEN: f64 = 2.0;

    /// Share of the whole way that is closed after `dt` seconds: 0 for a free finger, 1 for one
    /// that may not close at all. `allowed` is the share that the age of the model allows.
    pub fn step(
        &mut self,
        model: &LinearContact,
        finger: &FingerWay,
        allowed: f64,
        dt: f64,
    ) -> f64 {
        let stop = stopping_curl(model, finger);
        let wanted = stop.map_or(0.0, |curl| 1.0 - curl) * allowed;
        // A comparison with a number that is none would keep the stop.
        let wanted = if wanted.is_nan() { 0.0 } else { wanted.clamp(0.0, 1.0) };
        self.share = wanted.min(self.share + Self::TIGHTEN * dt);
        self.share
    }

    /// Frees the finger at once.
    pub fn release(&mut self) {
        self.share = 0.0;
    }
}

/// Curl at which the finger, on its way, meets [`ServoStop::FORCE`]; `None` if it never does.
/// Matter stops no finger that closes away from it, nor one farther ahead than its model reaches.
fn stopping_curl(model: &LinearContact, finger: &FingerWay) -> Option<f64> {
    let length = finger.way.norm();
    if !model.is_contact() || length <= 0.0 {
        return None;
    }
    let along = finger.way / length;
    if along.dot(&model.normal) >= 0.0 {
        return None;
    }
    let from_model = finger.place - model.place;
    let gone = along.dot(&from_model);
    let across = (from_model - along * gone).cap_magnitude(LinearContact::REACH);
    // Place on the way, from that of the model, where the force against it is the wanted one.
    let against = -(model.force - model.stiffness * across).dot(&along);
    let growth = along.dot(&(model.stiffness * along));
    if growth <= 0.0 {
        return None;
    }
    let at = (ServoStop::FORCE - against) / growth;
    if at > LinearContact::REACH {
        // Farther on the force is that of the edge.
        return None;
    }
    let stop = finger.curl + (at.max(-LinearContact::REACH) - gone) / length;
    // A stop beyond the closed finger is none.
    (stop < 1.0).then_some(stop.max(0.0))
}

#[cfg(test)]
mod tests {
    use nalgebra::Matrix3;

    use super::*;

    /// Matter below the fingertip that pushes it up with 0.4 N now, and 500 N/m more below.
    fn model() -> LinearContact {
        LinearContact {
            place: Point3::origin(),
            force: Vector3::new(0.0, 0.4, 0.0),
            normal: Vector3::y(),
            friction: 0.6,
            stiffness: Matrix3::identity() * 500.0,
        }
    }

    fn finger(curl: f64) -> FingerWay {
        FingerWay { curl, place: Point3::origin(), way: Vector3::new(0.0, -0.08, 0.0) }
    }

    #[test]
    fn a_finger_stops_where_matter_would_push_with_one_newton() {
        // 0.6 N are left: 1.2 mm, a share of 0.015 of the way.
        let stop = stopping_curl(&model(), &finger(0.5)).expect("matter below");
        assert!((stop - 0.515).abs() < 1e-12, "{stop}");
        // The way up leads out of the matter, and matter does not pull.
        let up = FingerWay { way: Vector3::new(0.0, 0.08, 0.0), ..finger(0.5) };
        assert_eq!(stopping_curl(&model(), &up), None);
        let aside = FingerWay { way: Vector3::new(0.08, 0.0, 0.0), ..finger(0.5) };
        assert_eq!(stopping_curl(&model(), &aside), None);
        assert_eq!(stopping_curl(&LinearContact::NONE, &finger(0.5)), None);
        assert_eq!(stopping_curl(&model(), &finger(0.99)), None);
        assert_eq!(stopping_curl(&model(), &FingerWay { way: Vector3::zeros(), ..up }), None);
    }

    #[test]
    fn a_finger_is_not_stopped_where_its_model_does_not_reach() {
        // 0.6 N are 6 mm, and the model ends after 3 mm.
        let soft = LinearContact { stiffness: Matrix3::identity() * 100.0, ..model() };
        assert_eq!(stopping_curl(&soft, &finger(0.5)), None);
        // 1.6 N too much are 16 mm back, and the model ends after 3 mm: a share of 0.0375.
        let hard = LinearContact { force: Vector3::new(0.0, 2.6, 0.0), ..soft };
        let stop = stopping_curl(&hard, &finger(0.5)).expect("matter below");
        assert!((stop - 0.4625).abs() < 1e-12, "{stop}");
        // A finger that is 10 mm too deep is led back to the same place.
        let deep = FingerWay { place: Point3::new(0.0, -0.01, 0.0), ..finger(0.5) };
        let stop = stopping_curl(&model(), &deep).expect("matter around");
        assert!((stop - (0.5 + (1.2e-3 - 10e-3) / 0.08)).abs() < 1e-12, "{stop}");
    }

    #[test]
    fn a_stop_tightens_slowly_and_loosens_at_once() {
        let mut stop = ServoStop::default();
        let shares: Vec<f64> =
            (0..400).map(|_| stop.step(&model(), &finger(0.5), 1.0, 1e-3)).collect();
        assert!((shares[99] - 0.2).abs() < 1e-9, "{}", shares[99]);
        assert!((shares[399] - 0.485).abs() < 1e-9, "{}", shares[399]);
        assert!((stop.step(&model(), &finger(0.5), 0.5, 1e-3) - 0.2425).abs() < 1e-9);
        assert_eq!(stop.step(&LinearContact::NONE, &finger(0.5), 1.0, 1e-3), 0.0);
        let lost = FingerWay { curl: f64::NAN, ..finger(0.5) };
        stop.step(&model(), &finger(0.5), 1.0, 1e-3);
        assert_eq!(stop.step(&model(), &lost, 1.0, 1e-3), 0.0);
    }
}
