//! Results of a substep: what each shape feels, and where energy went.

use nalgebra::{Point3, Vector3};

use super::gauss_seidel::SolveReport;

/// Sum over the contacts of one shape. All vectors are in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProxyReport {
    /// Force of the shape on the body, in newtons. The shape feels the negative force.
    pub force: Vector3<f64>,
    /// Moment of these forces about the shape's origin, in N m.
    pub moment: Vector3<f64>,
    /// Mean place of the contacts, weighted by their normal forces.
    pub centre_of_pressure: Point3<f64>,
    /// Mean direction in which the shape pushes; zero without contact.
    pub normal: Vector3<f64>,
    /// Area that carries force, in m².
    pub area: f64,
    /// Number of points that carry force.
    pub points: u32,
    /// Number of them that stick.
    pub sticking: u32,
    /// Sum of the normal forces, in newtons.
    pub normal_force: f64,
    /// Largest depth of the shape below the skin of the body at rest, in metres.
    pub depth: f64,
    /// Largest slip speed of a point that carries force, in m/s.
    pub slip_speed: f64,
}

impl Default for ProxyReport {
    fn default() -> Self {
        let zero = Vector3::zeros();
        Self {
            force: zero,
            moment: zero,
            centre_of_pressure: Point3::origin(),
            normal: zero,
            area: 0.0,
            points: 0,
            sticking: 0,
            normal_force: 0.0,
            depth: 0.0,
            slip_speed: 0.0,
        }
    }
}

impl ProxyReport {
    /// Share of the contacts' area that sticks, by number of points.
    pub fn sticking_share(&self) -> f64 {
        f64::from(self.sticking) / f64::from(self.points.max(1))
    }
}

/// Energies at the end of a substep, in joules.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EnergyAccount {
    /// Of motion.
    pub kinetic: f64,
    /// Of weight, zero at the world's origin.
    pub potential: f64,
    /// Of the body's deformation.
    pub elastic: f64,
    /// Of pads and bristles.
    pub pads: f64,
    /// Work of the shapes on body and pads in this substep.
    pub work: f64,
}

impl EnergyAccount {
    /// All stored energy.
    pub fn stored(&self) -> f64 {
        self.kinetic + self.potential + self.elastic + self.pads
    }
}

/// Report of one substep.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SubstepReport {
    /// Solve of the contacts.
    pub solve: SolveReport,
    /// Number of contacts, with those that are near and carry no force.
    pub contacts: u32,
    /// Energies.
    pub energy: EnergyAccount,
}
