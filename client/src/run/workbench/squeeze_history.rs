//! The squeezes of the last seconds: depth and forces.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use interaction::scene::Scene;

/// Length of the history.
const SPAN: Duration = Duration::from_secs(8);
/// Largest number of moments; devices send fewer within `SPAN`.
const MOST: usize = 2000;

/// One moment of a squeeze.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::run) struct SqueezeMoment {
    pub(super) at: Instant,
    /// Largest displacement, in metres.
    pub(in crate::run) depth: f64,
    /// Force of each finger of both hands, the left hand first, in newtons.
    pub(in crate::run) forces: [[f64; 5]; 2],
    /// Ranges of the things' fields, by the fields' names.
    ranges: Vec<(Cow<'static, str>, [f64; 2])>,
}

impl SqueezeMoment {
    /// A moment without squeeze.
    pub(in crate::run) fn none(at: Instant) -> Self {
        Self { at, depth: 0.0, forces: [[0.0; 5]; 2], ranges: Vec::new() }
    }

    /// The squeeze of the selected thing, if one is selected.
    pub(in crate::run) fn of(scene: &Scene, at: Instant) -> Option<Self> {
        let chosen = scene.selected.as_ref()?;
        let mut moment =
            Self { at, depth: chosen.squeeze, forces: chosen.forces, ranges: Vec::new() };
        moment.see_fields(scene);
        Some(moment)
    }

    /// Widens the ranges to include those of all things' fields.
    pub(in crate::run) fn see_fields(&mut self, scene: &Scene) {
        for field in scene.fields() {
            let Some([low, high]) = field.range else { continue };
            match self.ranges.iter_mut().find(|(name, _)| *name == field.kind.name) {
                Some((_, range)) => *range = [range[0].min(low), range[1].max(high)],
                None => self.ranges.push((field.kind.name, [low, high])),
            }
        }
    }

    /// Sum of the forces of all fingers.
    pub(super) fn force(&self) -> f64 {
        self.forces.iter().flatten().sum()
    }

    /// True if both hands press at this moment.
    fn is_by_both_hands(&self) -> bool {
        self.forces.iter().all(|hand| hand.iter().any(|force| *force > 0.0))
    }
}

/// The moments of the last seconds, oldest first.
#[derive(Debug, Clone, Default)]
pub(in crate::run) struct SqueezeHistory(VecDeque<SqueezeMoment>);

impl SqueezeHistory {
    pub(in crate::run) fn add(&mut self, squeeze: SqueezeMoment) {
        let is_old = |old: &SqueezeMoment| squeeze.at.saturating_duration_since(old.at) > SPAN;
        while self.0.front().is_some_and(|old| is_old(old) || self.0.len() >= MOST) {
            self.0.pop_front();
        }
        self.0.push_back(squeeze);
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &SqueezeMoment> {
        self.0.iter()
    }

    pub(super) fn newest(&self) -> Option<&SqueezeMoment> {
        self.0.back()
    }

    pub(super) fn most_squeeze(&self) -> f64 {
        self.0.iter().map(|moment| moment.depth).fold(0.0, f64::max)
    }

    pub(super) fn most_force(&self) -> f64 {
        self.0.iter().map(SqueezeMoment::force).fold(0.0, f64::max)
    }

    /// Range of the scale of a field.
    pub(super) fn range(&self, field: &str) -> [f64; 2] {
        let all = self.0.iter().flat_map(|moment| &moment.ranges);
        let ranges = all.filter(|(name, _)| name == field).map(|(_, range)| *range);
        let both = ranges.reduce(|[low, high], range| [low.min(range[0]), high.max(range[1])]);
        match both {
            Some([low, high]) if low == 0.0 => [low, nice(high)],
            Some([low, high]) if low < high => [low, high],
            Some(_) | None => [0.0, 1.0],
        }
    }

    /// Largest force of one finger.
    pub(super) fn most_at_one_finger(&self) -> f64 {
        let forces = self.0.iter().flat_map(|moment| moment.forces.iter().flatten());
        forces.copied().fold(0.0, f64::max)
    }

    /// True if both hands have pressed at the same time within the history.
    pub(super) fn has_both_hands(&self) -> bool {
        self.0.iter().any(SqueezeMoment::is_by_both_hands)
    }

    /// Age of a moment relative to the newest one, from 0 to 1.
    pub(super) fn age(&self, moment: &SqueezeMoment) -> f64 {
        let newest = self.0.back().map_or(moment.at, |newest| newest.at);
        newest.saturating_duration_since(moment.at).as_secs_f64() / SPAN.as_secs_f64()
    }
}

/// Rounds up to 1, 2, 5, 10, 20, 50, ..., for the end of a scale.
pub(super) fn nice(value: f64) -> f64 {
    if !value.is_finite() || value <= 0.0 {
        return 1.0;
    }
    let decade = 10_f64.powf(value.log10().floor());
    // Tolerance for rounding.
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * decade >= value * (1.0 - 1e-9));
    step.unwrap_or(10.0) * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_hands_count() {
        let mut history = SqueezeHistory::default();
        let at = Instant::now();
        let one = SqueezeMoment {
            forces: [[0.0; 5], [0.5, 0.0, 0.0, 0.0, 0.25]],
            ..SqueezeMoment::none(at)
        };
        history.add(one.clone());
        assert!(!history.has_both_hands());
        history.add(SqueezeMoment { forces: [[0.0, 0.75, 0.0, 0.0, 0.0], one.forces[1]], ..one });
        assert!(history.has_both_hands());
        assert_eq!((history.most_force(), history.most_at_one_finger()), (1.5, 0.75));
    }

    #[test]
    fn a_scale_reaches_over_all_moments_of_its_own_field() {
        let mut history = SqueezeHistory::default();
        let speed = |range| (Cow::Borrowed("speed"), range);
        for ranges in
            [vec![speed([1.0, 2.0])], vec![("heat".into(), [-9.0, 9.0]), speed([0.5, 3.0])]]
        {
            history.add(SqueezeMoment { ranges, ..SqueezeMoment::none(Instant::now()) });
        }
        assert_eq!(history.range("speed"), [0.5, 3.0]);
        assert_eq!(history.range("heat"), [-9.0, 9.0]);
        assert_eq!(history.range("stress"), [0.0, 1.0]);
    }

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
