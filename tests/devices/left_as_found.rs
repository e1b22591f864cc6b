//! A device remembers the state in which it is left. Here another program looks at that state
//! before and after ours, and both looks must agree.
//!
//! The other program is written from the manual and shares nothing with the drivers: it asks with
//! plain text, and reads a position as it did before, as text in the units that it had set.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use drivers::polhemus::driver::StationOption;
use drivers::polhemus::output::{OutputItem, OutputList};
use drivers::polhemus::settings::{Filter, Form, Station};
use drivers::probe::{BAUD_RATES, probe};
use drivers::reconnect::Presence;
use drivers::serial::SerialLine;
use drivers::{Fastrak, TrackerError, TrackerOptions};
use emulators::{DeviceEvent, Emulator, Firmware, HandState, Motion, PlugName};

use crate::harness::{
    DEADLINE, at_once, keep, keep_until, line, live, lost, next, start, tracker_in, until,
};

/// What another program finds: the answers to its questions, and one record.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    answers: Vec<String>,
    record: Vec<u8>,
}

/// Questions for all settings of a FASTRAK that have an answer.
const QUESTIONS: [&str; 15] = [
    "S", "l1\r", "O1\r", "O2\r", "O3\r", "O4\r", "v\r", "x\r", "e1\r", "H1\r", "A1\r", "N1\r",
    "I1\r", "V1\r", "y\r",
];

/// Another program on the same port.
struct OtherProgram(SerialLine);

impl OtherProgram {
    fn open(emulator: &Emulator) -> Self {
        let mut line = None;
        until("the port is free", || {
            line = SerialLine::open(emulator.path(), 115_200).ok();
            line.is_some()
        });
        Self(line.unwrap())
    }

    fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).unwrap();
    }

    /// The bytes of an answer: all until nothing more comes.
    fn answer(&mut self, question: &str) -> Vec<u8> {
        self.send(question);
        let (mut received, deadline) = (Vec::new(), Instant::now() + DEADLINE);
        loop {
            let came = self.0.read_available(&mut received, Duration::from_millis(60)).unwrap();
            if came.is_none() && !received.is_empty() {
                return received;
            }
            assert!(Instant::now() < deadline, "no answer to {question:?}");
        }
    }

    fn look(mut self) -> Finding {
        let answers = QUESTIONS.map(|question| {
            let answer = String::from_utf8(self.answer(question)).unwrap();
            // The second column of a status is the station of the last record.
            if question == "S" { answer[2..].to_owned() } else { answer }
        });
        Finding { answers: answers.to_vec(), record: self.answer("P") }
    }
}

/// A tracker with four receivers on a hand that keeps still, as another program leaves it.
fn left_by(settings: &str) -> (Emulator, Finding) {
    let hand = HandState { receiver_position_cm: [30.0, -10.0, 20.0], ..HandState::FLAT };
    let options = emulators::TrackerOptions {
        receivers_cm: [0.0, 1.0, 2.0, 3.0].map(|x| Some([x, 0.0, 0.0])),
        reinitialise: Duration::from_millis(300),
        ..emulators::TrackerOptions::default()
    };
    let emulator = tracker_in(options, Motion::held(hand), &line(&[]));
    let mut other = OtherProgram::open(&emulator);
    other.send(settings);
    let finding = other.look();
    (emulator, finding)
}

fn check_left_as_found(emulator: &Emulator, found: &Finding, what: &str) {
    assert_eq!(OtherProgram::open(emulator).look(), *found, "{what}");
}

/// States in which other programs leave a tracker.
const STATES: [&str; 6] = [
    // As it comes from the factory: text in inches.
    "",
    "u",
    "fO1,2,5,6,7,1\rO2,52,61,1\r",
    "l2,0\rl3,0\rl4,0\rv3\rx5\r",
    "uO1,2,11,1\rO2,2,11,1\rO3,2,11,1\rO4,2,11,1\rfe1,0\rv2\r",
    "l1,0\rl2,0\rl3,0\rv0.1,0.2,0.8,0.9\rx0.3,0.4,0.7,0.95\r",
];

#[test]
fn a_tracker_is_left_as_it_was_found_whatever_state_that_was() {
    at_once(&STATES, |state| {
        let (emulator, found) = left_by(state);
        let mut tracker: Fastrak = start(emulator.path(), &TrackerOptions::default());
        next(&mut tracker);
        drop(tracker);
        check_left_as_found(&emulator, &found, state);
    });
}

#[test]
fn a_tracker_is_left_as_it_was_found_whatever_the_options_were() {
    let items = [2, 4, 16, 1].map(|number| OutputItem::from_number(number).unwrap());
    let options = [
        TrackerOptions { form: Form::Ascii, ..TrackerOptions::default() },
        TrackerOptions {
            list: OutputList::new(items.to_vec()).unwrap(),
            attitude_filter: Filter::Heavy,
            ..TrackerOptions::default()
        },
        TrackerOptions {
            stations: StationOption::Only(vec![Station::Three]),
            ..TrackerOptions::default()
        },
    ];
    at_once(&options, |options| {
        let (emulator, found) = left_by("");
        let mut tracker: Fastrak = start(emulator.path(), options);
        next(&mut tracker);
        tracker.close().unwrap();
        check_left_as_found(&emulator, &found, &format!("{options:?}"));
    });
}

#[test]
fn a_tracker_that_was_only_looked_at_is_left_as_it_was_found() {
    let (emulator, found) = left_by("");
    let device = probe(emulator.path(), &BAUD_RATES, &mut |_| true).unwrap().unwrap();
    check_left_as_found(&emulator, &found, "after it was identified");
    let streaming = device.streaming(emulator.path()).unwrap().unwrap();
    assert_eq!(streaming.left_behind, None);
    check_left_as_found(&emulator, &found, "after its records were counted");
}

#[test]
fn a_tracker_that_could_not_be_set_up_is_left_as_it_was_found() {
    let (emulator, found) = left_by("");
    // Newer firmware refuses packed numbers, after the units were switched.
    assert_eq!(emulators::TrackerOptions::default().firmware, Firmware::Current);
    let items = [18, 19, 1].map(|number| OutputItem::from_number(number).unwrap());
    let list = OutputList::new(items.to_vec()).unwrap();
    let opened = Fastrak::open(emulator.path(), &TrackerOptions { list, ..Default::default() });
    assert!(matches!(opened.err(), Some(TrackerError::Refused { .. })));
    check_left_as_found(&emulator, &found, "after a refusal");
}

#[test]
fn a_tracker_is_left_as_it_was_found_when_its_thread_panics() {
    let (emulator, found) = left_by("");
    let mut reconnecting = keep::<Fastrak>(emulator.path(), TrackerOptions::default());
    let outcome = catch_unwind(AssertUnwindSafe(move || {
        live(&mut reconnecting, 3);
        std::panic::resume_unwind(Box::new("a bug"));
    }));
    assert!(outcome.is_err());
    check_left_as_found(&emulator, &found, "after a panic");
}

#[test]
fn a_tracker_that_was_lost_is_put_back_after_it_has_returned() {
    let (mut emulator, found) = left_by("");
    let mut reconnecting = keep::<Fastrak>(emulator.path(), TrackerOptions::default());
    live(&mut reconnecting, 3);
    // The cable is out; the unit keeps its power, and our settings.
    emulator.unplug();
    lost(&mut reconnecting);
    emulator.plug_in(PlugName::Same).unwrap();
    live(&mut reconnecting, 3);
    assert_eq!(reconnecting.counts().n_connections, 2);
    drop(reconnecting);
    check_left_as_found(&emulator, &found, "after a loss");
}

#[test]
fn a_tracker_that_lost_its_power_is_left_as_it_was_switched_on() {
    let (emulator, at_power_up) = left_by("");
    OtherProgram::open(&emulator).send("uO1,2,11,1\rf");
    let mut reconnecting = keep::<Fastrak>(emulator.path(), TrackerOptions::default());
    live(&mut reconnecting, 3);
    emulator.happen(DeviceEvent::PowerCycle);
    keep_until(&mut reconnecting, "late", |one| *one.presence() == Presence::Late);
    live(&mut reconnecting, 3);
    drop(reconnecting);
    check_left_as_found(&emulator, &at_power_up, "after a power cut");
}

#[test]
fn a_tracker_that_cannot_be_put_back_is_an_error() {
    let (emulator, _) = left_by("");
    let tracker: Fastrak = start(emulator.path(), &TrackerOptions::default());
    emulator.unplug();
    let error = tracker.close().unwrap_err().to_string();
    assert!(error.contains(emulator.path()) && error.contains("hung up"), "{error}");
}
