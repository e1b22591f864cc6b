//! Joint angles to the bytes of a record.

use super::settings::Settings;
use crate::motion::N_ANGLES;

/// How a sensor turns an angle into a count: the emulated wearer's calibration.
#[derive(Debug, Clone, Copy)]
struct SensorModel {
    degrees_per_count: f64,
    /// The count at angle zero.
    zero_count: f64,
}

const fn model(degrees_per_count: f64, zero_count: f64) -> SensorModel {
    SensorModel { degrees_per_count, zero_count }
}

const THUMB: SensorModel = model(1.0, 120.0);
const MPJ: SensorModel = model(1.4, 100.0);
const PIJ: SensorModel = model(0.8, 60.0);
const DIJ: SensorModel = model(1.4, 65.0);
const ABDUCTION: SensorModel = model(0.5, 140.0);
const PALM_ARCH: SensorModel = model(0.5, 90.0);
const WRIST_PITCH: SensorModel = model(0.7, 100.0);
const WRIST_YAW: SensorModel = model(0.3, 100.0);

/// Typical values for an average hand, by mask bit: thumb roll, MPJ, IJ and its abduction; four
/// fingers; palm and wrist. The last bit is a spare without a sensor.
const SENSORS: [SensorModel; N_ANGLES] = [
    THUMB,
    THUMB,
    THUMB,
    ABDUCTION,
    MPJ,
    PIJ,
    DIJ,
    ABDUCTION,
    MPJ,
    PIJ,
    DIJ,
    ABDUCTION,
    MPJ,
    PIJ,
    DIJ,
    ABDUCTION,
    MPJ,
    PIJ,
    DIJ,
    ABDUCTION,
    PALM_ARCH,
    WRIST_PITCH,
    WRIST_YAW,
    ABDUCTION,
];

/// Ticks per second of the record's time stamp. The real tick is not documented.
const STAMP_HZ: f64 = 1000.0;

/// One record: header, values, whatever the settings append, NUL. No byte before that is NUL.
pub(super) fn record(
    header: u8,
    angles_deg: &[f64; N_ANGLES],
    seconds: f64,
    settings: &Settings,
) -> Vec<u8> {
    let mut bytes = vec![header];
    bytes.extend(settings.enabled_bits().map(|bit| count(SENSORS[bit], angles_deg[bit])));
    if settings.has_time_stamp() {
        // The counter of the unit wraps; ours does so by keeping the low 32 bits.
        bytes.extend(time_stamp((seconds * STAMP_HZ) as i64 as u32));
    }
    if settings.has_status_byte() {
        bytes.push(settings.status_byte());
    }
    if settings.is_too_fast() {
        bytes.extend(b"es");
    }
    if !settings.is_plugged_in() {
        bytes.extend(b"eg");
    }
    bytes.push(0);
    bytes
}

/// A sensor's count at an angle; never 0, which ends a record.
fn count(sensor: SensorModel, angle_deg: f64) -> u8 {
    (angle_deg / sensor.degrees_per_count + sensor.zero_count).round().clamp(1.0, 255.0) as u8
}

/// Five bytes without NUL: flags, then the ticks from the least significant byte on. A true zero
/// byte is sent as one and its flag set; the flags' highest bit keeps them from being zero.
fn time_stamp(ticks: u32) -> [u8; 5] {
    let mut stamp = [0x80; 5];
    for (place, byte) in ticks.to_le_bytes().into_iter().enumerate() {
        stamp[place + 1] = byte.max(1);
        stamp[0] |= u8::from(byte == 0) << place;
    }
    stamp
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_stamp_hides_its_zero_bytes() {
        assert_eq!(time_stamp(0x0001_2C00), [0x89, 0x01, 0x2C, 0x01, 0x01]);
    }

    #[test]
    fn counts_stay_off_zero_and_within_a_byte() {
        assert_eq!(count(MPJ, 70.0), 150);
        assert_eq!(count(PIJ, 80.0), 160);
        assert_eq!(count(ABDUCTION, 10.0), 160);
        assert_eq!(count(MPJ, -1e6), 1);
        assert_eq!(count(MPJ, 1e6), 255);
    }
}
