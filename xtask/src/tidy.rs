//! Checks what the compiler does not: who depends on whom, and that the pages tell the truth.

mod architecture;
mod arrows;
mod packages;

use anyhow::{Context, Result, bail};
use cargo_metadata::MetadataCommand;

/// What one check looked at and what it found.
#[derive(Debug)]
struct Findings {
    /// Name of the check and what it counted, for example "arrows: 11 packages, 14 edges".
    checked: String,
    /// One sentence each; empty if all is well.
    violations: Vec<String>,
}

/// Runs every check, lists every violation, then fails if there was any.
pub(crate) fn tidy() -> Result<()> {
    let metadata = MetadataCommand::new().no_deps().exec().context("cannot read the workspace")?;
    let root = metadata.workspace_root.as_std_path();
    let packages = metadata.workspace_packages();
    let findings = [
        arrows::check(&packages),
        arrows::check_libraries(&packages),
        packages::check(&packages),
        architecture::check(root, &packages),
    ];
    for Findings { checked, violations } in &findings {
        match violations.len() {
            0 => println!("{checked}, all well"),
            n => println!("{checked}, {n} not as it should be:"),
        }
        for violation in violations {
            println!("  {violation}");
        }
    }
    match findings.iter().map(|findings| findings.violations.len()).sum() {
        0 => Ok(()),
        1 => bail!("tidy found one thing to put right; it is listed above"),
        n => bail!("tidy found {n} things to put right; they are listed above"),
    }
}
