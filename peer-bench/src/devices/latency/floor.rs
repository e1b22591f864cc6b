//! Measures the lower bound of reading a terminal: wait for bytes, read them, read the clock.

use std::time::Instant;

use anyhow::{Context, ensure};
use emulators::SentRecord;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};

use super::DEADLINE;

/// Number of bytes of a glove's record.
const RECORD: usize = 24;

/// Time of a read, with the number of bytes read so far.
pub(super) struct Arrival {
    at: Instant,
    n_bytes: usize,
}

/// Starts the stream of the glove at `path` and reads `n_records` records.
pub(super) fn arrivals(path: &str, n_records: usize) -> anyhow::Result<Vec<Arrival>> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let port = rustix::fs::open(path, flags, Mode::empty())?;
    rustix::io::write(&port, b"S")?;
    let deadline = Timespec::try_from(DEADLINE)?;
    let (mut n_bytes, mut chunk) = (0, [0; 512]);
    let mut arrivals = Vec::with_capacity(n_records * RECORD);
    while n_bytes < n_records * RECORD {
        let n_ready = poll(&mut [PollFd::new(&port, PollFlags::IN)], Some(&deadline))?;
        ensure!(n_ready > 0, "the plain reader received nothing");
        n_bytes += rustix::io::read(&port, &mut chunk)?;
        arrivals.push(Arrival { at: Instant::now(), n_bytes });
    }
    rustix::io::write(&port, &[0x03])?;
    Ok(arrivals)
}

/// Time of each record from the terminal to the reader, in seconds.
pub(super) fn ages(arrivals: &[Arrival], journal: &[SentRecord]) -> anyhow::Result<Vec<f64>> {
    let n_read = arrivals.last().map_or(0, |arrival| arrival.n_bytes);
    let mut n_sent = 0;
    let ends = journal.iter().map(|entry| {
        n_sent += entry.bytes.len();
        (entry.sent, n_sent)
    });
    ends.take_while(|(_, end)| *end <= n_read)
        .map(|(sent, end)| {
            let arrival = &arrivals[arrivals.partition_point(|arrival| arrival.n_bytes < end)];
            let age = arrival.at.checked_duration_since(sent);
            Ok(age.context("a record was read before it was sent")?.as_secs_f64())
        })
        .collect()
}
