//! Pacing, bounds and accounting, in simulated time.

use std::time::Duration;

use super::*;

const RECORD: [u8; 24] = [0x53; 24];

fn outbox(baud: Option<u32>, faults: &[&str]) -> (Outbox, Instant) {
    let faults = faults.iter().map(|text| text.parse().unwrap()).collect();
    let faults = crate::fault::FaultPlan::new(5, faults).unwrap();
    let start = Instant::now();
    let options = LineOptions { baud, faults, journal_capacity: 8, ..LineOptions::default() };
    (Outbox::new(&options, start), start)
}

fn layout() -> Layout {
    Layout { data: 1..23, station: None }
}

/// Sends whatever may be sent until `end`; returns the bytes.
fn deliver(outbox: &mut Outbox, end: Instant) -> Vec<u8> {
    let mut delivered = Vec::new();
    while let Some(due) = outbox.next_due().filter(|due| *due <= end) {
        outbox.begin(due);
        delivered.extend(outbox.take());
    }
    outbox.begin(end);
    delivered
}

#[test]
fn records_that_do_not_fit_are_dropped_whole_and_counted() {
    let (mut outbox, _) = outbox(None, &[]);
    for _ in 0..300 {
        outbox.record(&RECORD, &layout(), Occasion::Asked);
    }
    assert_eq!(outbox.waiting().len() % RECORD.len(), 0);
    assert!(outbox.waiting().len() <= CAPACITY);
    outbox.take_some(outbox.waiting().len());
    let report = outbox.ledger().report.clone();
    assert_eq!(report.records_whole + report.records_withheld.unread, 300);
    assert!(report.records_withheld.unread > 0);
}

#[test]
fn bytes_take_their_time_at_the_baud_rate() {
    let (mut outbox, start) = outbox(Some(9600), &[]);
    for _ in 0..4 {
        outbox.record(&RECORD, &layout(), Occasion::Asked);
    }
    // 96 bytes at 960 bytes a second.
    let just_before = start + Duration::from_millis(99);
    assert_eq!(deliver(&mut outbox, just_before).len(), 80);
    assert_eq!(deliver(&mut outbox, start + Duration::from_millis(100)).len(), 16);
    // An idle line does not save up time.
    outbox.begin(start + Duration::from_secs(1));
    outbox.record(&RECORD, &layout(), Occasion::Asked);
    assert!(outbox.sendable().is_empty());
}

#[test]
fn a_slow_line_withholds_whole_streamed_records() {
    let (mut outbox, start) = outbox(Some(9600), &[]);
    let mut n_bytes = 0;
    for n_record in 0..100 {
        n_bytes += deliver(&mut outbox, start + Duration::from_millis(10 * n_record)).len();
        outbox.record(&RECORD, &layout(), Occasion::Streamed);
    }
    n_bytes += deliver(&mut outbox, start + Duration::from_secs(2)).len();
    let report = outbox.ledger().report.clone();
    assert_eq!(report.records_whole + report.records_withheld.slow_line, 100);
    assert_eq!(n_bytes as u64, report.records_whole * RECORD.len() as u64);
    // A second has room for 40 records; two more were in the buffer.
    assert!((39..=42).contains(&report.records_whole), "{report:?}");
}

#[test]
fn after_a_stall_the_rest_comes_at_once() {
    let (mut outbox, start) = outbox(Some(115_200), &[]);
    outbox.stall(start + Duration::from_secs(1));
    for n_record in 0..50 {
        outbox.begin(start + Duration::from_millis(10 * n_record));
        outbox.record(&RECORD, &layout(), Occasion::Streamed);
    }
    assert!(deliver(&mut outbox, start + Duration::from_millis(999)).is_empty());
    outbox.begin(start + Duration::from_secs(1));
    assert_eq!(outbox.sendable().len(), 50 * RECORD.len());
}

#[test]
fn a_full_buffer_in_a_stall_is_counted_as_such() {
    let (mut outbox, start) = outbox(None, &[]);
    outbox.stall(start + Duration::from_secs(1));
    for _ in 0..400 {
        outbox.record(&RECORD, &layout(), Occasion::Streamed);
    }
    outbox.begin(start + Duration::from_secs(1));
    outbox.take_some(outbox.sendable().len());
    let report = outbox.ledger().report.clone();
    assert!(report.records_withheld.stalled > 0);
    assert_eq!(report.records_whole + report.records_withheld.stalled, 400);
}

#[test]
fn late_replies_keep_their_order() {
    let (mut outbox, start) = outbox(None, &["late:300ms@#1"]);
    outbox.reply(b"first");
    outbox.reply(b"second");
    outbox.record(&RECORD, &layout(), Occasion::Asked);
    assert_eq!(outbox.waiting(), RECORD);
    assert_eq!(deliver(&mut outbox, start + Duration::from_millis(299)), RECORD);
    assert_eq!(deliver(&mut outbox, start + Duration::from_millis(300)), b"firstsecond");
}

#[test]
fn hanging_up_cuts_one_record_and_loses_the_rest() {
    let (mut outbox, _) = outbox(None, &[]);
    for _ in 0..3 {
        outbox.record(&RECORD, &layout(), Occasion::Asked);
    }
    outbox.take_some(RECORD.len() + 5);
    outbox.set_listener(Listener::Nobody);
    outbox.record(&RECORD, &layout(), Occasion::Asked);
    let report = outbox.ledger().report.clone();
    assert_eq!(report.records_whole, 1);
    assert_eq!(report.damage, [Damage { record: 2, kind: DamageKind::Cut, position: 5 }]);
    assert_eq!(report.records_withheld.unplugged, 2);
}

#[test]
fn a_host_at_another_rate_hears_garbage() {
    let (mut outbox, _) = outbox(None, &[]);
    outbox.set_listener(Listener::DeafHost);
    outbox.record(&RECORD, &layout(), Occasion::Asked);
    assert_ne!(outbox.waiting(), RECORD);
    outbox.take_some(outbox.waiting().len());
    assert_eq!(outbox.ledger().report.records_damaged[&DamageKind::WrongBaud], 1);
}

#[test]
fn the_journal_keeps_the_newest_records_as_they_were() {
    let (mut outbox, _) = outbox(None, &["drop@#9"]);
    for _ in 0..10 {
        outbox.record(&RECORD, &layout(), Occasion::Asked);
    }
    outbox.take_some(outbox.waiting().len());
    let ledger = outbox.ledger();
    assert_eq!(ledger.journal.len(), 8);
    assert_eq!(ledger.journal[0].record, 3);
    assert_eq!(ledger.journal[6].bytes, RECORD);
    let dropped = DamageKind::Fault(crate::fault::RecordFault::DropByte);
    assert_eq!(ledger.journal[6].damage, Some(dropped));
    assert_eq!(ledger.journal[7].damage, None);
}

#[test]
fn the_journal_knows_when_a_last_byte_left() {
    let (mut outbox, start) = outbox(Some(9600), &[]);
    for _ in 0..2 {
        outbox.record(&RECORD, &layout(), Occasion::Asked);
    }
    deliver(&mut outbox, start + Duration::from_secs(1));
    // Portions of 16 bytes: the first record ends within the second, the other one with the third.
    let sent: Vec<u128> =
        outbox.ledger().journal.iter().map(|e| (e.sent - start).as_micros()).collect();
    assert_eq!(sent, [33_333, 49_999]);
}
