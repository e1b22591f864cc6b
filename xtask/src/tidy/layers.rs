//! `layers`: modules of the larger packages depend only on lower modules, so that each can be
//! understood together with these alone.

use std::borrow::Cow;
use std::path::Path;

use super::Findings;
use super::sources::{self, Source, names};

/// A package and its modules, lowest first. Each may use those before it.
struct Layers {
    package: &'static str,
    modules: &'static [&'static str],
}

const INTERACTION: Layers = Layers {
    package: "interaction",
    modules: &[
        "collision",
        "hand",
        "posture",
        "grasp",
        "shown_hand",
        "scene",
        "profiles",
        "shape_history",
        "shown_shape",
        "thing",
        "tabletop",
    ],
};

const CLIENT: Layers = Layers {
    package: "client",
    modules: &[
        // Files and the terminal.
        "progress_bar",
        "user_folders",
        "atomic_write",
        "object_file",
        // The picture.
        "ui",
        "render",
        "vr",
        "window",
        // The command line, and data about people and materials.
        "command_line",
        "profiles",
        "materials",
        // A run.
        "input",
        "feedback",
        "session",
        "wiring",
        "settings",
        // The program's commands.
        "benchmark",
        "calibrate",
        "devices",
        "record",
        "solve",
        "run",
        "object",
        "simulate",
        "reference",
    ],
};

/// Checks the sources of these packages in the workspace at `root`.
pub(super) fn check(root: &Path) -> Findings {
    let mut violations = Vec::new();
    let mut n_modules = 0;
    for layers in [&INTERACTION, &CLIENT] {
        n_modules += layers.modules.len();
        match sources::of_package(root, layers.package) {
            Ok(all) => {
                violations.extend(all.iter().flat_map(|source| layers.upward(source)));
                violations.extend(layers.without_source(&all));
            }
            Err(error) => {
                violations.push(format!("cannot read the sources of {}: {error}", layers.package));
            }
        }
    }
    let checked = format!("layers: {n_modules} modules of interaction and client");
    Findings { checked, violations }
}

impl Layers {
    /// Modules of the list that do not exist in the package.
    fn without_source(&self, all: &[Source]) -> Vec<String> {
        let is_gone = |name: &&&str| !all.iter().any(|source| module(&source.path) == **name);
        let gone = self.modules.iter().filter(is_gone);
        gone.map(|name| {
            format!(
                "{}: there is no module {name}; remove it in xtask/src/tidy/layers.rs",
                self.package
            )
        })
        .collect()
    }

    /// Places where a source uses higher modules.
    fn upward(&self, Source { path, text }: &Source) -> Vec<String> {
        let package = self.package;
        let module = module(path);
        if module == "lib" || module == "main" {
            return Vec::new();
        }
        let Some(level) = self.modules.iter().position(|name| *name == module) else {
            return vec![format!(
                "{package}: {module} is not in the list of modules; add it in \
                 xtask/src/tidy/layers.rs"
            )];
        };
        // Paths to the root of the package in this source.
        let roots = ["crate::".to_owned(), "super::".repeat(path.iter().count())];
        let above = &self.modules[level + 1..];
        let mut violations = Vec::new();
        for (number, code) in sources::code(text) {
            let is_named =
                |name: &&&str| roots.iter().any(|root| names(&code, &format!("{root}{name}")));
            violations.extend(above.iter().filter(is_named).map(|name| {
                let path = path.display();
                format!(
                    "{package}/src/{path}:{number}: {module} may not use {name}, which is in a \
                     higher layer"
                )
            }));
        }
        violations
    }
}

/// The module of the package that a source belongs to.
fn module(path: &Path) -> Cow<'_, str> {
    let name = path.iter().next().map(Path::new).and_then(Path::file_stem);
    name.unwrap_or_default().to_string_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(layers: &Layers, path: &str, text: &str, expected: &[&str]) {
        let source = Source { path: path.into(), text: text.to_owned() };
        assert_eq!(layers.upward(&source), expected);
    }

    #[test]
    fn arrows_downwards_pass() {
        check(&INTERACTION, "grasp.rs", "use crate::hand::Hand;\n", &[]);
        check(&INTERACTION, "tabletop/views.rs", "use crate::scene::ObjectView;\n", &[]);
        check(&INTERACTION, "lib.rs", "pub mod tabletop;\npub use crate::grasp::Grasp;\n", &[]);
        check(
            &CLIENT,
            "settings.rs",
            "use crate::wiring::HandChoice;\nuse super::atomic_write;\n",
            &[],
        );
        check(
            &CLIENT,
            "run/workbench.rs",
            "use crate::settings::Settings; // crate::object\n",
            &[],
        );
    }

    #[test]
    fn arrows_upwards_are_refused() {
        check(
            &INTERACTION,
            "collision/contact.rs",
            "use crate::hand::Fingertip;\n",
            &["interaction/src/collision/contact.rs:1: collision may not use hand, which is in a \
                 higher layer"],
        );
        check(
            &INTERACTION,
            "hand.rs",
            "use crate::{collision::Ball, grasp::Grasp};\n",
            &["interaction/src/hand.rs:1: hand may not use grasp, which is in a higher layer"],
        );
        check(
            &CLIENT,
            "settings/file.rs",
            "use super::Settings;\nuse crate::{\n    atomic_write,\n    run::Views,\n};\n",
            &["client/src/settings/file.rs:2: settings may not use run, which is in a higher \
                 layer"],
        );
        check(
            &CLIENT,
            "wiring.rs",
            "#[cfg(test)]\nmod tests;\n\nfn f() { super::calibrate::store() }\n",
            &["client/src/wiring.rs:4: wiring may not use calibrate, which is in a higher layer"],
        );
    }

    #[test]
    fn a_module_without_a_place_is_listed() {
        check(
            &INTERACTION,
            "sound.rs",
            "",
            &["interaction: sound is not in the list of modules; add it in \
                 xtask/src/tidy/layers.rs"],
        );
    }

    #[test]
    fn a_module_that_is_gone_is_listed() {
        let layers = Layers { package: "client", modules: &["bar", "vr"] };
        let source = |path: &str| Source { path: path.into(), text: String::new() };
        assert!(layers.without_source(&[source("bar.rs"), source("vr/link.rs")]).is_empty());
        let expected =
            "client: there is no module bar; remove it in xtask/src/tidy/layers.rs".to_owned();
        assert_eq!(layers.without_source(&[source("vr.rs")]), [expected]);
    }
}
