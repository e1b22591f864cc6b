//! Soft layer and friction of a shape.

use super::settings::ContactError;

/// Soft layer over a rigid core: the pressure at a point follows its depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pad {
    /// Depth per pressure, in m/Pa.
    pub normal: f64,
    /// Length of the bristle per traction, in m/Pa.
    pub tangential: f64,
    /// Thickness over the bone, in metres: `d = c p / (1 + c p / thickness)`. Infinite for a layer
    /// whose depth grows in proportion to the pressure.
    pub thickness: f64,
}

/// Coefficients of friction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Friction {
    /// Of contacts that stick.
    pub sticking: f64,
    /// Of contacts that slide; at most that of sticking ones.
    pub sliding: f64,
}

impl Pad {
    /// Softness of a fingertip: about 1 N at 2 mm under a radius of 8 mm.
    pub const FINGERTIP: Self = Self::soft(1e-7);

    /// The same over a bone 4 mm below the skin, on which no pressure brings the shape.
    pub const OVER_BONE: Self = Self { thickness: 4e-3, ..Self::FINGERTIP };

    /// Softness of tables and tools.
    pub const HARD: Self = Self::soft(1e-9);

    /// Layer of the same softness along the normal and across it, without a bone.
    pub const fn soft(compliance: f64) -> Self {
        Self { normal: compliance, tangential: compliance, thickness: f64::INFINITY }
    }

    /// Checks that there can be such a layer.
    pub fn check(&self) -> Result<(), ContactError> {
        let Self { normal, tangential, thickness } = *self;
        let is_soft = [normal, tangential].iter().all(|c| c.is_finite() && *c > 0.0);
        match is_soft && thickness > 0.0 {
            true => Ok(()),
            false => Err(ContactError::Pad { normal, tangential, thickness }),
        }
    }

    /// Secant compliance `d / p` at a pressure.
    pub fn secant(&self, pressure: f64) -> f64 {
        self.normal / (1.0 + self.normal * pressure / self.thickness)
    }

    /// Growth of the depth with the pressure, `dd/dp`.
    pub fn slope(&self, pressure: f64) -> f64 {
        let secant = self.secant(pressure);
        secant * secant / self.normal
    }

    /// Energy per area of a layer under a pressure, in J/m².
    pub fn energy(&self, pressure: f64) -> f64 {
        if self.thickness.is_infinite() {
            return 0.5 * self.normal * pressure * pressure;
        }
        // Integral of p dd with p = d / (c (1 - d / thickness)).
        let share = self.secant(pressure) * pressure / self.thickness;
        self.thickness * self.thickness / self.normal * (-(-share).ln_1p() - share)
    }
}

impl Default for Pad {
    fn default() -> Self {
        Self::FINGERTIP
    }
}

impl Friction {
    /// Dry skin on smooth things.
    pub const SKIN: Self = Self::of(0.6);

    /// No friction.
    pub const NONE: Self = Self::of(0.0);

    /// Checks that `of`, which touches the body, can have these coefficients.
    pub fn check(&self, of: &'static str) -> Result<(), ContactError> {
        let Self { sticking, sliding } = *self;
        match sticking.is_finite() && (0.0..=sticking).contains(&sliding) {
            true => Ok(()),
            false => Err(ContactError::Friction { of, sticking, sliding }),
        }
    }

    /// The same coefficient for sticking and sliding.
    pub const fn of(coefficient: f64) -> Self {
        Self { sticking: coefficient, sliding: coefficient }
    }
}

impl Default for Friction {
    fn default() -> Self {
        Self::SKIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bone_bounds_the_depth_and_work_is_the_integral_of_pressure() {
        let pad = Pad { thickness: 4e-3, ..Pad::FINGERTIP };
        let depth = |pressure: f64| pad.secant(pressure) * pressure;
        assert!(depth(1e7) < 4e-3 && depth(1e7) > 3.98e-3);
        let n = 20_000;
        let (mut work, most) = (0.0, 5e4);
        for step in 0..n {
            let p = |at: usize| most * at as f64 / n as f64;
            work += 0.5 * (p(step) + p(step + 1)) * (depth(p(step + 1)) - depth(p(step)));
        }
        assert!((pad.energy(most) / work - 1.0).abs() < 1e-6, "{work}");
    }
}
