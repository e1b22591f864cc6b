//! Compares what a driver handed out with what its device sent, record by record.
//!
//! The readers here are the tests' own: each knows one shape of record, and the rules of the
//! manual.

use std::collections::HashMap;
use std::time::Instant;

use drivers::cyberglove::{Conditions, Status, Switch};
use drivers::device::Device;
use drivers::polhemus::Condition;
use drivers::{CyberGlove, Fastrak, GloveOptions, GloveSample, SensorCounts, TrackerSample};
use emulators::{DamageKind, Emulator, RecordFault, SentRecord};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

/// Expected outcome of a record.
pub(crate) enum Fate<S> {
    /// It arrives with one of these contents.
    Arrives(Vec<S>),
    /// Its form may hide the damage: it is dropped, or arrives with one of these contents.
    Doubtful(Vec<S>),
    /// It does not arrive.
    Dropped,
}

/// A device whose records can be judged.
pub(crate) trait Judged: Device<Sample: Copy + std::fmt::Debug> {
    /// Expected outcome of a record that was damaged at `position`.
    fn fate(entry: &SentRecord, position: usize) -> Fate<Self::Sample>;
    /// True if both are the same except for the time of arrival.
    fn are_same(one: &Self::Sample, other: &Self::Sample) -> bool;
    fn arrival(sample: &Self::Sample) -> Instant;
    /// Bytes of an undamaged record.
    const RECORD_BYTES: u64;
    /// Bytes that are dropped before and behind a damaged record that is handed out all the same.
    fn dropped_around(fault: RecordFault) -> [u64; 2];
}

/// What the decoder is to count as dropped, given each record of a connection and whether it was
/// handed out: for each stretch of dropped bytes its length in records, and at least one.
fn n_dropped<D: Judged>(records: &[(Option<(DamageKind, usize)>, bool)]) -> u64 {
    let (mut n_records, mut n_bytes) = (0, 0);
    let mut end = |n_bytes: u64| {
        let n = (n_bytes + D::RECORD_BYTES / 4) / D::RECORD_BYTES;
        n_records += if n_bytes > 0 { n.max(1) } else { 0 };
    };
    for (damage, is_handed_out) in records {
        let fault = match damage {
            Some((DamageKind::Fault(fault), _)) => Some(*fault),
            _ => None,
        };
        if *is_handed_out {
            let [before, behind] = fault.map_or([0, 0], D::dropped_around);
            end(n_bytes + before);
            n_bytes = behind;
            continue;
        }
        n_bytes += match fault {
            Some(RecordFault::DropByte | RecordFault::DropEnd) => D::RECORD_BYTES - 1,
            Some(RecordFault::DuplicateByte | RecordFault::InsertByte) => D::RECORD_BYTES + 1,
            Some(RecordFault::StrayText) => D::RECORD_BYTES + STRAY_TEXT_BYTES,
            Some(RecordFault::FlipBit | RecordFault::ZeroByte | RecordFault::WrongStation)
            | None => D::RECORD_BYTES,
        };
    }
    end(n_bytes);
    n_records
}

/// Bytes of the line of text that the emulators insert.
const STRAY_TEXT_BYTES: u64 = 20;

/// Outcomes of a device's records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Account {
    /// Handed out as they were sent.
    pub(crate) n_intact: u64,
    /// Handed out with damage that cannot be seen.
    pub(crate) n_altered: u64,
    /// Damaged, and not handed out.
    pub(crate) n_dropped: u64,
    /// Good, but sent without a reader: before, between and after connections.
    pub(crate) n_missed: u64,
    /// Damaged, and sent then.
    pub(crate) n_damaged_outside: u64,
    /// Dropped records that the decoders must have counted, as far as good records followed.
    pub(crate) n_counted: u64,
}

/// Follows the journal along the samples of each connection, in order. Within a connection every
/// record that is not damaged must have been handed out, exactly once.
pub(crate) fn account<D: Judged>(emulator: &Emulator, connections: &[Vec<D::Sample>]) -> Account {
    let (journal, report) = (emulator.journal(), emulator.report());
    assert_eq!(journal.len() as u64, report.n_sent(), "the journal is whole");
    let positions: HashMap<u64, usize> =
        report.damage.iter().map(|damage| (damage.record, damage.position)).collect();
    let damage = |entry: &SentRecord| Some((entry.damage?, positions[&entry.record]));
    let fate = |entry| D::fate(entry, damage(entry).map_or(0, |(_, position)| position));
    let mut account = Account::default();
    let miss = |account: &mut Account, entry| match fate(entry) {
        Fate::Arrives(_) => account.n_missed += 1,
        Fate::Doubtful(_) | Fate::Dropped => account.n_damaged_outside += 1,
    };
    let mut sent = journal.iter().peekable();
    for samples in connections.iter().filter(|samples| !samples.is_empty()) {
        while let Some(entry) = sent.next_if(|entry| !may_give::<D>(&fate(entry), &samples[0])) {
            miss(&mut account, entry);
        }
        let mut records = Vec::new();
        let mut samples = samples.iter().peekable();
        while let Some(sample) = samples.peek() {
            let entry = sent.next().unwrap_or_else(|| panic!("no device sent {sample:?}"));
            let (fate, damage) = (fate(entry), damage(entry));
            let is_handed_out = may_give::<D>(&fate, sample);
            match (fate, is_handed_out) {
                (Fate::Arrives(_), false) => panic!("{entry:?} is missing before {sample:?}"),
                (Fate::Arrives(says), true) if says.len() == 1 => account.n_intact += 1,
                (Fate::Arrives(_) | Fate::Doubtful(_), true) => account.n_altered += 1,
                (Fate::Doubtful(_) | Fate::Dropped, _) => account.n_dropped += 1,
            }
            records.push((damage, is_handed_out));
            if is_handed_out {
                samples.next();
            }
        }
        account.n_counted += n_dropped::<D>(&records);
    }
    sent.for_each(|entry| miss(&mut account, entry));
    account
}

fn may_give<D: Judged>(fate: &Fate<D::Sample>, sample: &D::Sample) -> bool {
    match fate {
        Fate::Arrives(says) | Fate::Doubtful(says) => {
            says.iter().any(|said| D::are_same(said, sample))
        }
        Fate::Dropped => false,
    }
}

/// The record with each of its bits of that byte wrong, as a line may deliver it: never with a NUL.
fn flipped(bytes: &[u8], position: usize) -> impl Iterator<Item = Vec<u8>> {
    (0..8).map(move |bit| {
        let byte = bytes[position];
        let wrong = match byte ^ 1 << bit {
            0 => byte ^ 1 << ((bit + 1) % 8),
            wrong => wrong,
        };
        let mut bytes = bytes.to_vec();
        bytes[position] = wrong;
        bytes
    })
}

/// The glove whose records are judged: 22 sensors, time stamp and status byte.
pub(crate) fn judged_glove() -> GloveOptions {
    GloveOptions { time_stamp: Switch::On, status_byte: Switch::On, ..GloveOptions::default() }
}

impl Judged for CyberGlove {
    fn fate(entry: &SentRecord, position: usize) -> Fate<GloveSample> {
        let intact = || Fate::Arrives(read_glove(&entry.bytes).into_iter().collect());
        match entry.damage {
            None => intact(),
            Some(DamageKind::Cut | DamageKind::WrongBaud) => Fate::Dropped,
            Some(DamageKind::Fault(fault)) => match fault {
                // Every length is known, so that two records show where a NUL is missing.
                RecordFault::DropEnd => intact(),
                // There is no checksum: any value is a value. But the header is one of few letters.
                RecordFault::FlipBit if position > 0 => Fate::Arrives(
                    flipped(&entry.bytes, position).filter_map(|b| read_glove(&b)).collect(),
                ),
                RecordFault::FlipBit
                | RecordFault::DropByte
                | RecordFault::DuplicateByte
                | RecordFault::InsertByte
                | RecordFault::ZeroByte
                | RecordFault::WrongStation
                | RecordFault::StrayText => Fate::Dropped,
            },
        }
    }

    fn are_same(one: &GloveSample, other: &GloveSample) -> bool {
        GloveSample { arrival: other.arrival, ..*one } == *other
    }

    fn arrival(sample: &GloveSample) -> Instant {
        sample.arrival
    }

    const RECORD_BYTES: u64 = 30;

    fn dropped_around(_fault: RecordFault) -> [u64; 2] {
        [0, 0]
    }
}

/// `None` if the record has another shape, because another program had asked for it.
fn read_glove(bytes: &[u8]) -> Option<GloveSample> {
    // Header, values, time stamp, status byte, pairs of letters, NUL.
    if !matches!(bytes.len() - 1, 29 | 31 | 33) {
        return None;
    }
    let mut slots = [0; 24];
    let bits = (0..23).filter(|bit| *bit != 7);
    for (bit, value) in bits.zip(&bytes[1..23]) {
        slots[bit] = *value;
    }
    let mut ticks = 0;
    for (place, byte) in bytes[24..28].iter().enumerate() {
        // A zero is sent as one and marked.
        let is_marked = bytes[23] >> place & 1;
        ticks |= u32::from(byte ^ is_marked) << (8 * place);
    }
    let pairs = &bytes[29..bytes.len() - 1];
    let is_plugged_in = bytes[28] & 1 == 1 && !pairs.ends_with(b"eg");
    Some(GloveSample {
        counts: SensorCounts::from_slots(slots),
        arrival: Instant::now(),
        conditions: Conditions { is_plugged_in, is_too_fast: pairs.starts_with(b"es") },
        ticks: Some(ticks),
        status: Some(Status::from_wire(bytes[28])),
    })
}

/// Position and quaternion in binary, the driver's default: 33 bytes.
impl Judged for Fastrak {
    fn fate(entry: &SentRecord, position: usize) -> Fate<TrackerSample> {
        let bytes = &entry.bytes;
        let intact = || Fate::Arrives(read_tracker(bytes).into_iter().collect());
        match entry.damage {
            None => intact(),
            Some(DamageKind::Cut | DamageKind::WrongBaud) => Fate::Dropped,
            Some(DamageKind::Fault(fault)) => match fault {
                // The record begins again with its second byte.
                RecordFault::DuplicateByte if position == 0 => intact(),
                // The text begins with a line end, which is all that the record still needs.
                RecordFault::StrayText if position == 31 => intact(),
                // One station's digit is a bit away from another's; a number may stay plausible.
                RecordFault::FlipBit if matches!(position, 1 | 3..31) => Fate::Doubtful(
                    flipped(bytes, position).filter_map(|b| read_tracker(&b)).collect(),
                ),
                RecordFault::ZeroByte => {
                    let mut zeroed = bytes.clone();
                    zeroed[position] = 0;
                    Fate::Doubtful(read_tracker(&zeroed).into_iter().collect())
                }
                RecordFault::FlipBit
                | RecordFault::DropByte
                | RecordFault::DuplicateByte
                | RecordFault::InsertByte
                | RecordFault::DropEnd
                | RecordFault::WrongStation
                | RecordFault::StrayText => Fate::Dropped,
            },
        }
    }

    fn are_same(one: &TrackerSample, other: &TrackerSample) -> bool {
        let [one_pose, other_pose] = [one, other].map(|sample| sample.source_from_sensor);
        let place = one_pose.translation.vector - other_pose.translation.vector;
        let turn = one_pose.rotation.coords - other_pose.rotation.coords;
        let source_from_sensor = other_pose;
        TrackerSample { arrival: other.arrival, source_from_sensor, ..*one } == *other
            && place.norm() < 1e-12
            && turn.norm() < 1e-12
    }

    fn arrival(sample: &TrackerSample) -> Instant {
        sample.arrival
    }

    const RECORD_BYTES: u64 = 33;

    /// The first byte may come twice. Behind a line end of the text, the rest of the text and the
    /// record's own line end are dropped.
    fn dropped_around(fault: RecordFault) -> [u64; 2] {
        match fault {
            RecordFault::DuplicateByte => [1, 0],
            RecordFault::StrayText => [0, STRAY_TEXT_BYTES],
            _ => [0, 0],
        }
    }
}

/// `None` if the record has another shape.
fn read_tracker(bytes: &[u8]) -> Option<TrackerSample> {
    if bytes.len() != 33 {
        return None;
    }
    let number = |place: usize| {
        let bytes = bytes[3 + 4 * place..].first_chunk().unwrap();
        f64::from(f32::from_le_bytes(*bytes))
    };
    let [x, y, z] = [0, 1, 2].map(|place| number(place) * 0.01);
    let [w, i, j, k] = [3, 4, 5, 6].map(number);
    let quaternion = Quaternion::new(w, i, j, k);
    let rotation = UnitQuaternion::new_unchecked(quaternion / quaternion.norm());
    let condition = match bytes[2] {
        b' ' => Condition::Good,
        b'l' => Condition::Invalid('l'),
        other => Condition::Degraded(char::from(other)),
    };
    Some(TrackerSample {
        station: bytes[1].wrapping_sub(b'0'),
        source_from_sensor: Isometry3::from_parts(Translation3::new(x, y, z), rotation),
        condition,
        stylus: None,
        arrival: Instant::now(),
    })
}
