//! `soak`: the tests that find more the longer they run.

use anyhow::Result;

use crate::{shell, test};

/// Runs each soak test for this many minutes. CI runs the same tests, shortened.
///
/// Installs and builds everything that the tests need first: some of them start our programs.
pub(crate) fn soak(minutes: u32) -> Result<()> {
    test::setup()?;
    shell::run(&mut test::build())?;
    let mut runner = test::runner();
    runner.env("PALPATE_SOAK_SECONDS", (60 * u64::from(minutes)).to_string());
    // Without retries: a second attempt would hide a failure.
    runner.env("NEXTEST_RETRIES", "0");
    shell::become_command(runner.args(["soak::", "--no-capture"]))
}
