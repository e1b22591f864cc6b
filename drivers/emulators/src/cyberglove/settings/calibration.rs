//! Offsets and gains that a host stores in the unit; they survive a restart.

use super::Refusal;
use crate::cyberglove::sensors::Response;
use crate::motion::N_ANGLES;

#[derive(Debug, Clone)]
pub(crate) struct StoredCalibration {
    offsets: [u8; N_ANGLES],
    gains: [u8; N_ANGLES],
}

impl StoredCalibration {
    /// The emulated wearer's own values. The unit of a stored gain is not documented; here it is
    /// 0.01 degrees per count.
    pub(crate) fn of_wearer(responses: &[Response; N_ANGLES]) -> Self {
        Self {
            offsets: responses.map(|sensor| sensor.zero_count as u8),
            gains: responses.map(|sensor| (sensor.degrees_per_count * 100.0) as u8),
        }
    }

    /// The offsets, then the gains, of the sensors at `bits`.
    pub(crate) fn answer(&self, bits: &[usize]) -> Vec<u8> {
        let offsets = bits.iter().map(|bit| self.offsets[*bit]);
        offsets.chain(bits.iter().map(|bit| self.gains[*bit])).collect()
    }

    /// Stores the parameters after the letter `C`; the values belong to the sensors at `bits`, in
    /// order.
    pub(crate) fn set(&mut self, parameters: &[u8], bits: &[usize]) -> Result<(), Refusal> {
        match parameters {
            [b'A', values @ ..] if values.len() == 2 * bits.len() => {
                let (offsets, gains) = values.split_at(bits.len());
                for ((bit, offset), gain) in bits.iter().zip(offsets).zip(gains) {
                    (self.offsets[*bit], self.gains[*bit]) = (*offset, *gain);
                }
            }
            [table @ (b'O' | b'G'), sensor, value] => {
                let bit = *bits.get(usize::from(*sensor)).ok_or(Refusal::Unknown)?;
                let table = if *table == b'O' { &mut self.offsets } else { &mut self.gains };
                table[bit] = *value;
            }
            _ => return Err(Refusal::Unknown),
        }
        Ok(())
    }
}
