//! Settings of the interface unit, which a restart resets.

mod calibration;

pub(super) use calibration::StoredCalibration;

use super::{GloveModel, GloveOptions};

/// Ticks per second of the sample counter.
const TICKS_PER_SECOND: f64 = 115_200.0;
/// Fastest sample rate of the unit; at higher rates records have the error `es`.
pub(super) const FASTEST_HZ: f64 = 120.0;
/// Bits of the baud divisor that have a meaning.
const BAUD_BITS: u8 = 0x37;

// The bits of the three flag bytes; each is (byte, bit).
const PLUGGED_IN: (usize, u8) = (0, 0x01);
const SWITCH_ON: (usize, u8) = (0, 0x02);
const LIGHT_ON: (usize, u8) = (0, 0x04);
const ALWAYS_ONE: (usize, u8) = (0, 0x80);
const BINARY_SYNC: (usize, u8) = (1, 0x01);
const TEXT_SYNC: (usize, u8) = (1, 0x02);
const STATUS_BYTE: (usize, u8) = (1, 0x04);
const SWITCH_DRIVES_LIGHT: (usize, u8) = (1, 0x08);
const FILTER: (usize, u8) = (1, 0x10);
const TIME_STAMP: (usize, u8) = (1, 0x20);
const RIGHT_HAND: (usize, u8) = (1, 0x40);
const VALID: (usize, u8) = (1, 0x80);
const QUANTISED: (usize, u8) = (2, 0x01);
const CYBERTOUCH: (usize, u8) = (2, 0x02);

/// Form of the record that the unit sends for a pulse of its sync input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sync {
    Off,
    Binary,
    Text,
}

/// Reason why a setting was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    Unknown,
    TooManyNumbers,
}

#[derive(Debug, Clone)]
pub(super) struct Settings {
    hardware_mask: u32,
    software_mask: u32,
    /// Most values in a record, counted from the first enabled one.
    n_values: u8,
    flags: [u8; 3],
    /// Two words whose product is the sample period in ticks.
    period_words: [u16; 2],
    /// Stored and read back; the meaning of the bits is not documented.
    baud_divisor: u8,
    actuators: [u8; 6],
    /// Name of the model, for the information text.
    model_name: &'static str,
}

impl Settings {
    pub(super) fn at_power_up(options: &GloveOptions) -> Self {
        let hardware_mask = options.sensors.mask();
        let ticks = (TICKS_PER_SECOND / options.stream_hz).round();
        let mut settings = Self {
            hardware_mask,
            software_mask: hardware_mask,
            n_values: hardware_mask.count_ones() as u8,
            flags: [0; 3],
            // The cast saturates for a number that is too large, and gives 0 for NaN.
            period_words: [ticks as u16, 1],
            baud_divisor: 0,
            actuators: [0; 6],
            model_name: match options.model {
                GloveModel::Classic => "CyberGlove",
                GloveModel::Third => "CyberGlove III",
            },
        };
        for flag in [ALWAYS_ONE, SWITCH_DRIVES_LIGHT, FILTER, VALID] {
            settings.switch(flag, true);
        }
        settings.switch(PLUGGED_IN, options.is_plugged_in);
        settings.switch(RIGHT_HAND, options.is_right_hand);
        settings.switch(CYBERTOUCH, options.has_cybertouch);
        settings
    }

    /// The mask bits of the values in a record, in increasing order.
    pub(super) fn enabled_bits(&self) -> impl Iterator<Item = usize> {
        let mask = self.hardware_mask & self.software_mask;
        (0..24).filter(move |bit| mask >> bit & 1 == 1).take(self.n_values.into())
    }

    pub(super) fn has_time_stamp(&self) -> bool {
        self.is_on(TIME_STAMP)
    }

    pub(super) fn has_status_byte(&self) -> bool {
        self.is_on(STATUS_BYTE)
    }

    pub(super) fn is_plugged_in(&self) -> bool {
        self.is_on(PLUGGED_IN)
    }

    pub(super) fn set_plugged_in(&mut self, is_plugged_in: bool) {
        self.switch(PLUGGED_IN, is_plugged_in);
    }

    pub(super) fn is_light_on(&self) -> bool {
        self.is_on(LIGHT_ON)
    }

    pub(super) fn actuators(&self) -> [u8; 6] {
        self.actuators
    }

    /// Presses the switch on the wrist, which changes its state.
    pub(super) fn press_switch(&mut self) {
        self.set_switch(!self.is_on(SWITCH_ON));
    }

    pub(super) fn sync(&self) -> Sync {
        match (self.is_on(BINARY_SYNC), self.is_on(TEXT_SYNC)) {
            (true, _) => Sync::Binary,
            (false, true) => Sync::Text,
            (false, false) => Sync::Off,
        }
    }

    pub(super) fn set_text_sync(&mut self, is_on: bool) {
        self.switch(TEXT_SYNC, is_on);
    }

    /// The first flag byte, which is also the status byte of a record.
    pub(super) fn status_byte(&self) -> u8 {
        self.flags[0]
    }

    /// True if the host has set a higher rate than the unit can sample.
    pub(super) fn is_too_fast(&self) -> bool {
        let ticks = self.period_ticks();
        ticks > 0.0 && ticks < TICKS_PER_SECOND / FASTEST_HZ
    }

    /// Seconds between two records of a stream. A period of zero means as fast as possible.
    pub(super) fn period_seconds(&self) -> f64 {
        (self.period_ticks() / TICKS_PER_SECOND).max(1.0 / FASTEST_HZ)
    }

    /// The bytes after the letter in the answer to a query, without the NUL; `None` for an unknown
    /// letter.
    pub(super) fn answer(&self, letter: u8) -> Option<Vec<u8>> {
        let answer = match letter {
            // Bit 0: initialised; bit 1: plugged in.
            b'G' => vec![0x01 | u8::from(self.is_plugged_in()) << 1],
            b'S' => vec![self.hardware_mask.count_ones() as u8],
            b'K' => self.hardware_mask.to_le_bytes()[..3].to_vec(),
            b'M' => self.software_mask.to_le_bytes()[..3].to_vec(),
            b'N' => vec![self.n_values],
            b'R' => vec![u8::from(self.is_on(RIGHT_HAND))],
            b'P' => self.flags.to_vec(),
            b'T' => self.period_words.iter().flat_map(|word| word.to_be_bytes()).collect(),
            b'B' => vec![self.baud_divisor],
            b'A' if self.is_on(CYBERTOUCH) => self.actuators.to_vec(),
            b'Y' => vec![u8::from(self.is_on(BINARY_SYNC))],
            // Firmware 1.1, information format 1.2, in bytes without NUL.
            b'V' => vec![0x01, 0x01, 0x01, 0x02],
            b'i' => self.information(),
            _ => vec![u8::from(self.is_on(flag_of(letter)?))],
        };
        Some(answer)
    }

    /// Applies a setting in binary form.
    pub(super) fn set(&mut self, letter: u8, parameters: &[u8]) -> Result<(), Refusal> {
        match (letter, parameters) {
            (b'N', [n_values]) if *n_values > 24 => return Err(Refusal::TooManyNumbers),
            (b'N', [n_values]) => self.n_values = *n_values,
            (b'M', [low, middle, high]) => {
                self.software_mask = u32::from_le_bytes([*low, *middle, *high, 0]);
            }
            (b'T', [w1_high, w1_low, w2_high, w2_low]) => {
                self.period_words = [
                    u16::from_be_bytes([*w1_high, *w1_low]),
                    u16::from_be_bytes([*w2_high, *w2_low]),
                ];
            }
            (b'P', [p0, p1, p2]) => {
                let wanted = [*p0, *p1, *p2];
                // The light after the switch (`W`), because the switch may change the light.
                for letter in *b"DFJQUWLY" {
                    if let Some(flag @ (byte, bit)) = flag_of(letter) {
                        self.switch(flag, wanted[byte] & bit != 0);
                    }
                }
                self.switch(TEXT_SYNC, wanted[1] & TEXT_SYNC.1 != 0);
            }
            (b'B', [divisor]) => self.baud_divisor = divisor & BAUD_BITS,
            (b'W', [value]) => self.set_switch(*value != 0),
            (b'L', [value]) => {
                self.switch(SWITCH_DRIVES_LIGHT, false);
                self.switch(LIGHT_ON, *value != 0);
            }
            (b'A', _) if !self.is_on(CYBERTOUCH) => return Err(Refusal::Unknown),
            (b'A', [0xFF, values @ ..]) if values.len() == 6 => {
                self.actuators.copy_from_slice(values);
            }
            (b'A', [_, pairs @ ..]) => {
                for pair in pairs.chunks_exact(2) {
                    let actuator = self.actuators.get_mut(usize::from(pair[0]));
                    *actuator.ok_or(Refusal::Unknown)? = pair[1];
                }
            }
            (letter, [value]) => {
                let flag = flag_of(letter).ok_or(Refusal::Unknown)?;
                self.switch(flag, *value != 0);
            }
            _ => return Err(Refusal::Unknown),
        }
        Ok(())
    }

    fn information(&self) -> Vec<u8> {
        let hand = if self.is_on(RIGHT_HAND) { "right" } else { "left" };
        let n_sensors = self.hardware_mask.count_ones();
        let name = self.model_name;
        format!("{name} emulator\r\n{n_sensors} sensors, {hand} hand\r\n").into_bytes()
    }

    fn set_switch(&mut self, is_on: bool) {
        self.switch(SWITCH_ON, is_on);
        if self.is_on(SWITCH_DRIVES_LIGHT) {
            self.switch(LIGHT_ON, is_on);
        }
    }

    fn period_ticks(&self) -> f64 {
        f64::from(self.period_words[0]) * f64::from(self.period_words[1])
    }

    fn is_on(&self, (byte, bit): (usize, u8)) -> bool {
        self.flags[byte] & bit != 0
    }

    fn switch(&mut self, (byte, bit): (usize, u8), is_on: bool) {
        if is_on {
            self.flags[byte] |= bit;
        } else {
            self.flags[byte] &= !bit;
        }
    }
}

/// The flag that a letter sets and queries. The other flags follow the hardware and cannot be set.
fn flag_of(letter: u8) -> Option<(usize, u8)> {
    match letter {
        b'D' => Some(TIME_STAMP),
        b'F' => Some(FILTER),
        b'J' => Some(SWITCH_DRIVES_LIGHT),
        b'L' => Some(LIGHT_ON),
        b'Q' => Some(QUANTISED),
        b'U' => Some(STATUS_BYTE),
        b'W' => Some(SWITCH_ON),
        b'Y' => Some(BINARY_SYNC),
        _ => None,
    }
}
