//! Input devices: the common trait, and the readings of each kind of device.

use std::time::Instant;

use calibration::GloveData;
use drivers::device::Device;
use drivers::{
    Condition, CyberGlove, Fastrak, GloveSample, OpenGlove, OpenGloveSample, Side, TrackerSample,
};

/// An input device of this program.
pub trait InputDevice: Device {
    type Reading: Send + 'static;
    /// Name of the device for people; also the thread's name.
    const NAME: &'static str;

    /// Short description of the device.
    fn describe(&self) -> String;
    /// Index of the part to which a sample belongs; `None` for samples that are not used.
    fn part(&self, sample: &Self::Sample) -> Option<usize>;
    /// The reason why the device has no such part, if it has none.
    fn lacks(&self, part: usize) -> Option<String>;
    /// The reason why a sample is doubtful although it can be used, if it is.
    fn doubt(&self, _sample: &Self::Sample) -> Option<&'static str> {
        None
    }
    /// Converts a sample to a reading, or returns the reason why it cannot be used.
    fn reading(&self, sample: Self::Sample) -> Result<Self::Reading, &'static str>;
}

/// Reading of a glove, with its side.
#[derive(Debug, Clone)]
pub struct GloveReading {
    pub hand: Side,
    pub data: GloveData,
    /// Arrival of the last byte.
    pub arrival: Instant,
}

impl InputDevice for CyberGlove {
    type Reading = GloveReading;
    const NAME: &'static str = "glove";

    fn describe(&self) -> String {
        let info = self.info();
        format!("CyberGlove, {} sensors, {} hand", info.n_sensors, info.hand.name())
    }

    fn part(&self, _sample: &GloveSample) -> Option<usize> {
        Some(0)
    }

    fn lacks(&self, _part: usize) -> Option<String> {
        None
    }

    fn reading(&self, sample: GloveSample) -> Result<GloveReading, &'static str> {
        if !sample.conditions.is_plugged_in {
            return Err("the glove is not plugged into its interface unit");
        }
        let (hand, data) = (self.info().hand, GloveData::Counts(sample.counts));
        Ok(GloveReading { hand, data, arrival: sample.arrival })
    }
}

impl InputDevice for OpenGlove {
    type Reading = GloveReading;
    const NAME: &'static str = "glove";

    fn describe(&self) -> String {
        format!("OpenGloves glove, {} hand", self.hand().name())
    }

    fn part(&self, _sample: &OpenGloveSample) -> Option<usize> {
        Some(0)
    }

    fn lacks(&self, _part: usize) -> Option<String> {
        None
    }

    fn reading(&self, sample: OpenGloveSample) -> Result<GloveReading, &'static str> {
        let (hand, arrival) = (self.hand(), sample.arrival);
        Ok(GloveReading { hand, data: GloveData::Curls(sample), arrival })
    }
}

impl InputDevice for Fastrak {
    type Reading = TrackerSample;
    const NAME: &'static str = "tracker";

    fn describe(&self) -> String {
        let n = self.info().stations.len();
        format!("FASTRAK, {n} station{}", if n == 1 { "" } else { "s" })
    }

    /// Each receiver is on a wrist of its own: the first station's on the first hand, and so on.
    /// Mixed-up receivers would make a hand jump.
    fn part(&self, sample: &TrackerSample) -> Option<usize> {
        self.info().stations.iter().position(|station| *station == sample.station)
    }

    fn lacks(&self, part: usize) -> Option<String> {
        let n = self.info().stations.len();
        (part >= n).then(|| {
            let station = if n == 1 { "only one station is" } else { "too few stations are" };
            format!(
                "{station} on; plug in a receiver for each hand and switch it on, or name a \
                 --second-tracker"
            )
        })
    }

    /// Poses at the edge of the tracker's reach, or with a lesser fault, still move the hand.
    fn doubt(&self, sample: &TrackerSample) -> Option<&'static str> {
        match sample.condition {
            Condition::Degraded(_) => sample.condition.fault(),
            Condition::Good | Condition::Warning(_) | Condition::Invalid(_) => None,
        }
    }

    fn reading(&self, sample: TrackerSample) -> Result<TrackerSample, &'static str> {
        match sample.condition {
            Condition::Good | Condition::Warning(_) | Condition::Degraded(_) => Ok(sample),
            Condition::Invalid(_) => {
                Err("the tracker reports a fault; is the receiver plugged in?")
            }
        }
    }
}
