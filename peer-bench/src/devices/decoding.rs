//! Measures bytes per second of every decoder and of the reader of recordings.

use std::time::{Duration, Instant};

use anyhow::ensure;
use drivers::recording::{DeviceId, RecordingHeader, RecordingReader, RecordingWriter};

use super::streams::{Line, SUBJECTS, Subject};
use super::verdict;
use crate::Arguments;
use benchmark::statistics::{least, timed};

/// Bytes per second at 115200 baud, the fastest rate of the glove and of the tracker.
const LINE: f64 = 11_520.0;
/// Bytes per second at 921600 baud: more than any USB adapter of such a device needs.
const FASTEST_ADAPTER: f64 = 92_160.0;
/// Smallest acceptable ratio of decoding speed to line speed.
const TARGET: f64 = 1000.0;

/// Number of records in each stream.
const N_RECORDS: usize = 20_000;
/// Largest number of bytes that the drivers read at once.
const WHOLE_READ: usize = 512;
/// Number of bytes that a serial port's chip usually delivers at once.
const PORTION: usize = 16;

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    println!(
        "\n# Decoding (MB/s), compared with a line of 115200 baud (11.52 kB/s) and an adapter of \
         921600 (92.16 kB/s); the ratios are of the slowest column\n\
         {:<34}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}  target {TARGET}",
        "", "reads 512", "reads 16", "1% damage", "noise", "/ line", "/ adapter",
    );
    let rounds = ((20.0 * arguments.rounds) as usize).max(1);
    for subject in &SUBJECTS {
        let ways = [
            (Line::Clean, WHOLE_READ),
            (Line::Clean, PORTION),
            (Line::Damaged, PORTION),
            (Line::Noise, PORTION),
        ];
        let speeds = ways.map(|(line, n_together)| decode(subject, line, n_together, rounds));
        let [whole, portions, damaged, noise] = speeds;
        print(subject.name, &[Some(whole?), Some(portions?), Some(damaged?), Some(noise?)]);
    }
    let speeds = [read_recording(Line::Clean, rounds)?, read_recording(Line::Damaged, rounds)?];
    print("recording reader", &[Some(speeds[0]), None, Some(speeds[1]), None]);
    Ok(())
}

/// Bytes per second in the best of all rounds.
fn decode(subject: &Subject, line: Line, n_together: usize, rounds: usize) -> anyhow::Result<f64> {
    let bytes = subject.stream(N_RECORDS, line);
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let mut decode = (subject.decoder)();
        let (time, n_records) = timed(|| {
            let pieces = bytes.chunks(n_together);
            pieces.map(|piece| decode(piece).records).last().unwrap_or_default()
        });
        // The first line of an OpenGlove may be incomplete.
        let n_expected = match line {
            Line::Clean => N_RECORDS - 1,
            Line::Damaged => N_RECORDS * 98 / 100,
            Line::Noise => 0,
        };
        let name = subject.name;
        ensure!(n_records >= n_expected as u64, "{name}: {n_records} records, {line:?}");
        times.push(time);
    }
    Ok(bytes.len() as f64 / least(&times))
}

fn read_recording(line: Line, rounds: usize) -> anyhow::Result<f64> {
    let file = recording(line)?;
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let (time, n_events) = timed(|| -> anyhow::Result<usize> {
            let events = RecordingReader::new(file.as_slice())?;
            Ok(events.filter(|event| std::hint::black_box(event).is_ok()).count())
        });
        // A damaged chunk loses all its events; there are two dozen in each.
        let n_expected = if line == Line::Clean { N_RECORDS } else { N_RECORDS * 3 / 4 };
        let n_events = n_events?;
        ensure!(n_events >= n_expected, "{n_events} events of a recording, {line:?}");
        times.push(time);
    }
    Ok(file.len() as f64 / least(&times))
}

/// A recording of some minutes of glove and tracker. If damaged, one byte is changed for each
/// hundred records.
fn recording(line: Line) -> anyhow::Result<Vec<u8>> {
    let header = RecordingHeader { began_unix_ms: 1, program: "bench".to_owned() };
    let (mut file, mut at) = (Vec::new(), Instant::now());
    drop(RecordingWriter::new(&mut file, &header, at)?);
    let n_head = file.len();
    file.clear();
    let mut writer = RecordingWriter::new(&mut file, &header, at)?;
    let [glove, _, _, tracker, ..] = &SUBJECTS;
    let streams = [glove, tracker].map(|subject| subject.stream(N_RECORDS / 2, Line::Clean));
    let records = streams.each_ref().map(|stream| stream.chunks(stream.len() / (N_RECORDS / 2)));
    let [gloves, trackers] = records;
    for (glove, tracker) in gloves.zip(trackers) {
        for (device, record) in [glove, tracker].into_iter().enumerate() {
            at += Duration::from_micros(4_567);
            let device = DeviceId::new(device as u8).expect("there are only two");
            writer.received(at, device, record)?;
        }
    }
    writer.finish(at)?;
    if line == Line::Damaged {
        let n_between = (file.len() - n_head) / (N_RECORDS / 100);
        file.iter_mut().skip(n_head).step_by(n_between).for_each(|byte| *byte ^= 0x10);
    }
    Ok(file)
}

fn print(name: &str, speeds: &[Option<f64>]) {
    let columns: String = speeds
        .iter()
        .map(|speed| {
            speed.map_or(format!("{:>10}", "-"), |speed| format!("{:>10.0}", 1e-6 * speed))
        })
        .collect();
    let slowest = least(&speeds.iter().copied().flatten().collect::<Vec<f64>>());
    let ratio = slowest / LINE;
    let adapter = slowest / FASTEST_ADAPTER;
    println!("{name:<34}{columns}{ratio:>10.0}{adapter:>10.0}  {}", verdict(ratio >= TARGET));
}
