//! Requests that only a CyberGlove III understands: outputs, rates and resolution of its records.

use super::request::Switch;

/// A request that begins with the digit 1. The unit repeats it and adds a NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelThreeRequest {
    /// Turns the records to this output on or off.
    Enable(Output, Switch),
    /// Sets the number of frames in 1/30 s: 3 gives 90 Hz.
    SetFrameMultiplier(u8),
    /// Sends one frame of this number of frames to this output.
    SetDivider(Output, u8),
    /// Starts a stream of records with 16-bit values; see `high_resolution`.
    StreamHighResolution,
}

/// Output to which a CyberGlove III can send its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Output {
    Usb = b'u',
    WiFi = b'w',
    SdCard = b's',
}

impl ModelThreeRequest {
    pub fn encode(self) -> Vec<u8> {
        match self {
            Self::Enable(output, Switch::On) => vec![b'1', b'e', output as u8],
            Self::Enable(output, Switch::Off) => vec![b'1', b'd', output as u8],
            Self::SetFrameMultiplier(multiplier) => vec![b'1', b'm', multiplier],
            Self::SetDivider(output, divider) => vec![b'1', output as u8, divider],
            Self::StreamHighResolution => vec![b'1', b'S'],
        }
    }

    /// Beginning of the acknowledgement: the request without its number, which may be NUL.
    pub(super) fn echo(self) -> Vec<u8> {
        let mut echo = self.encode();
        match self {
            Self::SetFrameMultiplier(_) | Self::SetDivider(..) => echo.truncate(2),
            Self::Enable(..) | Self::StreamHighResolution => {}
        }
        echo
    }
}
