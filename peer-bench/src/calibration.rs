//! Measures the fit of a full calibration, compared with a frame of the screen and plain least
//! squares.
//!
//! The plain solve has the same rows and as many columns for each sensor, and solves the normal
//! equations once: no reweighting, no choice of cross terms, no search for wrong poses, no
//! intervals.

use calibration::joints::PerSensor;
use calibration::procedure::Step;
use calibration::{Capture, Fit, GloveModel, Plan, PoseId, SensorMap, fit};
use drivers::{Sensor, SensorMask};
use nalgebra::{DMatrix, DVector};

use crate::Arguments;
use benchmark::statistics::{least, quantile, timed};

/// Duration of a frame of the screen at 60 Hz, in seconds.
const FRAME: f64 = 1.0 / 60.0;
/// Standard deviation of each joint in each hold, in degrees.
const SPREAD_DEG: f64 = 2.0;

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    println!("\n# The fit of a calibration, on one thread (ms)");
    let n_rounds = ((200.0 * arguments.rounds) as usize).max(1);
    let full = Plan::full();
    let cases = [
        ("quick", captures(&Plan::quick(), None)),
        ("full", captures(&full, None)),
        ("full, a wrong pose", captures(&full, Some((PoseId::Fist, PoseId::TableTop)))),
    ];
    let known = GloveModel::uncalibrated();
    for (name, captures) in &cases {
        let (mut ours, mut plain) = (Vec::new(), Vec::new());
        for _ in 0..n_rounds {
            let (time, found) = timed(|| fit(&known, captures));
            anyhow::ensure!(is_sound(&found), "the fit is not sound: {:?}", found.findings);
            ours.push(time);
            let (time, terms) = timed(|| plain_least_squares(captures));
            std::hint::black_box(terms);
            plain.push(time);
        }
        let [median, late] = [0.5, 0.99].map(|share| quantile(&ours, share));
        println!(
            "{name:>20}, {:>2} captures: {:.3}, median {:.3}, 99th percentile {:.3}; {:.1} % of a \
             frame of {:.1} ms at the median, {}; plain least squares {:.3}, {:.1} times as fast",
            captures.len(),
            1e3 * least(&ours),
            1e3 * median,
            1e3 * late,
            100.0 * median / FRAME,
            1e3 * FRAME,
            if median < FRAME { "met" } else { "MISSED" },
            1e3 * least(&plain),
            least(&ours) / least(&plain),
        );
    }
    Ok(())
}

/// True if every gain is within a quarter of the glove's own.
fn is_sound(found: &Fit) -> bool {
    SensorMask::GLOVE_22.sensors().all(|sensor| {
        let ratio = found.model.sensor(sensor).map.gain / SensorMap::default_for(sensor).gain;
        (0.75..1.25).contains(&ratio)
    })
}

/// Captures of a person who holds poses imperfectly, in a glove whose abduction sensors respond to
/// the knuckles; one pose may be mistaken for another, the first time it comes.
fn captures(plan: &Plan, mut mistake: Option<(PoseId, PoseId)>) -> Vec<Capture> {
    let mut noise = Noise(1);
    let mut captures = Vec::new();
    for step in &plan.steps {
        let Step::Hold(target) = step else { continue };
        let held = match mistake {
            Some((asked, held)) if asked == target.pose => {
                mistake = None;
                held.pose().angles()
            }
            _ => target.picture,
        };
        let angles_deg = Sensor::ALL.map(|sensor| {
            let angle = held.measured_by(sensor);
            angle.map(|angle| angle.to_degrees() + SPREAD_DEG * noise.normal())
        });
        captures.push(Capture {
            pose: target.pose,
            asked: target.asked,
            counts: Sensor::ALL.map(|sensor| count(sensor, &angles_deg)),
            spreads: [1; Sensor::ALL.len()],
            source_from_sensor: None,
        });
    }
    captures
}

fn count(sensor: Sensor, angles_deg: &PerSensor<Option<f64>>) -> Option<f64> {
    let map = SensorMap::default_for(sensor);
    let own = angles_deg[sensor.bit()]? / map.gain.to_degrees();
    let bend = calibration::glove_model::knuckles_beside(sensor).map_or(0.0, |[near, far]| {
        let deg = |knuckle: Sensor| angles_deg[knuckle.bit()].unwrap_or(0.0);
        0.15 * (deg(far) - deg(near))
    });
    Some((map.offset + own + bend).clamp(1.0, 255.0))
}

/// Plain least squares with six terms for each sensor, as many as the fit has at most.
fn plain_least_squares(captures: &[Capture]) -> Vec<Option<DVector<f64>>> {
    let terms = |sensor: Sensor, capture: &Capture| {
        let (asked, count) = (capture.asked[sensor.bit()]?, capture.count(sensor)?);
        let beside = |place: usize| capture.counts[(sensor.bit() + place) % 20].unwrap_or(0.0);
        let difference = (beside(1) - beside(5)) * 0.01;
        let row = [asked, 1.0, beside(4), beside(8), difference, difference * difference];
        Some((row, count))
    };
    let solve = |sensor: Sensor| {
        let rows: Vec<_> = captures.iter().filter_map(|capture| terms(sensor, capture)).collect();
        let matrix = DMatrix::from_fn(rows.len(), 6, |row, term| rows[row].0[term]);
        let right = DVector::from_fn(rows.len(), |row, _| rows[row].1);
        // Regularised, so that poses that never move a joint have a solution as well.
        let normal = matrix.tr_mul(&matrix) + DMatrix::identity(6, 6) * 1e-6;
        normal.cholesky().map(|factor| factor.solve(&matrix.tr_mul(&right)))
    };
    SensorMask::GLOVE_22.sensors().map(solve).collect()
}

/// Generator of normal numbers, the same in every run.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }

    /// A nearly normal number: the sum of twelve uniform ones.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
