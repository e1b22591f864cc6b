//! Tests of cut and damaged files: the undamaged rest is read, and no event is invented.

use super::*;

/// Events of about 20 chunks and of all kinds, with the end.
fn sample() -> Vec<Event> {
    let mut events = vec![Event {
        at: Duration::ZERO,
        what: EventKind::Opened {
            device: device(0),
            kind: "cyberglove".to_owned(),
            name: "/dev/ttyUSB0".to_owned(),
            settings: vec![0xAC; 40],
        },
    }];
    for count in 0..60_u64 {
        let at_us = count * 47_000;
        events.push(received(at_us, 0, &[0xAC; 24]));
        events.push(received(at_us.saturating_sub(500), 1, &count.to_le_bytes()));
    }
    let last = Duration::from_secs(3);
    events.push(Event { at: last, what: EventKind::Mark { text: "done".to_owned() } });
    events.push(Event { at: last, what: EventKind::Ended });
    events
}

#[test]
fn a_file_cut_anywhere_gives_what_is_before_the_cut() {
    let (events, file) = (sample(), written(&sample()));
    let n_head = written(&[]).len();
    let (mut n_events, mut n_steps) = (0, 0);
    for n_bytes in n_head..file.len() {
        let (got, errors) = read(&file[..n_bytes]);
        assert_eq!(got, events[..got.len()], "cut at {n_bytes}");
        assert!(got.len() >= n_events, "a longer file holds no less");
        assert!(got.len() < events.len(), "the end needs the last byte");
        assert_eq!(errors.len(), 1, "cut at {n_bytes}: {errors:?}");
        assert!(errors[0].starts_with("the recording was cut at byte"), "{errors:?}");
        n_steps += usize::from(got.len() > n_events);
        n_events = got.len();
    }
    assert!(n_steps >= 20, "only {n_steps} chunks");
    assert_eq!(read(&file), (events, Vec::new()));
}

/// Damages each byte in turn: the reader gives the original events without one stretch, and an
/// error at the position of that stretch.
#[test]
fn a_damaged_byte_costs_its_chunk_and_is_reported() {
    let (events, file) = (sample(), written(&sample()));
    let n_head = written(&[]).len();
    for place in 0..file.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut damaged = file.clone();
            damaged[place] ^= flip;
            let reader = match RecordingReader::new(&damaged[..]) {
                Ok(reader) => reader,
                Err(_) => {
                    assert!(place < n_head, "byte {place} is not in the head");
                    continue;
                }
            };
            assert!(place >= n_head, "byte {place} of the head does not matter");
            check_one_stretch_missing(&events, reader.collect(), place);
        }
    }
}

fn check_one_stretch_missing(
    events: &[Event],
    items: Vec<Result<Event, RecordingError>>,
    place: usize,
) {
    let n_before = items.iter().take_while(|item| item.is_ok()).count();
    let (before, rest) = items.split_at(n_before);
    let [Err(error), after @ ..] = rest else { panic!("byte {place}: no error") };
    let is_cut = match error {
        RecordingError::Damaged { from_byte, to_byte } => {
            assert!((*from_byte..*to_byte).contains(&(place as u64)), "byte {place}: {error}");
            matches!(after, [Err(RecordingError::Cut { .. })])
        }
        // Only a damaged length of the last chunk can make the file look unfinished.
        RecordingError::Cut { .. } => after.is_empty(),
        _ => panic!("byte {place}: {error}"),
    };
    let equal = |items: &[Result<Event, RecordingError>], events: &[Event]| {
        items.iter().zip(events).all(|(item, event)| item.as_ref().is_ok_and(|item| item == event))
    };
    assert!(equal(before, events), "byte {place}: wrong events before the damage");
    if is_cut {
        assert!(n_before + 12 > events.len(), "byte {place}: too much is lost");
        return;
    }
    let n_lost = events.len() - n_before - after.len();
    assert!((1..12).contains(&n_lost), "byte {place}: {n_lost} events lost");
    assert!(equal(after, &events[n_before + n_lost..]), "byte {place}: wrong events after it");
}

#[test]
fn bytes_behind_the_end_are_reported() {
    let mut file = written(&sample());
    let n_bytes = file.len();
    file.extend_from_slice(b"more");
    let (events, errors) = read(&file);
    assert_eq!(events, sample());
    let want = format!("the recording goes on at byte {n_bytes}, expected nothing after its end");
    assert_eq!(errors, [want]);
}

/// A device that sends the bytes of a recording cannot forge events, even after a chunk was
/// damaged.
#[test]
fn a_recording_within_a_damaged_recording_is_not_taken_for_it() {
    let inner = written(&sample());
    let mut outer = Vec::new();
    let began = Instant::now();
    let other = RecordingHeader { began_unix_ms: 1, ..header() };
    let writer = RecordingWriter::new(&mut outer, &other, began).unwrap();
    write_to(writer, began, &[received(0, 0, &inner)]).unwrap();
    *outer.last_mut().unwrap() ^= 1;
    let (events, errors) = read(&outer);
    assert_eq!(events, []);
    assert_eq!(errors.len(), 2, "{errors:?}");
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in vec(any::<u8>(), 0..2000)) {
        let _ = RecordingReader::new(&bytes[..]).map(Iterator::count);
        let file = [written(&[]), bytes].concat();
        let (events, errors) = read(&file);
        prop_assert_eq!(events, []);
        prop_assert!(!errors.is_empty());
    }

    /// Drops, repeats or overwrites bytes anywhere: all events that are read were written, in the
    /// same order.
    #[test]
    fn nothing_is_made_up(
        from in 0..4000_usize,
        length in 0..600_usize,
        instead in vec(prop_oneof![any::<u8>(), Just(0xAC)], 0..600),
    ) {
        let (events, mut file) = (sample(), written(&sample()));
        let n_head = written(&[]).len();
        let from = n_head + from % (file.len() - n_head);
        let to = (from + length).min(file.len());
        let is_same = file[from..to] == instead;
        file.splice(from..to, instead);
        let (got, errors) = read(&file);
        let mut left = events.iter();
        prop_assert!(got.iter().all(|event| left.any(|original| original == event)));
        prop_assert_eq!(errors.is_empty(), is_same);
    }
}
