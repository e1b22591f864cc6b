//! The driver of a one-axis device: owns the port, asks for the description, exchanges forces and
//! places.

use std::time::{Duration, Instant};

use nalgebra::{Point3, Vector3};

use super::protocol::{Incoming, OneAxisDecoder, QUESTION, force_frame};
use crate::DecodeCounts;
use crate::kinaesthetic::{DevicePlace, KinaestheticDevice, KinaestheticProfile};
use crate::serial::{DeviceError, SerialLine};

/// Longest wait for the description.
const START: Duration = Duration::from_secs(2);
/// Wait after which the question is sent again.
const AGAIN: Duration = Duration::from_millis(300);
/// Bytes that one read can give, with room to spare.
const READ: usize = 1024;

/// A one-axis device that has described itself. Dropping it takes its force away.
pub struct OneAxis {
    line: SerialLine,
    decoder: OneAxisDecoder,
    profile: KinaestheticProfile,
    received: Vec<u8>,
    /// Number of places since the start, and of those that were overtaken by a newer one.
    n_places: u64,
}

impl OneAxis {
    pub const BAUD: u32 = 115_200;

    /// Opens the port and asks the device for its description.
    pub fn open(path: &str) -> Result<Self, DeviceError> {
        Self::on(SerialLine::open(path, Self::BAUD)?)
    }

    /// Same as [`open`](Self::open), on a line that is open already.
    pub fn on(mut line: SerialLine) -> Result<Self, DeviceError> {
        let (mut decoder, mut received) = (OneAxisDecoder::default(), Vec::with_capacity(READ));
        // The force of a host before this one may still act.
        line.write_all(&force_frame(0.0))?;
        let deadline = Instant::now() + START;
        while Instant::now() < deadline {
            line.write_all(QUESTION)?;
            let until = Instant::now() + AGAIN;
            while Instant::now() < until {
                received.clear();
                let left = until.saturating_duration_since(Instant::now());
                line.read_available(&mut received, left)?;
                let mut profile = None;
                decoder.push(&received, &mut |incoming| {
                    if let Incoming::Profile(told) = incoming {
                        profile = Some(told);
                    }
                });
                if let Some(profile) = profile {
                    tracing::info!(path = line.path(), ?profile, "one-axis device is ready");
                    return Ok(Self { line, decoder, profile, received, n_places: 0 });
                }
            }
        }
        Err(line.no_answer("?", START))
    }

    /// Number of places that have come.
    pub fn n_places(&self) -> u64 {
        self.n_places
    }

    pub fn counts(&self) -> DecodeCounts {
        self.decoder.counts()
    }

    /// Takes the bytes that come within `patience`; the last place among them, if any.
    fn listen(&mut self, patience: Duration) -> Result<Option<DevicePlace>, DeviceError> {
        self.received.clear();
        let Some(arrival) = self.line.read_available(&mut self.received, patience)? else {
            return Ok(None);
        };
        let (mut newest, mut n_places) = (None, 0);
        self.decoder.push(&self.received, &mut |incoming| {
            if let Incoming::Place { place, .. } = incoming {
                newest = Some(DevicePlace { place: Point3::new(place, 0.0, 0.0), arrival });
                n_places += 1;
            }
        });
        self.n_places += n_places;
        Ok(newest)
    }
}

impl KinaestheticDevice for OneAxis {
    fn name(&self) -> &str {
        "one-axis device"
    }

    fn profile(&self) -> &KinaestheticProfile {
        &self.profile
    }

    fn newest_place(&mut self, patience: Duration) -> Result<Option<DevicePlace>, DeviceError> {
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // A frame may come in parts, so a read may end without a place.
            let newest = self.listen(left)?;
            if newest.is_some() || left.is_zero() {
                return Ok(newest);
            }
        }
    }

    fn push(&mut self, force: &Vector3<f64>) -> Result<(), DeviceError> {
        self.line.write_all(&force_frame(force.x))
    }
}

/// Takes the force away.
impl Drop for OneAxis {
    fn drop(&mut self) {
        if let Err(error) = self.line.write_all(&force_frame(0.0)) {
            tracing::debug!(path = self.line.path(), %error, "could not take the force away");
        }
    }
}
