//! What a run found: points, each a quantity of one object on one number of threads, with all its samples.

mod csv;
mod file;
mod measure;
#[cfg(test)]
pub(crate) mod synthetic_results;

use crate::algorithm::Algorithm;
use crate::machine::Machine;
use crate::power_law::PowerLaw;
use crate::scaling::Scaling;
use crate::statistics::Summary;

pub use csv::write_csv;
pub use file::{FileError, read_json, write_json};
pub use measure::{Measure, Unit};

/// All that a run found.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// When, for example "2026-11-16 21:30 UTC".
    pub made: String,
    /// The program's version.
    pub version: String,
    /// Where.
    pub machine: Machine,
    /// In the order of measuring.
    pub points: Vec<Point>,
    /// What a reader should know: what was left out, and why; what may have disturbed.
    pub notes: Vec<String>,
    /// Whether the run reached its end.
    pub completeness: Completeness,
}

/// Whether a run reached its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// All that was planned was measured.
    Whole,
    /// It was interrupted; what there is, is good.
    Partial,
}

/// A quantity and its samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Of what.
    pub place: Place,
    /// Found how.
    pub algorithm: Algorithm,
    /// What was measured.
    pub measure: Measure,
    /// On how many threads.
    pub threads: usize,
    /// In the measure's unit, in the order of measuring; at least one, all finite.
    pub samples: Vec<f64>,
}

/// An object and how it is touched.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Its name.
    pub object: String,
    /// Its nodes.
    pub n_nodes: usize,
    /// Those on its surface.
    pub n_surface: usize,
    /// Those that the fingers hold.
    pub n_contacts: usize,
}

impl Point {
    /// What its samples amount to.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.samples).expect("a point has samples, all of them finite")
    }

    /// Whether both are about the same, and so can be compared.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let key = |point: &Self| (point.algorithm, point.measure, point.threads);
        self.place == other.place && key(self) == key(other)
    }
}

impl Results {
    /// Nothing yet.
    pub fn new(machine: Machine) -> Self {
        Self {
            made: crate::machine::utc_now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            machine,
            points: Vec::new(),
            notes: Vec::new(),
            completeness: Completeness::Partial,
        }
    }

    /// The objects, in the order of measuring.
    pub fn places(&self) -> Vec<&Place> {
        let mut places: Vec<&Place> = Vec::new();
        for point in &self.points {
            if !places.contains(&&point.place) {
                places.push(&point.place);
            }
        }
        places
    }

    /// The numbers of threads, ascending.
    pub fn threads(&self) -> Vec<usize> {
        let mut threads: Vec<usize> = self.points.iter().map(|point| point.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    }

    /// The most threads that have a core each.
    pub fn most_threads(&self) -> usize {
        let within = self.threads().into_iter().filter(|n| *n <= self.machine.n_cores);
        within.max().unwrap_or(1)
    }

    /// One point's summary.
    pub fn summary(
        &self,
        place: &Place,
        algorithm: Algorithm,
        measure: Measure,
        threads: usize,
    ) -> Option<Summary> {
        self.points
            .iter()
            .find(|p| {
                p.place == *place
                    && (p.algorithm, p.measure, p.threads) == (algorithm, measure, threads)
            })
            .map(Point::summary)
    }

    /// A quantity over threads.
    pub fn scaling(&self, place: &Place, algorithm: Algorithm, measure: Measure) -> Scaling {
        let places = self.threads().into_iter().filter_map(|threads| {
            Some((threads, self.summary(place, algorithm, measure, threads)?))
        });
        Scaling::new(places.collect(), self.machine.n_cores)
    }

    /// A quantity over the sizes of one object: nodes and summaries, ascending.
    pub fn sizes(
        &self,
        object: &str,
        algorithm: Algorithm,
        measure: Measure,
        threads: usize,
    ) -> Vec<(f64, Summary)> {
        let mut sizes: Vec<(f64, Summary)> = self
            .places()
            .into_iter()
            .filter(|place| place.object == object)
            .filter_map(|place| {
                let summary = self.summary(place, algorithm, measure, threads)?;
                Some((place.n_nodes as f64, summary))
            })
            .collect();
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        sizes
    }

    /// How a quantity grows with the number of nodes of one object.
    pub fn growth(
        &self,
        object: &str,
        algorithm: Algorithm,
        measure: Measure,
        threads: usize,
    ) -> Option<PowerLaw> {
        let sizes = self.sizes(object, algorithm, measure, threads);
        PowerLaw::through(&sizes.iter().map(|(n, summary)| (*n, summary)).collect::<Vec<_>>())
    }

    /// The names of the objects.
    pub fn objects(&self) -> Vec<&str> {
        let mut objects: Vec<&str> = Vec::new();
        for place in self.places() {
            if !objects.contains(&place.object.as_str()) {
                objects.push(&place.object);
            }
        }
        objects
    }
}
