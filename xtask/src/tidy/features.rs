//! `features`: every way to build chooses the same features of dependencies, so that no dependency
//! is compiled twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};

use super::Findings;
use crate::shell;

/// Packages with their features; one set of features for each way in which a package is compiled.
type Chosen = BTreeMap<String, BTreeSet<String>>;

/// A way to build.
struct Way {
    /// Command that starts the build.
    name: &'static str,
    /// Arguments that select the packages.
    packages: &'static [&'static str],
}

const WAYS: [Way; 3] = [
    Way { name: "cargo xtask", packages: &["--package", "xtask"] },
    Way { name: "cargo xtask run and cargo build --release", packages: &["--package", "client"] },
    Way { name: "cargo xtask bench", packages: &["--workspace"] },
];
/// The way that includes everything, even tests. The others are compared with it.
const TESTS: Way = Way { name: "tests", packages: &["--workspace"] };

/// Kinds of dependencies that cargo follows: those that become part of programs; and these together
/// with dependencies of build scripts and macros, which may have other features.
const SIDES: [&str; 2] = ["normal,no-proc-macro", "normal,build"];

/// File that defines `cargo xtask`. The first of [`WAYS`] must build what [`ALIAS`] builds.
const ALIAS_FILE: &str = ".cargo/config.toml";
const ALIAS: &str = "xtask = \"run --package xtask --\"";

/// Checks the workspace at `root`.
pub(super) fn check(root: &Path) -> Result<Findings> {
    let mut violations = Vec::new();
    let mut n_packages = 0;
    for side in SIDES {
        let tests = chosen(&TESTS, &format!("{side},dev"))?;
        for way in WAYS {
            violations.extend(differences(way.name, &chosen(&way, side)?, &tests));
        }
        n_packages = n_packages.max(tests.len());
    }
    // Some violations occur for both kinds.
    violations.sort_unstable();
    violations.dedup();
    let config = std::fs::read_to_string(root.join(ALIAS_FILE));
    violations.extend(other_alias(&config.with_context(|| format!("cannot read {ALIAS_FILE}"))?));
    let checked = format!("features: {n_packages} packages, {} ways to build", WAYS.len() + 1);
    Ok(Findings { checked, violations })
}

fn chosen(way: &Way, arrows: &str) -> Result<Chosen> {
    let mut tree = shell::cargo(["tree", "--prefix", "none", "--format", "{p}\t{f}", "--edges"]);
    Ok(read(&shell::stdout_of(tree.arg(arrows).args(way.packages))?))
}

/// Parses lines of a package, a tab and its features; repeated entries end with a star.
fn read(tree: &str) -> Chosen {
    let mut chosen = Chosen::new();
    for (package, features) in tree.lines().filter_map(|line| line.split_once('\t')) {
        let features = features.trim_end_matches("(*)").trim();
        chosen.entry(package.to_owned()).or_default().insert(features.to_owned());
    }
    chosen
}

fn differences(way: &str, chosen: &Chosen, tests: &Chosen) -> Vec<String> {
    if chosen.is_empty() {
        return vec![format!("`cargo tree` names no package for {way}, so nothing was compared")];
    }
    let others = chosen.iter().filter_map(|(package, features)| {
        let Some(in_tests) = tests.get(package) else {
            return Some(format!("{package} is in {way} and not in tests, which have everything"));
        };
        let other = features.difference(in_tests).next()?;
        let in_tests = in_tests.iter().map(|features| format!("[{features}]")).collect::<Vec<_>>();
        Some(format!(
            "{package} has [{other}] in {way} and {} in tests; name the union in Cargo.toml",
            in_tests.join(" or ")
        ))
    });
    others.collect()
}

fn other_alias(config: &str) -> Option<String> {
    (!config.lines().any(|line| line == ALIAS)).then(|| {
        format!(
            "{ALIAS_FILE} has no line `{ALIAS}`; if you change the alias, change it in \
             xtask/src/tidy/features.rs, too, and check that WAYS has the features that it chooses"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_set_of_features_is_reported_and_a_part_of_the_tree_is_not() {
        let tests = read("a v1.0.0\tstd,xtest\nb v1.0.0\t\nc v1.0.0\tx\nc v1.0.0\ty (*)\n");
        let run = read("a v1.0.0\tstd\nb v1.0.0\t (*)\nc v1.0.0\ty\n");
        assert_eq!(
            differences("run", &run, &tests),
            ["a v1.0.0 has [std] in run and [std,xtest] in tests; name the union in Cargo.toml"]
        );
        assert_eq!(differences("run", &tests, &tests), [""; 0]);
    }

    #[test]
    fn an_empty_answer_is_not_taken_for_a_good_one() {
        let some = read("a v1.0.0\tstd\n");
        let nothing = read("");
        let told = "`cargo tree` names no package for run, so nothing was compared";
        assert_eq!(differences("run", &nothing, &some), [told]);
        assert_eq!(differences("run", &nothing, &nothing), [told]);
        assert_eq!(
            differences("run", &some, &nothing),
            ["a v1.0.0 is in run and not in tests, which have everything"]
        );
    }

    #[test]
    fn another_alias_is_reported() {
        assert_eq!(other_alias(&format!("[alias]\n# Why.\n{ALIAS}\n")), None);
        assert!(other_alias("[alias]\nxtask = \"run --bin xtask --\"\n").is_some());
        assert!(other_alias("").is_some());
    }
}
