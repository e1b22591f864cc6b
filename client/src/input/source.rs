//! What this program takes from each kind of device.

use std::time::Instant;

use calibration::GloveData;
use drivers::{
    Condition, CyberGlove, Fastrak, GloveSample, Hand, OpenGlove, OpenGloveSample, TrackerSample,
};

use super::feed::Source;

/// What a glove says, and on which hand it is.
#[derive(Debug, Clone)]
pub struct GloveReading {
    pub hand: Hand,
    pub data: GloveData,
    /// When its last byte arrived.
    pub arrival: Instant,
}

impl Source for CyberGlove {
    type Reading = GloveReading;
    const NAME: &'static str = "glove";

    fn describe(&self) -> String {
        let info = self.info();
        format!("CyberGlove, {} sensors, {} hand", info.n_sensors, info.hand.name())
    }

    fn reading(&self, sample: GloveSample) -> Option<Result<GloveReading, &'static str>> {
        if !sample.conditions.is_plugged_in {
            return Some(Err("the glove is not plugged into its interface unit"));
        }
        let (hand, data) = (self.info().hand, GloveData::Counts(sample.counts));
        Some(Ok(GloveReading { hand, data, arrival: sample.arrival }))
    }
}

impl Source for OpenGlove {
    type Reading = GloveReading;
    const NAME: &'static str = "glove";

    fn describe(&self) -> String {
        format!("OpenGloves glove, {} hand", self.hand().name())
    }

    fn reading(&self, sample: OpenGloveSample) -> Option<Result<GloveReading, &'static str>> {
        let (hand, arrival) = (self.hand(), sample.arrival);
        Some(Ok(GloveReading { hand, data: GloveData::Curls(sample), arrival }))
    }
}

impl Source for Fastrak {
    type Reading = TrackerSample;
    const NAME: &'static str = "tracker";

    fn describe(&self) -> String {
        let n = self.info().stations.len();
        format!("FASTRAK, {n} station{}", if n == 1 { "" } else { "s" })
    }

    fn reading(&self, sample: TrackerSample) -> Option<Result<TrackerSample, &'static str>> {
        // The wrist's receiver is the first one; others would make the hand jump.
        let wrist = self.info().stations.first().copied();
        if wrist.is_some_and(|wrist| sample.station != wrist) {
            return None;
        }
        Some(match sample.condition {
            Condition::Good | Condition::Warning(_) | Condition::Degraded(_) => Ok(sample),
            Condition::Invalid(_) => {
                Err("the tracker reports a fault; is the receiver plugged in?")
            }
        })
    }
}
