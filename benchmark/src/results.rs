//! Results of a run: points, each a quantity of one object on one number of threads, with all its
//! samples.

mod csv;
mod file;
mod measure;
#[cfg(test)]
pub(crate) mod synthetic_results;

use crate::algorithm::Algorithm;
use crate::given_server::ServerDescription;
use crate::machine::Machine;
use crate::power_law::PowerLaw;
use crate::scaling::Scaling;
use crate::statistics::Summary;

pub use csv::write_csv;
pub use file::{FileError, read_json, write_json};
pub use measure::{Measure, Unit};

/// Results of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// Time of the run, for example "2026-11-16 21:30 UTC".
    pub made: String,
    /// Version of the program.
    pub version: String,
    /// The computer.
    pub machine: Machine,
    /// The given server, if one was measured.
    pub server: Option<ServerDescription>,
    /// Points in the order of measuring.
    pub points: Vec<Point>,
    /// Notes for the reader: what was left out, with reasons, and what may have disturbed the
    /// measurement.
    pub notes: Vec<String>,
    /// Shows if the run reached its end.
    pub completeness: Completeness,
}

/// Completeness of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// All planned steps were measured.
    Whole,
    /// The run was interrupted; the points it has are valid.
    Partial,
}

/// A measured quantity with its samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The object, and how it is touched.
    pub place: Place,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The quantity.
    pub measure: Measure,
    /// Number of threads.
    pub threads: usize,
    /// Samples in the measure's unit, in the order of measuring; at least one, all finite.
    pub samples: Vec<f64>,
}

/// An object, and how it is touched.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Name of the object.
    pub object: String,
    /// Number of nodes.
    pub n_nodes: usize,
    /// Number of nodes on the surface.
    pub n_surface: usize,
    /// Number of nodes under the fingers.
    pub n_contacts: usize,
}

impl Point {
    /// Summary of the samples.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.samples).expect("a point has samples, all of them finite")
    }

    /// True if both points are about the same quantity and can be compared.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let key = |point: &Self| (point.algorithm, point.measure, point.threads);
        self.place == other.place && key(self) == key(other)
    }
}

impl Results {
    /// Results without any points.
    pub fn new(machine: Machine) -> Self {
        Self {
            made: crate::machine::utc_now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            machine,
            server: None,
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

    /// The numbers of threads of this computer, ascending.
    pub fn threads(&self) -> Vec<usize> {
        self.numbers_of_threads(|measure| !measure.is_on_server())
    }

    /// The numbers of threads of the given server, ascending. 0 stands for a number of its own.
    pub fn server_threads(&self) -> Vec<usize> {
        self.numbers_of_threads(Measure::is_on_server)
    }

    fn numbers_of_threads(&self, is_meant: impl Fn(Measure) -> bool) -> Vec<usize> {
        let points = self.points.iter().filter(|point| is_meant(point.measure));
        let mut threads: Vec<usize> = points.map(|point| point.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    }

    /// Number of threads that can run at the same time where `measure` is measured.
    pub fn n_cores_for(&self, measure: Measure) -> usize {
        match &self.server {
            Some(server) if measure.is_on_server() => server.room(),
            _ => self.machine.n_cores,
        }
    }

    /// Largest number of threads that is not more than the number of cores.
    pub fn most_threads(&self) -> usize {
        let within = self.threads().into_iter().filter(|n| *n <= self.machine.n_cores);
        within.max().unwrap_or(1)
    }

    /// Summary of one point.
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

    /// Scaling of a quantity with threads.
    pub fn scaling(&self, place: &Place, algorithm: Algorithm, measure: Measure) -> Scaling {
        let threads = self.numbers_of_threads(|other| other == measure);
        let places = threads.into_iter().filter_map(|threads| {
            Some((threads, self.summary(place, algorithm, measure, threads)?))
        });
        Scaling::new(places.collect(), self.n_cores_for(measure))
    }

    /// A quantity for all sizes of one object: numbers of nodes and summaries, ascending.
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

    /// Growth of a quantity with the number of nodes of one object.
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
