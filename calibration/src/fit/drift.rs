//! Difference between two calibrations of the same glove.

use drivers::Sensor;

use crate::capture::Capture;
use crate::glove_model::GloveModel;
use crate::joints::PerSensor;

/// Difference of two models of the same glove on each sensor: root mean square over the captures,
/// in radians. `None` where no capture has a count.
pub fn drift(
    before: &GloveModel,
    after: &GloveModel,
    captures: &[Capture],
) -> PerSensor<Option<f64>> {
    Sensor::ALL.map(|sensor| {
        let differences = captures.iter().filter_map(|capture| {
            let angle = |model: &GloveModel| model.angle(sensor, |s| capture.count(s));
            Some(angle(after)? - angle(before)?)
        });
        let (n, square) =
            differences.fold((0, 0.0), |(n, square), angle| (n + 1, square + angle * angle));
        (n > 0).then(|| (square / f64::from(n)).sqrt())
    })
}
