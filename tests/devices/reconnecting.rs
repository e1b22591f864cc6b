//! A reconnecting device gets its device back after silence, restarts and losses, in the ways that
//! it states.

use std::time::Duration;

use drivers::line_source::SystemLines;
use drivers::polhemus::settings::StylusMode;
use drivers::ports::{Adapter, PortInfo};
use drivers::reconnect::{ConnectionCounts, Presence, ReconnectingDevice};
use drivers::{Condition, CyberGlove, Fastrak, TrackerOptions};
use emulators::{DeviceEvent, Emulator, PlugName};

use crate::harness::{
    LOOK, Sockets, at_once, glove, keep, keep_until, late_then_live, line, live, lost,
    quick_tracker, take_rest_kept, tracker,
};
use crate::sample_accounting::{Account, Judged, account, judged_glove};

/// Longer than any test.
const FOR_EVER: Duration = Duration::from_secs(3600);

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
    assert_eq!(n_connections_and_wakes(&reconnecting), (1, 1), "woken, not opened anew");
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
    assert_eq!(n_connections_and_wakes(&reconnecting), (1, 1), "woken, not opened anew");
}

#[test]
fn a_tracker_that_lost_its_power_is_opened_and_set_up_again() {
    let emulator = tracker(quick_tracker(), &line(&[]));
    let mut reconnecting = keep::<Fastrak>(emulator.path(), TrackerOptions::default());
    let before = live(&mut reconnecting, 20);
    emulator.happen(DeviceEvent::PowerCycle);
    // Woken, it sends text in inches, of which nothing is believed.
    let reason = lost(&mut reconnecting);
    assert!(reason.contains("sent nothing for 3 s"), "{reason}");
    let after = live(&mut reconnecting, 20);
    assert_eq!(reconnecting.counts().n_connections, 2);
    // Wrong units or a wrong form would not agree with what was sent.
    let n_samples = (before.len() + after.len()) as u64;
    assert_eq!(account::<Fastrak>(&emulator, &[before, after]).n_intact, n_samples);
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
            check::<Fastrak>(&tracker(unit, &line(&[])), options, "sent nothing for 3 s");
        }
    });
}

#[test]
fn a_glove_off_its_unit_and_a_receiver_off_its_tracker_are_told_and_come_back() {
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
