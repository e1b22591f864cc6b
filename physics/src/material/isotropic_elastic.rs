//! Isotropic linear elasticity: Young's modulus, Poisson's ratio and density.
//!
//! Implements \[Ma98\], eq. 3.15. Strain and stress both use the order `[xx, yy, zz, yz, xz, xy]`
//! of its eq. 3.16 (eq. 3.13 prints the stress in another order), with engineering shear strains.

use nalgebra::{Matrix3, SMatrix};

/// A checked isotropic linear elastic material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IsotropicElastic {
    young: f64,
    poisson: f64,
    density: f64,
}

/// Default density, in kg/m³: that of water.
pub const USUAL_DENSITY: f64 = 1000.0;

/// Numbers that do not describe a material.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// Young's modulus is not positive.
    #[error("Young's modulus is {0} Pa, expected a positive number")]
    Young(f64),
    /// Poisson's ratio is outside the range in which the strain energy is positive.
    #[error("Poisson's ratio is {0}, expected a number above -1 and below 0.5")]
    Poisson(f64),
    /// The density is not positive.
    #[error("density is {0} kg/m³, expected a positive number")]
    Density(f64),
}

impl IsotropicElastic {
    /// Creates a material from Young's modulus in Pa and Poisson's ratio. Its density is
    /// [`USUAL_DENSITY`].
    pub fn new(young: f64, poisson: f64) -> Result<Self, MaterialError> {
        if !(young.is_finite() && young > 0.0) {
            return Err(MaterialError::Young(young));
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(MaterialError::Poisson(poisson));
        }
        Ok(Self { young, poisson, density: USUAL_DENSITY })
    }

    /// Changes the density, in kg/m³.
    pub fn with_density(self, density: f64) -> Result<Self, MaterialError> {
        if !(density.is_finite() && density > 0.0) {
            return Err(MaterialError::Density(density));
        }
        Ok(Self { density, ..self })
    }

    /// Young's modulus in Pa.
    pub fn young(&self) -> f64 {
        self.young
    }

    /// Poisson's ratio.
    pub fn poisson(&self) -> f64 {
        self.poisson
    }

    /// Density in kg/m³. Families without inertia and weight do not use it.
    pub fn density(&self) -> f64 {
        self.density
    }

    /// Lamé's constants lambda and mu, in Pa.
    pub fn lame(&self) -> (f64, f64) {
        let nu = self.poisson;
        let factor = self.young / (1.0 + nu);
        (factor * nu / (1.0 - 2.0 * nu), 0.5 * factor)
    }

    /// Stress for a strain, in Pa.
    pub fn stress(&self, strain: &Matrix3<f64>) -> Matrix3<f64> {
        let (lambda, mu) = self.lame();
        Matrix3::identity() * (lambda * strain.trace()) + strain * (2.0 * mu)
    }

    /// Matrix `D` of `stress = D strain`, in Pa.
    pub fn stiffness(&self) -> SMatrix<f64, 6, 6> {
        let nu = self.poisson;
        let factor = self.young / ((1.0 + nu) * (1.0 - 2.0 * nu));
        let mut d = SMatrix::<f64, 6, 6>::zeros();
        for i in 0..3 {
            for j in 0..3 {
                d[(i, j)] = factor * if i == j { 1.0 - nu } else { nu };
            }
            d[(i + 3, i + 3)] = factor * (0.5 - nu);
        }
        d
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_numbers_are_refused_by_name() {
        for young in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(IsotropicElastic::new(young, 0.3), Err(MaterialError::Young(_))));
        }
        for poisson in [-1.0, 0.5, 0.7, f64::NAN] {
            assert!(matches!(IsotropicElastic::new(1e4, poisson), Err(MaterialError::Poisson(_))));
        }
        for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = IsotropicElastic::new(1e4, 0.3).unwrap().with_density(density);
            assert!(matches!(refused, Err(MaterialError::Density(_))));
        }
    }

    #[test]
    fn stretching_a_bar_needs_young_times_strain() {
        let material = IsotropicElastic::new(2e5, 0.3).unwrap();
        let strain = nalgebra::vector![1e-3, -0.3e-3, -0.3e-3, 0.0, 0.0, 0.0];
        let stress = material.stiffness() * strain;
        assert!((stress[0] - 200.0).abs() < 1e-9);
        assert!(stress.iter().skip(1).all(|s| s.abs() < 1e-9));
    }
}
