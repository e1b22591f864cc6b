//! Long streams of records for every decoder, clean and damaged, from independent encoders.

use std::hint::black_box;
use std::time::Instant;

use drivers::DecodeCounts;
use drivers::cyberglove::{self, HighResolutionDecoder, JumpRule, RecordShape, SensorMask, Switch};
use drivers::opengloves::{LineDecoder, OpenGloveSettings};
use drivers::polhemus::liberty::FrameDecoder;
use drivers::polhemus::output::{OutputItem, OutputList};
use drivers::polhemus::settings::{Form, Units};
use drivers::polhemus::{self, RecordFormat};

/// A decoder and the encoder of its records.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// Appends one record.
    record: fn(&mut Vec<u8>, &mut Random),
    /// Makes a new decoder.
    pub(crate) decoder: fn() -> Decode,
}

/// Takes bytes that arrived together, uses the samples, and returns the counts of all bytes until
/// now.
pub(crate) type Decode = Box<dyn FnMut(&[u8]) -> DecodeCounts>;

/// Quality of the line over which a stream comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    Clean,
    /// In one record of a hundred, one byte is lost, doubled, inserted or changed.
    Damaged,
    /// Random bytes instead of records, as at a wrong baud rate.
    Noise,
}

pub(crate) const SUBJECTS: [Subject; 8] = [
    Subject {
        name: "CyberGlove, plain",
        record: |bytes, random| glove(bytes, random, Switch::Off),
        decoder: || glove_decoder(Switch::Off),
    },
    Subject {
        name: "CyberGlove, time stamp and status",
        record: |bytes, random| glove(bytes, random, Switch::On),
        decoder: || glove_decoder(Switch::On),
    },
    Subject {
        name: "CyberGlove III, high resolution",
        record: high_resolution,
        decoder: || {
            let mut decoder = HighResolutionDecoder::default();
            let arrival = Instant::now();
            Box::new(move |bytes| {
                decoder.push(bytes, arrival, &mut |sample| look(&sample));
                decoder.counts()
            })
        },
    },
    Subject {
        name: "FASTRAK, binary",
        record: |bytes, random| {
            bytes.extend(b"01 ");
            floats(bytes, &random.pose());
            bytes.extend(b"\r\n");
        },
        decoder: || fastrak_decoder(Form::Binary, &[2, 11, 1]),
    },
    Subject {
        name: "FASTRAK, ASCII",
        record: |bytes, random| {
            let [x, y, z, q, i, j, k] = random.pose();
            let text = format!("01 {x:7.2}{y:7.2}{z:7.2}{q:7.4}{i:7.4}{j:7.4}{k:7.4}\r\n");
            bytes.extend(text.bytes());
        },
        decoder: || fastrak_decoder(Form::Ascii, &[2, 11, 1]),
    },
    Subject {
        name: "FASTRAK, packed",
        record: packed,
        decoder: || fastrak_decoder(Form::Binary, &[18, 20, 1]),
    },
    Subject {
        name: "LIBERTY",
        record: |bytes, random| {
            bytes.extend(b"LY\x01C \0\x1E\0");
            floats(bytes, &random.pose());
            bytes.extend(b"\r\n");
        },
        decoder: || {
            let mut decoder = FrameDecoder::new(Units::Inches);
            let arrival = Instant::now();
            Box::new(move |bytes| {
                decoder.push(bytes, arrival, &mut |sample| look(&sample));
                decoder.counts()
            })
        },
    },
    Subject {
        name: "OpenGloves",
        record: open_glove,
        decoder: || {
            let mut decoder = LineDecoder::new(OpenGloveSettings::default());
            let arrival = Instant::now();
            Box::new(move |bytes| {
                decoder.push(bytes, arrival, &mut |incoming| look(&incoming));
                decoder.counts()
            })
        },
    },
];

impl Subject {
    /// A stream of `n_records` records, the same in each call.
    pub(crate) fn stream(&self, n_records: usize, line: Line) -> Vec<u8> {
        let (mut bytes, mut record, mut random) = (Vec::new(), Vec::new(), Random(1));
        for number in 0..n_records {
            record.clear();
            (self.record)(&mut record, &mut random);
            match line {
                Line::Damaged if number % 100 == 50 => damage(&mut record, &mut random),
                Line::Clean | Line::Damaged => {}
                Line::Noise => record.fill_with(|| random.below(256) as u8),
            }
            bytes.extend_from_slice(&record);
        }
        bytes
    }
}

fn damage(record: &mut Vec<u8>, random: &mut Random) {
    let place = random.below(record.len() as u64) as usize;
    let byte = random.below(256) as u8;
    match random.below(4) {
        0 => drop(record.remove(place)),
        1 => record.insert(place, record[place]),
        2 => record.insert(place, byte),
        _ => record[place] ^= byte | 1,
    }
}

/// Uses a sample, so that the compiler cannot remove the decoding.
fn look<T>(sample: &T) {
    black_box(sample);
}

fn glove_shape(extras: Switch) -> RecordShape {
    RecordShape { sensors: SensorMask::GLOVE_22, time_stamp: extras, status_byte: extras }
}

fn glove_decoder(extras: Switch) -> Decode {
    let mut decoder = cyberglove::RecordDecoder::new(glove_shape(extras), JumpRule::default());
    let arrival = Instant::now();
    Box::new(move |bytes| {
        decoder.push(bytes, arrival, &mut |sample| look(&sample));
        decoder.counts()
    })
}

fn fastrak_decoder(form: Form, items: &[u8]) -> Decode {
    let items = items.iter().filter_map(|number| OutputItem::from_number(*number)).collect();
    let list = OutputList::new(items).expect("the unit accepts it");
    let format = RecordFormat::new(form, &list);
    let mut decoder = polhemus::RecordDecoder::new(&format).expect("it holds a pose");
    let arrival = Instant::now();
    Box::new(move |bytes| {
        decoder.push(bytes, arrival, &mut |incoming| look(&incoming));
        decoder.counts()
    })
}

fn glove(bytes: &mut Vec<u8>, random: &mut Random, extras: Switch) {
    let mut value = || 1 + random.below(255) as u8;
    bytes.push(b'S');
    bytes.extend((0..22).map(|_| value()));
    if extras == Switch::On {
        // No byte of the stamp is zero, so only the flag bit that is always set is needed.
        bytes.extend([0x80, value(), value(), value(), value(), 0x83]);
    }
    bytes.push(0);
}

fn high_resolution(bytes: &mut Vec<u8>, random: &mut Random) {
    let [hours, minutes, frame] = [24, 60, 90].map(|end| random.below(end));
    bytes.extend(format!("{hours:02}:{minutes:02}:07:{frame:02}:1S").bytes());
    bytes.extend((0..22).flat_map(|_| (1 + random.below(4094) as u16).to_be_bytes()));
    bytes.extend(b"\r\n\0");
}

fn floats(bytes: &mut Vec<u8>, numbers: &[f64]) {
    bytes.extend(numbers.iter().flat_map(|number| (*number as f32).to_le_bytes()));
}

/// Appends packed numbers: 14 bits per number, 7 per byte; the top bit marks the first byte of all.
fn packed(bytes: &mut Vec<u8>, random: &mut Random) {
    bytes.extend(b"01 ");
    let first = bytes.len();
    for (number, full) in random.pose().into_iter().zip([300.0, 300.0, 300.0, 1.0, 1.0, 1.0, 1.0]) {
        let count = (number / full * 8192.0).round().clamp(-8192.0, 8191.0) as i16;
        bytes.extend([(count & 0x7F) as u8, ((count >> 7) & 0x7F) as u8]);
    }
    bytes[first] |= 0x80;
    bytes.extend(b"\r\n");
}

fn open_glove(bytes: &mut Vec<u8>, random: &mut Random) {
    for key in ["A", "B", "C", "D", "E", "F", "G", "P", "(AB)", "(BB)", "(CB)", "(DB)", "(EB)"] {
        bytes.extend(format!("{key}{}", random.below(4096)).bytes());
    }
    bytes.extend(b"HJ\n");
}

/// Repeatable random numbers: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    fn number(&mut self) -> f64 {
        self.below(2_000_001) as f64 / 1e6 - 1.0
    }

    /// A position within reach, in centimetres, and a unit quaternion.
    fn pose(&mut self) -> [f64; 7] {
        let place = [0; 3].map(|_| 90.0 * self.number());
        let (tilt, turn, spin) = (self.number(), 4.0 * self.number(), 4.0 * self.number());
        let (sine, cosine) = (tilt.sin(), tilt.cos());
        let [x, y, z] = place;
        [x, y, z, cosine * turn.cos(), cosine * turn.sin(), sine * spin.cos(), sine * spin.sin()]
    }
}
