//! Decodes ordinary or high-resolution records, whichever the unit sends at present.

use std::time::Instant;

use crate::DecodeCounts;
use crate::cyberglove::high_resolution::{HighResolutionDecoder, HighResolutionSample};
use crate::cyberglove::record::{GloveSample, RecordDecoder};
use crate::decoded_line::Decoder;

/// A sample of either kind.
pub(super) enum Incoming {
    Sample(GloveSample),
    HighResolution(HighResolutionSample),
}

/// Kind of record that the unit sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolution {
    Ordinary,
    High,
}

pub(super) struct StreamDecoder {
    pub(super) records: RecordDecoder,
    high_resolution: HighResolutionDecoder,
    pub(super) resolution: Resolution,
}

impl StreamDecoder {
    pub(super) fn new(records: RecordDecoder) -> Self {
        let high_resolution = HighResolutionDecoder::default();
        Self { records, high_resolution, resolution: Resolution::Ordinary }
    }
}

impl Incoming {
    pub(super) fn into_sample(self) -> Option<GloveSample> {
        match self {
            Self::Sample(sample) => Some(sample),
            Self::HighResolution(_) => None,
        }
    }

    pub(super) fn into_high_resolution(self) -> Option<HighResolutionSample> {
        match self {
            Self::Sample(_) => None,
            Self::HighResolution(sample) => Some(sample),
        }
    }
}

impl Decoder for StreamDecoder {
    type Item = Incoming;

    fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(Incoming)) {
        match self.resolution {
            Resolution::Ordinary => {
                let accept = &mut |sample| accept(Incoming::Sample(sample));
                self.records.push(bytes, arrival, accept);
            }
            Resolution::High => {
                let accept = &mut |sample| accept(Incoming::HighResolution(sample));
                self.high_resolution.push(bytes, arrival, accept);
            }
        }
    }

    fn forget_unfinished(&mut self) {
        self.records.forget_unfinished();
        self.high_resolution.forget_unfinished();
    }

    fn counts(&self) -> DecodeCounts {
        let (ordinary, high) = (self.records.counts(), self.high_resolution.counts());
        DecodeCounts {
            records: ordinary.records + high.records,
            dropped_records: ordinary.dropped_records + high.dropped_records,
            dropped_bytes: ordinary.dropped_bytes + high.dropped_bytes,
        }
    }
}
