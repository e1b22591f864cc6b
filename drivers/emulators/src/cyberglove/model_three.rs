//! The additions of a CyberGlove III: its outputs, their rates and the high-resolution stream.

/// Frames per second before multiplication.
const BASE_HZ: f64 = 30.0;

#[derive(Debug, Clone)]
pub(super) struct ModelThree {
    is_usb_on: bool,
    /// Samples per frame.
    multiplier: u8,
    /// Number of samples of which one goes to the USB output.
    usb_divider: u8,
}

impl ModelThree {
    pub(super) fn new() -> Self {
        Self { is_usb_on: true, multiplier: 3, usb_divider: 1 }
    }

    /// Executes a command without its leading `1`. Commands for outputs other than USB have no
    /// effect.
    pub(super) fn set(&mut self, command: &[u8]) {
        match command {
            [b'e', b'u'] => self.is_usb_on = true,
            [b'd', b'u'] => self.is_usb_on = false,
            [b'm', multiplier] => self.multiplier = (*multiplier).clamp(1, 4),
            [b'u', divider] => self.usb_divider = (*divider).max(1),
            _ => {}
        }
    }

    pub(super) fn is_usb_on(&self) -> bool {
        self.is_usb_on
    }

    pub(super) fn period_seconds(&self) -> f64 {
        f64::from(self.usb_divider) / (BASE_HZ * f64::from(self.multiplier))
    }

    /// A record of 61 bytes: time of day with frame and sample, the letter, 22 values, CR LF NUL.
    pub(super) fn record(&self, seconds: f64, values: &[u16; 22]) -> Vec<u8> {
        let n_samples = (seconds.max(0.0) * BASE_HZ * f64::from(self.multiplier)) as u64;
        let (n_frames, sample) =
            (n_samples / u64::from(self.multiplier), n_samples % u64::from(self.multiplier));
        let (whole, frame) = (n_frames / 30, n_frames % 30);
        let (hours, minutes, seconds) = (whole / 3600 % 24, whole / 60 % 60, whole % 60);
        let mut bytes =
            format!("{hours:02}:{minutes:02}:{seconds:02}:{frame:02}:{sample}S").into_bytes();
        bytes.extend(values.iter().flat_map(|value| value.to_be_bytes()));
        bytes.extend(b"\r\n\0");
        bytes
    }
}
