//! What all tests together may take. `cargo xtask ci` notes what they took, and warns; `tidy` warns
//! of the last run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The budget: the sum of what the runner says of each test, in seconds, on two cores with two tests
/// on each. Waiting counts. A run of 1397 tests took 2572 s, 260 s of them in a test that failed by
/// a timeout. More is a warning. A test that needs more than a few seconds is worth a second
/// thought: several claims about one started program, a clock of its own, or a part of it in
/// `cargo xtask soak`.
pub(crate) const BUDGET_SECONDS: f64 = 2600.0;

/// Where the sum of the last complete run is, in cargo's target folder.
const FILE: &str = "test-seconds";

/// Notes what all tests took, for the next `tidy`.
pub(crate) fn note(target: &Path, seconds: f64) -> Result<()> {
    let file = file(target);
    fs::write(&file, format!("{seconds:.1}\n"))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// A warning, if the tests took more than their budget.
pub(crate) fn warning(seconds: f64) -> Option<String> {
    (seconds > BUDGET_SECONDS).then(|| {
        format!(
            "the tests took {seconds:.0} s together, more than the {BUDGET_SECONDS:.0} s of their \
             budget (BUDGET_SECONDS in xtask/src/tidy/budget.rs)"
        )
    })
}

/// The same about the last run that was noted, if there was one.
pub(super) fn warning_of_last_run(target: &Path) -> Option<String> {
    let file = file(target);
    let noted = fs::read_to_string(&file).ok()?;
    match noted.trim().parse::<f64>() {
        Ok(seconds) if seconds.is_finite() => warning(seconds),
        _ => Some(format!("{} holds no number of seconds; please remove it", file.display())),
    }
}

fn file(target: &Path) -> PathBuf {
    target.join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_budget_is_told() {
        assert_eq!(warning(BUDGET_SECONDS), None);
        assert!(warning(BUDGET_SECONDS + 1.0).is_some_and(|text| text.contains("budget")));
    }

    #[test]
    fn what_a_run_took_is_known_to_the_next_tidy() {
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
