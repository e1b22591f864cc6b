//! Python environments with packages from PyPI, in the target folder: other solvers for the
//! benchmark, and programs that are not ours for tests.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;

use crate::shell;

/// Environment of the tests in the target folder, where the tests look for it.
const FOR_TESTS: &str = "test-python";
/// Requirements of the tests, with options for pip. The client of a glove is installed without its
/// dependencies.
const TEST_REQUIREMENTS: [(&str, &[&str]); 2] =
    [("tests/python/requirements.txt", &[]), ("tests/python/cyberglove.txt", &["--no-deps"])];

/// Makes the environment of the tests.
pub(crate) fn for_tests_or_fail() -> Result<()> {
    let workspace = MetadataCommand::new().no_deps().exec().context("cannot read the workspace")?;
    let root = workspace.workspace_root.into_std_path_buf();
    let folder = workspace.target_directory.into_std_path_buf().join(FOR_TESTS);
    let requirements = TEST_REQUIREMENTS.map(|(file, options)| (root.join(file), options));
    install(&folder, &requirements.each_ref().map(|(file, options)| (&**file, *options)))
}

/// Makes the environment of the tests; prints a warning if that is not possible.
pub(crate) fn for_tests_or_warn() {
    if let Err(error) = for_tests_or_fail() {
        eprintln!(
            "warning: {error:#}\nwarning: NO PYTHON PACKAGES, so tests against programs of other \
             makers will not run"
        );
    }
}

/// Interpreter of an environment in which everything in `requirements` is installed.
pub(crate) fn environment(folder: &Path, requirements: &Path) -> Result<PathBuf> {
    install(folder, &[(requirements, &[])])?;
    Ok(interpreter(folder))
}

fn interpreter(folder: &Path) -> PathBuf {
    folder.join("bin/python")
}

/// Makes an environment and installs everything in the files, with these options for pip.
fn install(folder: &Path, requirements: &[(&Path, &[&str])]) -> Result<()> {
    let texts = requirements.iter().map(|(file, _)| {
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
    });
    let wanted = texts.collect::<Result<String>>()?;
    // Written last, so that an interrupted installation is repeated.
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|is| is == wanted) {
        return Ok(());
    }
    shell::run(shell::command("python3", ["-m", "venv"]).arg(folder))
        .context("cannot make a Python environment (on Debian: apt install python3-venv)")?;
    for (file, options) in requirements {
        let mut pip = shell::command(interpreter(folder), ["-m", "pip", "install", "--quiet"]);
        shell::run(pip.args(*options).arg("-r").arg(file))?;
    }
    fs::write(&installed, wanted).with_context(|| format!("cannot write {}", installed.display()))
}
