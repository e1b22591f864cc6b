//! Tests of the baud limit, of bounds and of counts, in simulated time.

use std::time::Duration;

use super::*;

const RECORD: [u8; 24] = [0x53; 24];

fn queue(baud: Option<u32>, faults: &[&str]) -> (SendQueue, Instant) {
    let faults = faults.iter().map(|text| text.parse().unwrap()).collect();
    let faults = crate::fault::FaultPlan::new(5, faults).unwrap();
    let start = Instant::now();
    let options = LineOptions { baud, faults, journal_capacity: 8, ..LineOptions::default() };
    (SendQueue::new(&options, start), start)
}

fn layout() -> Layout {
    Layout { data: 1..23, station: None }
}

/// Sends all bytes that may be sent until `end`, and returns them.
fn deliver(queue: &mut SendQueue, end: Instant) -> Vec<u8> {
    let mut delivered = Vec::new();
    while let Some(due) = queue.next_due().filter(|due| *due <= end) {
        queue.begin(due);
        delivered.extend(queue.take());
    }
    queue.begin(end);
    delivered
}

#[test]
fn records_that_do_not_fit_are_dropped_whole_and_counted() {
    let (mut queue, _) = queue(None, &[]);
    for _ in 0..300 {
        queue.record(&RECORD, &layout(), SendReason::Asked);
    }
    assert_eq!(queue.waiting().len() % RECORD.len(), 0);
    assert!(queue.waiting().len() <= CAPACITY);
    queue.take_some(queue.waiting().len());
    let report = queue.log().report.clone();
    assert_eq!(report.records_whole + report.records_withheld.unread, 300);
    assert!(report.records_withheld.unread > 0);
}

#[test]
fn bytes_take_their_time_at_the_baud_rate() {
    let (mut queue, start) = queue(Some(9600), &[]);
    for _ in 0..4 {
        queue.record(&RECORD, &layout(), SendReason::Asked);
    }
    // 96 bytes at 960 bytes per second.
    let just_before = start + Duration::from_millis(99);
    assert_eq!(deliver(&mut queue, just_before).len(), 80);
    assert_eq!(deliver(&mut queue, start + Duration::from_millis(100)).len(), 16);
    // An idle line does not save up time.
    queue.begin(start + Duration::from_secs(1));
    queue.record(&RECORD, &layout(), SendReason::Asked);
    assert!(queue.sendable().is_empty());
}

#[test]
fn a_slow_line_withholds_whole_streamed_records() {
    let (mut queue, start) = queue(Some(9600), &[]);
    let mut n_bytes = 0;
    for n_record in 0..100 {
        n_bytes += deliver(&mut queue, start + Duration::from_millis(10 * n_record)).len();
        queue.record(&RECORD, &layout(), SendReason::Streamed);
    }
    n_bytes += deliver(&mut queue, start + Duration::from_secs(2)).len();
    let report = queue.log().report.clone();
    assert_eq!(report.records_whole + report.records_withheld.slow_line, 100);
    assert_eq!(n_bytes as u64, report.records_whole * RECORD.len() as u64);
    // A second has room for 40 records; two more were in the buffer.
    assert!((39..=42).contains(&report.records_whole), "{report:?}");
}

#[test]
fn after_a_stall_the_rest_comes_at_once() {
    let (mut queue, start) = queue(Some(115_200), &[]);
    queue.stall(start + Duration::from_secs(1));
    for n_record in 0..50 {
        queue.begin(start + Duration::from_millis(10 * n_record));
        queue.record(&RECORD, &layout(), SendReason::Streamed);
    }
    assert!(deliver(&mut queue, start + Duration::from_millis(999)).is_empty());
    queue.begin(start + Duration::from_secs(1));
    assert_eq!(queue.sendable().len(), 50 * RECORD.len());
}

#[test]
fn a_full_buffer_in_a_stall_is_counted_as_such() {
    let (mut queue, start) = queue(None, &[]);
    queue.stall(start + Duration::from_secs(1));
    for _ in 0..400 {
        queue.record(&RECORD, &layout(), SendReason::Streamed);
    }
    queue.begin(start + Duration::from_secs(1));
    queue.take_some(queue.sendable().len());
    let report = queue.log().report.clone();
    assert!(report.records_withheld.stalled > 0);
    assert_eq!(report.records_whole + report.records_withheld.stalled, 400);
}

#[test]
fn late_replies_keep_their_order() {
    let (mut queue, start) = queue(None, &["late:300ms@#1"]);
    queue.reply(b"first");
    queue.reply(b"second");
    queue.record(&RECORD, &layout(), SendReason::Asked);
    assert_eq!(queue.waiting(), RECORD);
    assert_eq!(deliver(&mut queue, start + Duration::from_millis(299)), RECORD);
    assert_eq!(deliver(&mut queue, start + Duration::from_millis(300)), b"firstsecond");
}

#[test]
fn hanging_up_cuts_one_record_and_loses_the_rest() {
    let (mut queue, _) = queue(None, &[]);
    for _ in 0..3 {
        queue.record(&RECORD, &layout(), SendReason::Asked);
    }
    queue.take_some(RECORD.len() + 5);
    queue.set_listener(Listener::Absent);
    queue.record(&RECORD, &layout(), SendReason::Asked);
    let report = queue.log().report.clone();
    assert_eq!(report.records_whole, 1);
    assert_eq!(report.damage, [Damage { record: 2, kind: DamageKind::Cut, position: 5 }]);
    assert_eq!(report.records_withheld.unplugged, 2);
}

#[test]
fn a_host_at_another_rate_reads_garbage() {
    let (mut queue, _) = queue(None, &[]);
    queue.set_listener(Listener::HostAtOtherBaud);
    queue.record(&RECORD, &layout(), SendReason::Asked);
    assert_ne!(queue.waiting(), RECORD);
    queue.take_some(queue.waiting().len());
    assert_eq!(queue.log().report.records_damaged[&DamageKind::WrongBaud], 1);
}

#[test]
fn the_journal_keeps_the_newest_records_as_they_were() {
    let (mut queue, _) = queue(None, &["drop@#9"]);
    for _ in 0..10 {
        queue.record(&RECORD, &layout(), SendReason::Asked);
    }
    queue.take_some(queue.waiting().len());
    let log = queue.log();
    assert_eq!(log.journal.len(), 8);
    assert_eq!(log.journal[0].record, 3);
    assert_eq!(log.journal[6].bytes, RECORD);
    let dropped = DamageKind::Fault(crate::fault::RecordFault::DropByte);
    assert_eq!(log.journal[6].damage, Some(dropped));
    assert_eq!(log.journal[7].damage, None);
}

#[test]
fn the_journal_knows_when_a_last_byte_left() {
    let (mut queue, start) = queue(Some(9600), &[]);
    for _ in 0..2 {
        queue.record(&RECORD, &layout(), SendReason::Asked);
    }
    deliver(&mut queue, start + Duration::from_secs(1));
    // Portions of 16 bytes: the first record ends within the second, the other one with the third.
    let sent: Vec<u128> =
        queue.log().journal.iter().map(|e| (e.sent - start).as_micros()).collect();
    assert_eq!(sent, [33_333, 49_999]);
}
