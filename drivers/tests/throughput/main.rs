//! Every decoder is far faster than the fastest line, also where records are damaged or there are none.

mod streams;

use std::time::Instant;

use streams::{Line, SUBJECTS, Subject};

/// Bytes per second at 115200 baud, the fastest rate of the glove and of the tracker.
const LINE: f64 = 11_520.0;
/// What a serial port's chip usually gives at once: the slowest way to get bytes.
const PORTION: usize = 16;
/// A stream that is decoded within one time slice of a busy machine.
const N_RECORDS: usize = 1000;
/// More rounds are no harm: only the best counts.
const ROUNDS: usize = 20;

#[test]
fn decoding_is_a_thousand_times_faster_than_the_line() {
    // The slowest of these manages almost four thousand lines' worth in a test build.
    for subject in &SUBJECTS {
        for line in [Line::Clean, Line::Damaged, Line::Noise] {
            check(subject, line, 1000.0);
        }
    }
}

/// Decodes the stream in at most a `ratio`th of the time that it takes on the line.
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
