//! Serialised form of the sensors in a profile.

use drivers::{Sensor, SensorMask};
use serde::{Deserialize, Serialize};

use super::check::{number, value};
use super::{sensor_named, tidy};
use crate::fit::{ErrorInterval, GainSource, SensorFit};
use crate::glove_model::{Bend, GloveModel, Leak, SensorModel, knuckles_beside, leak_sources};
use crate::joints::PerSensor;
use crate::profile_file::FileError;
use crate::sensor_map::{SensorMap, gain_range_deg};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SensorText {
    name: String,
    gain: f64,
    offset: f64,
    /// Counts per degree and per square degree.
    #[serde(skip_serializing_if = "Option::is_none")]
    bend: Option<BendText>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    leak: Vec<LeakText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<QualityText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BendText {
    linear: f64,
    quadratic: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LeakText {
    from: String,
    share: f64,
    around: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct QualityText {
    gain: GainText,
    n_poses: usize,
    residual: f64,
    /// The 95 % interval of the error on new poses: low, estimate, high.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<[f64; 3]>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GainText {
    Fitted,
    Unobserved,
    Clamped,
    SignRefused,
}

/// Range of offsets, in counts: the zero of a sensor may lie outside its scale.
const OFFSET: (f64, f64) = (-300.0, 600.0);
const SHARE: (f64, f64) = (-3.0, 3.0);
const LINEAR: (f64, f64) = (-5.0, 5.0);
const QUADRATIC: (f64, f64) = (-0.5, 0.5);
const ERROR_DEG: (f64, f64) = (0.0, 1e4);

/// Reads the sensors: each sensor of the mask must occur once, and no other.
pub(super) fn read_all(
    texts: &[SensorText],
    mask: SensorMask,
    glove: &mut GloveModel,
) -> Result<PerSensor<Option<SensorFit>>, FileError> {
    let mut quality = [None; Sensor::ALL.len()];
    let mut missing: Vec<_> = mask.sensors().collect();
    for text in texts {
        let place = missing.iter().position(|sensor| sensor.name() == text.name);
        let Some(place) = place else {
            return Err(value("sensor.name", &text.name, "each sensor of the mask, once"));
        };
        let sensor = missing.remove(place);
        *glove.sensor_mut(sensor) = text.model(sensor)?;
        quality[sensor.bit()] = text.quality(sensor)?;
    }
    match missing.first() {
        Some(sensor) => Err(value("sensor", "no entry", &format!("one for the {}", sensor.name()))),
        None => Ok(quality),
    }
}

impl SensorText {
    pub(super) fn of(sensor: Sensor, model: &SensorModel, quality: Option<SensorFit>) -> Self {
        let per_degree = f64::to_radians(1.0);
        let bend = (model.bend != Bend::default()).then(|| BendText {
            linear: tidy(model.bend.linear * per_degree),
            quadratic: tidy(model.bend.quadratic * per_degree * per_degree),
        });
        let leaks = model.leaks.iter().flatten().map(|leak| LeakText {
            from: leak.from.name().into(),
            share: tidy(leak.share),
            around: tidy(leak.around),
        });
        Self {
            name: sensor.name().into(),
            gain: tidy(model.map.gain.to_degrees()),
            offset: tidy(model.map.offset),
            bend,
            leak: leaks.collect(),
            quality: quality.as_ref().map(QualityText::of),
        }
    }

    fn model(&self, sensor: Sensor) -> Result<SensorModel, FileError> {
        let field = |name: &str| format!("sensor \"{}\" {name}", self.name);
        let range = gain_range_deg(sensor);
        // A gain at the end of the range may have been rounded beyond it.
        let range = (range.start() - 1e-6, range.end() + 1e-6);
        let size = number(&field("size of gain"), self.gain.abs(), range)?;
        let mut leaks = [None; 2];
        for (place, leak) in self.leak.iter().enumerate() {
            let from = sensor_named(&leak.from).filter(|from| leak_sources(sensor).contains(from));
            let (Some(from), true) = (from, place < leaks.len()) else {
                return Err(value(&field("leak.from"), &leak.from, "a neighbouring sensor"));
            };
            leaks[place] = Some(Leak {
                from,
                share: number(&field("leak.share"), leak.share, SHARE)?,
                around: number(&field("leak.around"), leak.around, OFFSET)?,
            });
        }
        let per_radian = f64::to_degrees(1.0);
        let bend = match &self.bend {
            None => Bend::default(),
            Some(_) if knuckles_beside(sensor).is_none() => {
                return Err(value(&field("bend"), "one", "none but between two fingers"));
            }
            Some(bend) => Bend {
                linear: number(&field("bend.linear"), bend.linear, LINEAR)? * per_radian,
                quadratic: number(&field("bend.quadratic"), bend.quadratic, QUADRATIC)?
                    * per_radian
                    * per_radian,
            },
        };
        let offset = number(&field("offset"), self.offset, OFFSET)?;
        let gain = size.copysign(self.gain).to_radians();
        Ok(SensorModel { map: SensorMap { gain, offset }, leaks, bend })
    }

    fn quality(&self, sensor: Sensor) -> Result<Option<SensorFit>, FileError> {
        let Some(text) = &self.quality else { return Ok(None) };
        let field = |name: &str| format!("sensor \"{}\" quality.{name}", sensor.name());
        let angle = |name: &str, deg: f64| Ok(number(&field(name), deg, ERROR_DEG)?.to_radians());
        let error = match text.error {
            None => None,
            Some([low, estimate, high]) => Some(ErrorInterval {
                low: angle("error", low)?,
                estimate: angle("error", estimate)?,
                high: angle("error", high)?,
            }),
        };
        Ok(Some(SensorFit {
            n_captures: text.n_poses,
            residual: angle("residual", text.residual)?,
            error,
            gain: match text.gain {
                GainText::Fitted => GainSource::Fitted,
                GainText::Unobserved => GainSource::Unobserved,
                GainText::Clamped => GainSource::Clamped,
                GainText::SignRefused => GainSource::SignRefused,
            },
        }))
    }
}

impl QualityText {
    fn of(fit: &SensorFit) -> Self {
        let deg = |radians: f64| tidy(radians.to_degrees());
        Self {
            gain: match fit.gain {
                GainSource::Fitted => GainText::Fitted,
                GainSource::Unobserved => GainText::Unobserved,
                GainSource::Clamped => GainText::Clamped,
                GainSource::SignRefused => GainText::SignRefused,
            },
            n_poses: fit.n_captures,
            residual: deg(fit.residual),
            error: fit.error.map(|error| [error.low, error.estimate, error.high].map(deg)),
        }
    }
}
