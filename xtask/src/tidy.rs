//! `tidy`: checks dependencies, layers and documentation, which the compiler does not check.
//!
//! Each check has its own file; `sources` reads code for them. `budget` only warns.

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

/// Result of one check.
#[derive(Debug)]
struct Findings {
    /// Name of the check with its counts, for example "arrows: 11 packages, 14 edges".
    checked: String,
    /// One sentence for each violation; empty if there are none.
    violations: Vec<String>,
}

/// Runs all checks, prints all violations, then fails if there are any.
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
        pages::check(root).context("cannot list the pages")?,
        prose::check(root).context("cannot list the sources")?,
    ];
    for Findings { checked, violations } in &findings {
        match violations.len() {
            0 => println!("{checked}, no violations"),
            n => println!("{checked}, violations: {n}"),
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
        1 => bail!("tidy found one violation, listed above"),
        n => bail!("tidy found {n} violations, listed above"),
    }
}
