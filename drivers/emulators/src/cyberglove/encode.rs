//! Encodes counts into records, in binary or ASCII form.

use super::settings::Settings;

/// Ticks per second of the record's time stamp. The tick of real units is not documented.
const STAMP_HZ: f64 = 1000.0;

/// Contents of a record.
pub(super) struct Sample<'a> {
    /// One count per mask bit.
    pub(super) counts: &'a [u8],
    pub(super) seconds: f64,
    pub(super) pace: SamplePace,
}

/// Rate of the stream, compared with the fastest of the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SamplePace {
    Fine,
    TooFast,
}

/// One binary record: header, values, optional parts by the settings, NUL. No other byte is NUL.
pub(super) fn record(header: u8, sample: &Sample<'_>, settings: &Settings) -> Vec<u8> {
    let mut bytes = vec![header];
    body(&mut bytes, sample, settings);
    error_pairs(&mut bytes, sample, settings);
    bytes.push(0);
    bytes
}

/// One record in ASCII form: echo, decimal numbers, CR LF NUL.
pub(super) fn text_record(header: char, sample: &Sample<'_>, settings: &Settings) -> Vec<u8> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    body(&mut values, sample, settings);
    error_pairs(&mut errors, sample, settings);
    let mut text = header.to_string();
    for value in values {
        text.push_str(&format!(" {value}"));
    }
    for pair in errors.chunks_exact(2) {
        text.push_str(&format!(" {}", pair.escape_ascii()));
    }
    text.push_str("\r\n\0");
    text.into_bytes()
}

fn body(bytes: &mut Vec<u8>, sample: &Sample<'_>, settings: &Settings) {
    bytes.extend(settings.enabled_bits().map(|bit| sample.counts[bit]));
    if settings.has_time_stamp() {
        // The counter of the unit wraps; keeping the low 32 bits does the same.
        bytes.extend(time_stamp((sample.seconds * STAMP_HZ) as i64 as u32));
    }
    if settings.has_status_byte() {
        bytes.push(settings.status_byte());
    }
}

fn error_pairs(bytes: &mut Vec<u8>, sample: &Sample<'_>, settings: &Settings) {
    if sample.pace == SamplePace::TooFast {
        bytes.extend(b"es");
    }
    if !settings.is_plugged_in() {
        bytes.extend(b"eg");
    }
}

/// Encodes ticks in five bytes without NUL: flags, then the ticks, least significant byte first. A
/// zero byte is sent as 1, and its flag is set. The highest flag bit is always set, so that the
/// flags are not zero.
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
}
