//! Checks what the compiler does not: who depends on whom, and that the pages tell the truth.
//!
//! One file per check; `sources` reads code for them. `budget` is not a check: it warns.

mod architecture;
mod arrows;
pub(crate) mod budget;
mod families;
mod features;
mod layers;
mod maps;
mod packages;
mod pages;
mod prose;
mod purity;
mod sources;

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
        maps::check(root, &packages),
        purity::check(root),
        layers::check(root),
        families::check(root, &packages),
        features::check(root)?,
        pages::check(root),
        prose::check(root),
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
    if let Some(warning) = budget::warning_of_last_run(metadata.target_directory.as_std_path()) {
        eprintln!("warning: {warning}");
    }
    match findings.iter().map(|findings| findings.violations.len()).sum() {
        0 => Ok(()),
        1 => bail!("tidy found one thing to put right; it is listed above"),
        n => bail!("tidy found {n} things to put right; they are listed above"),
    }
}
