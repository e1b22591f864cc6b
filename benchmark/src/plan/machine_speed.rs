//! Speed of this machine, measured briefly to estimate the times of larger objects.

use std::sync::atomic::AtomicBool;

use physics::Progress;

use crate::algorithm::{Algorithm, AlgorithmError};
use crate::statistics::{least, timed};
use crate::subject::{Body, Subject};

/// Times of one thread, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MachineSpeed {
    /// Our algorithm, from the mesh to the solution, at 1000 nodes.
    pub ours: f64,
    /// The thesis' algorithm at 100 nodes.
    pub thesis: f64,
    /// Conjugate gradients at 1000 nodes.
    pub gradients: f64,
}

impl MachineSpeed {
    /// Measures the speed, in a fraction of a second.
    pub fn measured() -> Result<Self, AlgorithmError> {
        Ok(Self {
            ours: look(Algorithm::Ours, 300)? * growth(Algorithm::Ours, 1000.0 / 300.0),
            thesis: look(Algorithm::Thesis, 100)?,
            gradients: look(Algorithm::Gradients, 300)?
                * growth(Algorithm::Gradients, 1000.0 / 300.0),
        })
    }

    /// Estimated time of a solution, in seconds.
    pub fn answer(&self, algorithm: Algorithm, n_nodes: usize, threads: usize) -> f64 {
        let n = n_nodes as f64;
        let (alone, size) = match algorithm {
            Algorithm::Ours | Algorithm::Direct => (self.ours, n / 1000.0),
            Algorithm::Thesis => (self.thesis, n / 100.0),
            Algorithm::Gradients => (self.gradients, n / 1000.0),
        };
        alone * growth(algorithm, size) / (threads as f64).powf(0.6)
    }
}

/// Factor on the time of an object that has `size` times as many nodes; exponents as measured on
/// solids.
fn growth(algorithm: Algorithm, size: f64) -> f64 {
    match algorithm {
        Algorithm::Ours | Algorithm::Direct => size.powf(1.6),
        // A matrix that does not fit into the cache takes longer.
        Algorithm::Thesis => size.powi(3) * if size > 7.0 { 2.0 } else { 1.0 },
        Algorithm::Gradients => size.powf(1.4),
    }
}

/// Shortest time of three solutions on one thread.
fn look(algorithm: Algorithm, n_nodes: usize) -> Result<f64, AlgorithmError> {
    let subject = Subject::body(Body::Sphere, n_nodes).expect("an ordinary ball");
    let spec = subject.spec().expect("a ball has no hinges");
    let known = subject.squeeze(&subject.fingers(15, 0), 0).known;
    let mut times = Vec::new();
    for _ in 0..3 {
        let (progress, stop) = (Progress::default(), AtomicBool::new(false));
        let (time, answer) = timed(|| algorithm.answer(&spec, &known, &progress, &stop));
        answer?;
        times.push(time);
    }
    Ok(least(&times))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_takes_longer_and_more_threads_help() {
        let speed = MachineSpeed::measured().unwrap();
        for algorithm in Algorithm::ALL {
            let at = |n, threads| speed.answer(algorithm, n, threads);
            assert!(at(100, 1) > 0.0 && at(1000, 1) > at(100, 1) && at(1000, 4) < at(1000, 1));
        }
    }
}
