//! The tests that find more the longer they run.

use anyhow::Result;

use crate::{shell, test};

/// Runs each test that is called a soak for this many minutes. CI runs the same tests, shortened.
///
/// What they need is installed and built first: some of them start our programs.
pub(crate) fn soak(minutes: u32) -> Result<()> {
    test::setup()?;
    shell::run(&mut test::build())?;
    let mut runner = test::runner();
    runner.env("PALPATE_SOAK_SECONDS", (60 * u64::from(minutes)).to_string());
    // A failure is what we look for: a second try would only cover it up.
    runner.env("NEXTEST_RETRIES", "0");
    shell::become_command(runner.args(["soak::", "--no-capture"]))
}
