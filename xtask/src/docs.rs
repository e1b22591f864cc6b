//! The generated pages of docs/reference.

use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

/// Writes the pages that are made from the program.
pub(crate) fn docs() -> Result<()> {
    shell::run(&mut pages()).context("cannot write the pages")
}

/// Fails if a generated page differs from what the program says. `compile` may choose another
/// compiler, so that what is compiled already is used again.
pub(crate) fn check(compile: impl FnOnce(Command) -> Command) -> Result<()> {
    let mut command = compile(pages());
    shell::run(command.arg("--check")).context("`cargo xtask docs` writes stale pages anew")
}

fn pages() -> Command {
    let example = ["run", "--quiet", "-p", "client", "--example", "reference_pages", "--"];
    let mut command = shell::cargo(example);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference");
    command.arg(folder);
    command
}
