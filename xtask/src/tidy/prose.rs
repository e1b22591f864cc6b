//! `prose`: the language of comments, messages and pages. Unclear words may not become more
//! frequent, and lines end at 100 columns.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Findings, pages, sources};

/// Words and phrases that are hard to understand, with the allowed number of their occurrences in
/// comments, quoted text and pages. A commit that removes one also lowers the number.
const COUNTED: &[(&str, usize)] = &[
    ("whoever", 0),
    ("nobody", 0),
    ("somebody", 0),
    ("so many", 0),
    ("so long", 0),
    ("so often", 0),
    ("of late", 0),
    ("is told", 0),
    ("told of", 0),
    ("hears", 0),
    ("heard", 0),
    ("knows of", 0),
    ("lest", 0),
];

/// Largest number of columns of a comment or of a line of a page.
const WIDTH: usize = 100;

/// Checks all sources and pages of the workspace at `root`.
pub(super) fn check(root: &Path) -> io::Result<Findings> {
    let mut violations = Vec::new();
    let mut counts = vec![0; COUNTED.len()];
    let mut n_lines = 0;
    let sources = sources::below(root)?;
    let pages = pages::below(root)?;
    // This file quotes the words.
    let own = PathBuf::from(file!());
    for file in sources.iter().chain(&pages) {
        let shown = file.strip_prefix(root).unwrap_or(file);
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                violations.push(format!("cannot read {}: {error}", shown.display()));
                continue;
            }
        };
        let is_source = file.extension().is_some_and(|extension| extension == "rs");
        let prose = if is_source { sources::prose(&text) } else { text.clone() };
        if !own.ends_with(shown) && !is_generated(&text) {
            let prose = prose.to_lowercase();
            for ((word, _), count) in COUNTED.iter().zip(&mut counts) {
                *count += occurrences(&prose, word);
            }
        }
        let wide = if is_source { wide_comments(&text) } else { wide_lines(&text) };
        n_lines += text.lines().count();
        violations.extend(
            wide.into_iter()
                .map(|line| format!("{}:{line}: longer than {WIDTH} columns", shown.display())),
        );
    }
    violations.extend(COUNTED.iter().zip(&counts).filter_map(|((word, allowed), count)| {
        let where_to = "COUNTED in xtask/src/tidy/prose.rs";
        match count.cmp(allowed) {
            std::cmp::Ordering::Greater => Some(format!(
                "{word:?} occurs {count} times in comments, messages and pages; {allowed} are \
                 allowed: rewrite the sentence"
            )),
            std::cmp::Ordering::Less => Some(format!(
                "{word:?} occurs only {count} times: lower its {allowed} in {where_to}"
            )),
            std::cmp::Ordering::Equal => None,
        }
    }));
    Ok(Findings {
        checked: format!("prose: {n_lines} lines, {} words counted", COUNTED.len()),
        violations,
    })
}

/// True if the head of a file says that a program writes it.
fn is_generated(text: &str) -> bool {
    text.lines().take(3).any(|line| line.contains("enerated") && line.contains("do not edit"))
}

/// Number of occurrences of a phrase as whole words, also across line ends.
fn occurrences(prose: &str, phrase: &str) -> usize {
    let words: Vec<&str> = prose
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let phrase: Vec<&str> = phrase.split(' ').collect();
    words.windows(phrase.len()).filter(|window| *window == phrase).count()
}

/// Numbers of lines, counted from 1, whose comment is too wide. Addresses are exempt: they cannot
/// be broken.
fn wide_comments(text: &str) -> Vec<usize> {
    if is_generated(text) {
        return Vec::new();
    }
    let bare = sources::bare(text);
    let lines = text.lines().zip(bare.lines()).enumerate();
    let is_wide = |line: &str, bare: &str| {
        let comment = line.trim_start();
        // A row of a table keeps its form.
        let is_row = comment.trim_start_matches(['/', '!', ' ']).starts_with('|');
        let is_comment = bare.trim().is_empty() && comment.starts_with("//") && !is_row;
        is_comment && line.chars().count() > WIDTH && !line.contains("://")
    };
    lines.filter(|(_, (line, bare))| is_wide(line, bare)).map(|(i, _)| i + 1).collect()
}

/// Numbers of lines of a page, counted from 1, that are too wide. Tables, fenced code and links are
/// exempt.
fn wide_lines(text: &str) -> Vec<usize> {
    if is_generated(text) {
        return Vec::new();
    }
    let mut is_example = false;
    let mut wide = Vec::new();
    for (i, line) in text.lines().enumerate() {
        is_example ^= line.trim_start().starts_with("```");
        let is_fixed = is_example || line.trim_start().starts_with(['|', '[']);
        if !is_fixed
            && line.chars().count() > WIDTH
            && !line.contains("](")
            && !line.contains("://")
        {
            wide.push(i + 1);
        }
    }
    wide
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_counted_in_comments_and_messages_but_not_in_code() {
        let text = "/// Waits so\n/// long.\nfn so_long(long: u32) { say(\"so long, solong\"); }\n";
        let prose = sources::prose(text).replace("///", "   ");
        assert_eq!(occurrences(&prose, "so long"), 2);
        assert_eq!(occurrences(&prose, "long"), 2);
        assert_eq!(occurrences(&prose, "so"), 2);
    }

    #[test]
    fn only_comments_are_held_to_the_width() {
        let long = "x".repeat(WIDTH);
        let text = format!("// {long}\nlet a = \"{long}\";\n// short\n// https://{long}\n");
        assert_eq!(wide_comments(&text), [1]);
    }

    #[test]
    fn tables_and_examples_of_a_page_may_be_wide() {
        let long = "x".repeat(WIDTH + 1);
        let text = format!("{long}\n| {long} |\n```\n{long}\n```\n{long}\n[a]: {long}\n");
        assert_eq!(wide_lines(&text), [1, 6]);
    }
}
