//! A finger on an axis: `m x'' + b x' = f`, moved exactly under a force that is held.

use super::{OneAxisOptions, OneAxisState};

/// Force of the person on the finger: `steady + swing sin(2 pi hz t)`, in newtons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Push {
    pub steady: f64,
    pub swing: f64,
    pub hz: f64,
}

/// Ends of the axis, in metres from the middle.
const END: f64 = 0.1;

#[derive(Debug)]
pub(super) struct Finger {
    mass: f64,
    damping: f64,
    period: f64,
    most_force: f64,
    push: Push,
    /// Forces on their way to the motor. The next to arrive is at `at`; the ring has a place for
    /// each period of the delay.
    delayed: Vec<f64>,
    at: usize,
    state: OneAxisState,
}

impl Finger {
    pub(super) fn new(options: &OneAxisOptions) -> Self {
        Self {
            mass: options.mass,
            damping: options.damping,
            period: options.period,
            most_force: options.most_force,
            push: options.push,
            delayed: vec![0.0; options.n_delayed],
            at: 0,
            state: OneAxisState::default(),
        }
    }

    pub(super) fn state(&self) -> OneAxisState {
        self.state
    }

    /// Lets a period pass, at whose beginning `ordered` newtons set out for the motor.
    pub(super) fn advance(&mut self, ordered: f64) {
        let arrived = match self.delayed.get_mut(self.at) {
            Some(place) => std::mem::replace(place, ordered),
            None => ordered,
        };
        self.at = (self.at + 1) % self.delayed.len().max(1);
        let motor = arrived.clamp(-self.most_force, self.most_force);
        let time = self.state.n_periods as f64 * self.period;
        let swing = self.push.swing * (std::f64::consts::TAU * self.push.hz * time).sin();
        let force = motor + self.push.steady + swing;
        let Self { mass: m, damping: b, period: t, .. } = *self;
        let OneAxisState { place, velocity, n_periods, .. } = self.state;
        let (mut place, mut velocity) = if b > 0.0 {
            let (decay, last) = ((-b * t / m).exp(), force / b);
            let fading = velocity - last;
            (place + last * t + fading * (1.0 - decay) * m / b, last + fading * decay)
        } else {
            let gained = force * t / m;
            (place + (velocity + 0.5 * gained) * t, velocity + gained)
        };
        if place.abs() > END {
            (place, velocity) = (place.clamp(-END, END), 0.0);
        }
        self.state = OneAxisState { place, velocity, force: motor, n_periods: n_periods + 1 };
    }
}
