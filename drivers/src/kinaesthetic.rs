//! The trait of devices that measure where a fingertip is and push it.

use std::time::Duration;

use nalgebra::{Point3, Vector3};

use crate::serial::DeviceError;

/// A device that gives the place of a fingertip and takes a force on it, about a thousand times a
/// second.
///
/// The loop reads the newest place, computes a force, and sends it; the device holds it until the
/// next one comes. Places and forces are in the device's own frame, in metres and newtons. A device
/// with one axis measures and pushes along x only, one with two along x and y.
///
/// A device must let go of the finger by itself: [`release`](Self::release) and the end of the
/// device send a force of zero, and hardware that has had no force for a while must take it away.
pub trait KinaestheticDevice: Send {
    /// Name for the screen.
    fn name(&self) -> &str;

    /// Properties on which a loop's stability depends.
    fn profile(&self) -> &KinaestheticProfile;

    /// The newest place of the fingertip that was not taken yet. Waits for one at most for
    /// `patience`. An error means that the device is gone.
    fn newest_place(&mut self, patience: Duration) -> Result<Option<Point3<f64>>, DeviceError>;

    /// Sets the force on the fingertip until the next one. Components along axes that the device
    /// does not have are ignored.
    fn push(&mut self, force: &Vector3<f64>) -> Result<(), DeviceError>;

    /// Takes the force away.
    fn release(&mut self) -> Result<(), DeviceError> {
        self.push(&Vector3::zeros())
    }
}

/// Properties of a device, SI units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KinaestheticProfile {
    /// Number of axes: 1 to 3.
    pub n_axes: u8,
    /// Time for which the device holds a force.
    pub period: f64,
    /// Time from the measurement of a place until the force that is computed from it acts.
    pub delay: f64,
    /// Physical damping of the device with a finger in it, in N s/m. A loop is stable up to a
    /// stiffness of `damping / (period / 2 + delay)`, so a number that is too large lets it ring.
    pub damping: f64,
    /// Mass that moves, in kg.
    pub mass: f64,
    /// Largest force.
    pub most_force: f64,
    /// Largest change of the force, in N/s.
    pub most_slew: f64,
}

impl KinaestheticProfile {
    /// True if the numbers can be those of a device.
    pub fn is_valid(&self) -> bool {
        let Self { period, delay, damping, mass, most_force, most_slew, .. } = *self;
        let are_positive = [period, mass, most_force, most_slew].iter().all(|x| *x > 0.0);
        let are_real = [delay, damping].iter().all(|x| *x >= 0.0);
        let all = [period, delay, damping, mass, most_force, most_slew];
        (1..=3).contains(&self.n_axes)
            && are_positive
            && are_real
            && all.iter().all(|x| x.is_finite())
    }
}
