//! A reconnecting device gets its device back after silence, restarts and losses, in the ways that
//! it states.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use drivers::line_source::{ConnectionEvent, LineSource, OpenedLine, SystemLines};
use drivers::polhemus::settings::StylusMode;
use drivers::ports::{Adapter, PortInfo};
use drivers::reconnect::{ConnectionCounts, Presence, ReconnectingDevice};
use drivers::serial::SerialLine;
use drivers::{Condition, CyberGlove, DeviceError, Fastrak, TrackerOptions};
use emulators::{DeviceEvent, Emulator, ErrorReport, PlugName};

use crate::harness::{
    LOOK, Sockets, at_once, glove, keep, keep_on, keep_until, late_then_live, line, live, lost,
    quick_tracker, take_rest_kept, tracker, until,
};
use crate::sample_accounting::{Account, Judged, account, judged_glove};

/// Longer than any test.
const FOR_EVER: Duration = Duration::from_secs(3600);

/// Fails unless the device was woken on its line. On a busy machine it may be woken twice.
fn check_woken<D: Judged>(reconnecting: &ReconnectingDevice<D>) {
    let (n_connections, n_wakes) = n_connections_and_wakes(reconnecting);
    assert!(n_connections == 1 && n_wakes >= 1, "{n_connections} connections, {n_wakes} wakes");
}

fn n_connections_and_wakes<D: Judged>(reconnecting: &ReconnectingDevice<D>) -> (u64, u64) {
    let ConnectionCounts { n_connections, n_wakes, .. } = reconnecting.counts();
    (n_connections, n_wakes)
}

#[test]
fn a_stalled_line_is_late_and_then_gives_all_that_was_held_up() {
    fn check<D: Judged>(emulator: &Emulator, options: D::Options) {
        let mut reconnecting = keep::<D>(emulator.path(), options);
        let mut samples = live(&mut reconnecting, 50);
        samples.extend(late_then_live(&mut reconnecting));
        samples.extend(take_rest_kept(emulator, &mut reconnecting));
        let n_samples = samples.len() as u64;
        assert!(samples.windows(2).all(|pair| D::arrival(&pair[0]) <= D::arrival(&pair[1])));
        // Each record once: a value is never repeated to bridge the gap.
        let want = Account { n_intact: n_samples, ..Account::default() };
        assert_eq!(account::<D>(emulator, &[samples]), want);
        assert_eq!(emulator.report().records_withheld.stalled, 0, "its buffer held them");
        assert_eq!(n_connections_and_wakes(&reconnecting), (1, 0), "nothing had to be done");
    }
    let faults = line(&["stall:400ms@every2500ms"]);
    at_once(&["glove", "tracker"], |device| match *device {
        "glove" => check::<CyberGlove>(&glove(Default::default(), &faults), judged_glove()),
        _ => check::<Fastrak>(&tracker(quick_tracker(), &faults), TrackerOptions::default()),
    });
}

#[test]
fn a_device_that_fell_silent_is_woken() {
    at_once(
        &[SilentBy::Stylus, SilentBy::Power(1750), SilentBy::Power(100)],
        |reason| match reason {
            SilentBy::Stylus => check_stopped_by_stylus(),
            SilentBy::Power(restart_ms) => check_glove_without_power(*restart_ms),
        },
    );
}

#[derive(Debug)]
enum SilentBy {
    /// Of the tracker: pressed, it stops a stream.
    Stylus,
    /// Of the glove: it starts again, as slowly as a real one or before it is missed.
    Power(u64),
}

fn check_stopped_by_stylus() {
    let emulator = tracker(quick_tracker(), &line(&[]));
    let options = TrackerOptions { stylus: StylusMode::PointTrack, ..TrackerOptions::default() };
    let mut reconnecting = keep::<Fastrak>(emulator.path(), options);
    let mut samples = live(&mut reconnecting, 20);
    emulator.happen(DeviceEvent::StylusPressed);
    samples.extend(late_then_live(&mut reconnecting));
    check_woken(&reconnecting);
    samples.extend(take_rest_kept(&emulator, &mut reconnecting));
    let want = Account { n_intact: samples.len() as u64, ..Account::default() };
    assert_eq!(account::<Fastrak>(&emulator, &[samples]), want);
}

fn check_glove_without_power(restart_ms: u64) {
    let restart = Duration::from_millis(restart_ms);
    let unit = emulators::GloveOptions { restart, ..Default::default() };
    let emulator = glove(unit, &line(&[]));
    let mut reconnecting = keep::<CyberGlove>(emulator.path(), judged_glove());
    live(&mut reconnecting, 20);
    emulator.happen(DeviceEvent::PowerCycle);
    let samples = late_then_live(&mut reconnecting);
    let last = samples.last().unwrap();
    assert!(last.ticks.is_some() && last.status.is_some(), "the unit had forgotten them");
    check_woken(&reconnecting);
}

#[test]
fn a_tracker_that_lost_its_power_for_a_moment_is_set_up_again_at_once() {
    let emulator = tracker(quick_tracker(), &line(&[]));
    let mut reconnecting = keep::<Fastrak>(emulator.path(), TrackerOptions::default());
    let before = live(&mut reconnecting, 20);
    let counted_before = reconnecting.counts().decoded;
    emulator.happen(DeviceEvent::PowerCycle);
    // Without its settings it would send text in inches, of which nothing is believed.
    let after = late_then_live(&mut reconnecting);
    check_woken(&reconnecting);
    let counted = reconnecting.counts().decoded;
    let n_counted = counted.records - counted_before.records;
    assert!(n_counted >= after.len() as u64, "{counted_before:?}, then {counted:?}");
    assert!(counted.dropped_bytes >= counted_before.dropped_bytes, "counts never fall");
    // Wrong units or a wrong form would not agree with what was sent.
    let n_samples = (before.len() + after.len()) as u64;
    assert_eq!(account::<Fastrak>(&emulator, &[before, after]).n_intact, n_samples);
}

#[test]
fn records_held_up_for_more_than_a_second_are_discarded_with_both_devices() {
    fn check<D: Judged>(emulator: &Emulator, options: D::Options) {
        let mut reconnecting = keep::<D>(emulator.path(), options);
        let mut samples = live(&mut reconnecting, 20);
        samples.extend(keep_until(&mut reconnecting, "woken", |one| one.counts().n_wakes > 0));
        samples.extend(live(&mut reconnecting, 20));
        samples.extend(take_rest_kept(emulator, &mut reconnecting));
        check_woken(&reconnecting);
        // The longest time between two samples, and the records that were made in it.
        let arrivals: Vec<_> = samples.iter().map(D::arrival).collect();
        let (gap, end) = arrivals.windows(2).map(|two| (two[1] - two[0], two[1])).max().unwrap();
        let journal = emulator.journal();
        let n_held_up = journal.iter().filter(|entry| entry.sent <= end).count();
        let n_handed_out = arrivals.iter().filter(|arrival| **arrival < end).count();
        assert!(gap > Duration::from_secs(1), "{gap:?}");
        assert!(n_held_up > n_handed_out + 50, "{n_held_up} sent, {n_handed_out} handed out");
        let before = samples.partition_point(|sample| D::arrival(sample) < end);
        let connections = [samples[..before].to_vec(), samples[before..].to_vec()];
        let account = account::<D>(emulator, &connections);
        assert_eq!(account.n_intact, samples.len() as u64, "each record once, and in order");
    }
    let faults = line(&["stall:1300ms@3s"]);
    at_once(&["glove", "tracker"], |device| match *device {
        "glove" => check::<CyberGlove>(&glove(Default::default(), &faults), judged_glove()),
        _ => check::<Fastrak>(&tracker(quick_tracker(), &faults), TrackerOptions::default()),
    });
}

#[test]
fn a_device_that_comes_back_under_its_name_is_taken_up_again() {
    fn check<D: Judged>(mut emulator: Emulator, options: D::Options) {
        let mut reconnecting = keep::<D>(emulator.path(), options);
        let before = live(&mut reconnecting, 20);
        emulator.unplug();
        let reason = lost(&mut reconnecting);
        assert!(reason.contains("hung up"), "{reason}");
        // It is tried again and again.
        keep_until(&mut reconnecting, "tried", |reconnecting| match reconnecting.presence() {
            Presence::Lost(reason) => reason.contains("cannot open"),
            _ => false,
        });
        emulator.plug_in(PlugName::Same).unwrap();
        let mut after = live(&mut reconnecting, 20);
        assert_eq!(n_connections_and_wakes(&reconnecting), (2, 0));
        after.extend(take_rest_kept(&emulator, &mut reconnecting));
        let n_samples = (before.len() + after.len()) as u64;
        let (account, report) = (account::<D>(&emulator, &[before, after]), emulator.report());
        assert_eq!((account.n_intact, account.n_dropped), (n_samples, 0));
        // Every record was handed out, or was on its way when the line was cut or not yet set up.
        let n_between = account.n_missed + account.n_damaged_outside;
        assert_eq!(n_samples + n_between, report.n_sent(), "{account:?}");
        assert!(report.records_withheld.unplugged > 0, "it went on meanwhile");
    }
    at_once(&["glove", "tracker"], |device| match *device {
        "glove" => check::<CyberGlove>(glove(Default::default(), &line(&[])), judged_glove()),
        _ => check::<Fastrak>(tracker(quick_tracker(), &line(&[])), TrackerOptions::default()),
    });
}

/// The ports of this machine, with the times at which they were opened.
struct CountedTries(Arc<Mutex<Vec<Instant>>>);

impl LineSource for CountedTries {
    fn open(&mut self, path: &str, baud: u32) -> Result<OpenedLine, DeviceError> {
        self.0.lock().unwrap().push(Instant::now());
        SystemLines.open(path, baud)
    }

    fn report(&mut self, _news: ConnectionEvent<'_>) {}
}

#[test]
fn a_port_that_is_gone_is_looked_for_as_often_after_a_while_as_at_first() {
    let tries = Arc::new(Mutex::new(Vec::new()));
    let lines = Box::new(CountedTries(Arc::clone(&tries)));
    let mut reconnecting = keep_on::<CyberGlove>("/dev/no-such-port", judged_glove(), lines);
    keep_until(&mut reconnecting, "tried nine times", |_| tries.lock().unwrap().len() >= 9);
    let tries = tries.lock().unwrap();
    let (first, later) = (tries[4] - tries[0], tries[8] - tries[4]);
    // Pauses that double would make this 16 times as long.
    assert!(later < 4 * first, "{first:?}, then {later:?}");
}

#[test]
fn a_device_that_sends_only_damaged_records_is_not_called_silent() {
    let emulator = glove(Default::default(), &line(&["drop:1"]));
    let mut reconnecting = keep::<CyberGlove>(emulator.path(), judged_glove());
    let reason = lost(&mut reconnecting);
    assert!(reason.contains("sent only damaged or foreign data for 3 s"), "{reason}");
}

fn port(path: &str, serial_number: &str) -> PortInfo {
    let serial_number = serial_number.to_owned();
    let adapter = Some(Adapter { vendor: 0x0403, product: 0x6001, serial_number });
    PortInfo { path: path.to_owned(), description: "adapter".to_owned(), adapter }
}

#[test]
fn a_device_that_comes_back_under_another_name_is_known_by_its_adapter() {
    let mut emulator = glove(Default::default(), &line(&[]));
    // Another adapter of the same make is present all the time.
    let other = port("/dev/no-such-port", "OTHER");
    let sockets = Sockets::default();
    *sockets.0.lock().unwrap() = vec![other.clone(), port(emulator.path(), "OURS")];
    let (path, lines) = (emulator.path().to_owned(), Box::new(SystemLines));
    let mut reconnecting = ReconnectingDevice::<CyberGlove>::new(
        &path,
        judged_glove(),
        Box::new(sockets.clone()),
        lines,
    );
    live(&mut reconnecting, 20);
    emulator.unplug();
    *sockets.0.lock().unwrap() = vec![other.clone()];
    keep_until(&mut reconnecting, "tried", |reconnecting| match reconnecting.presence() {
        Presence::Lost(reason) => reason.contains("cannot open"),
        _ => false,
    });
    assert_eq!(reconnecting.path(), path, "no other adapter is taken");
    emulator.plug_in(PlugName::Other).unwrap();
    assert_ne!(emulator.path(), path);
    *sockets.0.lock().unwrap() = vec![other, port(emulator.path(), "OURS")];
    live(&mut reconnecting, 20);
    assert_eq!((reconnecting.path(), reconnecting.counts().n_connections), (emulator.path(), 2));
}

#[test]
fn a_device_that_stops_answering_is_given_up_and_sought_again() {
    fn check<D: Judged>(emulator: &Emulator, options: D::Options, want: &str) {
        let mut reconnecting = keep::<D>(emulator.path(), options);
        live(&mut reconnecting, 20);
        emulator.happen(DeviceEvent::PowerCycle);
        keep_until(&mut reconnecting, "late", |reconnecting| {
            *reconnecting.presence() == Presence::Late
        });
        let reason = lost(&mut reconnecting);
        assert!(reason.contains(want) && reason.contains(emulator.path()), "{reason}");
        let (n_connections, n_wakes) = n_connections_and_wakes(&reconnecting);
        assert!(n_connections == 1 && n_wakes >= 1, "{n_wakes}");
        assert_eq!(reconnecting.next_sample(LOOK).map(drop), None);
    }
    at_once(&["glove", "tracker"], |device| match *device {
        "glove" => {
            let unit = emulators::GloveOptions { restart: FOR_EVER, ..Default::default() };
            check::<CyberGlove>(&glove(unit, &line(&[])), judged_glove(), "gave no answer");
        }
        _ => {
            let reinitialise = FOR_EVER;
            let unit = emulators::TrackerOptions { reinitialise, ..Default::default() };
            let options = TrackerOptions::default();
            check::<Fastrak>(&tracker(unit, &line(&[])), options, "gave no answer");
        }
    });
}

#[test]
fn a_fault_that_has_passed_does_not_lose_the_tracker_if_its_letter_stays() {
    let (off, on) = (DeviceEvent::PulledOff { station: 1 }, DeviceEvent::PutBack { station: 1 });
    at_once(&[ErrorReport::PerRecord, ErrorReport::Latched], |error_report| {
        let unit = emulators::TrackerOptions { error_report: *error_report, ..quick_tracker() };
        let emulator = tracker(unit, &line(&[]));
        // Another program leaves it with the letter of a fault that has passed.
        emulator.happen(off);
        let mut other = SerialLine::open(emulator.path(), 115_200).unwrap();
        other.write_all(b"P").unwrap();
        until("its fault is shown", || emulator.records_sent() > 0);
        emulator.happen(on);
        drop(other);
        let mut reconnecting = keep::<Fastrak>(emulator.path(), TrackerOptions::default());
        let is = |reconnecting: &mut ReconnectingDevice<Fastrak>, want| {
            keep_until(reconnecting, "the condition", |reconnecting| {
                reconnecting.next_sample(LOOK).is_some_and(|sample| sample.condition == want)
            });
        };
        is(&mut reconnecting, Condition::Good);
        let fault = reconnecting.device().unwrap().info().earlier_fault;
        assert_eq!(fault, Some("no signal: receiver unplugged"));
        for _ in 0..2 {
            emulator.happen(off);
            is(&mut reconnecting, Condition::Invalid('l'));
            // It lasts, so it is shown again after it was cleared.
            let shown = (0..60).filter_map(|_| reconnecting.next_sample(LOOK));
            let n_good = shown.filter(|sample| sample.condition == Condition::Good).count();
            assert_eq!(n_good, 0);
            emulator.happen(on);
            is(&mut reconnecting, Condition::Good);
        }
        assert_eq!(n_connections_and_wakes(&reconnecting), (1, 0), "its stream went on");
    });
}

#[test]
fn an_unplugged_glove_and_receiver_are_reported_and_come_back() {
    let (off, on) = (DeviceEvent::PulledOff { station: 1 }, DeviceEvent::PutBack { station: 1 });
    at_once(&["glove", "tracker", "no glove"], |device| match *device {
        "glove" => {
            let emulator = glove(Default::default(), &line(&[]));
            let mut reconnecting = keep::<CyberGlove>(emulator.path(), judged_glove());
            live(&mut reconnecting, 20);
            for (event, want) in [(off, false), (on, true)] {
                emulator.happen(event);
                keep_until(&mut reconnecting, "told", |reconnecting| {
                    let sample = reconnecting.next_sample(LOOK);
                    sample.is_some_and(|sample| sample.conditions.is_plugged_in == want)
                });
            }
            assert_eq!(n_connections_and_wakes(&reconnecting), (1, 0), "its stream went on");
        }
        "tracker" => {
            let emulator = tracker(quick_tracker(), &line(&[]));
            let mut reconnecting = keep::<Fastrak>(emulator.path(), TrackerOptions::default());
            live(&mut reconnecting, 20);
            for (event, want) in [(off, Condition::Invalid('l')), (on, Condition::Good)] {
                emulator.happen(event);
                keep_until(&mut reconnecting, "told", |reconnecting| {
                    reconnecting.next_sample(LOOK).is_some_and(|sample| sample.condition == want)
                });
            }
            assert_eq!(n_connections_and_wakes(&reconnecting), (1, 0), "its stream went on");
        }
        _ => {
            let unit = emulators::GloveOptions { is_plugged_in: false, ..Default::default() };
            let emulator = glove(unit, &line(&[]));
            let mut reconnecting = keep::<CyberGlove>(emulator.path(), judged_glove());
            let reason = lost(&mut reconnecting);
            assert!(reason.contains("no glove is plugged into"), "{reason}");
            emulator.happen(on);
            live(&mut reconnecting, 20);
            assert_eq!(n_connections_and_wakes(&reconnecting), (1, 0));
        }
    });
}
