//! Account of the energy that the loop gives to a device, and damping against an active loop.

use nalgebra::{Point3, Vector3};

/// Energy that the loop has given to the device and that damping has not taken, in joules.
///
/// The account is exact for a force that is held from one position to the next. What damping takes
/// counts only while a force acts, and the account is not below what the spring of the model can
/// still give back: what a hand has lost on its way long ago does not pay for an oscillation now.
/// What was given is forgotten slowly, since matter may push a hand of its own.
#[derive(Debug, Clone, Copy)]
pub struct EnergyAccount {
    /// Physical damping of device and finger, in N s/m.
    damping: f64,
    /// Mass of device and finger, in kg.
    mass: f64,
    balance: f64,
    place: Option<Point3<f64>>,
}

impl EnergyAccount {
    /// Energy from which on the loop counts as active, in joules.
    pub const ACTIVE: f64 = 1e-3;

    /// Time in which what was given is forgotten, in seconds.
    const FORGETTING: f64 = 2.0;

    /// Share of `m / T` that damping against an active loop may have.
    const LARGEST_DAMPING: f64 = 0.4;

    /// Opens the account of a device.
    pub fn new(damping: f64, mass: f64) -> Self {
        Self { damping, mass, balance: 0.0, place: None }
    }

    /// Energy given so far.
    pub fn balance(&self) -> f64 {
        self.balance
    }

    /// True if the loop has given more than it may.
    pub fn is_active(&self) -> bool {
        self.balance > Self::ACTIVE
    }

    /// Enters a period of `dt` seconds, at whose end the device is at `place`. `held` is the force
    /// that acted, `stored` what the spring of the model can give back from there. Returns the
    /// damping force for the next period: zero unless the loop is active.
    pub fn enter(
        &mut self,
        place: &Point3<f64>,
        held: &Vector3<f64>,
        stored: f64,
        dt: f64,
    ) -> Vector3<f64> {
        let Some(before) = self.place.replace(*place) else { return Vector3::zeros() };
        let way = place - before;
        let velocity = way / dt;
        if *held != Vector3::zeros() {
            self.balance += held.dot(&way) - self.damping * way.norm_squared() / dt;
        }
        if self.balance > 0.0 {
            self.balance *= 1.0 - dt / Self::FORGETTING;
        }
        self.balance = self.balance.max(-stored);
        let squared = velocity.norm_squared();
        if !self.is_active() || squared == 0.0 {
            return Vector3::zeros();
        }
        let most = Self::LARGEST_DAMPING * self.mass / dt;
        velocity * -(self.balance / (dt * squared)).min(most)
    }

    /// Forgets what was given; the spring of the model can give back `stored`.
    pub fn forgive(&mut self, stored: f64) {
        self.balance = -stored;
    }

    /// Forgets place and balance: the device stood still, or its force was taken away.
    pub fn forget(&mut self) {
        (self.balance, self.place) = (0.0, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: f64 = 1e-3;

    fn x(x: f64) -> Point3<f64> {
        Point3::new(x, 0.0, 0.0)
    }

    #[test]
    fn a_spring_gives_back_what_it_took_and_the_held_force_adds_to_it() {
        // Sinusoidal motion into a spring whose force is held: K T/2 v² is given in each period.
        let (k, amplitude, rate) = (500.0, 1e-3, 40.0);
        let mut account = EnergyAccount::new(0.0, 0.1);
        let mut force = Vector3::zeros();
        let n = (std::f64::consts::TAU / rate / T).round() as usize;
        let mut squares = 0.0;
        for step in 0..=n {
            let place = amplitude * (step as f64 * std::f64::consts::TAU / n as f64).sin();
            if let Some(before) = account.place {
                squares += (place - before.x).powi(2);
            }
            // Nothing bounds the account from below here.
            account.enter(&x(place), &force, f64::INFINITY, T);
            force = Vector3::new(-k * place, 0.0, 0.0);
        }
        // Sum of -K x_k (x_k+1 - x_k) over a closed way is K/2 times the sum of squared steps.
        // Less what is forgotten within the 0.16 s.
        let share = account.balance() / (0.5 * k * squares);
        assert!((0.92..1.0).contains(&share), "{share}");
    }

    #[test]
    fn damping_takes_what_the_loop_gave_and_friction_long_ago_pays_for_nothing() {
        let mut account = EnergyAccount::new(0.5, 0.1);
        for step in 0..1000 {
            account.enter(&x(1e-4 * f64::from(step)), &Vector3::zeros(), 0.0, T);
        }
        assert_eq!(account.balance(), 0.0, "free motion saves nothing up");
        // A force along the motion gives energy, less what the device's damping takes.
        let (way, force) = (1e-3, 3.0);
        let start = 0.0999;
        let damping = account.enter(&x(start + way), &Vector3::new(force, 0.0, 0.0), 0.0, T);
        let given = (force * way - 0.5 * way * way / T) * (1.0 - T / 2.0);
        assert!((account.balance() - given).abs() < 1e-12);
        // It is taken within a period, but for the bound of 0.4 m/T.
        assert!((damping.x + (given / way).min(40.0)).abs() < 1e-9, "{damping}");
        // A second later nearly half of it is forgotten.
        for _ in 0..1000 {
            account.enter(&x(start + way), &Vector3::zeros(), 0.0, T);
        }
        assert!((account.balance() / given - (-0.5_f64).exp()).abs() < 1e-3);
        account.forget();
        assert!(!account.is_active());
    }
}
