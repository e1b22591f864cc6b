//! Solves one sensor over all captures that request its angle.
//!
//! With `g` and `o` the known gain and offset, `y = g (count - o)`, `phi` the requested angle,
//! `z_j` the leaking counts minus their known offsets, times `g`, and `D` the difference of the
//! knuckles, `y = stretch phi + level + sum share_j z_j + q_1 D + q_2 D^2`. The new gain is `g /
//! stretch`. All terms are about as large as an angle, and a residual divided by the stretch is
//! one.
//!
//! Cross terms are added one at a time, the most significant first, as long as Student's t of the
//! best one passes a two-sided test at 5 % shared among the candidates (Bonferroni). A term that
//! the glove does not have is therefore added in about one sensor of twenty, and is then small and
//! pulled towards zero; one that matters is found if the poses can show it. For a single term, this
//! is the F test of the larger model against the smaller one.

use drivers::Sensor;

use super::quality::ErrorInterval;
use super::regression::{self, Prior, Row, Solution, SolvedRow, Terms};
use crate::capture::Capture;
use crate::glove_model::{Bend, GloveModel, Leak, SensorModel, knuckles_beside, leak_sources};
use crate::sensor_map::{SensorMap, gain_range_deg};
use crate::statistics::student_quantile;

/// Quality of one sensor's fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SensorFit {
    /// Number of captures that requested this angle and were used.
    pub n_captures: usize,
    /// Root mean square residual of the captures that were used, in radians.
    pub residual: f64,
    /// Expected error on new poses; `None` if the captures are too few to estimate it.
    pub error: Option<ErrorInterval>,
    pub gain: GainSource,
}

/// Origin of a gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GainSource {
    Fitted,
    /// The captures hardly bend this joint: the known gain is kept, only the offset is new.
    Unobserved,
    /// The captures imply a gain that no working sensor has: it was limited to the end of the
    /// range.
    Clamped,
    /// The captures imply the opposite sign: the known gain is kept.
    SignRefused,
}

pub(super) struct Solved {
    pub(super) fit: SensorFit,
    pub(super) rows: Vec<SolvedRow>,
    pub(super) scale: f64,
    pub(super) freedom: f64,
}

const STRETCH: usize = 0;
const LEVEL: usize = 1;
const LEAKS: [usize; 2] = [2, 3];
const LINEAR: usize = 4;
const QUADRATIC: usize = 5;

/// Standard deviation of the prior of the stretch.
const KNOWN_STRETCH: f64 = 0.4;
/// Standard deviation of the prior of an offset, in counts.
const OFFSET_COUNTS: f64 = 40.0;
/// Standard deviation of the prior of a leak, in counts per count.
const LEAK_SHARE: f64 = 0.5;
/// Standard deviation of the prior of a linear bend, in counts per radian.
const LINEAR_COUNTS: f64 = 40.0;
/// Standard deviation of the prior of a quadratic bend, in counts per square radian.
const QUADRATIC_COUNTS: f64 = 20.0;
/// Smallest range of angles in which a joint counts as moved, in radians.
const MIN_ANGLE: f64 = 0.08;
/// Smallest range of counts in which a joint counts as moved.
const MIN_COUNTS: f64 = 4.0;
/// Two-sided risk of adding any cross term that the glove does not have.
const RISK: f64 = 0.05;
/// Fewest degrees of freedom with which a cross term is tested.
const MIN_FREEDOM: f64 = 6.0;
/// Size below which a term counts as zero: a pinned term is nearly, not exactly, zero.
const NOTHING: f64 = 1e-4;

/// New model of a sensor; `None` if no capture requests its angle. `model` must have the knuckles'
/// new maps.
pub(super) fn solve(
    sensor: Sensor,
    known: &GloveModel,
    model: &GloveModel,
    captures: &[Capture],
    used: &[usize],
) -> Option<(SensorModel, Solved)> {
    let rows: Vec<_> = used
        .iter()
        .filter_map(|capture| row(sensor, known, model, *capture, &captures[*capture]))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let (gain, solution, fitted) = if !is_moved(&rows, known.sensor(sensor).map) {
        let (solution, fitted) = only_offset(sensor, known, model, captures, rows);
        (GainSource::Unobserved, solution, fitted)
    } else if let Some((gain, solution)) = everything(sensor, known, &rows) {
        let fitted = to_model(sensor, known, &solution.beta);
        (gain, solution, fitted)
    } else {
        let (solution, fitted) = only_offset(sensor, known, model, captures, rows);
        (GainSource::SignRefused, solution, fitted)
    };
    let stretch = solution.beta[STRETCH];
    let solution = solution.over(stretch);
    let fit = SensorFit {
        n_captures: solution.rows.len(),
        residual: root_mean_square(&solution.rows),
        error: match gain {
            GainSource::Fitted | GainSource::Clamped => ErrorInterval::of(&solution),
            GainSource::Unobserved | GainSource::SignRefused => None,
        },
        gain,
    };
    let Solution { rows, scale, freedom, .. } = solution;
    Some((fitted, Solved { fit, rows, scale, freedom }))
}

/// Fits gain, offset and the significant cross terms; `None` if the captures imply the opposite
/// sign.
fn everything(sensor: Sensor, known: &GloveModel, rows: &[Row]) -> Option<(GainSource, Solution)> {
    let before = known.sensor(sensor).map;
    let prior = start(before, 1.0, KNOWN_STRETCH);
    let plain = regression::solve(rows, &prior);
    let (solution, mut prior) = take_up_cross_terms(sensor, before, rows, plain, prior);
    let stretch = solution.beta[STRETCH];
    let size_deg = (before.gain / stretch).abs().to_degrees();
    let range = gain_range_deg(sensor);
    if stretch <= 0.0 {
        None
    } else if range.contains(&size_deg) {
        Some((GainSource::Fitted, solution))
    } else {
        let end = size_deg.clamp(*range.start(), *range.end()).to_radians();
        prior.mean[STRETCH] = before.gain.abs() / end;
        prior.deviation[STRETCH] = 0.0;
        Some((GainSource::Clamped, regression::solve(rows, &prior)))
    }
}

/// Keeps the known gain and cross terms and fits the offset only.
fn only_offset(
    sensor: Sensor,
    known: &GloveModel,
    model: &GloveModel,
    captures: &[Capture],
    mut rows: Vec<Row>,
) -> (Solution, SensorModel) {
    let before = known.sensor(sensor);
    for row in &mut rows {
        let angle = model.angle(sensor, |s| captures[row.capture].count(s));
        row.target = angle.unwrap_or(row.target);
    }
    let solution = regression::solve(&rows, &start(before.map, 1.0, 0.0));
    let offset = before.map.offset + solution.beta[LEVEL] / before.map.gain;
    (solution, SensorModel { map: SensorMap { offset, ..before.map }, ..*before })
}

fn row(
    sensor: Sensor,
    known: &GloveModel,
    model: &GloveModel,
    index: usize,
    capture: &Capture,
) -> Option<Row> {
    let (asked, count) = capture.pair(sensor)?;
    let before = known.sensor(sensor).map;
    let mut terms = Terms::zeros();
    terms[STRETCH] = asked;
    terms[LEVEL] = 1.0;
    for (term, source) in LEAKS.into_iter().zip(leak_sources(sensor)) {
        let around = known.sensor(*source).map.offset;
        terms[term] = capture.count(*source).map_or(0.0, |count| before.gain * (count - around));
    }
    if let Some(difference) = model.knuckle_difference(sensor, |s| capture.count(s)) {
        terms[LINEAR] = difference;
        terms[QUADRATIC] = difference * difference;
    }
    Some(Row { capture: index, terms, target: before.angle(count) })
}

fn is_moved(rows: &[Row], before: SensorMap) -> bool {
    let range = |value: fn(&Row) -> f64| {
        let (low, high) = rows
            .iter()
            .map(value)
            .fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        high - low
    };
    range(|row| row.terms[STRETCH]) >= MIN_ANGLE
        && range(|row| row.target) >= MIN_COUNTS * before.gain.abs()
}

/// Prior without cross terms: all of these are pinned to zero.
fn start(before: SensorMap, stretch: f64, deviation: f64) -> Prior {
    let mut prior = Prior { mean: Terms::zeros(), deviation: Terms::zeros() };
    prior.mean[STRETCH] = stretch;
    prior.deviation[STRETCH] = deviation;
    prior.deviation[LEVEL] = OFFSET_COUNTS * before.gain.abs();
    prior
}

fn take_up_cross_terms(
    sensor: Sensor,
    before: SensorMap,
    rows: &[Row],
    mut solution: Solution,
    mut prior: Prior,
) -> (Solution, Prior) {
    let size = before.gain.abs();
    let mut candidates: Vec<(usize, f64)> =
        LEAKS.into_iter().take(leak_sources(sensor).len()).map(|t| (t, LEAK_SHARE)).collect();
    if knuckles_beside(sensor).is_some() {
        candidates.extend([(LINEAR, LINEAR_COUNTS * size), (QUADRATIC, QUADRATIC_COUNTS * size)]);
    }
    let n_candidates = candidates.len() as f64;
    while !candidates.is_empty() {
        let tried = candidates.iter().enumerate().map(|(place, (term, deviation))| {
            let mut larger = prior;
            larger.deviation[*term] = *deviation;
            let solution = regression::solve(rows, &larger);
            let t = (solution.beta[*term] / solution.errors[*term].max(1e-12)).abs();
            (t, place, solution, larger)
        });
        let Some((t, place, larger, larger_prior)) = tried.max_by(|a, b| a.0.total_cmp(&b.0))
        else {
            break;
        };
        let spare = larger.freedom;
        if spare < MIN_FREEDOM || t < student_quantile(1.0 - 0.5 * RISK / n_candidates, spare) {
            break;
        }
        (solution, prior) = (larger, larger_prior);
        candidates.remove(place);
    }
    (solution, prior)
}

/// Converts a solution to the form of the glove's model.
fn to_model(sensor: Sensor, known: &GloveModel, beta: &Terms) -> SensorModel {
    let before = known.sensor(sensor).map;
    let something = |value: f64| (value.abs() > NOTHING).then_some(value);
    let mut leaks = [None; 2];
    for ((leak, term), from) in leaks.iter_mut().zip(LEAKS).zip(leak_sources(sensor)) {
        let around = known.sensor(*from).map.offset;
        *leak = something(beta[term]).map(|share| Leak { from: *from, share, around });
    }
    let counts = |term: usize| something(beta[term] / before.gain).unwrap_or(0.0);
    SensorModel {
        map: SensorMap {
            gain: before.gain / beta[STRETCH],
            offset: before.offset + beta[LEVEL] / before.gain,
        },
        leaks,
        bend: Bend { linear: counts(LINEAR), quadratic: counts(QUADRATIC) },
    }
}

fn root_mean_square(rows: &[SolvedRow]) -> f64 {
    let square: f64 = rows.iter().map(|row| row.residual.powi(2)).sum();
    (square / rows.len() as f64).sqrt()
}
