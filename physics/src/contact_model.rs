//! Contact model: what one of a hand's shapes feels near the place that it had in a step.

use nalgebra::{Matrix3, Vector3};

use crate::proxy::ProxyId;

/// Linear model of the force on a proxy, rounded to `f32` as frames contain it: near `place`, the
/// force is `force - stiffness (x - place)`, within the cone of friction about `normal`.
///
/// A device that pushes back runs on it between two frames of the solver. Vectors are in the
/// object's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactModel {
    /// Proxy that feels the force.
    pub proxy: ProxyId,
    /// Place of the proxy's centre.
    pub place: [f32; 3],
    /// Force on the proxy, in newtons.
    pub force: [f32; 3],
    /// Unit direction in which the object pushes the proxy.
    pub normal: [f32; 3],
    /// Symmetric, positive semidefinite stiffness xx, yy, zz, yz, xz, xy, in N/m: other proxies
    /// stay where they are, contacts that slide resist along their normals only.
    pub stiffness: [f32; 6],
    /// Coefficient of friction.
    pub friction: f32,
    /// Radius of a disc with the area in contact, in metres.
    pub radius: f32,
    /// Largest slip speed of a point in contact, in m/s.
    pub slip_speed: f32,
}

/// Share of the largest stiffness by which rounding may make the smallest one negative.
const ROUNDING: f32 = 1e-5;

impl ContactModel {
    /// Largest number of models in a frame: one for each part of two hands.
    pub const MOST: usize = 40;

    /// Rounds a stiffness, whose halves are equal but for rounding, to the six numbers of a model.
    pub fn stiffness_numbers(stiffness: &Matrix3<f64>) -> [f32; 6] {
        [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
            .map(|(i, j)| (0.5 * (stiffness[(i, j)] + stiffness[(j, i)])) as f32)
    }

    /// The stiffness as a matrix.
    pub fn stiffness_matrix(&self) -> Matrix3<f32> {
        let [xx, yy, zz, yz, xz, xy] = self.stiffness;
        Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    }

    /// True if all numbers are finite, the normal has unit length, and stiffness, friction, radius
    /// and slip speed are not negative: a device on such a model gives back no more than it took.
    pub fn is_valid(&self) -> bool {
        let numbers = [self.place, self.force, self.normal];
        let are_finite = numbers.iter().flatten().chain(&self.stiffness).all(|x| x.is_finite());
        let sizes = [self.friction, self.radius, self.slip_speed];
        let are_sizes = sizes.iter().all(|x| x.is_finite() && *x >= 0.0);
        let length = Vector3::from(self.normal).norm();
        if !are_finite || !are_sizes || (length - 1.0).abs() > 1e-3 {
            return false;
        }
        let stiffnesses = self.stiffness_matrix().symmetric_eigenvalues();
        stiffnesses.min() >= -ROUNDING * stiffnesses.max().abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_would_give_energy_is_not_valid() {
        let proxy = ProxyId { hand: 1, finger: 1, segment: ProxyId::TIP };
        let stiffness = Matrix3::new(300.0, 20.0, 1.0, 20.0, 900.0, -50.0, 1.0, -50.0, 400.0);
        let model = ContactModel {
            proxy,
            place: [0.1, 0.2, 0.3],
            force: [0.0, 1.0, 0.0],
            normal: [0.0, 1.0, 0.0],
            stiffness: ContactModel::stiffness_numbers(&stiffness),
            friction: 0.6,
            radius: 5e-3,
            slip_speed: 0.0,
        };
        assert_eq!(model.stiffness_matrix(), stiffness.map(|k| k as f32));
        assert!(model.is_valid());
        let check = |spoil: &dyn Fn(&mut ContactModel)| {
            let mut model = model;
            spoil(&mut model);
            assert!(!model.is_valid());
        };
        check(&|model| model.stiffness[1] = -1.0);
        check(&|model| model.stiffness[5] = 700.0);
        check(&|model| model.stiffness[0] = f32::NAN);
        check(&|model| model.normal = [0.0; 3]);
        check(&|model| model.friction = -0.1);
        check(&|model| model.place[2] = f32::INFINITY);
        // A direction without stiffness is fine.
        let flat = ContactModel { stiffness: [0.0, 5.0, 0.0, 0.0, 0.0, 0.0], ..model };
        assert!(flat.is_valid());
    }
}
