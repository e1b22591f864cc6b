//! Formatting and clippy, with warnings as errors.

use anyhow::{Context, Result};

use crate::shell;

pub(crate) fn lint() -> Result<()> {
    shell::run(&mut shell::cargo(["fmt", "--all", "--check"]))
        .context("formatting differs; `cargo fmt --all` puts it right")?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    shell::run(&mut shell::cargo(clippy)).context("clippy found something to mend")
}
