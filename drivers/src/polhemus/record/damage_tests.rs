//! Tests of the cost of one damaged byte, and of records that noise forms by chance.

use std::sync::OnceLock;

use proptest::collection::vec;
use proptest::prelude::*;

use super::sample_stream::{list, output_list, stream};
use super::*;

/// One arrival for all, so that samples can be compared.
fn arrival() -> Instant {
    static ARRIVAL: OnceLock<Instant> = OnceLock::new();
    *ARRIVAL.get_or_init(Instant::now)
}

fn decode(format: &RecordFormat, pieces: &[&[u8]]) -> (Vec<Incoming>, RecordDecoder) {
    let mut decoder = RecordDecoder::new(format).expect("the lists hold poses");
    let mut incoming = Vec::new();
    for piece in pieces {
        decoder.push(piece, arrival(), &mut |item| incoming.push(item));
    }
    (incoming, decoder)
}

#[derive(Debug, Clone, Copy)]
enum Fault {
    Lost,
    Doubled,
    Inserted(u8),
    Flipped(u8),
}

/// Any byte, or a byte that is a mark of records: these do the most harm.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![any::<u8>(), prop::sample::select(b"01234 \r\n*.-El".as_slice())]
}

fn fault() -> impl Strategy<Value = Fault> {
    let flipped = (1..=255_u8).prop_map(Fault::Flipped);
    let one_bit = (0..8_u8).prop_map(|bit| Fault::Flipped(1 << bit));
    let inserted = byte().prop_map(Fault::Inserted);
    prop_oneof![Just(Fault::Lost), Just(Fault::Doubled), inserted, flipped, one_bit]
}

fn damage(bytes: &mut Vec<u8>, place: usize, fault: Fault) {
    match fault {
        Fault::Lost => drop(bytes.remove(place)),
        Fault::Doubled => bytes.insert(place, bytes[place]),
        Fault::Inserted(byte) => bytes.insert(place, byte),
        Fault::Flipped(bits) => bytes[place] ^= bits,
    }
}

/// Bytes that begin no record; after them no earlier byte waits for more.
const FLUSH: [u8; 400] = [0; 400];

/// True if the fault damages more than the piece in which it lies.
fn spoils_more(format: &RecordFormat, pieces: &[Vec<u8>], place: usize, fault: Fault) -> bool {
    let whole: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
    let (want, _) = decode(format, &whole);
    let ends = pieces.iter().scan(0, |end, piece| {
        *end += piece.len();
        Some(*end)
    });
    let hit = ends.take_while(|end| *end <= place).count();
    let mut bytes = pieces.concat();
    damage(&mut bytes, place, fault);
    let (got, _) = decode(format, &[&bytes, &FLUSH]);
    let n_after = want.len() - hit - 1;
    let is_kept = got.len() >= want.len() - 1
        && got.len() <= want.len()
        && got[..hit] == want[..hit]
        && got[got.len() - n_after..] == want[hit + 1..];
    !is_kept
}

fn n_bytes(format: &RecordFormat, item: &Incoming) -> usize {
    match item {
        Incoming::Control(control) => control.n_bytes(),
        Incoming::Sample(sample) => {
            let list = format.lists[usize::from(sample.station) - 1].as_ref();
            let list = list.expect("a station that sends has a list");
            list.record_length(format.form, format.stylus_width)
        }
    }
}

fn longest_record(format: &RecordFormat) -> usize {
    let lists = format.lists.iter().flatten();
    let lengths = lists.map(|list| list.record_length(format.form, format.stylus_width));
    lengths.max().expect("a station has a list")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn one_fault_costs_at_most_the_record_in_which_it_lies(
        (writer, pieces) in stream(),
        place in any::<prop::sample::Index>(),
        fault in fault(),
    ) {
        let place = place.index(pieces.concat().len());
        prop_assert!(!spoils_more(&writer.format(), &pieces, place, fault));
    }

    /// A fault at every position of every stream, not only at a random one.
    #[test]
    fn no_place_is_worse_than_another(
        (writer, pieces) in stream().prop_filter("short", |(_, pieces)| pieces.len() < 4),
        fault in fault(),
    ) {
        let format = writer.format();
        for place in 0..pieces.concat().len() {
            prop_assert!(!spoils_more(&format, &pieces, place, fault), "at {}", place);
        }
    }

    #[test]
    fn every_byte_is_accounted_for(
        (writer, pieces) in stream(),
        faults in vec((any::<prop::sample::Index>(), fault()), 0..4),
        n_piece in 1..80_usize,
    ) {
        let format = writer.format();
        let mut bytes = pieces.concat();
        for (place, fault) in &faults {
            let place = place.index(bytes.len());
            damage(&mut bytes, place, *fault);
        }
        let (items, mut decoder) = decode(&format, &bytes.chunks(n_piece).collect::<Vec<_>>());
        let n_items: usize = items.iter().map(|item| n_bytes(&format, item)).sum();
        let counts = decoder.counts();
        let n_samples = items.iter().filter(|item| matches!(item, Incoming::Sample(_))).count();
        prop_assert_eq!(counts.records, n_samples as u64);
        prop_assert_eq!(
            n_items + counts.dropped_bytes as usize + decoder.n_unfinished(),
            bytes.len()
        );
        // A damaged stretch counts as its length in records, and as at least one: a line of text
        // may be as long as three short records. About one fault in a million forms a record of
        // another station with garbage before and after it.
        let n_stretches = 2 * faults.len() as u64;
        let n_by_length = counts.dropped_bytes / longest_record(&format) as u64;
        prop_assert!(counts.dropped_records <= n_stretches + n_by_length);
        prop_assert_eq!(counts.dropped_records == 0, counts.dropped_bytes == 0);
        decoder.forget_unfinished();
        prop_assert_eq!(n_items + decoder.counts().dropped_bytes as usize, bytes.len());
        prop_assert_eq!(decoder.counts().dropped_records, counts.dropped_records);
    }

    #[test]
    fn it_does_not_matter_how_bytes_arrive(
        (writer, pieces) in stream(),
        place in any::<prop::sample::Index>(),
        fault in fault(),
        n_piece in 1..80_usize,
    ) {
        let format = writer.format();
        let mut bytes = pieces.concat();
        let place = place.index(bytes.len());
        damage(&mut bytes, place, fault);
        let (whole, whole_decoder) = decode(&format, &[&bytes]);
        let (split, split_decoder) = decode(&format, &bytes.chunks(n_piece).collect::<Vec<_>>());
        prop_assert_eq!(whole, split);
        prop_assert_eq!(whole_decoder.counts(), split_decoder.counts());
        prop_assert_eq!(whole_decoder.n_unfinished(), split_decoder.n_unfinished());
    }

    /// Garbage costs no record, unless it forms one with the bytes after it: then it costs at most
    /// the first record after the garbage.
    #[test]
    fn records_after_any_garbage_are_found(
        garbage in vec(byte(), 0..600),
        (writer, pieces) in stream(),
    ) {
        let format = writer.format();
        let stream = pieces.concat();
        let (want, _) = decode(&format, &[&stream]);
        let (got, _) = decode(&format, &[&garbage, &stream, &FLUSH]);
        prop_assert!(got.ends_with(&want[1..]));
    }

    #[test]
    fn any_bytes_are_decoded_in_bounded_memory(
        items in list(),
        text in "[02][1-4 ][ElSTA ][ -~]{0,900}",
        bytes in vec(any::<u8>(), 0..900),
    ) {
        for form in [Form::Ascii, Form::Binary] {
            let format = RecordFormat::new(form, &output_list(&items).expect("a good list"));
            for input in [text.as_bytes(), &bytes] {
                let mut decoder = RecordDecoder::new(&format).expect("a list with poses");
                for piece in input.chunks(7) {
                    decoder.push(piece, arrival(), &mut |_| {});
                    prop_assert!(decoder.n_unfinished() < control::LONGEST);
                }
            }
        }
    }
}

/// Random bytes, the same in every run.
fn noise(n_bytes: usize, alphabet: Option<&[u8]>) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as usize
    };
    let byte = |number: usize| match alphabet {
        Some(alphabet) => alphabet[number % alphabet.len()],
        None => (number & 0xFF) as u8,
    };
    (0..n_bytes).map(|_| byte(next())).collect()
}

/// Number of records that a million bytes of noise form.
fn n_forged(alphabet: Option<&[u8]>, form: Form, items: &[u8]) -> usize {
    let format = RecordFormat::new(form, &output_list(items).expect("a good list"));
    decode(&format, &[&noise(1_000_000, alphabet)]).0.len()
}

#[test]
fn a_million_bytes_of_noise_forge_nothing() {
    // The chance of a record in a million bytes is 1e-6 for quaternions and 3e-6 for angles; that
    // of a control record, of which one number behind an `I` is the likeliest, is 1e-5.
    for items in [[2, 11, 1].as_slice(), &[2, 4, 1], &[2, 5, 6, 7, 1], &[18, 19, 1]] {
        for form in [Form::Ascii, Form::Binary] {
            assert_eq!(n_forged(None, form, items), 0, "{items:?}");
        }
    }
}

#[test]
fn noise_made_of_telling_bytes_forges_little() {
    // Only bytes that occur in heads, numbers and line ends: worse than a wrong baud rate. They
    // form short control records, and records of angles.
    let alphabet = b"0123 .\r\nI".as_slice();
    for (form, items, n_most) in [
        (Form::Binary, [2, 11, 1], 150),
        (Form::Ascii, [2, 11, 1], 150),
        (Form::Binary, [2, 4, 1], 250),
        (Form::Ascii, [2, 4, 1], 150),
    ] {
        let n_forged = n_forged(Some(alphabet), form, &items);
        assert!(n_forged < n_most, "{n_forged} with {items:?}");
    }
}
