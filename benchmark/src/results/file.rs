//! Results as JSON: a serialised form of each type, checked when it is read.

use serde::{Deserialize, Serialize};

use super::{Completeness, Measure, Place, Point, Results};
use crate::given_server::ServerDescription;
use crate::machine::Machine;

const FORMAT: &str = "palpate benchmark 1";

/// Largest number of points: more than a run of days makes.
const MOST_POINTS: usize = 100_000;
/// Largest size of a file in bytes.
const MOST_BYTES: usize = 256 << 20;

/// Error of reading results.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The bytes are not JSON, or not of this form.
    #[error("not a results.json of `palpate bench`: {0}")]
    Json(String),
    /// The file has another format, or a later version of it.
    #[error("the format is {0:?}, expected {FORMAT:?}")]
    Format(String),
    /// The file is too large.
    #[error("{0} is too large for results, expected at most {1}")]
    TooLarge(usize, usize),
    /// A name is unknown to this version.
    #[error("point {0} has an unknown {1} {2:?}")]
    Unknown(usize, &'static str, String),
    /// Samples are invalid.
    #[error("point {0} has invalid samples, expected positive numbers, at least one")]
    Samples(usize),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(expecting = "an object with format, made, version, complete, machine, notes and points")]
struct File {
    format: String,
    made: String,
    version: String,
    complete: bool,
    machine: MachineFile,
    /// Missing in files of earlier versions, and if no server was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    server: Option<ServerFile>,
    notes: Vec<String>,
    points: Vec<PointFile>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ServerFile {
    version: String,
    machine: String,
    processor: String,
    cores: usize,
    hyper_threads: usize,
    most_threads: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct MachineFile {
    /// Missing in files of earlier versions.
    #[serde(default)]
    name: String,
    processor: String,
    cores: usize,
    caches: Vec<String>,
    vectors: Vec<String>,
    memory_bytes: u64,
    system: String,
    load: Vec<f64>,
    /// Missing in files of earlier versions.
    #[serde(default)]
    others_busy_cores: Option<f64>,
    /// Numbers of threads, and bytes per second.
    triad: Vec<(usize, f64)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PointFile {
    object: String,
    nodes: usize,
    surface_nodes: usize,
    contacts: usize,
    algorithm: String,
    measure: String,
    unit: String,
    threads: usize,
    /// Median of the samples, for readers of the file; ignored when read.
    median: f64,
    interval: [f64; 2],
    confidence: f64,
    samples: Vec<f64>,
}

/// The results as JSON text.
pub fn write_json(results: &Results) -> Vec<u8> {
    let machine = &results.machine;
    let file = File {
        format: FORMAT.to_owned(),
        made: results.made.clone(),
        version: results.version.clone(),
        complete: results.completeness == Completeness::Whole,
        server: results.server.as_ref().map(ServerFile::from),
        machine: MachineFile {
            name: machine.name.clone(),
            processor: machine.processor.clone(),
            cores: machine.n_cores,
            caches: machine.caches.clone(),
            vectors: machine.vectors.clone(),
            memory_bytes: machine.memory,
            system: machine.system.clone(),
            load: machine.load.clone(),
            others_busy_cores: machine.others,
            triad: machine.triad.clone(),
        },
        notes: results.notes.clone(),
        points: results.points.iter().map(PointFile::from).collect(),
    };
    let mut text = serde_json::to_vec(&file).expect("names, texts and finite numbers are JSON");
    text.push(b'\n');
    text
}

/// Reads results that [`write_json`] wrote.
pub fn read_json(bytes: &[u8]) -> Result<Results, FileError> {
    if bytes.len() > MOST_BYTES {
        return Err(FileError::TooLarge(bytes.len(), MOST_BYTES));
    }
    let file: File = serde_json::from_slice(bytes).map_err(|e| FileError::Json(e.to_string()))?;
    if file.format != FORMAT {
        return Err(FileError::Format(file.format));
    }
    if file.points.len() > MOST_POINTS {
        return Err(FileError::TooLarge(file.points.len(), MOST_POINTS));
    }
    let points = file.points.into_iter().enumerate().map(|(i, point)| point.checked(i));
    let machine = file.machine;
    Ok(Results {
        made: file.made,
        version: file.version,
        server: file.server.map(ServerDescription::from),
        machine: Machine {
            name: machine.name,
            processor: machine.processor,
            n_cores: machine.cores,
            caches: machine.caches,
            vectors: machine.vectors,
            memory: machine.memory_bytes,
            system: machine.system,
            load: machine.load,
            others: machine.others_busy_cores,
            triad: machine.triad,
        },
        points: points.collect::<Result<_, _>>()?,
        notes: file.notes,
        completeness: if file.complete { Completeness::Whole } else { Completeness::Partial },
    })
}

impl From<&ServerDescription> for ServerFile {
    fn from(server: &ServerDescription) -> Self {
        Self {
            version: server.version.clone(),
            machine: server.machine.clone(),
            processor: server.processor.clone(),
            cores: server.n_cores,
            hyper_threads: server.n_hyper_threads,
            most_threads: server.most_threads,
        }
    }
}

impl From<ServerFile> for ServerDescription {
    fn from(file: ServerFile) -> Self {
        Self {
            version: file.version,
            machine: file.machine,
            processor: file.processor,
            n_cores: file.cores,
            n_hyper_threads: file.hyper_threads,
            most_threads: file.most_threads,
        }
    }
}

impl From<&Point> for PointFile {
    fn from(point: &Point) -> Self {
        let summary = point.summary();
        Self {
            object: point.place.object.clone(),
            nodes: point.place.n_nodes,
            surface_nodes: point.place.n_surface,
            contacts: point.place.n_contacts,
            algorithm: point.algorithm.key().to_owned(),
            measure: point.measure.key().to_owned(),
            unit: point.measure.unit().key().to_owned(),
            threads: point.threads,
            median: summary.median,
            interval: [summary.interval.low, summary.interval.high],
            confidence: summary.interval.confidence,
            samples: point.samples.clone(),
        }
    }
}

impl PointFile {
    fn checked(self, i: usize) -> Result<Point, FileError> {
        let measure = Measure::with_key(&self.measure).ok_or(FileError::Unknown(
            i,
            "measure",
            self.measure,
        ))?;
        let is_possible = |sample: &f64| measure.unit().can_be(*sample);
        if self.samples.is_empty() || !self.samples.iter().all(is_possible) {
            return Err(FileError::Samples(i));
        }
        if self.unit != measure.unit().key() {
            return Err(FileError::Unknown(i, "unit", self.unit));
        }
        let algorithm = self.algorithm.parse();
        Ok(Point {
            algorithm: algorithm.map_err(|_| FileError::Unknown(i, "algorithm", self.algorithm))?,
            measure,
            place: Place {
                object: self.object,
                n_nodes: self.nodes,
                n_surface: self.surface_nodes,
                n_contacts: self.contacts,
            },
            threads: self.threads,
            samples: self.samples,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::synthetic_results::{check_read_back, sample_results};
    use proptest::prelude::*;

    #[test]
    fn what_is_written_is_read_back() {
        check_read_back(&sample_results());
    }

    #[test]
    fn invalid_files_are_refused_with_the_reason() {
        let text = String::from_utf8(write_json(&sample_results())).unwrap();
        check_refused("{}", "missing field");
        check_refused(&text.replace(FORMAT, "palpate benchmark 9"), "palpate benchmark 9");
        check_refused(&text.replacen("\"set_up\"", "\"magic\"", 1), "unknown measure \"magic\"");
        check_refused(&text.replacen("\"ours\"", "\"theirs\"", 1), "unknown algorithm \"theirs\"");
        check_refused("7", "expected an object with format");
        check_refused(
            &text.replacen("\"unit\":\"s\"", "\"unit\":\"parsec\"", 1),
            "unit \"parsec\"",
        );
        check_refused(&text.replacen("\"samples\":[", "\"samples\":[-1.0,", 1), "positive numbers");
        let start = text.find("\"samples\":[").unwrap();
        let end = start + text[start..].find(']').unwrap();
        let emptied = format!("{}\"samples\":[{}", &text[..start], &text[end..]);
        check_refused(&emptied, "point 0 has invalid samples");
    }

    proptest! {
        #[test]
        fn no_bytes_cause_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(read_json(&bytes).is_err());
        }

        #[test]
        fn no_damage_causes_a_panic(at in 0..4000_usize, byte in any::<u8>()) {
            let mut text = write_json(&sample_results());
            let at = at % text.len();
            text[at] = byte;
            if let Ok(results) = read_json(&text) {
                results.points.iter().for_each(|point| drop(point.summary()));
            }
        }
    }

    fn check_refused(text: &str, expected: &str) {
        let why = read_json(text.as_bytes()).unwrap_err().to_string();
        assert!(why.contains(expected), "{why}");
    }
}
