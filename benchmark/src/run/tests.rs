use std::sync::atomic::Ordering;

use super::*;
use crate::plan::{MachineSpeed, Parts, Request};
use crate::results::Unit;
use crate::results::synthetic_results::check_read_back;

/// A speed so high that nothing is left out.
const SPEED: MachineSpeed = MachineSpeed { ours: 1e-3, thesis: 1e-3, gradients: 1e-3 };

fn tiny() -> Request {
    Request {
        nodes: Some(vec![60, 120]),
        threads: Some(vec![1, 2]),
        contacts: 6,
        repetitions: Some(3),
        ..Request::default()
    }
}

#[test]
fn every_planned_point_is_measured_and_reported() {
    let plan = Plan::new(&tiny(), 2, &SPEED).unwrap();
    let stop = AtomicBool::new(false);
    let (mut n_told, mut shares) = (0, Vec::new());
    let mut observe = |event: Event<'_>, results: &Results| match event {
        Event::Measured(point) => {
            n_told += 1;
            assert_eq!(results.points.last(), Some(point));
        }
        Event::Began { share, .. } => shares.push(share),
        Event::Noted(_) => {}
    };
    let results = run(&plan, &stop, &mut observe).unwrap();

    assert_eq!(results.completeness, Completeness::Whole);
    assert_eq!(n_told, results.points.len());
    assert_eq!(shares.len(), plan.steps.len());
    assert!(shares.is_sorted() && shares[0] == 0.0, "{shares:?}");
    assert_eq!((results.threads(), results.places().len()), (vec![1, 2], 2));
    for place in results.places() {
        for measure in Measure::ALL {
            let found = Algorithm::ALL
                .iter()
                .filter(|a| results.summary(place, **a, measure, 2).is_some())
                .count();
            let expected = match measure {
                Measure::FirstTouch | Measure::Residual => 4,
                Measure::Difference => 3,
                Measure::RoundTripLoopback => 0,
                other => usize::from(!other.is_on_server()),
            };
            assert_eq!(found, expected, "{}", measure.key());
        }
    }
    for point in &results.points {
        let is_time = point.measure.unit() == Unit::Seconds;
        assert!(!is_time || point.samples.len() == 3, "{point:?}");
        assert!(point.samples.iter().all(|sample| *sample >= 0.0), "{point:?}");
        match point.measure {
            Measure::Residual | Measure::Difference => assert!(point.samples[0] < 1e-6),
            Measure::FrameError => assert!(point.samples[0] < 1e-4, "{}", point.samples[0]),
            _ => {}
        }
    }
    check_read_back(&results);
}

/// The stages are parts of the set-up: their sum is not longer.
#[test]
fn stages_add_up_to_the_set_up() {
    let request = Request { parts: Parts::Touches, algorithms: Vec::new(), ..tiny() };
    let plan = Plan::new(&request, 2, &SPEED).unwrap();
    let results = run(&plan, &AtomicBool::new(false), &mut |_, _| {}).unwrap();
    let samples = |measure: Measure| {
        let point = results.points.iter().find(|point| point.measure == measure).unwrap();
        point.samples.clone()
    };
    let [assembly, ordering, symbolic, numeric, set_up, first] = [
        Measure::Assembly,
        Measure::Ordering,
        Measure::Symbolic,
        Measure::Numeric,
        Measure::SetUp,
        Measure::FirstTouch,
    ]
    .map(samples);
    for i in 0..set_up.len() {
        let sum = assembly[i] + ordering[i] + symbolic[i] + numeric[i];
        assert!(0.0 < sum && sum <= set_up[i] && set_up[i] <= first[i], "round {i}");
    }
}

#[test]
fn an_interrupted_run_keeps_what_it_has() {
    let plan = Plan::new(&tiny(), 2, &SPEED).unwrap();
    for after in [0, 1, 7, 20] {
        let stop = AtomicBool::new(after == 0);
        let mut n_points = 0;
        let results = run(&plan, &stop, &mut |event, _| {
            n_points += usize::from(matches!(event, Event::Measured(_)));
            stop.store(n_points >= after, Ordering::Relaxed);
        })
        .unwrap();
        assert_eq!(results.completeness, Completeness::Partial);
        assert!(results.points.len() >= after && results.points.len() < 60);
        check_read_back(&results);
    }
}

#[test]
fn what_cannot_be_touched_becomes_a_note() {
    // Two nodes leave the object free to turn.
    let request = Request { contacts: 2, ..tiny() };
    let plan = Plan::new(&request, 2, &SPEED).unwrap();
    let results = run(&plan, &AtomicBool::new(false), &mut |_, _| {}).unwrap();
    assert!(results.notes.iter().any(|note| note.contains("free to turn")), "{:?}", results.notes);
}
