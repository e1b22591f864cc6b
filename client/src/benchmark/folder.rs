//! What a run leaves: a folder with a report for people, CSV for tables and JSON for programs.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context;
use benchmark::Results;
use benchmark::report::{Question, html};
use benchmark::results::{write_csv, write_json};

use crate::replace::replace;

/// Where a run is written, and what its report is asked.
pub(super) struct Folder {
    path: PathBuf,
    question: Question,
}

const RESULTS: &str = "results.json";
/// The run before, to be compared with.
const BEFORE: &str = "results-before.json";

impl Folder {
    /// Makes the folder. Results of an earlier run stay under another name, so that both can be compared.
    pub(super) fn make(path: &Path, question: Question) -> anyhow::Result<Self> {
        fs::create_dir_all(path)
            .with_context(|| format!("cannot make the folder {}", path.display()))?;
        match fs::rename(path.join(RESULTS), path.join(BEFORE)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                let results = path.join(RESULTS);
                return Err(e).with_context(|| format!("cannot set {} aside", results.display()));
            }
            Ok(()) | Err(_) => {}
        }
        Ok(Self { path: path.to_owned(), question })
    }

    pub(super) fn write(&self, results: &Results) -> anyhow::Result<()> {
        for (name, content) in [
            (RESULTS, write_json(results)),
            ("results.csv", write_csv(results).into_bytes()),
            ("report.html", html(results, &self.question).into_bytes()),
        ] {
            let path = self.path.join(name);
            replace(&path, &content).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchmark::machine::Machine;
    use benchmark::results::read_json;

    #[test]
    fn the_run_before_stays_to_be_compared_with() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a/b");
        for made in ["yesterday", "today"] {
            let results = Results { made: made.to_owned(), ..Results::new(Machine::default()) };
            Folder::make(&path, Question::default()).unwrap().write(&results).unwrap();
        }
        let made = |name: &str| read_json(&fs::read(path.join(name)).unwrap()).unwrap().made;
        assert_eq!((made(BEFORE).as_str(), made(RESULTS).as_str()), ("yesterday", "today"));
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        fs::write(&path, "").unwrap();
        let why = Folder::make(&path, Question::default()).err().unwrap();
        assert!(format!("{why:#}").contains("cannot make the folder"), "{why:#}");
    }
}
