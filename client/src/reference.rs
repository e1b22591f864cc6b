//! Pages of the reference that are made from the program itself: command line, keys, grasp rules,
//! settings, the solver's messages, and the formats of traces and recordings.
//!
//! `cargo xtask docs` writes them to docs/reference; `cargo xtask tidy` fails if one is stale.

mod settings_page;

use std::fmt::Write as _;

use clap::CommandFactory as _;
use interaction::grasp::{GraspRules, RuleSetting};

use crate::command_line::CommandLine;
use crate::run::{KeyGroup, key_groups};

/// A page of the reference.
pub struct ReferencePage {
    /// Name of its file in docs/reference.
    pub file: &'static str,
    /// Markdown.
    pub text: String,
}

/// Messages of the solver server.
const SOLVER_PROTO: &str = include_str!("../../proto/palpate/solver/v1/solver.proto");

/// Source whose head lists the errors of the solver server.
const REFUSAL_SOURCE: &str = include_str!("../../solver-server/src/refusal.rs");

/// Sources whose heads describe a format.
const TRACE_SOURCE: &str = include_str!("session/trace.rs");
const RECORDING_SOURCE: &str = include_str!("../../drivers/src/recording.rs");

/// All generated pages. `server` is the command line of `solver-server`, which this library does
/// not know.
pub fn pages(server: clap::Command) -> Vec<ReferencePage> {
    vec![
        page("command-line.md", "Command line", command_line()),
        page("solver-server.md", "Command line of the solver server", server_help(server)),
        page("keys.md", "Keys and mouse", keys()),
        page("grasp-rules.md", "Grasp rules", grasp_rules()),
        page("settings.md", "Settings", settings_page::text()),
        page("solver-api.md", "Solver server: services and messages", solver_api()),
        page("trace.md", "Trace of a run", head(TRACE_SOURCE)),
        page("recording-file.md", "The recording file", head(RECORDING_SOURCE)),
    ]
}

fn page(file: &'static str, title: &str, contents: String) -> ReferencePage {
    let head = "<!-- Written by `cargo xtask docs`. Change the program instead of this page. -->";
    let text = format!("{head}\n# {title}\n\n{}\n", contents.trim_end());
    ReferencePage { file, text }
}

/// Help of `palpate` and of each of its commands.
fn command_line() -> String {
    let mut text = String::from(
        "`palpate` without a command does what `palpate squeeze` does. Each command prints its own\n\
         page with `--help`; these are the pages.\n",
    );
    let mut root = CommandLine::command().disable_help_subcommand(true);
    root.build();
    command_help(&mut text, &mut root, "palpate");
    text
}

fn server_help(mut server: clap::Command) -> String {
    let mut text = String::from(
        "[The solver server](../guide/solver-server.md) shows how to use it. `solver-server --help`\n\
         prints this page.\n",
    );
    command_help(&mut text, &mut server, "solver-server");
    text
}

fn command_help(text: &mut String, command: &mut clap::Command, name: &str) {
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    let help = lines.join("\n");
    write!(text, "\n## {name}\n\n```text\n{}\n```\n", help.trim_end()).expect("text takes it");
    for inner in command.get_subcommands_mut().filter(|inner| !inner.is_hide_set()) {
        let name = format!("{name} {}", inner.get_name());
        command_help(text, inner, &name);
    }
}

/// The head of a source as Markdown, its headings one level lower.
fn head(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(|line| match line.strip_prefix(" #") {
        Some(heading) => format!("##{heading}\n"),
        None => format!("{}\n", line.strip_prefix(' ').unwrap_or(line)),
    });
    lines.collect()
}

fn keys() -> String {
    let mut text = String::from(
        "F1 shows this list in the window. Keys count while no text field has the keyboard.\n",
    );
    for KeyGroup { title, keys } in key_groups() {
        write!(text, "\n## {title}\n\n| Keys | Command | Effect |\n|---|---|---|\n")
            .expect("text takes it");
        for [keys, command, effect] in keys {
            writeln!(text, "| {keys} | {command} | {effect} |").expect("text takes it");
        }
    }
    text
}

fn grasp_rules() -> String {
    let mut text = String::from(
        "A rule is set by `--rule NAME=VALUE`, in the window by R, or in the settings. A recording\n\
         keeps the rules of its run.\n\n| Rule | Default | Values | Meaning |\n|---|---|---|---|\n",
    );
    let defaults = GraspRules::default();
    for rule in &RuleSetting::ALL {
        let RuleSetting { name, meaning, expected, .. } = rule;
        let value = rule.value(&defaults);
        writeln!(text, "| `{name}` | `{value}` | {expected} | {meaning} |").expect("text takes it");
    }
    text
}

/// The services and messages of the protocol file, each with the comments above it.
fn solver_api() -> String {
    let mut text = String::from(
        "The server speaks gRPC. [The solver server](../guide/solver-server.md) shows how to start\n\
         it and how to write a client. The file `proto/palpate/solver/v1/solver.proto` has this\n\
         content:\n",
    );
    let mut block = String::new();
    let mut name = None;
    for line in SOLVER_PROTO.lines() {
        let begins = ["service ", "message ", "enum "];
        if let Some(rest) = begins.iter().find_map(|begin| line.strip_prefix(begin)) {
            name = rest.split([' ', '{']).next().map(str::to_owned);
        }
        // What stands before the first service belongs to the whole file.
        let is_end = line.starts_with('}') || line.starts_with("package ");
        let is_one_line = name.is_some() && !line.starts_with(' ') && line.ends_with('}');
        if !block.is_empty() || !line.is_empty() {
            writeln!(block, "{line}").expect("text takes it");
        }
        if is_end || is_one_line {
            let heading = name.take().unwrap_or_else(|| "The file".to_owned());
            let block = std::mem::take(&mut block);
            write!(text, "\n## {heading}\n\n```proto\n{}\n```\n", block.trim())
                .expect("text takes it");
        }
    }
    write!(text, "\n## Errors\n\n{}", head(REFUSAL_SOURCE)).expect("text takes it");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<ReferencePage> {
        pages(solver_server::Arguments::command())
    }

    fn text(file: &str) -> String {
        all().into_iter().find(|page| page.file == file).map(|page| page.text).unwrap()
    }

    #[test]
    fn pages_are_as_the_program_says() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference");
        for ReferencePage { file, text } in all() {
            let found = std::fs::read_to_string(format!("{folder}/{file}")).unwrap_or_default();
            assert!(found == text, "docs/reference/{file} is stale: `cargo xtask docs` writes it");
        }
    }

    #[test]
    fn every_command_has_its_help() {
        let text = text("command-line.md");
        for command in ["palpate squeeze", "palpate calibrate check", "palpate object convert"] {
            assert!(text.contains(&format!("\n## {command}\n")), "{command} is missing");
        }
    }

    #[test]
    fn every_service_and_message_is_there() {
        let text = text("solver-api.md");
        for name in ["Solver", "Object", "Touch", "Solid", "Errors"] {
            assert!(text.contains(&format!("\n## {name}\n")), "{name} is missing");
        }
        let braces = |c: char| text.matches(c).count();
        assert_eq!(braces('{'), SOLVER_PROTO.matches('{').count());
        assert_eq!(braces('}'), SOLVER_PROTO.matches('}').count());
    }
}
