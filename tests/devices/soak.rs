//! Both devices for a while, on lines that do everything to them at once. `cargo xtask soak` makes
//! it long.

use std::time::{Duration, Instant};

use drivers::reconnect::{ConnectionCounts, ReconnectingDevice};
use drivers::{CyberGlove, Fastrak, TrackerOptions};
use emulators::{Emulator, RecordFault};

use crate::harness::{DEADLINE, LOOK, glove, keep, line, quick_tracker, take_rest_kept, tracker};
use crate::sample_accounting::{Judged, account, judged_glove};

/// Default duration: two hang-ups and some stalls.
const SECONDS: u64 = 15;
const VARIABLE: &str = "PALPATE_SOAK_SECONDS";

/// Every kind of harm to records that the device can have, stalls, and hang-ups.
fn faults(has_stations: bool) -> Vec<String> {
    let kinds = RecordFault::ALL
        .into_iter()
        .filter(|kind| has_stations || *kind != RecordFault::WrongStation);
    let mut faults: Vec<_> = kinds.map(|kind| format!("{kind}:0.02")).collect();
    faults.extend(["stall:250ms@every3s", "hangup:300ms@every7500ms"].map(str::to_owned));
    faults
}

/// Least time between two hang-ups.
const SOON: Duration = Duration::from_secs(3);

/// Takes samples for this duration, and ends soon after a connection was made, far from a hang-up.
///
/// Each inner list is what came without a break: a new connection or a new start of the stream
/// begins the next.
fn samples<D: Judged>(
    reconnecting: &mut ReconnectingDevice<D>,
    lasts: Duration,
) -> Vec<Vec<D::Sample>> {
    let end = Instant::now() + lasts;
    let (mut runs, mut began, mut of_run): (Vec<Vec<_>>, _, _) = (Vec::new(), end, None);
    loop {
        assert!(Instant::now() < end + DEADLINE, "{:?}", reconnecting.presence());
        let Some(sample) = reconnecting.next_sample(LOOK) else { continue };
        let ConnectionCounts { n_connections, n_wakes, .. } = reconnecting.counts();
        if of_run.replace((n_connections, n_wakes)) != Some((n_connections, n_wakes)) {
            runs.push(Vec::new());
            began = Instant::now();
        }
        let run = runs.last_mut().expect("the first sample begins a run");
        run.push(sample);
        if Instant::now() >= end && run.len() > 20 && began.elapsed() < SOON {
            return runs;
        }
    }
}

fn check<D: Judged>(emulator: &Emulator, options: D::Options, lasts: Duration) {
    let mut reconnecting = keep::<D>(emulator.path(), options);
    let mut runs = samples(&mut reconnecting, lasts);
    let rest = take_rest_kept(emulator, &mut reconnecting);
    runs.last_mut().expect("there is a first run").extend(rest);

    let (counts, report) = (reconnecting.counts(), emulator.report());
    let n_received = runs.iter().flatten().count() as u64;
    let account = account::<D>(emulator, &runs);
    let what = format!(
        "{account:?}\n{counts:?}\n{:?}\n{:?}",
        report.records_damaged, report.records_withheld
    );
    assert_eq!(counts.decoded.records, n_received, "all that was decoded was handed out: {what}");
    assert_eq!(account.n_intact + account.n_altered, n_received, "{what}");
    // Every record is accounted for: received, dropped because of damage, or sent without a reader.
    let n_outside = account.n_missed + account.n_damaged_outside;
    assert_eq!(n_received + account.n_dropped + n_outside, report.n_sent(), "{what}");
    assert!(account.n_dropped + account.n_altered <= report.n_damaged(), "{what}");
    assert!(report.n_damaged() > 0 && account.n_dropped > 0, "{what}");
    // What lies at the ends of a run may be counted or not.
    let n_at_most = account.n_counted + 2 * account.n_damaged_outside;
    assert!((account.n_counted..=n_at_most).contains(&counts.decoded.dropped_records), "{what}");
    // Each hang-up was followed by one connection.
    assert!(counts.n_connections as f64 >= lasts.as_secs_f64() / 10.0, "{what}");
    assert!(report.records_withheld.unplugged > 0, "{what}");
}

#[test]
fn of_faults_stalls_and_losses_is_accounted_for_to_the_last_record() {
    let seconds = match std::env::var(VARIABLE) {
        Ok(text) => text.parse().expect("a whole number of seconds"),
        Err(_) => SECONDS,
    };
    let lasts = Duration::from_secs(seconds);
    let plan = |has_stations| {
        let faults = faults(has_stations);
        let faults: Vec<_> = faults.iter().map(String::as_str).collect();
        emulators::LineOptions { baud: Some(115_200), ..line(&faults) }
    };
    let unit = emulators::GloveOptions { stream_hz: 120.0, ..Default::default() };
    let glove = glove(unit.lifelike(5), &plan(false));
    let receivers_cm = [Some([0.0; 3]), Some([5.0, 0.0, 0.0]), None, None];
    let unit = emulators::TrackerOptions { receivers_cm, ..quick_tracker() };
    let tracker = tracker(unit, &plan(true));
    std::thread::scope(|scope| {
        scope.spawn(|| check::<CyberGlove>(&glove, judged_glove(), lasts));
        check::<Fastrak>(&tracker, TrackerOptions::default(), lasts);
    });
}
