//! Reports a calibration as text and plot, and saves its profile.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use calibration::fit::{Fit, drift};
use calibration::procedure::{Step, TrackerError};
use calibration::profile_store::{Edition, StoreError};
use calibration::tracker::Spot;
use calibration::{
    About, Device, GloveModel, PoseId, Profile, ProfileStore, SavedProfile, TrackerTransforms,
};
use drivers::{Sensor, SensorMask, Side};

use super::guide::Guide;
use crate::command_line::{CalibrationExtras, MeasureOptions, TrackerSteps};

/// Poses that show every joint once.
pub(super) const CHECKED: [PoseId; 6] = [
    PoseId::Flat,
    PoseId::Fist,
    PoseId::Spread,
    PoseId::TableTop,
    PoseId::ThumbAcross,
    PoseId::WristUp,
];
/// Error of a joint above which it should be calibrated again, in degrees.
const OFF_DEG: f64 = 7.0;
/// Drift since the last profile above which it is reported, in degrees.
pub(super) const DRIFT_DEG: f64 = 5.0;

/// Returns the person's last profile if it fits the glove, else the defaults.
pub(super) fn known_model(
    store: &ProfileStore,
    options: &MeasureOptions,
    guide: &Guide,
) -> anyhow::Result<GloveModel> {
    let (hand, mask) = glove(guide)?;
    let last = earlier(store, &options.name, hand);
    let known = last.filter(|saved| saved.fits(mask, hand).is_ok());
    Ok(known.map_or_else(GloveModel::uncalibrated, |saved| *saved.profile.glove()))
}

/// A saved calibration.
pub(super) struct SavedCalibration {
    pub(super) path: PathBuf,
    /// Reason if the requested tracker's transforms are missing.
    pub(super) missing: Option<TrackerError>,
}

impl SavedCalibration {
    /// Returns an error if a requested part is missing.
    pub(super) fn whole(self) -> anyhow::Result<()> {
        match self.missing {
            Some(why) => Err(why).context("saved, but without the tracker's transforms"),
            None => Ok(()),
        }
    }
}

/// Prints the quality of the fit and saves it.
pub(super) fn save(
    store: &ProfileStore,
    options: &MeasureOptions,
    extras: &CalibrationExtras,
    guide: &Guide,
    fit: &Fit,
) -> anyhow::Result<SavedCalibration> {
    let (hand, mask) = glove(guide)?;
    let last = earlier(store, &options.name, hand);
    let base = last.as_ref().map_or_else(|| Profile::uncalibrated(hand), |s| s.profile.clone());
    let size = base.size().measured(extras.hand_length_mm, extras.hand_breadth_mm)?;
    let found = guide.procedure.tracker(&Spot::default());
    let tracker = *found.as_ref().unwrap_or(base.tracker());
    let saved = SavedProfile {
        about: about(&options.name, mask),
        profile: base.with_glove(fit.model).with_size(size).with_tracker(tracker),
        quality: fit.sensors,
    };
    // Saved before any output: a closed stream must not cost the poses.
    let path = store.save(&saved)?;
    let said = PrintedReport {
        saved: &saved,
        fit,
        guide,
        found: &found,
        last: last.as_ref(),
        path: &path,
    };
    if let Err(error) = said.write() {
        tracing::warn!("saved as {}, but the report was not written: {error}", path.display());
    }
    let missing = found.err().filter(|_| extras.tracker_steps == TrackerSteps::Yes);
    Ok(SavedCalibration { path, missing })
}

/// Prints a report of the saved profile.
struct PrintedReport<'a> {
    saved: &'a SavedProfile,
    fit: &'a Fit,
    guide: &'a Guide,
    found: &'a Result<TrackerTransforms, TrackerError>,
    last: Option<&'a SavedProfile>,
    path: &'a Path,
}

impl PrintedReport<'_> {
    fn write(&self) -> std::io::Result<()> {
        let Self { saved, fit, guide, found, last, path } = *self;
        let mut out = std::io::stdout();
        write!(out, "{}", calibration::profile_plot::plot(saved))?;
        for finding in &fit.findings {
            writeln!(out, "note      {finding}")?;
        }
        for outlier in &fit.outliers {
            writeln!(
                out,
                "left out  {}: it does not match the other poses",
                outlier.pose.pose().name
            )?;
        }
        let has_tracker_steps = guide.procedure.plan().steps.iter().any(Step::needs_tracker);
        match found {
            Ok(_) => {
                let wander = guide.procedure.pivot().map_or(0.0, |pivot| pivot.wander);
                writeln!(
                    out,
                    "note      tracker: the heel of the hand moved by {:.1} mm",
                    wander * 1e3
                )?;
            }
            Err(why) if has_tracker_steps => {
                writeln!(out, "note      tracker: {why}; its transforms stay as they were")?;
            }
            Err(_) => {
                if let Some(note) = without_tracker(guide, last) {
                    writeln!(out, "note      {note}")?;
                }
            }
        }
        if let Some(last) = last {
            let moved = drift(last.profile.glove(), &fit.model, &guide.procedure.captures());
            for sensor in Sensor::ALL {
                if let Some(drift) =
                    moved[sensor.bit()].filter(|d| d.abs().to_degrees() > DRIFT_DEG)
                {
                    let degrees = drift.to_degrees();
                    writeln!(
                        out,
                        "drift     {}: {degrees:+.1} degrees since the last profile",
                        sensor.name()
                    )?;
                }
            }
        }
        writeln!(out, "saved     {}", path.display())?;
        if last.is_some() {
            writeln!(
                out,
                "          the one before it is kept: palpate calibrate show {} --previous",
                saved.about.person
            )?;
        }
        Ok(())
    }
}

/// What stays as it was because the glove is calibrated without a tracker.
pub(super) fn without_tracker(guide: &Guide, last: Option<&SavedProfile>) -> Option<String> {
    let stays = match last {
        Some(_) => "as in the last profile",
        None => "at their defaults",
    };
    guide.is_without_tracker().then(|| {
        format!(
            "without a tracker, the glove's sensors were calibrated; the tracker's place and its \
             seat on the wrist stay {stays} (--tracker measures them)"
        )
    })
}

/// Compares the joint angles that the profile gives for the captured poses with those of the poses.
pub(super) fn check(
    store: &ProfileStore,
    options: &MeasureOptions,
    guide: &Guide,
) -> anyhow::Result<()> {
    let (hand, mask) = glove(guide)?;
    let saved = store
        .load(&options.name, hand, Edition::Newest)
        .with_context(|| format!("{} has no profile for this hand", options.name))?;
    saved.fits(mask, hand).context("the profile does not fit this glove")?;
    let mut errors = [const { Vec::new() }; Sensor::ALL.len()];
    for capture in guide.procedure.captures() {
        for sensor in mask.sensors() {
            let angle = saved.profile.glove().angle(sensor, |s| capture.count(s));
            if let (Some(asked), Some(angle)) = (capture.asked[sensor.bit()], angle) {
                errors[sensor.bit()].push((angle - asked).to_degrees());
            }
        }
    }
    let mut out = std::io::stdout();
    let mut n_off = 0;
    for sensor in mask.sensors() {
        let errors = &errors[sensor.bit()];
        if errors.is_empty() {
            continue;
        }
        let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
        let worst =
            errors.iter().copied().fold(0.0, |w: f64, e| if e.abs() > w.abs() { e } else { w });
        let verdict = if rms > OFF_DEG { "off" } else { "good" };
        n_off += usize::from(rms > OFF_DEG);
        let name = sensor.name();
        writeln!(
            out,
            "{name:<24}{verdict:<6}{rms:5.1} degrees, at worst {worst:+.1}, in {} poses",
            errors.len()
        )?;
    }
    match n_off {
        0 => writeln!(out, "all joints are within {OFF_DEG} degrees")?,
        n => writeln!(
            out,
            "{n} joints are off by more than {OFF_DEG} degrees: palpate calibrate --name {}",
            options.name
        )?,
    }
    Ok(())
}

/// The hand and the sensors of the glove that was worn.
pub(super) fn glove(guide: &Guide) -> anyhow::Result<(Side, SensorMask)> {
    let Some((hand, counts)) = guide.hand() else { bail!("the glove has sent no sample") };
    Ok((hand, SensorMask::of(counts.iter().map(|(sensor, _)| sensor))))
}

/// An unreadable profile is reported and not used.
pub(super) fn earlier(store: &ProfileStore, name: &str, hand: Side) -> Option<SavedProfile> {
    match store.load(name, hand, Edition::Newest) {
        Ok(saved) => Some(saved),
        Err(StoreError::Disk { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            tracing::warn!("the last profile is not used: {error}");
            None
        }
    }
}

pub(super) fn about(name: &str, mask: SensorMask) -> About {
    let device = Device { kind: "CyberGlove".to_owned(), mask, firmware: None };
    About { person: name.to_owned(), date: super::profile_commands::today(), device }
}
