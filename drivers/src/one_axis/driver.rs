//! The driver of a one-axis device: owns the port, asks for the description, exchanges forces and
//! places.

use std::time::{Duration, Instant};

use nalgebra::{Point3, Vector3};

use super::protocol::{Incoming, OneAxisDecoder, QUESTION, force_frame};
use crate::DecodeCounts;
use crate::kinaesthetic::{KinaestheticDevice, KinaestheticProfile};
use crate::serial::{DeviceError, SerialLine};

/// Longest wait for the description.
const START: Duration = Duration::from_secs(2);
/// Wait after which the question is sent again.
const AGAIN: Duration = Duration::from_millis(300);
/// Periods that the line may need to take a force.
const PUSH_PERIODS: f64 = 5.0;
/// Bytes that one read can give, with room to spare.
const READ: usize = 1024;

/// A one-axis device that has described itself. Dropping it takes its force away.
pub struct OneAxis {
    line: SerialLine,
    decoder: OneAxisDecoder,
    profile: KinaestheticProfile,
    received: Vec<u8>,
    /// Number of places that have come since the start, also of those that a newer one overtook.
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
    fn listen(&mut self, patience: Duration) -> Result<Option<Point3<f64>>, DeviceError> {
        self.received.clear();
        self.line.read_available(&mut self.received, patience)?;
        let (mut newest, mut n_places) = (None, 0);
        self.decoder.push(&self.received, &mut |incoming| {
            if let Incoming::Place { place, .. } = incoming {
                newest = Some(Point3::new(place, 0.0, 0.0));
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

    fn newest_place(&mut self, patience: Duration) -> Result<Option<Point3<f64>>, DeviceError> {
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
        // A line that takes nothing must not hold up the loop, which would then see no place.
        let patience = self.profile.period * PUSH_PERIODS;
        let patience = Duration::try_from_secs_f64(patience).unwrap_or(START).min(START);
        self.line.write_all_within(&force_frame(force.x), patience)
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

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::io::{self, ErrorKind};
    use std::sync::mpsc::{SyncSender, sync_channel};

    use super::*;
    use crate::serial::Wire;

    /// A device that describes itself and takes no force after that.
    struct Stalling {
        answers: VecDeque<u8>,
        patience: SyncSender<Duration>,
    }

    impl Wire for Stalling {
        fn read(&mut self, into: &mut [u8], _: Duration) -> io::Result<usize> {
            let n = into.len().min(self.answers.len());
            into.iter_mut().zip(self.answers.drain(..n)).for_each(|(to, from)| *to = from);
            if n > 0 { Ok(n) } else { Err(ErrorKind::TimedOut.into()) }
        }

        fn write_all(&mut self, bytes: &[u8], timeout: Duration) -> io::Result<()> {
            if self.answers.is_empty() && bytes != force_frame(0.0) && bytes != QUESTION {
                self.patience.send(timeout).unwrap();
                return Err(ErrorKind::TimedOut.into());
            }
            Ok(())
        }
    }

    #[test]
    fn a_line_that_takes_no_force_is_an_error_after_five_periods() {
        let (to, from) = sync_channel(4);
        let text = b"one-axis 1 mass=0.1 damping=0.5 period=0.001 delay=0 force=5 slew=400\n";
        let wire = Stalling { answers: text.iter().copied().collect(), patience: to };
        let mut device = OneAxis::on(SerialLine::over(Box::new(wire), "port")).unwrap();
        let error = device.push(&Vector3::x()).unwrap_err();
        assert_eq!(error.to_string(), "port took no bytes for 5 ms");
        assert_eq!(from.try_recv(), Ok(Duration::from_millis(5)));
    }
}
