//! Tests of the decoder with damaged records and with random bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::super::shape::MAX_PIECE;
use super::*;

/// A record's bytes, with its NUL.
type Record = Vec<u8>;

/// A fault of one byte.
#[derive(Debug, Clone)]
enum Fault {
    Drop,
    Double,
    Insert(u8),
    /// The byte changes: this number is added to it.
    Change(u8),
}

impl Fault {
    fn apply(&self, place: usize, bytes: &mut Vec<u8>) {
        match self {
            Self::Drop => drop(bytes.remove(place)),
            Self::Double => bytes.insert(place, bytes[place]),
            Self::Insert(byte) => bytes.insert(place, *byte),
            Self::Change(by) => bytes[place] = bytes[place].wrapping_add(*by),
        }
    }
}

fn faults() -> impl Strategy<Value = Fault> {
    prop_oneof![
        Just(Fault::Drop),
        Just(Fault::Double),
        // Bytes that have another meaning elsewhere are made more frequent.
        prop_oneof![any::<u8>(), select(&b"\0GSYesg"[..])].prop_map(Fault::Insert),
        (1..=255_u8).prop_map(Fault::Change),
        select(&b"GSYesg"[..]).prop_map(Fault::Change),
    ]
}

fn switches() -> impl Strategy<Value = Switch> {
    select(&[Switch::Off, Switch::On][..])
}

/// Shapes of five values or more.
fn shapes() -> impl Strategy<Value = RecordShape> {
    let sensors = any::<[u8; 3]>()
        .prop_map(|bytes| SensorMask::from_wire([bytes[0] | 0x1F, bytes[1], bytes[2]]));
    (sensors, switches(), switches()).prop_map(|(sensors, time_stamp, status_byte)| RecordShape {
        sensors,
        time_stamp,
        status_byte,
    })
}

/// A stream of records of one shape, whose values are often letters with another meaning elsewhere.
fn streams() -> impl Strategy<Value = (RecordShape, Vec<Record>)> {
    shapes().prop_flat_map(|shape| {
        let byte = prop_oneof![1..=255_u8, select(&b"GSYesg"[..])];
        let record = (
            select(&b"GSY"[..]),
            vec(byte, shape.n_bytes() - 1),
            select(&["", "", "", "es", "eg", "eseg", "eges"][..]),
        )
            .prop_map(|(header, body, pairs)| {
                [&[header], body.as_slice(), pairs.as_bytes(), &[0]].concat()
            });
        (Just(shape), vec(record, 1..7))
    })
}

/// The parts of a sample that do not depend on the time of arrival.
fn content(sample: &GloveSample) -> impl PartialEq + std::fmt::Debug + use<> {
    (sample.counts, sample.conditions, sample.ticks, sample.status)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn one_fault_costs_at_most_the_record_in_which_it_lies(
        (shape, records) in streams(),
        place in any::<Index>(),
        fault in faults(),
        n_chunk in 1..100_usize,
    ) {
        let mut bytes = records.concat();
        let place = place.index(bytes.len());
        fault.apply(place, &mut bytes);
        let mut n_before = 0;
        let damaged = records.iter().position(|record| {
            n_before += record.len();
            place < n_before
        });
        let damaged = damaged.expect("the place lies in a record");
        let chunks: Vec<&[u8]> = bytes.chunks(n_chunk).collect();
        let (got, _) = decode(shape, &chunks);

        let alone = |record: &Record| decode(shape, &[record]).0[0];
        let want: Vec<_> = records.iter().map(|record| content(&alone(record))).collect();
        let got: Vec<_> = got.iter().map(content).collect();
        prop_assert!(got.len() <= want.len(), "{fault:?} made a record");
        prop_assert!(got.len() + 1 >= want.len(), "{fault:?} cost {}", want.len() - got.len());
        prop_assert_eq!(&got[..damaged], &want[..damaged]);
        let n_after = want.len() - damaged - 1;
        prop_assert_eq!(&got[got.len() - n_after..], &want[want.len() - n_after..]);
    }

    #[test]
    fn whole_streams_are_read_whole((shape, records) in streams(), n_chunk in 1..100_usize) {
        let bytes = records.concat();
        let chunks: Vec<&[u8]> = bytes.chunks(n_chunk).collect();
        let (samples, decoder) = decode(shape, &chunks);
        let want = DecodeCounts { records: records.len() as u64, ..DecodeCounts::default() };
        prop_assert_eq!(decoder.counts(), want);
        prop_assert_eq!(samples.len(), records.len());
        for (sample, record) in samples.iter().zip(&records) {
            let values: Vec<u8> = sample.counts.iter().map(|(_, count)| count).collect();
            prop_assert_eq!(values.as_slice(), &record[1..=shape.sensors.n_sensors()]);
        }
    }

    /// All bytes are counted: as bytes of records, as dropped bytes or as unfinished ones.
    #[test]
    fn no_byte_is_lost_from_the_books(choices in vec(0..=4_u8, 0..600)) {
        // Five values and few different bytes, so that random bytes contain records.
        let shape = RecordShape::plain(SensorMask::GLOVE_22.first(5));
        let mut decoder = RecordDecoder::new(shape, JumpRule::Keep);
        let (mut n_in_records, mut n_records) = (0, 0);
        for choice in &choices {
            let mut pairs = Vec::new();
            let byte = b"\0Sesg"[usize::from(*choice)];
            decoder.push(&[byte], Instant::now(), &mut |sample| {
                let Conditions { is_plugged_in, is_too_fast } = sample.conditions;
                pairs.push(usize::from(!is_plugged_in) + usize::from(is_too_fast));
            });
            // Of two records that end at the same byte, the first had lost its NUL.
            prop_assert!(pairs.len() <= 2);
            let n_bytes = pairs.iter().map(|n_pairs| shape.n_bytes() + 2 * n_pairs);
            n_in_records += n_bytes.sum::<usize>();
            n_in_records += usize::from(!pairs.is_empty());
            n_records += pairs.len();
        }
        let counts = decoder.counts();
        prop_assert_eq!(counts.records, n_records as u64);
        let n_known = n_in_records + decoder.unfinished.n_bytes() + counts.dropped_bytes as usize;
        prop_assert_eq!(n_known, choices.len());
    }

    #[test]
    fn any_bytes_are_decoded(bytes in vec(any::<u8>(), 0..4000), shape in shapes()) {
        let (samples, decoder) = decode(shape, &[&bytes]);
        let counts = decoder.counts();
        prop_assert_eq!(counts.records, samples.len() as u64);
        prop_assert!(counts.dropped_bytes <= bytes.len() as u64);
        // Damaged records are counted by their bytes, a stretch of damage as at least one.
        prop_assert!(counts.dropped_records <= counts.dropped_bytes);
        let record_bytes = shape.n_bytes() as u64 + 1;
        prop_assert!(4 * counts.dropped_bytes <= 7 * counts.dropped_records * record_bytes);
    }

    /// Only the first record after garbage may be lost, and only if the garbage does not end in
    /// NUL.
    #[test]
    fn records_after_any_garbage_are_found(
        garbage in vec(any::<u8>(), 0..2 * MAX_PIECE),
        (shape, records) in streams(),
    ) {
        let (samples, _) = decode(shape, &[&garbage, &records.concat()]);
        let (want, _) = decode(shape, &[&records.concat()]);
        let want: Vec<_> = want.iter().map(content).collect();
        let got: Vec<_> = samples.iter().map(content).collect();
        let n_lost = usize::from(garbage.last().is_some_and(|last| *last != 0));
        prop_assert!(got.ends_with(&want[n_lost..]));
    }

    #[test]
    fn it_does_not_matter_how_bytes_arrive(
        choices in vec(0..=3_u8, 0..300),
        n_chunk in 1..40_usize,
    ) {
        let shape = RecordShape::plain(SensorMask::from_wire([1, 0, 0]));
        let bytes: Vec<u8> = choices.iter().map(|choice| b"\0GSe"[usize::from(*choice)]).collect();
        let chunks: Vec<&[u8]> = bytes.chunks(n_chunk).collect();
        let (whole, whole_decoder) = decode(shape, &[&bytes]);
        let (split, split_decoder) = decode(shape, &chunks);
        let contents = |samples: &[GloveSample]| samples.iter().map(content).collect::<Vec<_>>();
        prop_assert_eq!(contents(&whole), contents(&split));
        prop_assert_eq!(whole_decoder.counts(), split_decoder.counts());
    }
}
