//! `maps`: the head of each crate, the `//!` lines of `lib.rs`, or of `main.rs` without a library,
//! names every direct module in backticks.

use std::path::Path;

use cargo_metadata::Package;

use super::Findings;
use super::{architecture, sources};

/// Checks the packages of the workspace at `root`.
pub(super) fn check(root: &Path, packages: &[&Package]) -> Findings {
    let mut violations = Vec::new();
    let mut n_modules = 0;
    for package in packages {
        let folder = package.manifest_path.parent().expect("a manifest is in a folder");
        if !folder.join("src").exists() {
            // Single programs have no modules.
            continue;
        }
        let files = ["src/lib.rs", "src/main.rs"].map(|file| folder.join(file));
        let Some(file) = files.iter().find(|file| file.is_file()) else {
            violations.push(format!("{} has neither src/lib.rs nor src/main.rs", package.name));
            continue;
        };
        let shown = file.strip_prefix(root).unwrap_or(file);
        match std::fs::read_to_string(file) {
            Ok(text) => {
                n_modules += modules(&text).len();
                violations.extend(missing(&text).into_iter().map(|module| {
                    format!("{shown}: the head does not name `{module}`; describe it there")
                }));
            }
            Err(error) => violations.push(format!("cannot read {shown}: {error}")),
        }
    }
    let checked = format!("maps: {n_modules} modules of {} packages", packages.len());
    Findings { checked, violations }
}

/// Modules that the head of a crate does not name.
fn missing(text: &str) -> Vec<String> {
    let head: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let words = architecture::words(&head);
    let is_named = |module: &String| {
        words.iter().any(|word| word.text.strip_prefix("mod@").unwrap_or(&word.text) == module)
    };
    let mut modules = modules(text);
    modules.retain(|module| !is_named(module));
    modules
}

/// Direct modules of a crate, as rustfmt formats them, except the crate's own tests.
fn modules(text: &str) -> Vec<String> {
    let bare = sources::bare(text);
    let module = |line: &str| {
        // Only a visibility may come before `mod`.
        let (before, rest) = line.split_once("mod ")?;
        let is_module = before.is_empty() || (before.starts_with("pub") && before.ends_with(' '));
        let name = rest.trim_end().trim_end_matches([';', '{', '}', ' ']);
        (is_module && name != "tests").then(|| name.to_owned())
    };
    bare.lines().filter_map(module).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found() {
        let text = "//! mod head;\n\nmod a;\npub mod b;\npub(crate) mod c;\n#[cfg(test)]\nmod d;\n\
                    pub mod v1 {\n    mod inner;\n}\nfn f() {}\n// mod e;\n\
                    #[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(modules(text), ["a", "b", "c", "d", "v1"]);
    }

    #[test]
    fn a_module_that_the_head_does_not_name_is_reported() {
        let modules = "mod a;\npub mod line;\n#[cfg(feature = \"x\")]\npub mod run;\n";
        let check = |head: &str, expected: &[&str]| {
            assert_eq!(missing(&format!("{head}\n\n{modules}")), expected, "{head}");
        };
        check("//! All: `a`, [`mod@line`] and\n//! [`run`](mod@run).", &[]);
        check("//! - [`a`]: one;\n//!\n//! - `line`, `runner`: two.", &["run"]);
        check("//! A line of words, and a run.", &["a", "line", "run"]);
        check("", &["a", "line", "run"]);
    }
}
