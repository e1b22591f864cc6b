//! Encodes the requests, forces and pulses for a glove. No I/O; `decoder` reads the glove's lines.

use std::io::Write;
use std::num::NonZeroU16;

/// Scales that must be the same in the glove's firmware and in its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenGloveSettings {
    /// The glove's largest analogue value.
    pub max_analog: NonZeroU16,
    /// The number that means full force.
    pub force_range: NonZeroU16,
}

impl Default for OpenGloveSettings {
    fn default() -> Self {
        let number = |value| NonZeroU16::new(value).expect("neither default is zero");
        Self { max_analog: number(4095), force_range: number(1000) }
    }
}

/// A request to the glove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// Asks for firmware version, device type and hand.
    Info,
    StartStream,
    StopStream,
}

impl Request {
    pub fn encode(self) -> &'static [u8] {
        match self {
            Self::Info => b"Z\n",
            Self::StartStream => b"(ZA)\n",
            Self::StopStream => b"(ZZ)\n",
        }
    }
}

/// A force for each finger, thumb first, in the glove's own steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForceSteps([u16; 5]);

impl ForceSteps {
    /// Releases all fingers.
    pub const RELEASE: Self = Self([0; 5]);

    /// Converts shares of full force: 0 releases, 1 holds. Values outside are clamped, and NaN
    /// releases.
    pub fn from_shares(shares: [f32; 5], force_range: NonZeroU16) -> Self {
        // A cast of NaN gives zero.
        let steps =
            |share: f32| (share.clamp(0.0, 1.0) * f32::from(force_range.get())).round() as u16;
        Self(shares.map(steps))
    }

    /// Appends the line that sets these forces.
    pub fn encode(self, into: &mut Vec<u8>) {
        for (key, steps) in ('A'..='E').zip(self.0) {
            append(into, format_args!("{key}{steps}"));
        }
        into.push(b'\n');
    }
}

/// A vibration of the glove.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HapticPulse {
    pub frequency_hz: f32,
    /// In seconds.
    pub duration: f32,
    /// 0 to 1.
    pub amplitude: f32,
}

impl HapticPulse {
    /// Appends the line that asks for this pulse. Numbers outside their range become the nearest
    /// limit; NaN becomes zero.
    pub fn encode(self, into: &mut Vec<u8>) {
        let sensible =
            |number: f32, most| if number.is_nan() { 0.0 } else { number.clamp(0.0, most) };
        let frequency_hz = sensible(self.frequency_hz, 10_000.0);
        let duration = sensible(self.duration, 60.0);
        let amplitude = sensible(self.amplitude, 1.0);
        append(into, format_args!("F{frequency_hz:.2}G{duration:.2}H{amplitude:.2}\n"));
    }
}

fn append(into: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    into.write_fmt(text).expect("writing to memory does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_lines() {
        assert_eq!(Request::Info.encode(), b"Z\n");
        assert_eq!(Request::StartStream.encode(), b"(ZA)\n");
        assert_eq!(Request::StopStream.encode(), b"(ZZ)\n");
    }

    #[test]
    fn forces_are_scaled_and_clamped() {
        let check = |shares, range, want: &str| {
            let mut line = Vec::new();
            let range = NonZeroU16::new(range).unwrap();
            ForceSteps::from_shares(shares, range).encode(&mut line);
            assert_eq!(String::from_utf8(line).unwrap(), want);
        };
        check([0.0; 5], 1000, "A0B0C0D0E0\n");
        check([0.0, 0.25, 0.5, 0.9996, 1.0], 1000, "A0B250C500D1000E1000\n");
        check([-1.0, 2.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY], 255, "A0B255C0D255E0\n");
        check([1.0; 5], 65_535, "A65535B65535C65535D65535E65535\n");
    }

    #[test]
    fn pulses_have_two_decimals() {
        let check = |frequency_hz, duration, amplitude, want: &str| {
            let mut line = Vec::new();
            HapticPulse { frequency_hz, duration, amplitude }.encode(&mut line);
            assert_eq!(String::from_utf8(line).unwrap(), want);
        };
        check(160.0, 0.256, 0.5, "F160.00G0.26H0.50\n");
        check(f32::NAN, -1.0, 7.0, "F0.00G0.00H1.00\n");
        check(f32::INFINITY, f32::INFINITY, 0.0, "F10000.00G60.00H0.00\n");
    }
}
