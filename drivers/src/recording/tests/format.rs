//! Tests of the bytes of a recording, of its text form and of its summary.

use super::*;
use crate::recording::codec::{ChunkEvents, checksum};
use crate::transcript::hex;

/// CRC-32 bit by bit, as the standard defines it: an independent check of the library's.
fn crc32(bytes: &[u8]) -> [u8; 4] {
    let mut register = u32::MAX;
    for byte in bytes {
        register ^= u32::from(*byte);
        for _ in 0..8 {
            register = if register & 1 == 1 { register >> 1 ^ 0xEDB8_8320 } else { register >> 1 };
        }
    }
    (!register).to_le_bytes()
}

#[test]
fn a_file_has_the_bytes_that_the_page_says() {
    let settings = hex("7F FF 7F");
    let opened = EventKind::Opened {
        device: device(1),
        kind: "cyberglove".to_owned(),
        name: "tty".to_owned(),
        settings,
    };
    let at = Duration::from_micros;
    let events = [
        Event { at: at(5), what: opened },
        Event { at: at(300), what: EventKind::Sent { device: device(1), bytes: b"S".to_vec() } },
        received(1000, 1, b"S\x01\0"),
        received(1001, 1, b"S\x02\0"),
        received(801, 31, b"ab"),
        Event {
            at: at(801),
            what: EventKind::Lost { device: device(31), reason: "gone".to_owned() },
        },
        Event { at: at(801), what: EventKind::Mark { text: "é".to_owned() } },
        Event { at: at(801), what: EventKind::Ended },
    ];
    let payload = [
        "01 05 0A 63 79 62 65 72 67 6C 6F 76 65 03 74 74 79 03 7F FF 7F", // opened
        "61 A7 02 01 53",                                                 // sent
        "21 BC 05 03 53 01 00",                                           // received
        "41 01 53 02 00",                                                 // received, again 3 bytes
        "E0 C8 01 3F 00 02 61 62",                                        // back 200, received
        "9F 00 04 67 6F 6E 65",                                           // lost
        "A0 00 02 C3 A9",                                                 // mark
        "C0 00",                                                          // ended
    ];
    let payload = hex(&payload.join(" "));
    assert_eq!(payload.len(), 0x3C);
    let head = hex("89 50 4C 50 52 0D 0A 1A 01 00 15 00 00 A8 DA 76 9B 01 00 00 \
        70 61 6C 70 61 74 65 20 30 2E 31 2E 30");
    let marked = hex("AC 00 3C");
    // The checksum of a chunk continues that of the head: it is the checksum of both in a row.
    let both = [&head[..], &marked, &payload].concat();
    let chunk_checksum = crc32(&both);
    let want = [&head[..], &crc32(&head), &marked, &chunk_checksum, &payload].concat();
    assert_eq!(written(&events), want);
}

#[test]
fn an_event_is_one_line_of_text() {
    let check = |what, want: &str| {
        let at = Duration::from_micros(12_345_678);
        assert_eq!(Event { at, what }.to_string(), format!("    12.345678 s  {want}"));
    };
    let bytes = hex("53 01 FE 00");
    check(EventKind::Received { device: device(0), bytes }, "#0 received 53 01 FE 00");
    let bytes = b"A0B2048\"\n".to_vec();
    check(EventKind::Received { device: device(2), bytes }, r#"#2 received "A0B2048\"\n""#);
    check(EventKind::Sent { device: device(31), bytes: Vec::new() }, "#31 sent nothing");
    check(
        EventKind::Opened {
            device: device(1),
            kind: "fastrak".to_owned(),
            name: "tty\n1".to_owned(),
            settings: vec![1],
        },
        r"#1 opened as fastrak on tty\n1, 01",
    );
    check(
        EventKind::Opened {
            device: device(31),
            kind: "palpate-journal".to_owned(),
            name: String::new(),
            settings: Vec::new(),
        },
        "#31 opened as palpate-journal",
    );
    check(EventKind::Lost { device: device(1), reason: "a\nb".to_owned() }, r"#1 lost: a\nb");
    check(EventKind::Mark { text: "grasp".to_owned() }, "mark: grasp");
    check(EventKind::Ended, "end");
}

#[test]
fn a_summary_has_devices_time_and_ending() {
    let at = Duration::from_micros;
    let opened = |number, kind: &str| EventKind::Opened {
        device: device(number),
        kind: kind.to_owned(),
        name: format!("port {number}"),
        settings: Vec::new(),
    };
    let mut events = vec![
        Event { at: at(1), what: opened(3, "fastrak") },
        Event { at: at(2), what: opened(0, "cyberglove") },
        received(3, 0, &[1; 24]),
        received(9_000_000, 0, &[1; 24]),
        received(8_999_999, 3, &[1; 33]),
        Event { at: at(10), what: EventKind::Sent { device: device(3), bytes: b"C".to_vec() } },
        Event { at: at(10), what: EventKind::Lost { device: device(3), reason: String::new() } },
        Event { at: at(10), what: EventKind::Mark { text: String::new() } },
    ];
    let summary =
        |events: &[Event]| RecordingReader::new(&written(events)[..]).unwrap().summary().unwrap();
    let cut = summary(&events);
    assert!(matches!(cut.ending, Ending::Cut { .. }));
    events.push(Event { at: at(11), what: EventKind::Ended });
    let whole = summary(&events);
    assert_eq!(whole.ending, Ending::Clean);
    assert_eq!((whole.n_events, whole.n_marks), (9, 1));
    assert_eq!(whole.duration, Duration::from_secs(9));
    assert_eq!(whole.header, header());
    assert_eq!((whole.n_damaged_places, whole.first_damage_at_byte), (0, None));
    let [glove, tracker] = &whole.devices[..] else { panic!("{:?}", whole.devices) };
    assert_eq!((glove.kind.as_str(), glove.name.as_str()), ("cyberglove", "port 0"));
    assert_eq!((glove.n_openings, glove.n_losses), (1, 0));
    assert_eq!((glove.n_received_bytes, glove.n_sent_bytes), (48, 0));
    assert_eq!((tracker.device, tracker.n_losses), (device(3), 1));
    assert_eq!((tracker.n_received_bytes, tracker.n_sent_bytes), (33, 1));
}

#[test]
fn a_woken_device_was_not_lost_and_one_that_was_never_found_neither() {
    let at = Duration::from_micros;
    let opened = || EventKind::Opened {
        device: device(0),
        kind: "cyberglove".to_owned(),
        name: "port".to_owned(),
        settings: Vec::new(),
    };
    let lost = |number, reason: &str| EventKind::Lost {
        device: device(number),
        reason: reason.to_owned(),
    };
    let events = [
        opened(),
        lost(0, WOKEN),
        opened(),
        lost(0, WOKEN),
        // It could not be woken.
        lost(0, "hung up"),
        opened(),
        lost(1, "cannot open"),
    ];
    let events: Vec<Event> = (1..).zip(events).map(|(n, what)| Event { at: at(n), what }).collect();
    let file = written(&events);
    let summary = RecordingReader::new(&file[..]).unwrap().summary().unwrap();
    let [glove, missing] = &summary.devices[..] else { panic!("{:?}", summary.devices) };
    assert_eq!((glove.n_openings, glove.n_losses, glove.n_wakes), (2, 1, 2));
    assert_eq!((missing.n_openings, missing.n_losses, missing.n_wakes), (0, 0, 0));
    assert_eq!(missing.kind, "");
}

#[test]
fn other_files_are_refused() {
    let check = |file: &[u8], want: &str| {
        assert_eq!(RecordingReader::new(file).expect_err("refused").to_string(), want);
    };
    let file = written(&[]);
    check(b"GIF89a and more", "this is not a recording: its first bytes are not those of one");
    let mut newer = file.clone();
    newer[8..10].copy_from_slice(&[7, 1]);
    check(&newer, "the recording has format version 263, expected at most 1");
    let mut long = file.clone();
    long[10..12].copy_from_slice(&[0xFF, 0xFF]);
    check(&long, "the head of the recording is damaged");
    for n_bytes in 0..file.len() {
        check(&file[..n_bytes], "the recording was cut at byte 0, expected an end");
    }
}

proptest! {
    /// Random payloads with a valid checksum.
    #[test]
    fn any_payload_is_events_or_malformed(payload in vec(any::<u8>(), 1..300)) {
        let mut events = ChunkEvents::new();
        let mut n_bytes = 0;
        while let Ok(Some(event)) = events.next(&payload) {
            if let EventKind::Received { bytes, .. } | EventKind::Sent { bytes, .. } = event.what {
                n_bytes += bytes.len();
            }
        }
        prop_assert!(n_bytes <= payload.len());

        let mut file = written(&[]);
        let (_, seed) = header().encode();
        let marked = [0xAC, (payload.len() >> 8) as u8, payload.len() as u8];
        file.extend_from_slice(&marked);
        file.extend_from_slice(&checksum(seed, marked, &payload).to_le_bytes());
        file.extend_from_slice(&payload);
        let (events, errors) = read(&file);
        let is_ended = events.last().is_some_and(|event| event.what == EventKind::Ended);
        prop_assert_eq!(errors.is_empty(), is_ended);
    }
}
