//! Contents of the result page: the quality of a fit.

use calibration::fit::{Finding, Fit, Outlier, drift};
use calibration::{Capture, GloveModel};
use drivers::{Sensor, SensorMask};

/// A fit, prepared for display.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FitOutcome {
    /// One row for each sensor of the glove.
    pub(super) joints: Vec<JointRow>,
    /// Notes for the person.
    pub(super) notes: Vec<String>,
    /// Names of the poses that fit worst; none if all fit alike.
    pub(super) worst: Vec<&'static str>,
    pub(super) n_poses: usize,
    /// Reason why saving failed, after an attempt.
    pub(super) trouble: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct JointRow {
    pub(super) name: &'static str,
    pub(super) quality: Quality,
    /// Residual of the used captures, in degrees.
    pub(super) residual_deg: Option<f64>,
    /// Expected error on new poses, in degrees: low end, estimate and high end of the interval.
    pub(super) error_deg: Option<[f64; 3]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quality {
    Good,
    /// Usable, with a warning.
    Fair,
    Poor,
    /// Not determined by any pose.
    Unknown,
}

/// One pose is offered for a retake for each of this number of poses.
const POSES_PER_RETAKE: usize = 10;

impl FitOutcome {
    /// `last` is the model of the last profile, if there is one.
    pub(super) fn new(
        fit: &Fit,
        captures: &[Capture],
        mask: SensorMask,
        last: Option<&GloveModel>,
        drift_deg: f64,
    ) -> Self {
        let joints = mask.sensors().map(|sensor| {
            let known = fit.sensors[sensor.bit()];
            JointRow {
                name: sensor.name(),
                quality: quality(fit, sensor),
                residual_deg: known.map(|known| known.residual.to_degrees()),
                error_deg: known
                    .and_then(|known| known.error)
                    .map(|e| [e.low, e.estimate, e.high].map(f64::to_degrees)),
            }
        });
        let left_out = fit.outliers.iter().map(|outlier| {
            format!(
                "{}: left out, because it does not match the other poses",
                outlier.pose.pose().name
            )
        });
        let mut notes: Vec<String> = left_out.collect();
        notes.extend(fit.findings.iter().map(Finding::to_string));
        if let Some(last) = last {
            let moved = drift(last, &fit.model, captures);
            notes.extend(mask.sensors().filter_map(|sensor| {
                let degrees = moved[sensor.bit()]?.to_degrees();
                let name = sensor.name();
                (degrees.abs() > drift_deg)
                    .then(|| format!("{name}: {degrees:.1} degrees off the last profile"))
            }));
        }
        let worst = worst(fit, captures).iter().map(|outlier| outlier.pose.pose().name).collect();
        let n_poses = captures.len();
        Self { joints: joints.collect(), notes, worst, n_poses, trouble: None }
    }
}

/// Returns the poses whose joints are farthest from the target, worst first: one of ten, and all
/// that were left out.
pub(super) fn worst(fit: &Fit, captures: &[Capture]) -> Vec<Outlier> {
    let mut poses: Vec<(f64, Outlier)> = captures
        .iter()
        .enumerate()
        .filter_map(|(capture, taken)| {
            let joints: Vec<(Sensor, f64)> = Sensor::ALL
                .into_iter()
                .filter_map(|sensor| {
                    let angle = fit.model.angle(sensor, |s| taken.count(s))?;
                    Some((sensor, angle - taken.asked[sensor.bit()]?))
                })
                .collect();
            let square: f64 = joints.iter().map(|(_, off)| off * off).sum();
            let rms = (square / joints.len() as f64).sqrt();
            rms.is_finite().then_some((rms, Outlier { capture, pose: taken.pose, joints }))
        })
        .collect();
    poses.sort_by(|a, b| b.0.total_cmp(&a.0));
    let n = captures.len().div_ceil(POSES_PER_RETAKE).max(fit.outliers.len());
    poses.into_iter().take(n).map(|(_, outlier)| outlier).collect()
}

fn quality(fit: &Fit, sensor: Sensor) -> Quality {
    let Some(known) = fit.sensors[sensor.bit()] else { return Quality::Unknown };
    let said = fit.findings.iter().filter_map(|finding| match *finding {
        Finding::PoorFit { sensor: s, .. }
        | Finding::GainClamped { sensor: s, .. }
        | Finding::SignRefused(s) => (s == sensor).then_some(Quality::Poor),
        Finding::Unobserved(s)
        | Finding::Saturated { sensor: s, .. }
        | Finding::LowResolution { sensor: s, .. } => (s == sensor).then_some(Quality::Fair),
    });
    let unsure = known.error.is_none().then_some(Quality::Fair);
    let all = said.chain(unsure);
    all.fold(Quality::Good, |so_far, next| if so_far == Quality::Poor { so_far } else { next })
}

#[cfg(test)]
mod tests {
    use calibration::fit::{ErrorInterval, GainSource, SensorFit};
    use calibration::{PoseId, Sample};
    use drivers::SensorCounts;

    use super::*;

    /// A hand that says `count` on all sensors while it should be flat.
    fn flat(count: u8) -> Capture {
        let counts = SensorCounts::from_slots([count; Sensor::ALL.len()]);
        let sample = Sample { counts, source_from_sensor: None, seconds: 0.0 };
        Capture::of(PoseId::Flat, PoseId::Flat.pose().asked(), [&sample].into_iter())
    }

    fn fit_of(sensor: Sensor, findings: Vec<Finding>) -> Fit {
        let mut sensors = [None; Sensor::ALL.len()];
        let error = ErrorInterval { low: 0.01, estimate: 0.02, high: 0.04 };
        let gain = GainSource::Fitted;
        sensors[sensor.bit()] =
            Some(SensorFit { n_captures: 4, residual: 0.015, error: Some(error), gain });
        Fit { model: GloveModel::uncalibrated(), sensors, outliers: Vec::new(), findings }
    }

    #[test]
    fn a_joint_is_as_good_as_the_worst_that_is_found_about_it() {
        let sensor = Sensor::IndexMpj;
        let low = Finding::LowResolution { sensor, counts_per_degree: 0.3 };
        let poor = Finding::PoorFit { sensor, got_deg: 9.0, limit_deg: 5.0 };
        let other = Finding::SignRefused(Sensor::RingPij);
        let check = |findings: &[Finding], expected| {
            assert_eq!(quality(&fit_of(sensor, findings.to_vec()), sensor), expected);
        };
        check(&[], Quality::Good);
        check(&[other], Quality::Good);
        check(&[low], Quality::Fair);
        check(&[low, poor, low], Quality::Poor);
        assert_eq!(quality(&fit_of(sensor, Vec::new()), Sensor::RingPij), Quality::Unknown);
    }

    #[test]
    fn the_page_names_every_sensor_of_the_glove_and_what_was_found() {
        let finding = Finding::Unobserved(Sensor::WristYaw);
        let fit = fit_of(Sensor::IndexMpj, vec![finding]);
        let known = GloveModel::uncalibrated();
        let outcome = FitOutcome::new(&fit, &[flat(100)], SensorMask::GLOVE_22, Some(&known), 5.0);
        assert_eq!(outcome.joints.len(), 22);
        assert_eq!(outcome.notes, [finding.to_string()]);
        let index = outcome.joints.iter().find(|joint| joint.name == "index MPJ").unwrap();
        let [low, estimate, high] = index.error_deg.unwrap();
        assert!(low < estimate && estimate < high && (estimate - 1.146).abs() < 1e-3);
    }

    #[test]
    fn the_worst_pose_is_the_one_that_is_farthest_off() {
        let fit = fit_of(Sensor::IndexMpj, Vec::new());
        let captures = [flat(100), flat(180), flat(110)];
        let worst = worst(&fit, &captures);
        assert_eq!(worst.iter().map(|outlier| outlier.capture).collect::<Vec<_>>(), [1]);
    }
}
