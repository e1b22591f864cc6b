//! Tests of devices with lines and faults, in simulated time: every record must be counted.

use std::time::{Duration, Instant};

use super::*;
use crate::clock::ScriptClock;
use crate::cyberglove::{Glove, GloveOptions};
use crate::fastrak::{Tracker, TrackerOptions};
use crate::fault::{FaultPlan, RecordFault};
use crate::line_report::{DamageKind, LineReport};
use crate::motion::Motion;

fn options(seed: u64, faults: &[&str]) -> LineOptions {
    let faults = faults.iter().map(|text| text.parse().unwrap()).collect();
    let faults = FaultPlan::new(seed, faults).unwrap();
    LineOptions { faults, journal_capacity: 100_000, ..LineOptions::default() }
}

fn glove(seed: u64, faults: &[&str]) -> (DeviceOnLine<Glove>, Instant) {
    let start = Instant::now();
    let motion = Motion::grasp_and_squeeze();
    let glove =
        Glove::new(GloveOptions::default().lifelike(seed), motion, ScriptClock::since(start));
    (DeviceOnLine::new(glove, &options(seed, faults), start), start)
}

/// Steps the device until `end`; returns the bytes for a host that reads at once.
fn read_until<D: EmulatedDevice>(peer: &mut DeviceOnLine<D>, end: Instant) -> Vec<u8> {
    let mut received = Vec::new();
    while let Some(due) = peer.next_due().filter(|due| *due < end) {
        peer.step(due);
        received.extend(peer.queue.take());
    }
    received
}

/// Bytes of a glove's stream of `seconds`, up to the end of the last record.
fn read_stream(seed: u64, faults: &[&str], seconds: u64) -> (Vec<u8>, LineReport) {
    let (mut peer, start) = glove(seed, faults);
    peer.receive(b"S", start);
    let end = start + Duration::from_secs(seconds);
    let mut received = read_until(&mut peer, end);
    peer.receive(&[0x03], end);
    received.extend(read_until(&mut peer, end + Duration::from_secs(1)));
    let report = peer.queue.log().report.clone();
    (received, report)
}

/// Number of records with the right length and header, as a careful host counts them.
fn n_good(received: &[u8]) -> u64 {
    let pieces = received.split(|byte| *byte == 0);
    pieces.filter(|piece| piece.len() == 23 && piece[0] == b'S').count() as u64
}

#[test]
fn a_clean_line_carries_every_record() {
    let (received, report) = read_stream(1, &[], 10);
    assert_eq!((report.records_whole, report.n_damaged()), (1000, 0));
    assert_eq!(report.records_withheld.total(), 0);
    assert_eq!(n_good(&received), 1000);
    assert_eq!(report.bytes_sent, received.len() as u64);
}

/// Bytes of half a second, for an emulator whose thread runs once in every `pause`.
fn streamed_by_a_starved_thread<D: EmulatedDevice>(
    peer: &mut DeviceOnLine<D>,
    start: Instant,
    host: &[u8],
    pause: Duration,
) -> Vec<u8> {
    peer.receive(host, start);
    let mut received = Vec::new();
    let n_turns = Duration::from_millis(500).as_micros() / pause.as_micros();
    for turn in 0..=n_turns as u32 {
        peer.step(start + turn * pause);
        received.extend(peer.queue.take());
    }
    received
}

#[test]
fn a_starved_emulator_sends_every_record_late_and_as_it_would_have_been() {
    let pauses = [1, 50, 250].map(Duration::from_millis);
    let of_glove = pauses.map(|pause| {
        let (mut peer, start) = glove(3, &[]);
        let received = streamed_by_a_starved_thread(&mut peer, start, b"S", pause);
        (received, peer.queue.log().report.clone())
    });
    let of_tracker = pauses.map(|pause| {
        let start = Instant::now();
        let clock = ScriptClock::since(start);
        let tracker = Tracker::new(TrackerOptions::default(), Motion::grasp_and_squeeze(), clock);
        let mut peer = DeviceOnLine::new(tracker, &options(3, &[]), start);
        let received = streamed_by_a_starved_thread(&mut peer, start, b"uO1,2,11,1\rfC", pause);
        (received, peer.queue.log().report.clone())
    });
    for ([on_time, late @ ..], n_least) in [(of_glove, 50), (of_tracker, 59)] {
        assert_eq!(on_time.1.records_withheld.total(), 0);
        assert!(on_time.1.n_sent() >= n_least, "{}", on_time.1.n_sent());
        for (received, report) in late {
            assert_eq!(report.records_withheld.late, 0);
            // The last record may still be on its way.
            let n_common = received.len().min(on_time.0.len());
            assert!(n_common + 40 > on_time.0.len(), "{n_common} of {}", on_time.0.len());
            assert!(received[..n_common] == on_time.0[..n_common], "the same bytes");
        }
    }
}

#[test]
fn after_a_long_stop_only_the_last_second_is_sent() {
    let (mut peer, start) = glove(3, &[]);
    peer.receive(b"S", start);
    peer.step(start + Duration::from_secs(60));
    peer.queue.take();
    let report = peer.queue.log().report.clone();
    assert_eq!(report.n_sent() + report.records_withheld.total(), 6001);
    assert!((95..=101).contains(&report.n_sent()), "{report:?}");
    assert_eq!(report.records_withheld.late, report.records_withheld.total());
}

#[test]
fn the_account_adds_up_over_a_faulty_run() {
    let faults =
        ["drop:0.02", "duplicate:0.02", "insert:0.03", "text:0.01", "zero:0.02", "stall:3s@2s"];
    let (received, report) = read_stream(42, &faults, 20);
    // 2000 records were due; each was sent whole, sent damaged, or withheld.
    assert_eq!(report.n_sent() + report.records_withheld.total(), 2000);
    assert_eq!(report.records_withheld.stalled, report.records_withheld.total());
    assert!(report.records_withheld.stalled > 100, "the stall was longer than the buffer");
    assert_eq!(n_good(&received), report.records_whole);
    assert_eq!(received.len() as u64, report.bytes_sent);
    assert_eq!(report.damage.len() as u64, report.n_damaged());
    for fault in [RecordFault::DropByte, RecordFault::InsertByte, RecordFault::ZeroByte] {
        let listed = report.damage.iter().filter(|one| one.kind == DamageKind::Fault(fault));
        assert_eq!(listed.count() as u64, report.n_hit(fault));
        assert!(report.n_hit(fault) > 10, "{fault}");
    }
    let mut records: Vec<u64> = report.damage.iter().map(|damage| damage.record).collect();
    records.dedup();
    assert_eq!(records.len(), report.damage.len(), "each record is listed once");
}

#[test]
fn a_fault_touches_only_its_own_record() {
    let (mut peer, start) = glove(7, &["drop:0.1", "insert:0.1", "flip:0.1", "text:0.05"]);
    peer.receive(b"S", start);
    let received = read_until(&mut peer, start + Duration::from_secs(10));
    let log = peer.queue.log();
    // Damaged records differ from the journal; all other records must match byte by byte.
    let mut rest = received.as_slice();
    for entry in &log.journal {
        let n_bytes = rest.iter().position(|byte| *byte == 0).unwrap() + 1;
        let (record, later) = rest.split_at(n_bytes);
        assert_eq!(record == entry.bytes, entry.damage.is_none(), "record {}", entry.record);
        rest = later;
    }
    assert_eq!(log.journal.len() as u64, log.report.n_sent());
    assert!(log.report.n_damaged() > 250);
}

#[test]
fn a_lost_end_spoils_two_records_and_no_more() {
    let (received, report) = read_stream(3, &["drop-end:0.2"], 10);
    let n_lost = report.n_hit(RecordFault::DropEnd);
    assert!(n_lost > 50);
    assert_eq!(n_good(&received), 1000 - 2 * n_lost);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let faults = ["drop:0.05", "flip:0.05", "stall:100ms@every1s", "late:30ms"];
    assert_eq!(read_stream(5, &faults, 5), read_stream(5, &faults, 5));
    assert_ne!(read_stream(5, &faults, 5).0, read_stream(6, &faults, 5).0);
}

#[test]
fn devices_suffer_at_the_planned_moments() {
    let faults = ["unplugged:2s@1s", "restart@5s", "hangup:1s@9s"];
    let (mut peer, start) = glove(1, &faults);
    let at = |milliseconds| start + Duration::from_millis(milliseconds);
    let ask = |peer: &mut DeviceOnLine<Glove>, now: Instant, host: &[u8]| {
        read_until(peer, now);
        peer.receive(host, now);
        read_until(peer, now + Duration::from_millis(10))
    };
    assert_eq!(ask(&mut peer, at(900), b"?G"), b"?G\x03\0");
    assert_eq!(ask(&mut peer, at(1100), b"?G"), b"?G\x01\0");
    assert_eq!(ask(&mut peer, at(3100), b"?GN\x04"), b"?G\x03\0N\0");
    assert_eq!(ask(&mut peer, at(5100), b"?N"), b"");
    assert_eq!(ask(&mut peer, at(7000), b"?N"), b"?N\x16\0");
    assert_eq!(peer.step(at(8999)), None);
    assert_eq!(peer.step(at(9000)), Some(Duration::from_secs(1)));
}

#[test]
fn an_unplugged_receiver_and_a_wrong_station_show_in_the_trackers_records() {
    let start = Instant::now();
    let motion = Motion::named("flat").unwrap();
    let tracker = Tracker::new(TrackerOptions::default(), motion, ScriptClock::since(start));
    let options = options(2, &["unplugged:1s@1s", "station@#5"]);
    let mut peer = DeviceOnLine::new(tracker, &options, start);
    peer.receive(b"fO1,2,11,1\rC", start);
    let received = read_until(&mut peer, start + Duration::from_secs(3));
    let records: Vec<&[u8]> = received.chunks_exact(33).collect();
    assert!(records.iter().all(|record| record.ends_with(b"\r\n")));
    assert!(b"056789".contains(&records[4][1]) && records[3][1] == b'1');
    let n_unplugged = records.iter().filter(|record| record[2] == b'l').count();
    assert!((119..=121).contains(&n_unplugged), "{n_unplugged}");
    assert_eq!(records.last().unwrap()[2], b' ');
}

#[test]
fn garbage_goes_both_ways_at_the_wrong_rate() {
    let (mut peer, start) = glove(1, &[]);
    peer.set_listener(Listener::HostAtOtherBaud);
    for _ in 0..50 {
        peer.receive(b"?G?S?K", start);
    }
    let received = read_until(&mut peer, start + Duration::from_secs(3));
    assert!(!received.windows(4).any(|bytes| bytes == b"?G\x03\0"));
    assert_eq!(peer.queue.log().report.records_whole, 0);
}
