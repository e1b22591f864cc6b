//! `purity`: the sources of `interaction` use no clock, thread, file, network, environment,
//! process, graphics or command line.
//!
//! Tests are exempt: they may use threads to be fast.

use std::path::Path;

use super::Findings;
use super::sources::{self, Source, names};

/// Names that no source of the package may use. Clocks are listed by their last word, so that
/// shorter paths to them count as well; the last two entries would hide a path.
const FORBIDDEN: [&str; 16] = [
    "Instant",
    "SystemTime",
    "std::thread",
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "wgpu",
    "egui",
    "winit",
    "openxr",
    "clap",
    "rayon",
    "tokio",
    "std::*",
    "std as",
];

/// Checks the sources of `interaction` in the workspace at `root`.
pub(super) fn check(root: &Path) -> Findings {
    match sources::of_package(root, "interaction") {
        Ok(all) => Findings {
            checked: format!("purity: {} sources of interaction", all.len()),
            violations: all.iter().flat_map(impurities).collect(),
        },
        Err(error) => Findings {
            checked: "purity: no sources of interaction".to_owned(),
            violations: vec![format!("cannot read the sources of interaction: {error}")],
        },
    }
}

/// Violations in one source.
fn impurities(Source { path, text }: &Source) -> Vec<String> {
    let mut violations = Vec::new();
    for (number, code) in sources::code(text) {
        for word in FORBIDDEN.into_iter().filter(|word| names(&code, word)) {
            violations.push(format!(
                "interaction/src/{}:{number}: names {word}; interaction is plain functions of \
                 plain data",
                path.display()
            ));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forbidden words in a source, with their lines.
    fn found(text: &str) -> Vec<String> {
        let source = Source { path: "a.rs".into(), text: text.to_owned() };
        let found = impurities(&source).into_iter().map(|violation| {
            let rest = violation.strip_prefix("interaction/src/a.rs:").map(str::to_owned);
            let rest = rest.expect("a violation says where it is").replace(" names ", "");
            rest.split_once(';').map_or(rest.clone(), |(found, _)| found.to_owned())
        });
        found.collect()
    }

    #[test]
    fn what_is_pure_passes() {
        let check = |text: &str| assert_eq!(found(text), [""; 0], "{text}");
        check("use std::time::Duration;\nuse crate::hand::Hand;\n");
        check("use crate::scene::ObjectView;\nuse super::Tabletop;\n");
        check("//! No std::thread.\npub mod collision;\n");
        // Longer names are different names; words in comments and quotes do not count.
        check("let clapping = threads; // std::thread, wgpu\n");
        check("let text = \"an Instant, wgpu\"; /* std::fs */ let environment = process;\n");
        // Tests are exempt.
        check("#[cfg(test)]\nmod tests {\n    use std::thread;\n}\n");
    }

    #[test]
    fn clocks_threads_and_graphics_are_refused() {
        let text = "use std::time::{Duration, Instant};\nfn f() { std::thread::yield_now() }\n\
                    use wgpu::Device;\n";
        assert_eq!(found(text), ["1:Instant", "2:std::thread", "3:wgpu"]);
        assert_eq!(found("let now = std::time::SystemTime::now();"), ["1:SystemTime"]);
    }

    #[test]
    fn shorter_paths_are_refused_as_well() {
        assert_eq!(found("use std::{time::Instant};"), ["1:Instant"]);
        assert_eq!(found("use std::time;\nlet now = time::Instant::now();"), ["2:Instant"]);
        let list = "use std::{\n    collections::HashMap,\n    fs::File,\n    thread,\n};\n";
        assert_eq!(found(list), ["1:std::thread", "1:std::fs"]);
        assert_eq!(found("use std::{env as e, process::{self, Command}};").len(), 2);
        assert_eq!(found("let a = \"//\"; std::net::lookup()"), ["1:std::net"]);
        assert_eq!(found("use std::*;\nuse std as s;"), ["1:std::*", "2:std as"]);
    }
}
