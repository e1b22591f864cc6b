//! Compares two runs: which quantities became faster or slower, with confidence.
//!
//! The ratio of two medians lies between the quotients of the ends of their intervals, for any
//! distribution. Each verdict has 99 % confidence if there are enough samples, so that of a hundred
//! unchanged points about one gets a wrong verdict.

use std::fmt;

use crate::number_format;
use crate::results::{Completeness, Measure, Point, Results, Unit};
use crate::statistics::{Interval, median_interval};

/// One quantity in both runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Object, algorithm, quantity and number of threads.
    pub name: String,
    /// The medians, as text.
    pub medians: [String; 2],
    /// Second median over the first: above 1 is slower, or larger.
    pub ratio: f64,
    /// Confidence interval of the ratio.
    pub interval: Interval,
    /// Verdict on the change.
    pub verdict: Verdict,
    /// Unit of the quantity.
    pub unit: Unit,
}

/// Verdict on a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Slower or larger by more than the threshold, with confidence.
    Worse,
    /// Slower or larger with confidence, but perhaps by less than the threshold.
    SlightlyWorse,
    /// Faster or smaller.
    Better,
    /// Exactly the same samples.
    Same,
    /// The samples do not show a direction.
    Unclear,
    /// There are too few samples for a verdict.
    TooFew,
}

/// Comparison of two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Quantities that both runs measured, worst first.
    pub changes: Vec<Change>,
    /// Quantities that only one run measured, and other differences between the runs.
    pub notes: Vec<String>,
    /// Increase that counts as worse: 0.1 for ten percent.
    pub threshold: f64,
}

/// Confidence of each median's interval; a ratio has less, because both intervals can miss.
const CONFIDENCE: f64 = 0.995;
/// Smallest confidence of a ratio for a verdict.
const ENOUGH: f64 = 0.9;

/// Compares times and memory of `after` with those of `before`.
pub fn compare(before: &Results, after: &Results, threshold: f64) -> Comparison {
    let is_comparable = |point: &&Point| point.measure.unit() != Unit::Share;
    let mut changes = Vec::new();
    let (mut only_before, mut only_after) = (0, 0);
    for old in before.points.iter().filter(is_comparable) {
        match after.points.iter().find(|new| new.is_same_as(old)) {
            Some(new) => changes.push(change(old, new, threshold)),
            None => only_before += 1,
        }
    }
    for new in after.points.iter().filter(is_comparable) {
        only_after += usize::from(!before.points.iter().any(|old| old.is_same_as(new)));
    }
    changes.sort_by(|a, b| {
        a.verdict.cmp(&b.verdict).then((b.ratio.ln().abs()).total_cmp(&a.ratio.ln().abs()))
    });
    let mut notes = Vec::new();
    let (old, new) = (&before.machine, &after.machine);
    if (&old.processor, old.n_cores) != (&new.processor, new.n_cores) {
        notes.push(format!(
            "the machines differ: {} with {} cores, then {} with {} cores",
            old.processor, old.n_cores, new.processor, new.n_cores
        ));
    }
    let server = |results: &Results| {
        results.server.as_ref().map(|server| (server.processor.clone(), server.n_hyper_threads))
    };
    if let (Some(old), Some(new)) = (server(before), server(after))
        && old != new
    {
        notes.push(format!(
            "the servers differ: {} with {} hyper-threads, then {} with {} hyper-threads",
            old.0, old.1, new.0, new.1
        ));
    }
    for (results, which) in [(before, "first"), (after, "second")] {
        if results.completeness == Completeness::Partial {
            notes.push(format!("the {which} run was interrupted"));
        }
    }
    for (n, which) in [(only_before, "first"), (only_after, "second")] {
        if n > 0 {
            notes.push(format!("{n} quantities are only in the {which} run"));
        }
    }
    notes.extend(less_accurate(before, after));
    Comparison { changes, notes, threshold }
}

/// Notes on quantities that became much less accurate. Nearly exact solutions vary by less than
/// `FAR`.
fn less_accurate(before: &Results, after: &Results) -> Vec<String> {
    const FAR: f64 = 100.0;
    let told = |new: &Point| {
        let is_accuracy =
            matches!(new.measure, Measure::Residual | Measure::Difference | Measure::FrameError);
        let old = before.points.iter().find(|old| is_accuracy && old.is_same_as(new))?;
        let [then, now] = [old, new].map(|point| point.summary().median);
        let is_worse = now > FAR * then.max(f64::EPSILON);
        is_worse.then(|| format!("LESS ACCURATE: {} is {now:.1e}, was {then:.1e}", name(new)))
    };
    after.points.iter().filter_map(told).collect()
}

/// Name of a point: object, algorithm, quantity and number of threads.
fn name(point: &Point) -> String {
    format!(
        "{} {}, {}, {}, {}",
        point.place.object,
        number_format::count(point.place.n_nodes),
        point.algorithm.key(),
        point.measure.label(),
        match point.threads {
            0 => "its own threads".to_owned(),
            n => number_format::plural(n, "thread"),
        }
    )
}

fn change(old: &Point, new: &Point, threshold: f64) -> Change {
    let (before, after) = (old.summary(), new.summary());
    let [a, b] = [old, new].map(|point| {
        let interval = median_interval(&point.samples, CONFIDENCE).expect("a point has samples");
        // Memory does not vary: one sample is exact.
        let is_exact = point.measure.unit() == Unit::Bytes;
        if is_exact { Interval { confidence: 1.0, ..interval } } else { interval }
    });
    let positive = |x: f64| x.max(f64::MIN_POSITIVE);
    let interval = Interval {
        low: b.low / positive(a.high),
        high: b.high / positive(a.low),
        confidence: (a.confidence + b.confidence - 1.0).max(0.0),
    };
    let verdict = if old.samples == new.samples {
        Verdict::Same
    } else if interval.confidence < ENOUGH {
        Verdict::TooFew
    } else if interval.low > 1.0 + threshold {
        Verdict::Worse
    } else if interval.low > 1.0 {
        Verdict::SlightlyWorse
    } else if interval.high < 1.0 {
        Verdict::Better
    } else {
        Verdict::Unclear
    };
    Change {
        name: name(old),
        medians: [before.median, after.median].map(|median| old.measure.shown(median)),
        ratio: after.median / positive(before.median),
        interval,
        verdict,
        unit: old.measure.unit(),
    }
}

impl Comparison {
    /// Number of quantities that are worse by more than the threshold, with confidence.
    pub fn n_worse(&self) -> usize {
        self.count(Verdict::Worse)
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.changes.iter().filter(|change| change.verdict == verdict).count()
    }
}

impl Verdict {
    fn label(self, unit: Unit) -> &'static str {
        match (self, unit) {
            (Self::Worse, Unit::Bytes) => "LARGER",
            (Self::Worse, _) => "SLOWER",
            (Self::SlightlyWorse, Unit::Bytes) => "larger",
            (Self::SlightlyWorse, _) => "slower",
            (Self::Better, Unit::Bytes) => "smaller",
            (Self::Better, _) => "faster",
            (Self::Same, _) => "same",
            (Self::Unclear, _) => "unclear",
            (Self::TooFew, _) => "too few",
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        let told = |change: &&Change| {
            !matches!(change.verdict, Verdict::Same | Verdict::Unclear | Verdict::TooFew)
        };
        for change in self.changes.iter().filter(told) {
            writeln!(
                f,
                "{}  {} -> {}, {:.2} times (between {:.2} and {:.2}, {:.0} % sure)  {}",
                change.verdict.label(change.unit),
                change.medians[0],
                change.medians[1],
                change.ratio,
                change.interval.low,
                change.interval.high,
                (100.0 * change.interval.confidence).floor(),
                change.name
            )?;
        }
        write!(
            f,
            "{} compared: {} slower or larger by more than {:.0} %, {} by less, {} faster or \
             smaller, {} the same, {} unclear, {} with too few repetitions",
            self.changes.len(),
            self.n_worse(),
            100.0 * self.threshold,
            self.count(Verdict::SlightlyWorse),
            self.count(Verdict::Better),
            self.count(Verdict::Same),
            self.count(Verdict::Unclear),
            self.count(Verdict::TooFew)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::synthetic_results::{sample_results, sample_run};

    /// A run whose frames take `factor` times as long.
    fn doctored(factor: f64) -> Results {
        let mut results = sample_results();
        for point in results.points.iter_mut().filter(|p| p.measure == Measure::Frame) {
            point.samples.iter_mut().for_each(|sample| *sample *= factor);
        }
        results
    }

    #[test]
    fn a_doctored_run_is_caught() {
        let comparison = compare(&sample_results(), &doctored(1.5), 0.1);
        assert_eq!(comparison.n_worse(), 12, "three sizes on four numbers of threads");
        for change in &comparison.changes[..12] {
            assert!(change.name.contains("frame"), "{}", change.name);
            assert!((change.ratio - 1.5).abs() < 1e-9);
            assert!(change.interval.low < 1.5 && 1.5 < change.interval.high);
        }
        let text = comparison.to_string();
        assert!(text.contains("SLOWER") && text.contains("12 slower or larger by more than 10 %"));
    }

    /// Between runs without a change, hardly any quantity gets a verdict; a change of a fifth is
    /// nearly always found.
    #[test]
    fn chance_is_not_blamed_and_a_fifth_is_found() {
        let (mut n_told, mut n_blamed, mut n) = (0, 0, 0);
        for run in 1..20 {
            let comparison = compare(&sample_run(2 * run), &sample_run(2 * run + 1), 0.02);
            let is_told = |change: &&Change| {
                !matches!(change.verdict, Verdict::Unclear | Verdict::TooFew)
                    && change.interval.confidence < 1.0
            };
            n_told += comparison.changes.iter().filter(is_told).count();
            let is_measured = |change: &&Change| change.interval.confidence < 1.0;
            n += comparison.changes.iter().filter(is_measured).count();
            let times = |change: &&Change| change.verdict == Verdict::Worse && is_measured(change);
            n_blamed += comparison.changes.iter().filter(times).count();
        }
        assert!(n > 1500 && n_told <= n / 100, "{n_told} of {n} told");
        assert!(n_blamed <= n / 200, "{n_blamed} of {n} blamed");

        let mut slower = sample_run(41);
        for point in slower.points.iter_mut().filter(|p| p.measure == Measure::Frame) {
            point.samples.iter_mut().for_each(|sample| *sample *= 1.2);
        }
        assert_eq!(compare(&sample_run(40), &slower, 0.1).n_worse(), 12);
    }

    #[test]
    fn small_slowdowns_are_listed_and_do_not_fail() {
        let comparison = compare(&sample_results(), &doctored(1.05), 0.1);
        assert_eq!(comparison.n_worse(), 0);
        assert!(comparison.count(Verdict::SlightlyWorse) > 0);
    }

    #[test]
    fn speedups_are_listed_and_equal_results_are_not() {
        assert_eq!(compare(&sample_results(), &doctored(0.5), 0.1).count(Verdict::Better), 12);
        let same = compare(&sample_results(), &sample_results(), 0.0);
        assert_eq!((same.n_worse(), same.count(Verdict::Better)), (0, 0));
        assert_eq!(same.count(Verdict::Same), same.changes.len());
        assert!(same.notes.is_empty());
    }

    #[test]
    fn two_samples_prove_nothing() {
        let [mut before, mut after] = [sample_results(), doctored(9.0)];
        for results in [&mut before, &mut after] {
            results.points.iter_mut().for_each(|point| point.samples.truncate(2));
        }
        let comparison = compare(&before, &after, 0.1);
        assert_eq!(comparison.n_worse(), 0);
        assert!(comparison.count(Verdict::TooFew) > 0);
    }

    #[test]
    fn memory_is_exact() {
        let mut larger = sample_results();
        for point in larger.points.iter_mut().filter(|p| p.measure == Measure::FactorBytes) {
            point.samples[0] *= 1.2;
        }
        assert_eq!(compare(&sample_results(), &larger, 0.1).n_worse(), 12);
    }

    #[test]
    fn a_loss_of_accuracy_is_listed() {
        let with_residual = |residual: f64| {
            let mut results = sample_results();
            let first = results.points[0].clone();
            let samples = vec![residual];
            results.points.push(Point { measure: Measure::Residual, samples, ..first });
            results
        };
        let notes = |after: f64| compare(&with_residual(1e-13), &with_residual(after), 0.1).notes;
        assert!(notes(1e-13).is_empty() && notes(5e-12).is_empty());
        let told = notes(1e-5);
        assert!(told.len() == 1 && told[0].starts_with("LESS ACCURATE: "), "{told:?}");
    }

    #[test]
    fn differences_of_the_runs_are_noted() {
        let mut other = sample_results();
        other.machine.processor = "Another".to_owned();
        other.completeness = Completeness::Partial;
        other.points.truncate(5);
        let notes = compare(&sample_results(), &other, 0.1).notes.join("\n");
        for expected in
            ["the machines differ", "second run was interrupted", "only in the first run"]
        {
            assert!(notes.contains(expected), "{notes}");
        }
    }
}
