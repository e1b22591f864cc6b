//! Faults of single bytes at a high rate: undamaged records arrive once, in order and unchanged.

use drivers::{CyberGlove, Fastrak, TrackerOptions};
use emulators::{DamageKind, Emulator, RecordFault};

use crate::harness::{at_once, glove, line, next, start, take_rest, tracker};
use crate::sample_accounting::{Judged, account, judged_glove};

const N_SAMPLES: usize = 200;
const DROPPED_END: DamageKind = DamageKind::Fault(RecordFault::DropEnd);

/// One kind of fault in every third record; all kinds in one of two.
fn cases(kinds: &[RecordFault]) -> Vec<Vec<String>> {
    let mut cases: Vec<_> = kinds.iter().map(|kind| vec![format!("{kind}:0.33")]).collect();
    cases.push(kinds.iter().map(|kind| format!("{kind}:{}", 0.5 / kinds.len() as f64)).collect());
    cases
}

fn check<D: Judged>(emulator: &Emulator, options: &D::Options, kinds: &[String]) {
    let mut device: D = start(emulator.path(), options);
    let mut samples: Vec<_> = (0..N_SAMPLES).map(|_| next(&mut device)).collect();
    samples.extend(take_rest(emulator, &mut device));
    let (report, counts) = (emulator.report(), device.counts());
    let n_samples = samples.len() as u64;
    let is_in_order = samples.windows(2).all(|pair| D::arrival(&pair[0]) <= D::arrival(&pair[1]));
    assert!(is_in_order, "{kinds:?}: time goes on");
    assert!(report.n_damaged() >= 40, "{kinds:?}: only {} were damaged", report.n_damaged());
    assert_eq!(counts.records, n_samples, "{kinds:?}: all that was decoded was handed out");
    let account = account::<D>(emulator, &[samples]);
    let what = format!("{kinds:?}: {account:?}, {counts:?}, {:?}", report.records_damaged);
    assert_eq!(account.n_intact + account.n_altered, n_samples, "{what}");
    // Only a record that lost its end may still wait for the one that would show where it ends.
    let is_last_open = emulator.journal().last().unwrap().damage == Some(DROPPED_END);
    assert!(account.n_missed <= u64::from(is_last_open), "{what}");
    let n_damaged = account.n_dropped + account.n_damaged_outside;
    assert_eq!(n_samples + n_damaged + account.n_missed, report.n_sent(), "{what}");
    assert!(n_damaged + account.n_altered <= report.n_damaged(), "{what}");
    // Damaged records before the first sample and after the last may be counted or not yet.
    let n_at_most = account.n_counted + 2 * account.n_damaged_outside;
    assert!((account.n_counted..=n_at_most).contains(&counts.dropped_records), "{what}");
}

#[test]
fn a_glove_loses_no_more_than_the_record_in_which_the_fault_is() {
    let kinds: Vec<_> =
        RecordFault::ALL.into_iter().filter(|kind| *kind != RecordFault::WrongStation).collect();
    at_once(&cases(&kinds), |kinds| {
        let faults: Vec<_> = kinds.iter().map(String::as_str).collect();
        let options = emulators::GloveOptions { stream_hz: 120.0, ..Default::default() };
        check::<CyberGlove>(&glove(options.lifelike(3), &line(&faults)), &judged_glove(), kinds);
    });
}

#[test]
fn a_tracker_loses_no_more_than_the_record_in_which_the_fault_is() {
    at_once(&cases(&RecordFault::ALL), |kinds| {
        let faults: Vec<_> = kinds.iter().map(String::as_str).collect();
        let emulator = tracker(emulators::TrackerOptions::default(), &line(&faults));
        check::<Fastrak>(&emulator, &TrackerOptions::default(), kinds);
    });
}

/// With a third of the records damaged, neighbours are damaged too: a count of stretches would be
/// a third too low, and one of pieces between NULs up to twice too high.
#[test]
fn damaged_records_are_counted_once_each() {
    let kinds = [RecordFault::DropByte, RecordFault::ZeroByte, RecordFault::InsertByte];
    let cases = kinds.into_iter().flat_map(|kind| [("glove", kind), ("tracker", kind)]);
    at_once(&cases.collect::<Vec<_>>(), |(device, kind)| {
        let faults = line(&[&format!("{kind}:0.5")]);
        let (n_counted, report) = if *device == "glove" {
            let emulator = glove(emulators::GloveOptions::default().lifelike(3), &faults);
            let mut device: CyberGlove = start(emulator.path(), &judged_glove());
            (0..N_SAMPLES).for_each(|_| _ = next(&mut device));
            take_rest(&emulator, &mut device);
            (device.counts().dropped_records, emulator.report())
        } else {
            let emulator = tracker(emulators::TrackerOptions::default(), &faults);
            let mut device: Fastrak = start(emulator.path(), &TrackerOptions::default());
            (0..N_SAMPLES).for_each(|_| _ = next(&mut device));
            take_rest(&emulator, &mut device);
            (device.counts().dropped_records, emulator.report())
        };
        // A zero in a number of the tracker often leaves a pose; then nothing is dropped.
        let n_damaged = report.n_damaged();
        let least = if *kind == RecordFault::ZeroByte && *device == "tracker" { 0.0 } else { 0.9 };
        let share = n_counted as f64 / n_damaged as f64;
        assert!((least..=1.05).contains(&share), "{device} {kind}: {n_counted} of {n_damaged}");
    });
}
