//! `architecture`: the paths and packages in ARCHITECTURE.md exist, and its map shows the allowed
//! arrows between packages.
//!
//! Two rules are about words in backticks outside of fenced code, and one is in [`table`]:
//! - A word that looks like a path (see [`looks_like_path`]) exists, relative to the root.
//! - In the table under the heading `## Map`, which consists of the lines there that start with `|
//!   `, every word is a package of the workspace or an existing path.

mod table;

use std::path::Path;

use cargo_metadata::Package;

use super::{Findings, arrows};
use table::Rules;

const PAGE: &str = "ARCHITECTURE.md";
const MAP_HEADING: &str = "## Map";

/// Extensions of names that are paths even without a `/`. Data formats are not among them: the page
/// may name a user's `profile.json`.
const FILE_EXTENSIONS: [&str; 6] = ["rs", "toml", "md", "proto", "wgsl", "lock"];

/// Checks the page in the folder `root`.
pub(super) fn check(root: &Path, packages: &[&Package]) -> Findings {
    let page = match std::fs::read_to_string(root.join(PAGE)) {
        Ok(page) => page,
        Err(error) => {
            return Findings {
                checked: format!("architecture: {PAGE}"),
                violations: vec![format!(
                    "cannot read {PAGE}: {error}; the root folder needs this page with the map"
                )],
            };
        }
    };
    let is_package = |name: &str| packages.iter().any(|package| package.name.as_str() == name);
    let rules = Rules { arrows: &arrows::ARROWS, in_tests: &arrows::IN_TESTS };
    check_page(&page, is_package, |path| root.join(path).exists(), &rules)
}

fn check_page(
    page: &str,
    is_package: impl Fn(&str) -> bool,
    exists: impl Fn(&str) -> bool,
    rules: &Rules<'_>,
) -> Findings {
    let lines = prose(page);
    let paths = paths(&lines);
    let section = map_section(&lines);
    let map = map_words(&section);

    let mut violations = table::differences(&section, rules);
    for Word { line, text } in &paths {
        if !exists(text) {
            violations.push((*line, format!("`{text}` does not exist, relative to the root")));
        }
    }
    for Word { line, text } in &map {
        let is_checked_above = looks_like_path(text);
        if !is_checked_above && !is_package(text) && !exists(text) {
            violations.push((*line, format!("`{text}` is neither a package nor a path")));
        }
    }
    if map.is_empty() {
        violations.push((1, format!("there is no table with packages under \"{MAP_HEADING}\"")));
    }
    violations.sort();
    Findings {
        checked: format!("architecture: {} paths, {} words of the map", paths.len(), map.len()),
        violations: violations
            .into_iter()
            .map(|(line, violation)| format!("{PAGE}:{line}: {violation}"))
            .collect(),
    }
}

/// A word in backticks, with the number of the line in which it starts, counted from 1.
#[derive(Debug, PartialEq)]
pub(super) struct Word {
    line: usize,
    pub(super) text: String,
}

fn paths(lines: &[&str]) -> Vec<Word> {
    let mut words = words(lines);
    words.retain(|word| looks_like_path(&word.text));
    words
}

/// The lines under the map's heading, up to the next heading of that level. All others are emptied.
fn map_section<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut in_map = false;
    let mut section = Vec::new();
    for line in lines {
        if line.starts_with("## ") || line.starts_with("# ") {
            in_map = line.trim_end() == MAP_HEADING;
        }
        section.push(if in_map { *line } else { "" });
    }
    section
}

/// Words in the table of the map.
fn map_words(section: &[&str]) -> Vec<Word> {
    let is_row = |line: &&str| line.starts_with("| ");
    let table: Vec<&str> =
        section.iter().map(|line| if is_row(line) { *line } else { "" }).collect();
    words(&table)
}

/// True if a word in backticks is meant as a path relative to the root.
///
/// Such a word contains a `/` or ends like one of our source files. It is not code (`::`), a
/// pattern (`<`, `*`, `{`), a flag, an address, or a path outside of the repository. Write units as
/// N/m, without backticks.
fn looks_like_path(word: &str) -> bool {
    let is_code = ["::", "<", "*", "{", "://"].iter().any(|mark| word.contains(mark));
    let is_elsewhere = word.starts_with(['/', '~', '$', '-']);
    let extension = Path::new(word).extension().and_then(|extension| extension.to_str());
    let is_file = extension.is_some_and(|extension| FILE_EXTENSIONS.contains(&extension));
    !is_code && !is_elsewhere && (word.contains('/') || is_file)
}

/// The page's lines; those of fenced code are emptied, so that line numbers are kept.
fn prose(page: &str) -> Vec<&str> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in page.lines() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        let is_prose = fence.is_none() && mark.is_none();
        lines.push(if is_prose { line } else { "" });
        fence = match (fence, mark) {
            (None, mark) => mark,
            (Some(open), Some(mark)) if open == mark => None,
            (open, _) => open,
        };
    }
    lines
}

/// Words in backticks without spaces, in order.
pub(super) fn words(lines: &[&str]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut first_line = 1;
    for paragraph in lines.split(|line| line.trim().is_empty()) {
        let text = paragraph.join("\n");
        for (start, span) in code_spans(&text) {
            let span = span.trim();
            if !span.is_empty() && !span.contains(char::is_whitespace) {
                let line = first_line + text[..start].matches('\n').count();
                words.push(Word { line, text: span.to_owned() });
            }
        }
        first_line += paragraph.len() + 1;
    }
    words
}

/// Contents of Markdown's code spans in one paragraph, with their positions. A span ends at the
/// same number of backticks as it began with; without such an end, the backticks are ordinary
/// characters.
fn code_spans(paragraph: &str) -> Vec<(usize, &str)> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some((open, n_ticks)) = next_ticks(paragraph, at) {
        let start = open + n_ticks;
        at = start;
        let mut search = start;
        while let Some((close, n_closing)) = next_ticks(paragraph, search) {
            search = close + n_closing;
            if n_closing == n_ticks {
                spans.push((start, &paragraph[start..close]));
                at = search;
                break;
            }
        }
    }
    spans
}

/// Position and length of the next run of backticks.
fn next_ticks(text: &str, from: usize) -> Option<(usize, usize)> {
    let open = from + text[from..].find('`')?;
    let n_ticks = text[open..].bytes().take_while(|byte| *byte == b'`').count();
    Some((open, n_ticks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_look_like_paths() {
        check_looks("engine/src/solver_link.rs", true);
        check_looks("drivers/", true);
        check_looks("Cargo.toml", true);
        check_looks("solver/v1", true);
        check_looks("physics", false);
        check_looks(".proto", false);
        check_looks("profile.json", false);
        check_looks("engine::remote", false);
        check_looks("family/*/model.rs", false);
        check_looks("docs/{glossary,references}.md", false);
        check_looks("objects/<name>.rs", false);
        check_looks("https://example.org/a.md", false);
        check_looks("/dev/ttyUSB0", false);
        check_looks("~/.config/palpate", false);
        check_looks("--out=a/b", false);
    }

    #[test]
    fn paths_are_found_in_prose() {
        check_paths(
            "See `engine/src/solver_link.rs` and `Cargo.toml`.",
            &["engine/src/solver_link.rs:1", "Cargo.toml:1"],
        );
        check_paths("Nothing/in/backticks.rs", &[]);
        check_paths("Run `cargo xtask tidy a/b`.", &[]);
        check_paths("One\ntwo\n\nfour `a/b`\nfive `c/d`", &["a/b:4", "c/d:5"]);
    }

    #[test]
    fn tricky_backticks() {
        // A span that contains a backtick, with the spaces that Markdown removes.
        check_paths("`` a`b/c `` and `` d/e ``", &["a`b/c:1", "d/e:1"]);
        // A lone backtick has no effect beyond its paragraph.
        check_paths("a lone ` here\n\nthen `a/b`", &["a/b:3"]);
        check_paths("``never closed, `a/b`", &["a/b:1"]);
        // A span over two lines contains a space, and the next one is still recognised.
        check_paths("`over\ntwo/lines` then `a/b`", &["a/b:2"]);
        check_paths("`` `` `a/b`", &["a/b:1"]);
        check_paths("`é/ü`", &["é/ü:1"]);
    }

    #[test]
    fn fenced_code_is_skipped() {
        check_paths("```text\n`a/b`\n~~~\n`c/d`\n```\n`e/f`", &["e/f:6"]);
        check_paths("~~~\n`a/b`", &[]);
    }

    const NO_RULES: Rules<'static> = Rules { arrows: &[], in_tests: &[] };

    const PAGE_TEXT: &str = "# Architecture\n\n`physics` and `Anything`.\n\n## Map\n\n\
        | Package | Place |\n|---|---|\n| `physics` | `physics/src/lib.rs` |\n\
        | `sound` | `docs` |\n\n`NotInTheTable`\n\n## Next\n\n| `Elsewhere` | |\n";

    #[test]
    fn map_names_packages_or_paths() {
        let found =
            check_page(PAGE_TEXT, |name| name == "physics", |path| path == "docs", &NO_RULES);
        assert_eq!(
            found.violations,
            [
                "ARCHITECTURE.md:9: `physics/src/lib.rs` does not exist, relative to the root",
                "ARCHITECTURE.md:10: `sound` is neither a package nor a path",
            ]
        );
        assert_eq!(found.checked, "architecture: 1 paths, 4 words of the map");
    }

    #[test]
    fn map_draws_the_arrows_that_packages_may_have() {
        let rules = Rules { arrows: &[("physics", arrows::May::KnowAll)], in_tests: &[] };
        let page = "# A\n\n## Map\n\n| where | what | may know |\n|---|---|---|\n\
                    | `physics` | matter | nothing of ours |\n";
        let found = check_page(page, |_| true, |_| true, &rules);
        assert_eq!(
            found.violations,
            ["ARCHITECTURE.md:7: physics may know everything, according to \
              xtask/src/tidy/arrows.rs"]
        );
    }

    #[test]
    fn page_without_a_map_is_not_taken_for_a_good_one() {
        let found = check_page("# Architecture\n", |_| true, |_| true, &NO_RULES);
        assert_eq!(
            found.violations,
            ["ARCHITECTURE.md:1: there is no table with packages under \"## Map\""]
        );
    }

    fn check_looks(word: &str, expected: bool) {
        assert_eq!(looks_like_path(word), expected, "{word}");
    }

    fn check_paths(page: &str, expected: &[&str]) {
        let found = paths(&prose(page));
        let found: Vec<String> = found.iter().map(|w| format!("{}:{}", w.text, w.line)).collect();
        assert_eq!(found, expected);
    }
}
