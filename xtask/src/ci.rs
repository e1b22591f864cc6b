//! `ci`: all checks of CI, cheapest first.

use std::io::{BufRead, BufReader, IsTerminal};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use cargo_metadata::MetadataCommand;

use crate::lint::{self, Clippy};
use crate::tidy::budget;
use crate::{doc_lint, docs, shell, test, tidy};

/// Runs tidy, lint and tests. The tests come last, so that the runner's summary ends the output.
///
/// Clippy compiles the tests and lints them at the same time: a separate check before would compile
/// everything, including all dependencies, once more.
pub(crate) fn ci() -> Result<()> {
    let mut account = Account::default();
    account.of("format", lint::format)?;
    account.of("tidy", tidy::tidy)?;
    account.of("setup", test::setup)?;
    let clippy = Clippy::found()?;
    let with_clippy = |command: Command| clippy.compiles(command);
    account.of("compile and lint", || {
        // The times of all packages are in target/cargo-timings.
        shell::run(with_clippy(test::build()).arg("--timings"))
            .context("the workspace does not compile without warnings")
    })?;
    account.of("generated pages", || docs::check(with_clippy))?;
    account.of("doc pages", || doc_lint::check(with_clippy))?;
    account.of("doc tests", || shell::run(&mut with_clippy(test::doc())))?;
    let mut runner = with_clippy(test::runner());
    let tests = account.of("tests", || follow(&mut runner))?;
    eprint!("\n{}", account.table());
    if let Some(warning) = budget::warning(tests.seconds) {
        eprintln!("warning: {warning}");
    }
    for line in &tests.end {
        eprintln!("{line}");
    }
    if tests.is_complete() {
        budget::note(&target_folder()?, tests.seconds)?;
    }
    if !tests.is_success {
        std::process::exit(1);
    }
    Ok(())
}

fn target_folder() -> Result<PathBuf> {
    let workspace = MetadataCommand::new().no_deps().exec().context("cannot read the workspace")?;
    Ok(workspace.target_directory.into_std_path_buf())
}

/// Times of the parts.
#[derive(Debug, Default)]
struct Account(Vec<(&'static str, Duration)>);

impl Account {
    /// Executes a part and records its time.
    fn of<T>(&mut self, part: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        eprintln!("\n== {part}");
        let start = Instant::now();
        let outcome = work();
        self.0.push((part, start.elapsed()));
        if outcome.is_err() {
            eprint!("\n{}", self.table());
        }
        outcome
    }

    fn table(&self) -> String {
        let line =
            |part: &str, time: Duration| format!("{part:<18}{:>8.1} s\n", time.as_secs_f64());
        let parts = self.0.iter().map(|(part, time)| line(part, *time));
        parts.chain([line("together", self.0.iter().map(|(_, time)| *time).sum())]).collect()
    }
}

/// Result of a run of all tests.
#[derive(Debug, Default)]
struct Tests {
    is_success: bool,
    /// Sum of the times of all tests, including repeated attempts.
    seconds: f64,
    /// Last lines of the runner's output, beginning with its summary.
    end: Vec<String>,
}

impl Tests {
    /// Processes the runner's next line; returns the line if it should be shown at once.
    fn take(&mut self, line: String) -> Option<String> {
        let words = without_colours(&line);
        if self.end.is_empty() && !is_summary(&words) {
            self.seconds += seconds_of_test(&words).unwrap_or(0.0);
            return Some(line);
        }
        // The runner lists failed tests again here.
        self.end.push(line);
        None
    }

    /// True if the runner executed all tests.
    fn is_complete(&self) -> bool {
        self.end.first().is_some_and(|summary| is_of_all(&without_colours(summary)))
    }
}

/// Runs the tests and shows their output, except the last lines, which the caller shows.
fn follow(runner: &mut Command) -> Result<Tests> {
    // The runner checks its own stderr, which is a pipe here.
    runner
        .env("CARGO_TERM_COLOR", if std::io::stderr().is_terminal() { "always" } else { "never" });
    let mut child = shell::spawn(runner.stderr(Stdio::piped()))?;
    let stream = child.stderr.take().context("the runner's stderr is a pipe")?;
    let mut tests = Tests::default();
    for line in BufReader::new(stream).split(b'\n') {
        let line = line.context("cannot read the output of the test runner")?;
        if let Some(line) = tests.take(String::from_utf8_lossy(&line).into_owned()) {
            eprintln!("{line}");
        }
    }
    tests.is_success = child.wait().context("cannot wait for the test runner")?.success();
    if tests.end.is_empty() && !tests.is_success {
        bail!("the tests failed; the runner's own output is above");
    }
    Ok(tests)
}

/// Removes the escape sequences for colours from a line.
fn without_colours(line: &str) -> String {
    let mut parts = line.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
}

/// Time of a test, if the line reports one: `PASS [   0.123s] ( 1/10) name`. Other outcomes are
/// `TRY 1 FAIL`, `TIMEOUT`, `SIGKILL`, `LEAK-FAIL` and more, all in capitals.
fn seconds_of_test(line: &str) -> Option<f64> {
    let (outcome, rest) = line.trim_start().split_once(" [")?;
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || " -+/".contains(c);
    let is_outcome = outcome.starts_with(|c: char| c.is_ascii_uppercase());
    let seconds = rest.split_once("s]")?.0.trim();
    // A test that is still running has only its time so far: `SLOW [> 60.000s]`.
    (is_outcome && outcome.chars().all(is_capital)).then(|| seconds.parse().ok())?
}

fn is_summary(line: &str) -> bool {
    line.trim_start().starts_with("Summary [")
}

/// True if a summary covers all tests: `Summary [ 1.0s] 7 tests run:`. If the run was cut short,
/// the summary has `3/7 tests run:`.
fn is_of_all(summary: &str) -> bool {
    let n_run = summary.split_once(']').and_then(|(_, rest)| rest.split_whitespace().next());
    is_summary(summary) && n_run.is_some_and(|n| n.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_test_is_read_from_its_line() {
        let check = |line: &str, expected: Option<f64>| {
            assert_eq!(seconds_of_test(&without_colours(line)), expected, "{line:?}");
        };
        check("        PASS [   1.234s] (   7/1277) client window::tests::opens", Some(1.234));
        check("\x1b[32;1m        PASS\x1b[0m [   0.050s] (1/2) \x1b[35;1ma\x1b[0m b", Some(0.05));
        check("        FAIL [  61.000s] (   8/1277) tests::system a", Some(61.0));
        check("  TRY 1 FAIL [   1.000s] (─────────) tests::devices a", Some(1.0));
        check("  TRY 2 PASS [   2.000s] (   8/1277) tests::devices a", Some(2.0));
        check("  TRY 1 KILL [   2.500s] (─────────) tests::devices a", Some(2.5));
        check("   TRY 1 TMT [   2.750s] (─────────) tests::devices a", Some(2.75));
        check("TRY 2 LKFAIL [   0.250s] (   8/1277) tests::devices a", Some(0.25));
        check("     TIMEOUT [ 120.500s] (   8/1277) tests::devices a", Some(120.5));
        check("     SIGKILL [   3.000s] (   8/1277) tests::devices a", Some(3.0));
        check("   LEAK-FAIL [   4.000s] (   8/1277) tests::devices a", Some(4.0));
        check(" FAIL + LEAK [   5.000s] (   8/1277) tests::devices a", Some(5.0));
        // A slow test has a second line when it ends.
        check("        SLOW [> 60.000s] (─────────) tests::devices a", None);
        check("TRY 1 TRMNTG [>120.000s] (─────────) tests::devices a", None);
        check("   RETRY 2/2 [         ] (─────────) tests::devices a", None);
        check("     Summary [ 523.461s] 1277 tests run: 1277 passed", None);
        check("    Finished `test` profile [unoptimized] target(s) in 0.50s", None);
        check("NOT RUN: there is no Monado", None);
    }

    #[test]
    fn the_account_names_each_part_and_their_sum() {
        let account = Account(vec![
            ("tidy", Duration::from_millis(250)),
            ("tests", Duration::from_millis(61_500)),
        ]);
        let table = "tidy                   0.2 s\ntests                 61.5 s\n\
                     together              61.8 s\n";
        assert_eq!(account.table(), table);
    }

    #[test]
    fn the_end_of_the_output_is_kept_for_last() {
        let script = "echo '  TRY 1 FAIL [ 0.500s] a' >&2; echo '  TRY 2 FAIL [ 0.250s] a' >&2; \
                      echo '  Summary [ 1s] 1 test run: 1 failed' >&2; \
                      echo '  TRY 2 FAIL [ 0.250s] a' >&2";
        let tests = follow(&mut shell::command("sh", ["-c", script])).expect("it runs");
        assert!(tests.is_success);
        assert!(tests.is_complete());
        assert_eq!(tests.seconds, 0.75, "lines after the summary are not counted");
        let end = "  Summary [ 1s] 1 test run: 1 failed|  TRY 2 FAIL [ 0.250s] a";
        assert_eq!(tests.end.join("|"), end);
        let failing = follow(&mut shell::command("sh", ["-c", "exit 3"]));
        assert!(failing.is_err_and(|error| error.to_string().contains("failed")));
    }

    #[test]
    fn a_run_that_was_cut_short_is_not_complete() {
        let check = |line: &str, expected: bool| {
            let mut tests = Tests::default();
            tests.take(line.to_owned());
            assert_eq!(tests.is_complete(), expected, "{line}");
        };
        check("     Summary [ 523.461s] 1277 tests run: 1277 passed, 3 skipped", true);
        check("\x1b[32;1m     Summary\x1b[0m [   1.0s] \x1b[1m2\x1b[0m tests run", true);
        check("     Summary [   3.461s] 12/1277 tests run: 12 passed", false);
        check("        PASS [   1.234s] (   7/1277) client opens", false);
    }
}
