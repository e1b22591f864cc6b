//! `lint`: formatting and clippy, with warnings as errors.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

pub(crate) fn lint() -> Result<()> {
    format()?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    shell::run(&mut shell::cargo(clippy)).context("clippy found problems")
}

pub(crate) fn format() -> Result<()> {
    shell::run(&mut shell::cargo(["fmt", "--all", "--check"]))
        .context("the formatting is wrong; run `cargo fmt --all`")
}

/// Clippy in place of the compiler.
///
/// `cargo clippy` is `cargo check` with clippy as the compiler of our packages, and a check
/// produces no programs. The same compiler under `cargo build` lints equally well and produces the
/// tests. It skips rustc's own (MIR) optimisations; the tests are not measurably slower.
#[derive(Debug)]
pub(crate) struct Clippy {
    driver: PathBuf,
}

impl Clippy {
    /// The clippy that belongs to our compiler.
    pub(crate) fn found() -> Result<Self> {
        let mut rustc = shell::command("rustc", ["--print", "sysroot"]);
        let sysroot = shell::stdout_of(&mut rustc)?;
        let driver = PathBuf::from(sysroot.trim()).join("bin/clippy-driver");
        if !driver.with_extension(std::env::consts::EXE_EXTENSION).exists() {
            bail!("there is no clippy at {}; `rustup component add clippy`", driver.display());
        }
        Ok(Self { driver })
    }

    /// Makes cargo compile our packages with clippy, warnings as errors. Cargo keeps the results
    /// apart from those of the plain compiler; dependencies are shared.
    pub(crate) fn compiles(&self, mut cargo: Command) -> Command {
        // `cargo clippy` passes the arguments after `--` in the same way.
        cargo.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
        cargo.env("RUSTC_WORKSPACE_WRAPPER", &self.driver);
        // A single build from scratch needs no incremental data, and fewer codegen units.
        cargo.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_CODEGEN_UNITS", "4");
        // A panic names its line even without debug information.
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "none");
        cargo
    }
}
