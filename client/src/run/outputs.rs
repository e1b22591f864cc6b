//! Checks the places of a run's files before the run begins: a typing error should not cost a run.

use std::path::Path;

use anyhow::Context;

use super::pictures;
use crate::atomic_write::ExistingFile;
use crate::command_line::RunOptions;

/// Folder for pictures without `--pictures`. Every run writes over the pictures of the one before.
const USUAL_FOLDER: &str = "palpate-run";

/// Refuses to replace a recording or a trace, unless `--replace` is given.
pub fn check_files(run: &RunOptions, record: Option<&Path>) -> anyhow::Result<()> {
    let existing = ExistingFile::from(run.existing);
    record.into_iter().chain(run.trace.as_deref()).try_for_each(|file| existing.check(file))
}

/// Creates the folder for pictures. Refuses to replace a snapshot, or the pictures in a folder that
/// `--pictures` names, unless `--replace` is given.
pub fn check_pictures(run: &RunOptions) -> anyhow::Result<()> {
    let existing = ExistingFile::from(run.existing);
    if let Some(file) = &run.snapshot {
        pictures::check_place(file)?;
        existing.check(file)?;
    }
    let folder = picture_folder(run);
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {} for pictures", folder.display()))?;
    if existing == ExistingFile::Replace || run.pictures.is_none() {
        return Ok(());
    }
    let cannot = || format!("cannot look into {}", folder.display());
    for entry in std::fs::read_dir(folder).with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        if entry.file_name().to_str().is_some_and(pictures::is_of_a_run) {
            existing.check(&entry.path())?;
        }
    }
    Ok(())
}

/// Folder for the pictures of a run's key moments.
pub(super) fn picture_folder(run: &RunOptions) -> &Path {
    run.pictures.as_deref().unwrap_or(Path::new(USUAL_FOLDER))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::command_line::CommandLine;

    /// Checks the outputs of a command line; `FOLDER` in it stands for a folder with old files.
    fn check(line: &str, expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["run.palpate", "run.jsonl", "now.png", "1-approach.png"] {
            std::fs::write(folder.path().join(name), "years of work").unwrap();
        }
        let line = line.replace("FOLDER", folder.path().to_str().unwrap());
        let options = CommandLine::try_parse_from(line.split(' ')).unwrap().squeeze;
        let checked = check_files(&options.run, options.record.as_deref())
            .and_then(|()| check_pictures(&options.run));
        let error = checked.err().map(|error| error.to_string());
        match (&error, expected) {
            (Some(error), Some(expected)) => assert!(error.contains(expected), "{line}: {error}"),
            (error, expected) => assert_eq!(error.as_deref(), expected, "{line}"),
        }
    }

    #[test]
    fn every_output_that_a_person_names_is_kept_without_replace() {
        for (file, what) in [
            ("--record FOLDER/run.palpate", "run.palpate exists already; --replace"),
            ("--trace FOLDER/run.jsonl", "run.jsonl exists already; --replace"),
            ("--snapshot FOLDER/now.png", "now.png exists already; --replace"),
            ("--pictures FOLDER", "1-approach.png exists already; --replace"),
        ] {
            let elsewhere =
                if file.starts_with("--pictures") { "" } else { " --pictures FOLDER/p" };
            check(&format!("palpate {file}{elsewhere}"), Some(what));
            check(&format!("palpate {file}{elsewhere} --replace"), None);
        }
        let new = "--record FOLDER/a --trace FOLDER/b --snapshot FOLDER/c.png --pictures FOLDER/d";
        check(&format!("palpate {new}"), None);
    }
}
