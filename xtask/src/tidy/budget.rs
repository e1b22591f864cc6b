//! `budget`: limit of the total time of all tests. `cargo xtask ci` records the time and warns;
//! `tidy` warns about the last run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The budget in seconds: the sum of the times that the runner reports for all tests, on two cores
/// with two tests on each. Waiting counts. A run of 1397 tests took 2572 s, 260 s of them in a test
/// that failed by a timeout. More gives a warning. If a test needs more than a few seconds, check
/// several claims with one started program, use a simulated clock, or move a part of the test to
/// `cargo xtask soak`.
pub(crate) const BUDGET_SECONDS: f64 = 2600.0;

/// File with the sum of the last complete run, in cargo's target folder.
const FILE: &str = "test-seconds";

/// Records the time of all tests for the next `tidy`.
pub(crate) fn note(target: &Path, seconds: f64) -> Result<()> {
    let file = file(target);
    fs::write(&file, format!("{seconds:.1}\n"))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// A warning, if the tests took more than their budget.
pub(crate) fn warning(seconds: f64) -> Option<String> {
    (seconds > BUDGET_SECONDS).then(|| {
        format!(
            "all tests together took {seconds:.0} s, more than their budget of \
             {BUDGET_SECONDS:.0} s (BUDGET_SECONDS in xtask/src/tidy/budget.rs)"
        )
    })
}

/// A warning about the last recorded run, if it took more than the budget.
pub(super) fn warning_of_last_run(target: &Path) -> Option<String> {
    let file = file(target);
    let noted = fs::read_to_string(&file).ok()?;
    match noted.trim().parse::<f64>() {
        Ok(seconds) if seconds.is_finite() => warning(seconds),
        _ => Some(format!("{} contains no number of seconds; please remove it", file.display())),
    }
}

fn file(target: &Path) -> PathBuf {
    target.join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_budget_is_reported() {
        assert_eq!(warning(BUDGET_SECONDS), None);
        assert!(warning(BUDGET_SECONDS + 1.0).is_some_and(|text| text.contains("budget")));
    }

    #[test]
    fn tidy_reads_the_duration_of_the_last_run() {
        let name = format!("xtask-budget-{}", std::process::id());
        let target = std::env::temp_dir().join(name);
        fs::create_dir_all(&target).expect("a folder can be made");
        assert_eq!(warning_of_last_run(&target), None, "there was no run");
        note(&target, BUDGET_SECONDS - 1.0).expect("it can be written");
        assert_eq!(warning_of_last_run(&target), None);
        note(&target, BUDGET_SECONDS + 100.0).expect("it can be written");
        assert_eq!(warning_of_last_run(&target), warning(BUDGET_SECONDS + 100.0));
        fs::write(file(&target), "many\n").expect("it can be written");
        assert!(warning_of_last_run(&target).is_some_and(|text| text.contains("no number")));
        fs::remove_dir_all(&target).expect("the folder is there");
    }
}
