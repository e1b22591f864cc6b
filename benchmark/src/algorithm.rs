//! Algorithms that solve one touch, compared on the same input: the mesh and the known
//! displacements.

mod direct;
mod gradients;

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use nalgebra::Vector3;
use physics::family::solid::{SolidModel, SolveError, solve_by_inverse};
use physics::linear::Stiffness;
use physics::linear::factor::FactorError;
use physics::{
    BuildError, Dof, KnownDisplacement, MemoryLimits, NodeId, Progress, SolidSpec,
    WhenUnderdetermined,
};

use gradients::NotConverged;

/// An algorithm that solves a touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Algorithm {
    /// The algorithm of `physics`: factorises once for all touches, then solves a small system for
    /// each.
    Ours,
    /// The thesis' algorithm: the dense inverse of the free degrees of freedom by Gauss-Jordan
    /// elimination, its rows shared by threads, computed anew for every set of touched nodes.
    Thesis,
    /// Factorises the sparse matrix of the free degrees of freedom, anew for every set of touched
    /// nodes.
    Direct,
    /// Conjugate gradients on that matrix, preconditioned by its diagonal blocks.
    Gradients,
}

/// Error of an algorithm.
#[derive(Debug, thiserror::Error)]
pub enum AlgorithmError {
    /// No algorithm has that name.
    #[error("unknown algorithm {0:?}, expected ours, thesis, direct or gradients")]
    Unknown(String),
    /// The object cannot be prepared.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The known displacements have no solution.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The matrix cannot be factorised.
    #[error(transparent)]
    Factor(#[from] FactorError),
    /// The iteration did not converge.
    #[error(transparent)]
    NotConverged(#[from] NotConverged),
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Self; 4] = [Self::Ours, Self::Thesis, Self::Direct, Self::Gradients];

    /// Name in files and on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Thesis => "thesis",
            Self::Direct => "direct",
            Self::Gradients => "gradients",
        }
    }

    /// Name in reports.
    pub fn label(self) -> &'static str {
        match self {
            Self::Ours => "Palpate",
            Self::Thesis => "dense inverse (1998)",
            Self::Direct => "sparse direct, no reuse",
            Self::Gradients => "conjugate gradients",
        }
    }

    /// Solves a touch from the mesh on: returns the displacement of every degree of freedom. Runs
    /// on the rayon pool of the caller; `progress` and `stop` both cancel it.
    pub fn answer(
        self,
        spec: &SolidSpec,
        known: &[KnownDisplacement],
        progress: &Progress,
        stop: &AtomicBool,
    ) -> Result<Vec<f64>, AlgorithmError> {
        let memory = MemoryLimits::default();
        match self {
            Self::Ours => {
                let model = SolidModel::new(spec, memory, progress)?;
                Ok(flat(&model.solve(known, WhenUnderdetermined::Refuse)?.displacements))
            }
            Self::Thesis => {
                Ok(flat(&solve_by_inverse(spec, known, memory, progress)?.displacements))
            }
            Self::Direct => Ok(direct::solve(spec, known, progress)?),
            Self::Gradients => Ok(gradients::solve(spec, known, stop)?),
        }
    }
}

impl AlgorithmError {
    /// True if the algorithm ended because it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        match self {
            Self::Build(error) => error.is_cancelled(),
            Self::Solve(error) => *error == SolveError::Cancelled,
            Self::Factor(error) => *error == FactorError::Cancelled,
            Self::NotConverged(error) => *error == NotConverged::Cancelled,
            Self::Unknown(_) => false,
        }
    }
}

impl FromStr for Algorithm {
    type Err = AlgorithmError;

    fn from_str(name: &str) -> Result<Self, AlgorithmError> {
        let named = Self::ALL.into_iter().find(|algorithm| algorithm.key() == name);
        named.ok_or_else(|| AlgorithmError::Unknown(name.to_owned()))
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.key())
    }
}

/// Largest force at a free degree of freedom, as a share of the largest force at a known one: zero
/// in exact arithmetic. All algorithms are measured with it.
pub fn residual(
    stiffness: &Stiffness,
    spec: &SolidSpec,
    known: &[KnownDisplacement],
    u: &[f64],
) -> f64 {
    let held = Held::new(spec, known).is_held;
    let forces = stiffness.times(u);
    let largest = |wanted: bool| {
        let forces = forces.iter().zip(&held).filter(|(_, is_held)| **is_held == wanted);
        forces.fold(0.0_f64, |most, (force, _)| force.abs().max(most))
    };
    largest(false) / largest(true).max(f64::MIN_POSITIVE)
}

/// Largest difference of two solutions, as a share of the largest displacement in the second.
pub fn difference(u: &[f64], reference: &[f64]) -> f64 {
    let largest = reference.iter().fold(0.0_f64, |most, u| u.abs().max(most));
    let pairs = u.iter().zip(reference);
    // Not `f64::max`, which ignores NaN.
    let farther = |most: f64, off: f64| if most.is_nan() || off <= most { most } else { off };
    let off = pairs.fold(0.0, |most, (a, b)| farther(most, (a - b).abs()));
    if u.len() == reference.len() { off / largest.max(f64::MIN_POSITIVE) } else { f64::INFINITY }
}

/// Known degrees of freedom.
struct Held {
    is_held: Vec<bool>,
    /// Displacements of the known degrees of freedom, zero elsewhere.
    displacements: Vec<f64>,
}

impl Held {
    fn new(spec: &SolidSpec, known: &[KnownDisplacement]) -> Self {
        let mesh = spec.mesh();
        let n = 3 * mesh.n_nodes();
        let mut is_touched = vec![false; mesh.n_bodies()];
        let touching = known.iter().map(|known| known.node).chain(spec.supports().iter().copied());
        touching.filter_map(|node| mesh.body_of(node)).for_each(|body| is_touched[body] = true);
        // A node without elements and a body that is not touched stay at rest.
        let stays = |node: NodeId| mesh.body_of(node).is_none_or(|body| !is_touched[body]);
        let mut held = Self { is_held: vec![false; n], displacements: vec![0.0; n] };
        let fixed = (0..mesh.n_nodes() as u32).map(NodeId).filter(|node| stays(*node));
        for dof in fixed.chain(spec.supports().iter().copied()).flat_map(Dof::all_of) {
            held.is_held[dof.index()] = true;
        }
        for (dof, displacement) in known.iter().flat_map(|known| known.components()) {
            held.is_held[dof.index()] = true;
            held.displacements[dof.index()] = displacement;
        }
        held
    }

    /// Load on the free degrees of freedom from the known displacements: `-K_uk Q_k`, zero at the
    /// others.
    fn load(&self, stiffness: &Stiffness) -> Vec<f64> {
        let forces = stiffness.times(&self.displacements);
        let free = forces.iter().zip(&self.is_held);
        free.map(|(force, is_held)| if *is_held { 0.0 } else { -force }).collect()
    }

    /// Completes a solution of the free degrees of freedom with the known displacements.
    fn completed(&self, mut u: Vec<f64>) -> Vec<f64> {
        for ((u, is_held), known) in u.iter_mut().zip(&self.is_held).zip(&self.displacements) {
            if *is_held {
                *u = *known;
            }
        }
        u
    }
}

fn flat(displacements: &[Vector3<f64>]) -> Vec<f64> {
    displacements.iter().flat_map(|u| [u.x, u.y, u.z]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::{Body, Subject};
    use physics::linear::assemble;

    /// The thesis' algorithm serves as the reference; `physics` checks it against closed forms.
    #[test]
    fn all_algorithms_give_the_same_answer() {
        for (body, n_nodes) in [(Body::Sphere, 120), (Body::Cube, 125)] {
            let subject = Subject::body(body, n_nodes).unwrap();
            let (spec, nodes) = (subject.spec().unwrap(), subject.fingers(15, 0));
            let known = subject.squeeze(&nodes, 0).known;
            let stiffness = assemble(&subject.mesh, &subject.material);
            let answer = |algorithm: Algorithm| {
                let stop = AtomicBool::new(false);
                algorithm.answer(&spec, &known, &Progress::default(), &stop).unwrap()
            };
            let judge = answer(Algorithm::Thesis);
            for algorithm in Algorithm::ALL {
                let u = answer(algorithm);
                let off = difference(&u, &judge);
                assert!(off < 1e-8, "{algorithm}: {off:e}");
                let unbalanced = residual(&stiffness, &spec, &known, &u);
                assert!(unbalanced < 1e-8, "{algorithm}: {unbalanced:e}");
            }
        }
    }

    #[test]
    fn a_wrong_answer_is_seen() {
        let subject = Subject::body(Body::Sphere, 60).unwrap();
        let (spec, nodes) = (subject.spec().unwrap(), subject.fingers(6, 0));
        let known = subject.squeeze(&nodes, 0).known;
        let stop = AtomicBool::new(false);
        let right = Algorithm::Direct.answer(&spec, &known, &Progress::default(), &stop).unwrap();
        let mut wrong = right.clone();
        let free = (0..wrong.len()).find(|i| !nodes.contains(&NodeId(*i as u32 / 3))).unwrap();
        wrong[free] *= 1.5;
        let stiffness = assemble(&subject.mesh, &subject.material);
        assert!(residual(&stiffness, &spec, &known, &wrong) > 1e-4);
        assert!(difference(&wrong, &right) > 1e-4);
        wrong[free] = f64::NAN;
        assert!(difference(&wrong, &right).is_nan());
        assert_eq!(difference(&right[1..], &right), f64::INFINITY);
    }

    #[test]
    fn all_algorithms_end_when_asked() {
        let subject = Subject::body(Body::Sphere, 200).unwrap();
        let spec = subject.spec().unwrap();
        let known = subject.squeeze(&subject.fingers(15, 0), 0).known;
        for algorithm in Algorithm::ALL {
            let (progress, stop) = (Progress::default(), AtomicBool::new(true));
            progress.cancel();
            let ended = algorithm.answer(&spec, &known, &progress, &stop);
            assert!(ended.is_err_and(|e| e.is_cancelled()), "{algorithm}");
        }
    }

    #[test]
    fn names_are_read_back() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.key().parse::<Algorithm>().unwrap(), algorithm);
        }
        assert!("magic".parse::<Algorithm>().is_err());
    }
}
