//! `run`: builds the workstation and starts it.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;

use crate::{setup, shell};

/// The profile of the tests, so that nothing is built twice. Its arithmetic is optimised; `cargo
/// run --release` is slightly faster.
const PROFILE: &str = "dev";

/// Starts `palpate` with these arguments, in the caller's folder, so that relative paths are valid.
pub(crate) fn run(args: &[String]) -> Result<()> {
    // Only a warning: the solver and a run without pictures need none of the packages.
    setup::or_warn();
    let mut cargo =
        shell::cargo(["run", "--profile", PROFILE, "-p", "client", "--bin", "palpate", "--"]);
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // Without this variable, the device selection of the Vulkan loader complains on every
        // start.
        cargo.env("XDG_RUNTIME_DIR", runtime_dir()?);
    }
    shell::become_command(cargo.args(args))
}

/// A folder for sockets and the like, private as `XDG_RUNTIME_DIR` must be.
fn runtime_dir() -> Result<PathBuf> {
    let workspace = MetadataCommand::new().no_deps().exec().context("cannot read the workspace")?;
    let folder = workspace.target_directory.join("runtime").into_std_path_buf();
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))
            .with_context(|| format!("cannot make {} private", folder.display()))?;
    }
    Ok(folder)
}
