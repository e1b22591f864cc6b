//! Synthetic results with known laws, for tests.

use super::{Completeness, Measure, Place, Point, Results, read_json, write_json};
use crate::algorithm::Algorithm;
use crate::given_server::ServerDescription;
use crate::machine::Machine;
use crate::statistics::tests::times;

/// Checks that results survive a file, except for the last digit of their samples.
pub(crate) fn check_read_back(results: &Results) {
    let mut read = read_json(&write_json(results)).unwrap();
    for (read, written) in read.points.iter_mut().zip(&results.points) {
        for (read, written) in read.samples.iter_mut().zip(&written.samples) {
            assert!((*read - written).abs() <= 1e-15 * written.abs(), "{read} and {written}");
            *read = *written;
        }
    }
    for (read, written) in read.machine.triad.iter_mut().zip(&results.machine.triad) {
        assert!((read.1 - written.1).abs() <= 1e-15 * written.1);
        read.1 = written.1;
    }
    assert!(read == *results, "something else than a last digit differs");
}

/// Synthetic results. Set-up takes 1 ms at 100 nodes and grows as n^1.5; the thesis' algorithm
/// takes 8 ms and grows as n^3. Both scale as N^-0.9 up to four cores; eight threads are
/// oversubscribed.
pub(crate) fn sample_results() -> Results {
    sample_run(0)
}

/// [`sample_results`] with a server that is twice as fast, has 16 threads, and scales as N^-0.5.
pub(crate) fn sample_with_server() -> Results {
    let mut results = sample_results();
    results.server = Some(ServerDescription {
        version: "0.1.0".to_owned(),
        machine: "rack <1>".to_owned(),
        processor: "Sample & Daughters".to_owned(),
        n_cores: 8,
        n_hyper_threads: 16,
        most_threads: 12,
    });
    for place in results.places().into_iter().cloned().collect::<Vec<Place>>() {
        for (i, threads) in [1_usize, 4, 12].into_iter().enumerate() {
            let size = (place.n_nodes as f64 / 100.0).powf(1.5);
            for (j, measure) in Measure::ON_SERVER.into_iter().enumerate() {
                let time = 5e-4 * size * (threads as f64).powf(-0.5);
                let samples = times(time, 20, 31 * (10 * i + j) as u64);
                let place = place.clone();
                let algorithm = Algorithm::Ours;
                results.points.push(Point { place, algorithm, measure, threads, samples });
            }
        }
    }
    results
}

/// Synthetic results with noise that depends on `run`.
pub(crate) fn sample_run(run: u64) -> Results {
    let machine = Machine {
        name: "desk".to_owned(),
        processor: "Sample <i>& Sons</i>".to_owned(),
        n_cores: 4,
        caches: vec!["L1d 32 kB".to_owned(), "L3 32 MB".to_owned()],
        vectors: vec!["AVX2".to_owned()],
        memory: 16 << 30,
        system: "linux 6.1, x86_64".to_owned(),
        load: vec![0.25, 1.5],
        others: Some(0.3),
        triad: vec![(1, 1e10), (4, 2e10)],
    };
    let mut results = Results::new(machine);
    let mut seed = 10_000 * run;
    for n_nodes in [100_usize, 400, 1600] {
        let place =
            Place { object: "sphere".to_owned(), n_nodes, n_surface: n_nodes / 2, n_contacts: 15 };
        for threads in [1_usize, 2, 4, 8] {
            let faster = (threads.min(4) as f64).powf(-0.9);
            let mut add = |algorithm, measure, value: f64, n| {
                seed += 1;
                let samples = times(value * faster, n, seed);
                results.points.push(Point {
                    place: place.clone(),
                    algorithm,
                    measure,
                    threads,
                    samples,
                });
            };
            let size = n_nodes as f64 / 100.0;
            let set_up = 1e-3 * size.powf(1.5);
            let (ours, thesis) = (Algorithm::Ours, Algorithm::Thesis);
            add(ours, Measure::SetUp, set_up, 30);
            for (measure, share) in [
                (Measure::Assembly, 0.1),
                (Measure::Ordering, 0.2),
                (Measure::Symbolic, 0.1),
                (Measure::Numeric, 0.6),
            ] {
                add(ours, measure, share * set_up, 30);
            }
            add(ours, Measure::Change, 4e-4 * size, 30);
            add(ours, Measure::Frame, 4e-6 * size, 200);
            add(ours, Measure::FirstTouch, 1.1 * set_up, 30);
            add(ours, Measure::LaterTouch, 0.2 * set_up, 30);
            add(ours, Measure::RoundTripEmbedded, 6e-5 + 4e-6 * size, 100);
            add(ours, Measure::FactorBytes, 1e6 * size, 1);
            add(ours, Measure::BandwidthShare, 0.8, 1);
            if n_nodes < 1000 {
                add(thesis, Measure::FirstTouch, 8e-3 * size.powi(3), 8);
                add(thesis, Measure::Difference, 1e-13, 1);
            }
        }
    }
    results.notes.push("a note about <script>alert(1)</script>".to_owned());
    results.completeness = Completeness::Whole;
    results
}
