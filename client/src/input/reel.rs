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
    has_ended: bool,
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
        Ok(Self { keeper, clock, has_ended: false })
    }
}

impl<D: Source> Records for Reel<D> {
    type Reading = D::Reading;

    fn next_record(&mut self) -> Option<Decoded<D::Reading>> {
        /// All is due at once: only a device that was opened again, or the end, takes a while.
        const LOOK: Duration = Duration::from_millis(20);
        let sample = loop {
            // A keeper looks for more as long as it may: whoever asks often must not ask in vain.
            if self.has_ended {
                return None;
            }
            match self.keeper.next_sample(LOOK) {
                Some(sample) => break sample,
                None => self.has_ended = *self.keeper.presence() == Presence::Ended,
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
