//! `docs`: the generated pages of docs/reference.

use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

/// Writes the pages that the program generates.
pub(crate) fn docs() -> Result<()> {
    shell::run(&mut pages()).context("cannot write the pages")
}

/// Checks that the pages are what the program generates. `compile` may choose another compiler, so
/// that existing build results are used.
pub(crate) fn check(compile: impl FnOnce(Command) -> Command) -> Result<()> {
    let mut command = compile(pages());
    shell::run(command.arg("--check")).context("pages are out of date; run `cargo xtask docs`")
}

fn pages() -> Command {
    let example = ["run", "--quiet", "-p", "client", "--example", "reference_pages", "--"];
    let mut command = shell::cargo(example);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference");
    command.arg(folder);
    command
}
