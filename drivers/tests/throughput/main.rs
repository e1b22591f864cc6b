//! Tests that every decoder is far faster than the fastest line, for good, damaged and no records.

mod streams;

use std::time::Instant;

use streams::{Line, SUBJECTS, Subject};

/// Bytes per second at 115200 baud, the fastest rate of the glove and of the tracker.
const LINE: f64 = 11_520.0;
/// Bytes per piece, as usual for the chip of a serial port: small pieces are the slowest.
const PORTION: usize = 16;
/// Records per stream; a decoder needs less than one time slice of a busy machine for them.
const N_RECORDS: usize = 1000;
/// Number of rounds, of which only the fastest counts.
const ROUNDS: usize = 20;

#[test]
fn decoding_is_a_thousand_times_faster_than_the_line() {
    // The slowest decoder reaches almost 4000 times the line in a test build.
    for subject in &SUBJECTS {
        for line in [Line::Clean, Line::Damaged, Line::Noise] {
            check(subject, line, 1000.0);
        }
    }
}

/// Checks that the stream is decoded `ratio` times as fast as the line can carry it.
fn check(subject: &Subject, line: Line, ratio: f64) {
    let bytes = subject.stream(N_RECORDS, line);
    let best = (0..ROUNDS).map(|_| seconds(subject, &bytes)).fold(f64::INFINITY, f64::min);
    let got = bytes.len() as f64 / best / LINE;
    assert!(got >= ratio, "{}, {line:?}: {got:.0} times the line, not {ratio}", subject.name);
}

fn seconds(subject: &Subject, bytes: &[u8]) -> f64 {
    let mut decode = (subject.decoder)();
    let start = Instant::now();
    for piece in bytes.chunks(PORTION) {
        decode(piece);
    }
    start.elapsed().as_secs_f64()
}
