//! Recordings written, damaged and read back.

mod damage;
mod format;
mod writing;

use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn header() -> RecordingHeader {
    RecordingHeader { began_unix_ms: 1_767_225_600_000, program: "palpate 0.1.0".to_owned() }
}

fn device(number: u8) -> DeviceId {
    DeviceId::new(number).expect("tests use small numbers")
}

fn received(at_us: u64, number: u8, bytes: &[u8]) -> Event {
    let what = EventKind::Received { device: device(number), bytes: bytes.to_vec() };
    Event { at: Duration::from_micros(at_us), what }
}

/// Hands `events` to `writer`, and finishes the recording if they contain the end.
fn write_to<W: std::io::Write>(
    mut writer: RecordingWriter<W>,
    began: Instant,
    events: &[Event],
) -> Result<(), WriteError> {
    for Event { at, what } in events {
        let at = began + *at;
        match what {
            EventKind::Opened { device, kind, name, settings } => {
                writer.opened(at, *device, kind, name, settings)?;
            }
            EventKind::Received { device, bytes } => writer.received(at, *device, bytes)?,
            EventKind::Sent { device, bytes } => writer.sent(at, *device, bytes)?,
            EventKind::Lost { device, reason } => writer.lost(at, *device, reason)?,
            EventKind::Mark { text } => writer.mark(at, text)?,
            EventKind::Ended => return writer.finish(at),
        }
    }
    Ok(())
}

fn written(events: &[Event]) -> Vec<u8> {
    let (mut file, began) = (Vec::new(), Instant::now());
    let writer = RecordingWriter::new(&mut file, &header(), began).unwrap();
    write_to(writer, began, events).unwrap();
    file
}

/// The events in `file` and, as text, its errors.
fn read(file: &[u8]) -> (Vec<Event>, Vec<String>) {
    let (mut events, mut errors) = (Vec::new(), Vec::new());
    for item in RecordingReader::new(file).unwrap() {
        match item {
            Ok(event) => events.push(event),
            Err(error) => errors.push(error.to_string()),
        }
    }
    (events, errors)
}

fn any_what() -> impl Strategy<Value = EventKind> {
    let device = || (0..DeviceId::COUNT as u8).prop_map(device);
    let bytes = || prop_oneof![8 => vec(any::<u8>(), 0..40), 1 => vec(any::<u8>(), 3000..6000)];
    let opened = (device(), "[a-z]{0,20}", any::<String>(), vec(any::<u8>(), 0..100)).prop_map(
        |(device, kind, name, settings)| EventKind::Opened { device, kind, name, settings },
    );
    prop_oneof![
        1 => opened,
        8 => (device(), bytes()).prop_map(|(device, bytes)| EventKind::Received { device, bytes }),
        4 => (0..3_u8, vec(any::<u8>(), 24)).prop_map(|(number, bytes)| {
            EventKind::Received { device: DeviceId::new(number).expect("below 32"), bytes }
        }),
        2 => (device(), bytes()).prop_map(|(device, bytes)| EventKind::Sent { device, bytes }),
        1 => (device(), any::<String>())
            .prop_map(|(device, reason)| EventKind::Lost { device, reason }),
        1 => any::<String>().prop_map(|text| EventKind::Mark { text }),
    ]
}

/// Events of up to 20 minutes, some of them close together and some of them out of order.
fn any_events() -> impl Strategy<Value = Vec<Event>> {
    let at = prop_oneof![0..300_000_u64, 0..1_200_000_000_u64].prop_map(Duration::from_micros);
    let event = (at, any_what()).prop_map(|(at, what)| Event { at, what });
    (vec(event, 0..60), any::<bool>()).prop_map(|(mut events, is_sorted)| {
        if is_sorted {
            events.sort_by_key(|event| event.at);
        }
        events
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(mut events in any_events()) {
        events.push(Event { at: Duration::from_secs(1200), what: EventKind::Ended });
        let (got, errors) = read(&written(&events));
        prop_assert_eq!(got, events);
        prop_assert!(errors.is_empty(), "{:?}", errors);
    }

    #[test]
    fn an_unfinished_recording_reads_as_cut(events in any_events()) {
        let file = written(&events);
        let (got, errors) = read(&file);
        prop_assert_eq!(got, events);
        let length = file.len();
        let want = format!("the recording was cut at byte {length}, expected an end");
        prop_assert_eq!(errors, [want]);
    }
}
