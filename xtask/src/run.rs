//! Builds the workstation and starts it.

use anyhow::Result;

use crate::{setup, shell};

/// How the workstation is built for people; tests use the dev profile.
const PROFILE: &str = "release";

/// Starts `palpate` with these arguments, in the caller's folder, so that relative paths hold.
pub(crate) fn run(args: &[String]) -> Result<()> {
    // The solver and a run without pictures need none of the packages.
    setup::or_warn();
    shell::become_command(
        shell::cargo(["run", "--profile", PROFILE, "-p", "client", "--bin", "palpate", "--"])
            .args(args),
    )
}
