//! The bodies of the fuzz targets: one plain function each, so that a test on a stable compiler can
//! call them too. They panic if a decoder does something that no bytes may cause.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use drivers::DecodeCounts;
use drivers::cyberglove::protocol::ReplyProgress;
use drivers::cyberglove::{
    self, Feature, HighResolutionDecoder, JumpRule, Query, RecordShape, Request, SensorMask, Switch,
};
use drivers::opengloves::{LineDecoder, OpenGloveSettings};
use drivers::polhemus::liberty::FrameDecoder;
use drivers::polhemus::output::{OutputItem, OutputList};
use drivers::polhemus::settings::{Form, Units};
use drivers::polhemus::{self, RecordFormat};
use drivers::recording::{
    DeviceId, Event, EventKind, RecordingError, RecordingHeader, RecordingReader, RecordingWriter,
};

/// Decodes records of a CyberGlove. The first bytes choose the form of the records and the position
/// at which the input is split.
pub fn cyberglove_records(bytes: &[u8]) {
    let Some(([low, middle, high, form, split], bytes)) = bytes.split_first_chunk() else { return };
    let switch = |bit: u8| if form & bit == 0 { Switch::Off } else { Switch::On };
    let shape = RecordShape {
        sensors: SensorMask::from_wire([*low, *middle, *high]),
        time_stamp: switch(1),
        status_byte: switch(2),
    };
    let decode = |pieces: &[&[u8]], arrival| {
        let mut decoder = cyberglove::RecordDecoder::new(shape, JumpRule::default());
        let mut samples = Vec::new();
        for piece in pieces {
            decoder.push(piece, arrival, &mut |sample| samples.push(sample));
        }
        (samples, decoder.counts())
    };
    check_pieces(bytes, *split, decode);
}

/// Decodes high-resolution records. The first byte chooses the position at which the input is
/// split.
pub fn high_resolution_records(bytes: &[u8]) {
    let Some((split, bytes)) = bytes.split_first() else { return };
    let decode = |pieces: &[&[u8]], arrival| {
        let (mut decoder, mut samples) = (HighResolutionDecoder::default(), Vec::new());
        for piece in pieces {
            decoder.push(piece, arrival, &mut |sample| samples.push(sample));
        }
        (samples, decoder.counts())
    };
    check_pieces(bytes, *split, decode);
}

/// Decodes frames of a LIBERTY. The first byte chooses the position at which the input is split.
pub fn liberty_frames(bytes: &[u8]) {
    let Some((split, bytes)) = bytes.split_first() else { return };
    let decode = |pieces: &[&[u8]], arrival| {
        let (mut decoder, mut samples) = (FrameDecoder::new(Units::Inches), Vec::new());
        for piece in pieces {
            decoder.push(piece, arrival, &mut |sample| samples.push(sample));
        }
        (samples, decoder.counts())
    };
    check_pieces(bytes, *split, decode);
}

/// Reads replies of a CyberGlove. A complete reply stays complete when more bytes come, and a
/// mismatch stays a mismatch.
pub fn cyberglove_replies(bytes: &[u8]) {
    let queries = [
        Query::State,
        Query::HardwareMask,
        Query::Hand,
        Query::Flags,
        Query::Period,
        Query::Calibration,
        Query::Touch,
        Query::Feature(Feature::Light),
        Query::Version,
        Query::Description,
    ];
    let queries = queries.map(Request::Ask).into_iter();
    let settings = [
        Request::Abort,
        Request::Restart,
        Request::SetValueCount(22),
        Request::SetSoftwareMask(SensorMask::GLOVE_22),
        Request::Turn(Feature::TimeStamp, Switch::Off),
        Request::TouchAll([0; 6]),
    ];
    for request in queries.chain(settings) {
        check_settled(bytes, |bytes| request.read_reply(22, bytes));
    }
}

/// Decodes records of a FASTRAK. The first bytes choose the form of the records, the output list
/// and the position at which the input is split.
pub fn fastrak_records(bytes: &[u8]) {
    let Some(([form, list, split], bytes)) = bytes.split_first_chunk() else { return };
    let form = if form & 1 == 0 { Form::Binary } else { Form::Ascii };
    let lists: [&[u8]; 5] =
        [&[2, 11, 1], &[2, 4, 16, 1], &[2, 5, 6, 7, 1], &[52, 61, 1], &[18, 19, 1]];
    let items = lists[usize::from(*list) % lists.len()].iter();
    let items = items.filter_map(|number| OutputItem::from_number(*number)).collect();
    let format = RecordFormat::new(form, &OutputList::new(items).expect("it is short"));
    let decode = |pieces: &[&[u8]], arrival| {
        let mut decoder = polhemus::RecordDecoder::new(&format).expect("it has poses");
        let mut items = Vec::new();
        for piece in pieces {
            decoder.push(piece, arrival, &mut |item| items.push(item));
        }
        (items, decoder.counts())
    };
    check_pieces(bytes, *split, decode);
}

/// Decodes lines of an OpenGloves glove. The first bytes choose the full scale and the position at
/// which the input is split.
pub fn opengloves_lines(bytes: &[u8]) {
    let Some(([low, high, split], bytes)) = bytes.split_first_chunk() else { return };
    let mut settings = OpenGloveSettings::default();
    if let Ok(max_analog) = u16::from_le_bytes([*low, *high]).try_into() {
        settings.max_analog = max_analog;
    }
    let decode = |pieces: &[&[u8]], arrival| {
        let (mut decoder, mut items) = (LineDecoder::new(settings), Vec::new());
        for piece in pieces {
            decoder.push(piece, arrival, &mut |item| items.push(item));
        }
        (items, decoder.counts())
    };
    check_pieces(bytes, *split, decode);
    for sample in decode(&[bytes], Instant::now()).0.into_iter().filter_map(|i| i.into_sample()) {
        let shares = sample.curl.iter().chain(sample.joints.as_flattened()).flatten();
        assert!(shares.copied().all(|share| (0.0..=1.0).contains(&share)), "{sample:?}");
    }
}

/// Reads the bytes as a recording, then overwrites a part of a good recording with them.
pub fn recording(bytes: &[u8]) {
    if let Ok(reader) = RecordingReader::new(bytes) {
        let n_received: usize = reader
            .map(|item| match item {
                Ok(event) => match event.what {
                    EventKind::Received { bytes, .. } | EventKind::Sent { bytes, .. } => {
                        bytes.len()
                    }
                    EventKind::Opened { .. }
                    | EventKind::Lost { .. }
                    | EventKind::Mark { .. }
                    | EventKind::Ended => 0,
                },
                Err(_) => 0,
            })
            .sum();
        assert!(n_received <= bytes.len(), "{n_received} bytes out of {}", bytes.len());
    }
    let Some(([low, high], bytes)) = bytes.split_first_chunk() else { return };
    let mut file = recorded(bytes);
    let range = n_head_bytes()..file.len();
    let events: Vec<_> = read(&file).into_iter().map(|item| item.expect("it is sound")).collect();
    let from = range.start + usize::from(u16::from_le_bytes([*low, *high])) % range.len();
    let length = bytes.len().min(range.end - from);
    file[from..from + length].copy_from_slice(&bytes[..length]);
    let mut left = events.iter();
    for event in read(&file).into_iter().flatten() {
        assert!(left.any(|original| *original == event), "{event} was never written");
    }
}

/// A recording that holds `bytes` in pieces.
fn recorded(bytes: &[u8]) -> Vec<u8> {
    let (mut file, mut at) = (Vec::new(), Instant::now());
    let mut writer = writer(&mut file, at);
    for piece in bytes.chunks(7) {
        at += Duration::from_micros(u64::from(piece[0]) * 300);
        let device = DeviceId::new(piece[0] & 0x1F).expect("five bits");
        writer.received(at, device, piece).expect("memory can be written");
    }
    writer.finish(at).expect("memory can be written");
    file
}

fn n_head_bytes() -> usize {
    let mut file = Vec::new();
    drop(writer(&mut file, Instant::now()));
    file.len()
}

fn writer(file: &mut Vec<u8>, began: Instant) -> RecordingWriter<&mut Vec<u8>> {
    let header = RecordingHeader { began_unix_ms: 1, program: "fuzz".to_owned() };
    RecordingWriter::new(file, &header, began).expect("memory can be written")
}

fn read(file: &[u8]) -> Vec<Result<Event, RecordingError>> {
    RecordingReader::new(file).expect("the head is sound").collect()
}

/// Checks that splitting the input changes nothing, and that no byte is both dropped and part of a
/// record.
fn check_pieces<T: Debug + PartialEq>(
    bytes: &[u8],
    split: u8,
    decode: impl Fn(&[&[u8]], Instant) -> (Vec<T>, DecodeCounts),
) {
    let arrival = Instant::now();
    let (before, after) = bytes.split_at(usize::from(split).min(bytes.len()));
    let whole = decode(&[bytes], arrival);
    // Compared as text, because NaN is not equal to itself.
    assert_eq!(format!("{whole:?}"), format!("{:?}", decode(&[before, after], arrival)));
    let counts = whole.1;
    assert!(counts.records <= whole.0.len() as u64);
    assert!(counts.dropped_bytes + counts.records <= bytes.len() as u64, "{counts:?}");
}

fn check_settled<T: Debug + PartialEq>(bytes: &[u8], parse: impl Fn(&[u8]) -> ReplyProgress<T>) {
    let mut last = ReplyProgress::Incomplete;
    for n_bytes in 0..=bytes.len().min(32) {
        let progress = parse(&bytes[..n_bytes]);
        if !matches!(last, ReplyProgress::Incomplete | ReplyProgress::Enough(_)) {
            assert_eq!(progress, last, "after {n_bytes} bytes");
        }
        last = progress;
    }
}
