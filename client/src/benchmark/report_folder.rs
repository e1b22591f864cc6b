//! The folder of a run: a report for people, CSV for tables and JSON for programs.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context;
use benchmark::Results;
use benchmark::report::{ReportOptions, html};
use benchmark::results::{Completeness, read_json, write_csv, write_json};

use crate::atomic_write::replace_file;

/// Folder of a run, and options of its report.
pub(super) struct ReportFolder {
    path: PathBuf,
    question: ReportOptions,
    /// True if the folder may hold results of an earlier run.
    has_older: bool,
}

const RESULTS: &str = "results.json";
/// Earlier run to compare with.
const BEFORE: &str = "results-before.json";

impl ReportFolder {
    /// Creates the folder.
    pub(super) fn make(path: &Path, question: ReportOptions) -> anyhow::Result<Self> {
        fs::create_dir_all(path)
            .with_context(|| format!("cannot make the folder {}", path.display()))?;
        Ok(Self { path: path.to_owned(), question, has_older: true })
    }

    /// Writes all files. Results of the last complete run are kept under another name, so that both
    /// can be compared; those of an interrupted run are overwritten.
    pub(super) fn write(&mut self, results: &Results) -> anyhow::Result<()> {
        if self.has_older {
            self.set_aside()?;
            self.has_older = false;
        }
        for (name, content) in [
            (RESULTS, write_json(results)),
            ("results.csv", write_csv(results).into_bytes()),
            ("report.html", html(results, &self.question).into_bytes()),
        ] {
            let path = self.path.join(name);
            replace_file(&path, &content)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

impl ReportFolder {
    fn set_aside(&self) -> anyhow::Result<()> {
        let path = self.path.join(RESULTS);
        let cannot = || format!("cannot set {} aside", path.display());
        let old = match fs::read(&path) {
            Ok(old) => old,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(e).with_context(cannot),
        };
        let is_partial = read_json(&old).is_ok_and(|old| old.completeness == Completeness::Partial);
        if is_partial {
            Ok(())
        } else {
            fs::rename(&path, self.path.join(BEFORE)).with_context(cannot)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchmark::machine::Machine;

    #[test]
    fn the_run_before_stays_to_be_compared_with() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a/b");
        for (made, completeness) in [
            ("yesterday", Completeness::Whole),
            ("interrupted", Completeness::Partial),
            ("today", Completeness::Partial),
        ] {
            let new = Results::new(Machine::default());
            let results = Results { made: made.to_owned(), completeness, ..new };
            ReportFolder::make(&path, ReportOptions::default()).unwrap().write(&results).unwrap();
        }
        let made = |name: &str| read_json(&fs::read(path.join(name)).unwrap()).unwrap().made;
        assert_eq!((made(BEFORE).as_str(), made(RESULTS).as_str()), ("yesterday", "today"));
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        fs::write(&path, "").unwrap();
        let why = ReportFolder::make(&path, ReportOptions::default()).err().unwrap();
        assert!(format!("{why:#}").contains("cannot make the folder"), "{why:#}");
    }
}
