//! `families`: only `physics`, `proto` and `objects` distinguish the families of matter. Other
//! packages use methods of a description or a model, so that a new family changes nothing for them.
//! This includes their tests.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use cargo_metadata::Package;

use super::Findings;
use super::sources::{self, names};

/// Enums with a variant for each family, and the files that define them.
const BY_FAMILY: [(&str, &str); 2] =
    [("ObjectSpec", "physics/src/spec.rs"), ("Model", "physics/src/model.rs")];

/// Packages that may distinguish families.
const MAY_MATCH: [&str; 3] = ["physics", "proto", "objects"];

/// Checks the sources of all other packages.
pub(super) fn check(root: &Path, packages: &[&Package]) -> Findings {
    match look(root, packages) {
        Ok(findings) => findings,
        Err(error) => Findings {
            checked: "families: no sources".to_owned(),
            violations: vec![format!("cannot read the sources: {error}")],
        },
    }
}

fn look(root: &Path, packages: &[&Package]) -> io::Result<Findings> {
    let mut enums = Vec::new();
    let mut violations = Vec::new();
    for (name, file) in BY_FAMILY {
        let variants = variants(&fs::read_to_string(root.join(file))?, name);
        if variants.is_empty() {
            violations.push(format!("{file} no longer has a `pub enum {name}` with variants"));
        }
        enums.push(ByFamily { name, variants });
    }
    let others = packages.iter().filter(|package| !MAY_MATCH.contains(&package.name.as_str()));
    let folders = others.filter_map(|package| package.manifest_path.parent());
    let files = files(folders.map(|folder| folder.as_std_path()))?;
    for file in &files {
        let shown: PathBuf = file.strip_prefix(root).unwrap_or(file).to_owned();
        violations.extend(matches(&shown, &fs::read_to_string(file)?, &enums));
    }
    if files.is_empty() {
        violations.push("there are no sources to check".to_owned());
    }
    Ok(Findings { checked: format!("families: {} sources", files.len()), violations })
}

/// All sources of the packages in these folders, in subfolders with any names.
fn files<'a>(packages: impl Iterator<Item = &'a Path>) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in packages {
        files.extend(sources::below(folder)?);
    }
    // The folder of one package may be inside that of another one.
    files.sort_unstable();
    files.dedup();
    Ok(files)
}

/// An enum with a variant for each family.
struct ByFamily {
    name: &'static str,
    variants: Vec<String>,
}

impl ByFamily {
    /// Family-specific names in a statement: a variant, all variants, or the enum under another
    /// name, which this check could not follow.
    fn named_in(&self, code: &str) -> Vec<String> {
        let name = self.name;
        let variants = self.variants.iter().map(|variant| format!("{name}::{variant}"));
        let all = format!("{name}::*");
        let mut found: Vec<String> =
            variants.chain([all]).filter(|path| names(code, path)).collect();
        let is_renamed = names(code, "use")
            && [format!("{name} as"), format!("{name}::{{self as")]
                .iter()
                .any(|words| names(code, words));
        let is_alias = names(code, "type") && names(code, &format!("{name};"));
        if is_renamed || is_alias {
            found.push(format!("{name} by another name"));
        }
        found
    }
}

/// Places where a source distinguishes families.
fn matches(path: &Path, text: &str, enums: &[ByFamily]) -> Vec<String> {
    let mut violations = Vec::new();
    for (number, code) in sources::code_and_tests(text) {
        for what in enums.iter().flat_map(|by_family| by_family.named_in(&code)) {
            let place = format!("{}:{number}", path.display());
            violations.push(format!(
                "{place}: names {what}; use a method of the description or the model"
            ));
        }
    }
    violations
}

/// Variants of an enum, as rustfmt formats it.
fn variants(text: &str, name: &str) -> Vec<String> {
    let begin = format!("pub enum {name} {{");
    let body = text.lines().skip_while(|line| *line != begin).skip(1);
    let body = body.take_while(|line| *line != "}").map(str::trim);
    let variant = |line: &str| {
        let end = line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
        let name = &line[..end];
        name.starts_with(char::is_uppercase).then(|| name.to_owned())
    };
    body.filter_map(variant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_found() {
        let text = "/// Of any family.\npub enum ObjectSpec {\n    /// A solid.\n    \
                    Solid(SolidSpec),\n    Thread(ThreadSpec),\n}\n\
                    pub enum Other {\n    Else,\n}\n";
        assert_eq!(variants(text, "ObjectSpec"), ["Solid", "Thread"]);
        assert!(variants(text, "Model").is_empty());
    }

    /// Names that are refused in a source, without their places.
    fn named(text: &str) -> Vec<String> {
        let solid = |name| ByFamily { name, variants: vec!["Solid".to_owned()] };
        let path = Path::new("client/src/run.rs");
        let found = matches(path, text, &[solid("ObjectSpec"), solid("Model")]);
        let what = |line: &String| Some(line.split_once("names ")?.1.split_once(';')?.0.to_owned());
        found.iter().filter_map(what).collect()
    }

    #[test]
    fn a_variant_is_refused() {
        let solid = ByFamily { name: "ObjectSpec", variants: vec!["Solid".to_owned()] };
        let text = "\nlet ObjectSpec::Solid(solid) = spec;\n";
        assert_eq!(
            matches(Path::new("a.rs"), text, &[solid]),
            ["a.rs:2: names ObjectSpec::Solid; use a method of the description or the model"]
        );
        assert_eq!(named("use physics::Model::{self, Solid};"), ["Model::Solid"]);
        assert_eq!(named("#[cfg(test)]\nmod tests {\n  Model::Solid\n}\n"), ["Model::Solid"]);
        assert_eq!(named("f(\"//\", physics::spec::ObjectSpec::Solid)"), ["ObjectSpec::Solid"]);
    }

    #[test]
    fn a_question_is_not_refused() {
        let check = |text: &str| assert_eq!(named(text), [""; 0], "{text}");
        check("use physics::{Model, ObjectSpec};");
        check("spec.solid(); ObjectSpec::from(solid); <ObjectSpec as Debug>::fmt(spec, f)");
        check("type Made = (ShapeId, Arc<ObjectSpec>);");
        check("use crate::command_line::{GloveModel as GloveKind, Measure};");
        // Another model of another crate, a longer name, and words outside of code.
        check("Model::Three; ObjectSpec::SolidWood; \"Model::Solid\" // Model::Solid");
    }

    #[test]
    fn all_variants_and_other_names_are_refused() {
        assert_eq!(named("use physics::ObjectSpec::*;"), ["ObjectSpec::*"]);
        assert_eq!(named("use physics::{Model::*, Touch};"), ["Model::*"]);
        let renamed = ["ObjectSpec by another name"];
        assert_eq!(named("use physics::ObjectSpec as S;"), renamed);
        assert_eq!(named("use physics::{\n    ObjectSpec as S,\n    Touch,\n};"), renamed);
        assert_eq!(named("pub(crate) use physics::ObjectSpec::{self as S};"), renamed);
        assert_eq!(named("type S = physics::ObjectSpec;"), renamed);
    }

    #[test]
    fn every_folder_of_a_package_is_looked_at() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root is above");
        let packages = ["tests", "drivers", "drivers/emulators", "client"];
        let folders = packages.map(|package| root.join(package));
        let files = files(folders.iter().map(PathBuf::as_path)).expect("they can be read");
        let n_of = |path: &str| files.iter().filter(|file| **file == root.join(path)).count();
        assert_eq!(n_of("tests/calibration/main.rs"), 1);
        assert_eq!(n_of("tests/system/main.rs"), 1);
        assert_eq!(n_of("client/src/lib.rs"), 1);
        assert_eq!(n_of("drivers/emulators/src/lib.rs"), 1, "it lies in two folders");
    }
}
