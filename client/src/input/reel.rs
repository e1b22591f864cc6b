//! One device of a recording, decoded once more: the same bytes through the same driver, as fast as they are asked for.

use std::path::Path;
use std::time::Duration;

use drivers::keeper::{Device, Keeper, Presence};
use drivers::ports::SystemPorts;
use drivers::recording::{DeviceId, RecordingError};
use drivers::replay::{ReplayClock, ReplayLines};
use drivers::{CyberGlove, OpenGlove};

use super::feed::Source;
use super::source::GloveReading;

/// One record.
pub(super) struct Decoded<R> {
    /// When it was recorded.
    pub(super) at: Duration,
    /// Which of the device's parts it is of; `None` if it is of no interest.
    pub(super) part: Option<usize>,
    /// What it says, or why it cannot be used.
    pub(super) reading: Result<R, &'static str>,
}

/// Records, one after the other.
pub(super) trait Records {
    type Reading;

    /// The next one; `None` when there are no more.
    fn next_record(&mut self) -> Option<Decoded<Self::Reading>>;
}

/// The records of a device.
pub(super) struct Reel<D: Source> {
    keeper: Keeper<D>,
    clock: ReplayClock,
}

impl<D: Source> Reel<D>
where
    D::Options: Default,
{
    /// Nothing is decoded yet.
    pub(super) fn open(file: &Path, device: DeviceId) -> Result<Self, RecordingError> {
        let clock = ReplayClock::at_once();
        let lines = ReplayLines::open(file, device, clock.clone())?;
        let path = file.display().to_string();
        // A recording says itself how its bytes are to be understood.
        let options = D::Options::default();
        let keeper = Keeper::new(&path, options, Box::new(SystemPorts), Box::new(lines));
        Ok(Self { keeper, clock })
    }
}

impl<D: Source> Records for Reel<D> {
    type Reading = D::Reading;

    fn next_record(&mut self) -> Option<Decoded<D::Reading>> {
        /// Nobody waits for a recording; this only bounds one look at it.
        const LOOK: Duration = Duration::from_millis(200);
        let sample = loop {
            match self.keeper.next_sample(LOOK) {
                Some(sample) => break sample,
                None if *self.keeper.presence() == Presence::Ended => return None,
                None => {}
            }
        };
        let device = self.keeper.device()?;
        let part = device.part(&sample);
        Some(Decoded { at: self.clock.position(), part, reading: device.reading(sample) })
    }
}

/// The records of a glove of either kind.
pub(super) enum GloveReel {
    Cyber(Reel<CyberGlove>),
    Open(Reel<OpenGlove>),
}

impl GloveReel {
    /// `None` if this kind of device is no glove.
    pub(super) fn open(
        file: &Path,
        device: DeviceId,
        kind: &str,
    ) -> Result<Option<Self>, RecordingError> {
        Ok(match kind {
            CyberGlove::KIND => Some(Self::Cyber(Reel::open(file, device)?)),
            OpenGlove::KIND => Some(Self::Open(Reel::open(file, device)?)),
            _ => None,
        })
    }
}

impl Records for GloveReel {
    type Reading = GloveReading;

    fn next_record(&mut self) -> Option<Decoded<GloveReading>> {
        match self {
            Self::Cyber(reel) => reel.next_record(),
            Self::Open(reel) => reel.next_record(),
        }
    }
}
