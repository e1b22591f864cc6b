//! Formatting and clippy, with warnings as errors.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

pub(crate) fn lint() -> Result<()> {
    format()?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    shell::run(&mut shell::cargo(clippy)).context("clippy found something to mend")
}

pub(crate) fn format() -> Result<()> {
    shell::run(&mut shell::cargo(["fmt", "--all", "--check"]))
        .context("formatting differs; `cargo fmt --all` puts it right")
}

/// Clippy in the compiler's place.
///
/// `cargo clippy` is `cargo check` with clippy as compiler of our own packages, and a check leaves
/// nothing that could be run. The same compiler under `cargo build` lints just as well, and leaves
/// the tests. It skips rustc's own (MIR) optimisations; the tests are not measurably slower.
#[derive(Debug)]
pub(crate) struct Clippy {
    driver: PathBuf,
}

impl Clippy {
    /// The one that belongs to our compiler.
    pub(crate) fn found() -> Result<Self> {
        let mut rustc = shell::command("rustc", ["--print", "sysroot"]);
        let sysroot = shell::stdout_of(&mut rustc)?;
        let driver = PathBuf::from(sysroot.trim()).join("bin/clippy-driver");
        if !driver.with_extension(std::env::consts::EXE_EXTENSION).exists() {
            bail!("there is no clippy at {}; `rustup component add clippy`", driver.display());
        }
        Ok(Self { driver })
    }

    /// The command of cargo with our packages compiled by clippy, warnings as errors. Cargo keeps
    /// these apart from what the plain compiler makes; dependencies are shared.
    pub(crate) fn compiles(&self, mut cargo: Command) -> Command {
        // So does `cargo clippy` hand on what comes after `--`.
        cargo.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
        cargo.env("RUSTC_WORKSPACE_WRAPPER", &self.driver);
        // What is compiled once and from nothing need not be kept in pieces for the next time, nor
        // in as many.
        cargo.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_CODEGEN_UNITS", "4");
        // A panic names its line without it.
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "none");
        cargo
    }
}
