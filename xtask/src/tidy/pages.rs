//! `pages`: links of Markdown pages lead to files and headings that exist.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Findings, sources};

/// Checks all pages of the workspace at `root`.
pub(super) fn check(root: &Path) -> io::Result<Findings> {
    let mut violations = Vec::new();
    let mut n_links = 0;
    let pages = below(root)?;
    for page in &pages {
        let shown = page.strip_prefix(root).unwrap_or(page);
        let text = match fs::read_to_string(page) {
            Ok(text) => text,
            Err(error) => {
                violations.push(format!("cannot read {}: {error}", shown.display()));
                continue;
            }
        };
        let links = links(&text);
        n_links += links.len();
        let dead = links.into_iter().filter_map(|(line, link)| {
            let complaint = complaint(root, page, &text, &link)?;
            Some(format!("{}:{line}: {complaint}", shown.display()))
        });
        violations.extend(dead);
    }
    Ok(Findings { checked: format!("pages: {n_links} links of {} pages", pages.len()), violations })
}

/// All Markdown files below a folder, in the order of their paths.
pub(super) fn below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    sources::files_below(folder, "md")
}

/// The fault of a link from a page, if it has one.
fn complaint(root: &Path, page: &Path, text: &str, link: &str) -> Option<String> {
    let (path, heading) = match link.split_once('#') {
        Some((path, heading)) => (path, Some(heading)),
        None => (link, None),
    };
    let target = match path {
        "" => page.to_owned(),
        path => page.parent().unwrap_or(root).join(path),
    };
    if !target.exists() {
        return Some(format!("the link {link:?} leads to no file"));
    }
    let heading = heading?;
    if target.extension().is_none_or(|extension| extension != "md") {
        return None;
    }
    let target_text = match path {
        "" => text.to_owned(),
        _ => fs::read_to_string(&target).ok()?,
    };
    let is_there = headings(&target_text).contains(heading);
    (!is_there).then(|| format!("the link {link:?} names a heading that does not exist"))
}

/// Links to files of the repository, with their line numbers, counted from 1. Web addresses and
/// links in fenced code are left out.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    let mut is_example = false;
    for (i, line) in text.lines().enumerate() {
        is_example ^= line.trim_start().starts_with("```");
        if is_example {
            continue;
        }
        let mut found: Vec<&str> = Vec::new();
        // Every second part is between backticks.
        for part in line.split('`').step_by(2) {
            let parts = part.split("](").skip(1);
            found.extend(parts.filter_map(|rest| rest.split(')').next()));
        }
        // A reference, `[name]: path`.
        if line.starts_with('[')
            && let Some((_, rest)) = line.split_once("]: ")
        {
            found.push(rest.trim());
        }
        let ours = found.into_iter().filter(|link| !link.contains(':') && !link.is_empty());
        links.extend(ours.map(|link| (i + 1, link.to_owned())));
    }
    links
}

/// Names by which links refer to headings.
fn headings(text: &str) -> HashSet<String> {
    let mut is_example = false;
    let mut names = HashSet::new();
    for line in text.lines() {
        is_example ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        if is_example || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let name: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        // A repeated heading gets a number after its name.
        let numbered = (0..).map(|n| if n == 0 { name.clone() } else { format!("{name}-{n}") });
        let free = numbered.into_iter().find(|name| !names.contains(name));
        names.extend(free);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_in_text_and_in_references() {
        let text = "See [a](docs/a.md#b) and [c](https://c.org), `[d](no.md)`.\n[e]: ../e.md\n\
                    ```\n[f](no.md)\n```\n![g](g.png)\n";
        let found: Vec<(usize, String)> = links(text);
        let expected =
            [(1, "docs/a.md#b".to_owned()), (2, "../e.md".to_owned()), (6, "g.png".to_owned())];
        assert_eq!(found, expected);
    }

    #[test]
    fn headings_are_named_as_on_the_web() {
        let text = "# A page\n## What `x` says: 1.5 %\n## A page\n```\n# no\n```\n#no\n";
        let names = headings(text);
        for name in ["a-page", "a-page-1", "what-x-says-15-"] {
            assert!(names.contains(name), "{name} is not in {names:?}");
        }
        assert_eq!(names.len(), 3);
    }

    #[test]
    fn a_dead_link_and_a_missing_heading_are_reported() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (page, text) = (root.join("README.md"), "# Here\n");
        let check = |link: &str| complaint(root, &page, text, link);
        assert_eq!(check("Cargo.toml"), None);
        assert_eq!(check("#here"), None);
        assert!(check("#there").is_some_and(|text| text.contains("heading")));
        assert!(check("absent.md").is_some_and(|text| text.contains("leads to no file")));
    }
}
