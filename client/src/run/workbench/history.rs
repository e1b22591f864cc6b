//! What the fingers did in the last seconds: how deep, how hard.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use interaction::scene::ChosenThing;

/// What is remembered.
const SPAN: Duration = Duration::from_secs(8);
/// More than devices send in that time.
const MOST: usize = 2000;

/// One moment of a squeeze.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::run) struct Squeeze {
    pub(super) at: Instant,
    /// Largest displacement, in metres.
    pub(in crate::run) depth: f64,
    /// Of each finger, in newtons.
    pub(in crate::run) forces: [f64; 5],
    /// What nearly all of the skin stays below, in Pa.
    pub(in crate::run) stress: f64,
}

impl Squeeze {
    /// A moment at which nothing is done.
    pub(in crate::run) fn none(at: Instant) -> Self {
        Self { at, depth: 0.0, forces: [0.0; 5], stress: 0.0 }
    }

    /// What the fingers do to a thing at a moment.
    pub(in crate::run) fn of(chosen: &ChosenThing, at: Instant) -> Self {
        let forces = chosen.forces.map(|force| force.norm());
        Self { at, depth: chosen.squeeze, forces, stress: chosen.stress }
    }

    /// Of all fingers together.
    pub(super) fn force(&self) -> f64 {
        self.forces.iter().sum()
    }
}

/// The last seconds, oldest first.
#[derive(Debug, Clone, Default)]
pub(in crate::run) struct History(VecDeque<Squeeze>);

impl History {
    pub(in crate::run) fn add(&mut self, squeeze: Squeeze) {
        let is_old = |old: &Squeeze| squeeze.at.saturating_duration_since(old.at) > SPAN;
        while self.0.front().is_some_and(|old| is_old(old) || self.0.len() >= MOST) {
            self.0.pop_front();
        }
        self.0.push_back(squeeze);
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Squeeze> {
        self.0.iter()
    }

    pub(super) fn newest(&self) -> Option<&Squeeze> {
        self.0.back()
    }

    pub(super) fn most_squeeze(&self) -> f64 {
        self.0.iter().map(|moment| moment.depth).fold(0.0, f64::max)
    }

    pub(super) fn most_force(&self) -> f64 {
        self.0.iter().map(Squeeze::force).fold(0.0, f64::max)
    }

    pub(super) fn most_stress(&self) -> f64 {
        self.0.iter().map(|moment| moment.stress).fold(0.0, f64::max)
    }

    /// The largest of any one finger.
    pub(super) fn most_at_one_finger(&self) -> f64 {
        self.0.iter().flat_map(|moment| moment.forces).fold(0.0, f64::max)
    }

    /// How old a moment is against the newest, from 0 to 1.
    pub(super) fn age(&self, moment: &Squeeze) -> f64 {
        let newest = self.0.back().map_or(moment.at, |newest| newest.at);
        newest.saturating_duration_since(moment.at).as_secs_f64() / SPAN.as_secs_f64()
    }
}

/// The next larger of 1, 2, 5, 10, 20, 50, ...: where a scale may well end.
pub(super) fn nice(value: f64) -> f64 {
    if !value.is_finite() || value <= 0.0 {
        return 1.0;
    }
    let decade = 10_f64.powf(value.log10().floor());
    // A hair's breadth for what rounding adds.
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * decade >= value * (1.0 - 1e-9));
    step.unwrap_or(10.0) * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_end_at_nice_numbers() {
        for (value, expected) in [
            (0.0, 1.0),
            (0.3, 0.5),
            (1.0, 1.0),
            (1.1, 2.0),
            (9.0, 10.0),
            (0.0047, 0.005),
            (50.0, 50.0),
        ] {
            assert!((nice(value) - expected).abs() < 1e-12, "{value}: {}", nice(value));
        }
        assert_eq!(nice(f64::NAN), 1.0);
    }
}
