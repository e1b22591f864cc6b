//! Tests of the decoder: lines from the encoding's web page, damaged lines and random bytes.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::opengloves::Buttons;

fn decode(pieces: &[&[u8]]) -> (Vec<Incoming>, LineDecoder) {
    decode_at(Instant::now(), pieces)
}

fn decode_at(arrival: Instant, pieces: &[&[u8]]) -> (Vec<Incoming>, LineDecoder) {
    let mut decoder = LineDecoder::new(OpenGloveSettings::default());
    let mut items = Vec::new();
    for piece in pieces {
        decoder.push(piece, arrival, &mut |item| items.push(item));
    }
    (items, decoder)
}

/// The samples in `text`, which begins with a whole line.
fn samples(text: &str) -> Vec<OpenGloveSample> {
    let (items, _) = decode(&[b"\n", text.as_bytes()]);
    items.into_iter().filter_map(Incoming::into_sample).collect()
}

fn only_sample(text: &str) -> OpenGloveSample {
    let samples = samples(text);
    assert_eq!(samples.len(), 1, "{text:?}");
    samples[0]
}

#[test]
fn the_pages_line_is_read() {
    for end in ["\n", "\r\n"] {
        let sample = only_sample(&format!("A0B2048C2048D1024E4095F2047G2047IL{end}"));
        let full = 4095.0;
        let want = [0.0, 2048.0 / full, 2048.0 / full, 1024.0 / full, 1.0].map(Some);
        assert_eq!(sample.curl, want);
        assert_eq!(sample.joystick, [Some(2.0 * (2047.0 / full) - 1.0); 2]);
        let buttons = Buttons { trigger: true, grab: true, ..Buttons::default() };
        assert_eq!(sample.buttons, buttons);
        assert_eq!((sample.splay, sample.joints), ([None; 5], [[None; 4]; 5]));
        assert_eq!(sample.trigger, None);
    }
}

#[test]
fn each_key_has_its_place() {
    let line = "(AB)0(EB)4095(CB)1365P4095(AAA)0(EAD)4095(BAC)819E0HIJKLMNO\n";
    let sample = only_sample(line);
    let third = Some(2.0 * (1365.0 / 4095.0) - 1.0);
    assert_eq!(sample.splay, [Some(-1.0), None, third, None, Some(1.0)]);
    assert_eq!(sample.trigger, Some(1.0));
    let mut joints = [[None; 4]; 5];
    (joints[0][0], joints[1][2], joints[4][3]) = (Some(0.0), Some(0.2), Some(1.0));
    assert_eq!(sample.joints, joints);
    let all = Buttons {
        joystick: true,
        trigger: true,
        a: true,
        b: true,
        grab: true,
        pinch: true,
        menu: true,
        calibrate: true,
    };
    assert_eq!(sample.buttons, all);
    assert_eq!(sample.flexion(4, 3), Some(1.0), "the joint's own");
    assert_eq!(sample.flexion(4, 0), Some(0.0), "the finger's");
    assert_eq!(sample.flexion(3, 0), None);
    assert_eq!((sample.flexion(5, 0), sample.flexion(0, 4)), (None, None));
}

#[test]
fn each_button_has_its_letter() {
    let check = |letter, want| assert_eq!(only_sample(&format!("A0{letter}\n")).buttons, want);
    let none = Buttons::default();
    check("", none);
    check("H", Buttons { joystick: true, ..none });
    check("I", Buttons { trigger: true, ..none });
    check("J", Buttons { a: true, ..none });
    check("K", Buttons { b: true, ..none });
    check("L", Buttons { grab: true, ..none });
    check("M", Buttons { pinch: true, ..none });
    check("N", Buttons { menu: true, ..none });
    check("O", Buttons { calibrate: true, ..none });
}

#[test]
fn odd_lines_are_read_as_far_as_they_make_sense() {
    let thumb = |text| only_sample(text).curl[0];
    assert_eq!(thumb("A9999B0\n"), Some(1.0), "clamped");
    assert_eq!(thumb("A99999999999999999999B0\n"), Some(1.0), "clamped, with more digits than fit");
    assert_eq!(thumb("A1B0A4095\n"), Some(1.0), "the last one wins");
    assert_eq!(thumb("A4095AB0\n"), Some(1.0), "a key without a value takes none away");
    assert_eq!(thumb("AB0\n"), None, "a key without a value");
    assert_eq!(thumb("Q7A4095(QQQQ)1X(A)0(AC)2\n"), Some(1.0), "unknown keys");
    let other_scale =
        OpenGloveSettings { max_analog: 1023.try_into().unwrap(), ..Default::default() };
    let mut decoder = LineDecoder::new(other_scale);
    let mut curls = Vec::new();
    decoder.push(b"\nA1023B341\n", Instant::now(), &mut |item| {
        curls.extend(item.into_sample().map(|sample| sample.curl));
    });
    assert_eq!(curls, [[Some(1.0), Some(341.0 / 1023.0), None, None, None]]);
}

#[test]
fn what_is_no_line_of_a_glove_is_dropped_and_counted() {
    let check = |line: &str, want: DecodeCounts| {
        let (items, decoder) = decode(&[b"\n", line.as_bytes(), b"\n"]);
        assert_eq!(items, [], "{line}");
        assert_eq!(decoder.counts(), want, "{line}");
    };
    let bytes = |n: usize| DecodeCounts { dropped_bytes: 1 + n as u64, ..Default::default() };
    check("", bytes(1));
    check("\r", bytes(2));
    let long = "A1".repeat(MAX_LINE);
    for line in [
        "ets Jun  8 2016 00:22:57",
        "rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)",
        "READY",
        "HIL",
        "12A3",
        "A1.5",
        "A-1",
        "A1 B2",
        "A1(AB2048",
        "A1()2",
        "A1)2",
        "A1\0",
        "A1é",
        long.as_str(),
    ] {
        check(line, DecodeCounts { dropped_records: 1, ..bytes(line.len() + 1) });
    }
}

#[test]
fn the_first_line_counts_only_if_it_is_an_answer() {
    let (items, decoder) = decode(&[b"B2048C2048\nA4095\n"]);
    assert_eq!(items.len(), 1);
    let want = DecodeCounts { records: 1, dropped_records: 0, dropped_bytes: 11 };
    assert_eq!(decoder.counts(), want);
    let (items, mut decoder) = decode(&[b"Z(ZV)5(ZG)0(ZH)1\n"]);
    let info =
        OpenGloveInfo { firmware_version: Some(5), device_type: Some(0), hand: Some(Side::Right) };
    assert_eq!(items, [Incoming::Info(info)]);
    decoder.forget_unfinished();
    let mut n_items = 0;
    decoder.push(b"A1\nA1\n", Instant::now(), &mut |_| n_items += 1);
    assert_eq!(n_items, 1, "what was thrown away may have cut a line");
}

#[test]
fn answers_are_read_as_far_as_they_go() {
    let check = |line: &str, firmware_version, device_type, hand| {
        let (items, _) = decode(&[line.as_bytes(), b"\n"]);
        let info = OpenGloveInfo { firmware_version, device_type, hand };
        assert_eq!(items, [Incoming::Info(info)], "{line}");
    };
    check("Z", None, None, None);
    check("(ZH)0", None, None, Some(Side::Left));
    check("(ZH)2(ZX)1(ZV)12\r", Some(12), None, None);
    let (items, decoder) = decode(&[b"\nA4095(ZV)3\n"]);
    assert!(matches!(items[..], [Incoming::Info(_), Incoming::Sample(_)]), "{items:?}");
    assert_eq!(decoder.counts().records, 1);
}

fn line_of(curls: &[u16; 5]) -> String {
    let [a, b, c, d, e] = curls;
    format!("A{a}B{b}C{c}D{d}E{e}F2047G2047IL\n")
}

/// A fault of one byte.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Lost,
    Doubled,
    Became(u8),
}

fn any_fault() -> impl Strategy<Value = Fault> {
    prop_oneof![Just(Fault::Lost), Just(Fault::Doubled), any::<u8>().prop_map(Fault::Became)]
}

proptest! {
    #[test]
    fn any_bytes_are_decoded_in_bounded_memory(bytes in vec(any::<u8>(), 0..4000)) {
        let (items, decoder) = decode(&[&bytes]);
        prop_assert!(decoder.unfinished.capacity() <= 2 * MAX_LINE);
        let n_samples = items.into_iter().filter_map(Incoming::into_sample).count();
        let counts = decoder.counts();
        prop_assert_eq!(counts.records, n_samples as u64);
        prop_assert!(counts.dropped_bytes + 3 * counts.records <= bytes.len() as u64);
    }

    /// Only bytes of the encoding, so that random bytes contain valid lines.
    #[test]
    fn values_stay_within_their_ranges(text in "\n[A-EF-GPZ0-9()\n]{0,300}\n") {
        for sample in samples(&text) {
            let fingers = sample.curl.iter().chain(sample.joints.as_flattened());
            let shares = fingers.chain([&sample.trigger]);
            prop_assert!(shares.flatten().all(|share| (0.0..=1.0).contains(share)));
            let signed = sample.splay.iter().chain(&sample.joystick);
            prop_assert!(signed.flatten().all(|share| (-1.0..=1.0).contains(share)));
        }
    }

    #[test]
    fn it_does_not_matter_how_bytes_arrive(text in "[AZL0-1()\n]{0,200}", n_piece in 1..40_usize) {
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(n_piece).collect();
        let arrival = Instant::now();
        let (whole, whole_decoder) = decode_at(arrival, &[text.as_bytes()]);
        let (split, split_decoder) = decode_at(arrival, &pieces);
        prop_assert_eq!(whole, split);
        prop_assert_eq!(whole_decoder.counts(), split_decoder.counts());
    }

    /// All lines before and after the damaged one are read. A lost line end costs two lines,
    /// because the decoder cannot distinguish two lines from a long one.
    #[test]
    fn a_fault_costs_only_its_line(
        curls in vec(any::<[u16; 5]>(), 3..8),
        place in any::<prop::sample::Index>(),
        fault in any_fault(),
    ) {
        let lines: Vec<String> = curls.iter().map(line_of).collect();
        let mut bytes: Vec<u8> = lines.concat().into_bytes();
        let place = place.index(bytes.len());
        let damaged = bytes[..place].iter().filter(|byte| **byte == b'\n').count();
        let is_kept = matches!(fault, Fault::Doubled | Fault::Became(b'\n'));
        let is_merged = bytes[place] == b'\n' && !is_kept;
        match fault {
            Fault::Lost => { bytes.remove(place); }
            Fault::Doubled => bytes.insert(place, bytes[place]),
            Fault::Became(byte) => bytes[place] = byte,
        }
        let (items, _) = decode(&[b"\n", &bytes]);
        let got: Vec<_> = items
            .into_iter()
            .filter_map(Incoming::into_sample)
            .map(|sample| sample.curl)
            .collect();
        let share = |number: u16| Some((f32::from(number) / 4095.0).min(1.0));
        let want: Vec<_> = curls.iter().map(|curls| curls.map(share)).collect();
        let n_damaged = if is_merged { 2 } else { 1 };
        let after = want.get(damaged + n_damaged..).unwrap_or(&[]);
        prop_assert!(got.starts_with(&want[..damaged]));
        prop_assert!(got.ends_with(after));
        // A byte that became a line end splits its line in two.
        prop_assert!(got.len() <= want.len() + 1);
    }
}
