//! Linear model of what a fingertip feels near a place.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use physics::ContactModel;

/// Force on a fingertip as a linear function of its place: `f0 - K (x - x0)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearContact {
    /// Place of the fingertip for which the model was made.
    pub place: Point3<f64>,
    /// Force on the fingertip at that place.
    pub force: Vector3<f64>,
    /// Unit direction in which the matter pushes the fingertip; zero without contact.
    pub normal: Vector3<f64>,
    /// Coefficient of friction.
    pub friction: f64,
    /// Stiffness, symmetric and positive semidefinite.
    pub stiffness: Matrix3<f64>,
}

impl LinearContact {
    /// Distance from its place within which the model changes with the fingertip's place. Farther
    /// away, the force is that of the edge.
    pub const REACH: f64 = 3e-3;

    /// No contact.
    pub const NONE: Self = Self {
        place: Point3::new(0.0, 0.0, 0.0),
        force: Vector3::new(0.0, 0.0, 0.0),
        normal: Vector3::new(0.0, 0.0, 0.0),
        friction: 0.0,
        stiffness: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// Model of a frame, in the frame that the object's frame is placed in.
    pub fn of(model: &ContactModel, world_from_object: &Isometry3<f64>) -> Self {
        let vector = |v: [f32; 3]| Vector3::from(v.map(f64::from));
        let [xx, yy, zz, yz, xz, xy] = model.stiffness.map(f64::from);
        let turn = world_from_object.rotation.to_rotation_matrix();
        let stiffness = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        Self {
            place: world_from_object * Point3::from(vector(model.place)),
            force: turn * vector(model.force),
            normal: turn * vector(model.normal),
            friction: f64::from(model.friction),
            stiffness: turn.matrix() * stiffness * turn.matrix().transpose(),
        }
    }

    /// True if there is a contact.
    pub fn is_contact(&self) -> bool {
        self.normal != Vector3::zeros()
    }

    /// True if all numbers are finite.
    pub fn is_finite(&self) -> bool {
        let vectors = [self.place.coords, self.force, self.normal];
        vectors.iter().flat_map(|v| v.iter()).all(|x| x.is_finite())
            && self.stiffness.iter().all(|x| x.is_finite())
            && self.friction.is_finite()
    }

    /// Force at a place, before friction limits it.
    pub fn force_at(&self, place: &Point3<f64>) -> Vector3<f64> {
        self.force_after(place - self.place)
    }

    /// Force after a way from the model's place.
    fn force_after(&self, way: Vector3<f64>) -> Vector3<f64> {
        let length = way.norm();
        let within = if length > Self::REACH { way * (Self::REACH / length) } else { way };
        self.force - self.stiffness * within
    }

    /// The same model behind a spring of this stiffness.
    pub fn behind(self, coupling: f64) -> CoupledContact {
        let coupling = coupling.max(LEAST_COUPLING);
        let softer = Matrix3::identity() + self.stiffness / coupling;
        // The identity plus a positive semidefinite matrix has an inverse.
        let share = softer.try_inverse().unwrap_or_default();
        CoupledContact { model: self, coupling, share }
    }

    /// The way from this model (at 0) to another (at 1): the mean of both forces at every place
    /// that both reach.
    pub fn on_the_way(&self, to: &Self, share: f64) -> Self {
        if share >= 1.0 || !(self.is_contact() || to.is_contact()) {
            return *to;
        }
        // Without a contact there is no place; that of the other serves both.
        let (from, to) = match (self.is_contact(), to.is_contact()) {
            (true, false) => (*self, Self { place: self.place, ..*to }),
            (false, true) => (Self { place: to.place, ..*self }, *to),
            _ => (*self, *to),
        };
        let place = from.place + (to.place - from.place) * share;
        let value = |model: &Self| model.force - model.stiffness * (place - model.place);
        let normal = from.normal * (1.0 - share) + to.normal * share;
        let friction = match (from.is_contact(), to.is_contact()) {
            (true, false) => from.friction,
            (false, _) => to.friction,
            (true, true) => from.friction + (to.friction - from.friction) * share,
        };
        Self {
            place,
            force: value(&from).lerp(&value(&to), share),
            normal: normal.try_normalize(1e-9).unwrap_or(to.normal),
            friction,
            stiffness: from.stiffness * (1.0 - share) + to.stiffness * share,
        }
    }
}

/// Stiffness of a spring that carries no force that could be felt, in N/m.
const LEAST_COUPLING: f64 = 1e-6;

/// A model behind a spring, which lies between the device and the fingertip that the matter feels.
/// Its stiffness is `(K^-1 + I / K_vc)^-1`, below that of the spring.
#[derive(Debug, Clone, Copy)]
pub struct CoupledContact {
    model: LinearContact,
    coupling: f64,
    /// `(I + K / K_vc)^-1`.
    share: Matrix3<f64>,
}

impl CoupledContact {
    /// The model behind the spring.
    pub fn model(&self) -> &LinearContact {
        &self.model
    }

    /// Stiffness that the device shows.
    pub fn stiffness(&self) -> Matrix3<f64> {
        let stiffness = self.share * self.model.stiffness;
        // Symmetric, since both factors have the same axes; rounding is evened out.
        (stiffness + stiffness.transpose()) * 0.5
    }

    /// Force at a place of the device, before friction limits it. Matter and spring carry the same.
    pub fn force_at(&self, place: &Point3<f64>) -> Vector3<f64> {
        let Self { model, coupling, share } = self;
        model.force_after(share * (place - model.place + model.force / *coupling))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> LinearContact {
        LinearContact {
            place: Point3::new(0.01, 0.0, 0.0),
            force: Vector3::new(0.0, 1.0, 0.2),
            normal: Vector3::y(),
            friction: 0.6,
            stiffness: Matrix3::new(300.0, 20.0, 0.0, 20.0, 900.0, -50.0, 0.0, -50.0, 400.0),
        }
    }

    #[test]
    fn beyond_its_reach_a_model_keeps_the_force_of_its_edge() {
        let model = model();
        let out = Vector3::new(0.0, -1.0, 0.0);
        let at = |way: f64| model.force_at(&(model.place + out * way));
        assert!((at(1e-3).y - 1.9).abs() < 1e-12);
        assert!((at(3e-3) - at(30e-3)).norm() < 1e-12);
    }

    #[test]
    fn a_coupling_adds_its_compliance_along_every_axis() {
        let model = model();
        for coupling in [400.0, 800.0, 1e9] {
            let coupled = model.behind(coupling);
            let expected = (model.stiffness.try_inverse().unwrap()
                + Matrix3::identity() / coupling)
                .try_inverse()
                .unwrap();
            assert!((coupled.stiffness() - expected).norm() < 1e-9 * expected.norm());
            // The spring and the matter carry the same force: the fingertip that the matter feels
            // has moved by what the spring gave way.
            let place = model.place + Vector3::new(1e-4, -2e-4, 3e-4);
            let force = coupled.force_at(&place);
            let felt = place + force / coupling;
            assert!((felt - model.place).norm() < LinearContact::REACH);
            assert!((model.force_at(&felt) - force).norm() < 1e-9);
        }
    }

    #[test]
    fn half_way_between_two_models_forces_are_their_mean() {
        let from = model();
        let to = LinearContact {
            place: Point3::new(0.0105, 0.0004, 0.0),
            force: Vector3::new(0.1, 2.0, 0.0),
            stiffness: from.stiffness * 0.5,
            ..from
        };
        let x = Point3::new(0.0102, 0.0001, 0.0003);
        for share in [0.0, 0.25, 0.5, 1.0] {
            let mean = from.force_at(&x) * (1.0 - share) + to.force_at(&x) * share;
            let force = from.on_the_way(&to, share).force_at(&x);
            assert!((force - mean).norm() < 1e-12, "{share}");
        }
        // A contact that ends fades at its own place.
        let ended = from.on_the_way(&LinearContact::NONE, 0.75);
        assert!((ended.force_at(&x) - from.force_at(&x) * 0.25).norm() < 1e-12);
        assert_eq!((ended.friction, ended.normal), (from.friction, from.normal));
        assert!(!LinearContact::NONE.on_the_way(&LinearContact::NONE, 0.5).is_contact());
    }
}
