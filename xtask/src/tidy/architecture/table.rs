//! Compares the map's table with the rules in `arrows`. The table lists what each package may know:
//! "nothing of ours", "everything", or packages in backticks. A paragraph below the table that
//! begins with "In tests" lists what only tests may know: each part, up to a semicolon, names a
//! package and then the packages that its tests may know.

use super::words;
use crate::tidy::arrows::May;

const IN_TESTS: &str = "In tests";

/// Packages that each package may know.
pub(super) struct Rules<'a> {
    pub(super) arrows: &'a [(&'a str, May)],
    pub(super) in_tests: &'a [(&'a str, &'a [&'a str])],
}

/// Differences between the lines of the map and the rules, with line numbers. All other lines of
/// the page must be empty.
pub(super) fn differences(map: &[&str], rules: &Rules<'_>) -> Vec<(usize, String)> {
    let mut rows = Vec::new();
    for (i, line) in map.iter().enumerate() {
        rows.extend(Row::read(i + 1, line));
    }
    let mut found = in_table(&rows, rules.arrows);
    found.extend(below_table(map, rules.in_tests));
    found
}

/// A row of the table about a package.
struct Row<'a> {
    line: usize,
    package: String,
    knows: &'a str,
}

impl<'a> Row<'a> {
    /// Reads a row: the package is in the first cell, as a path; the packages that it may know are
    /// in the third.
    fn read(line: usize, text: &'a str) -> Option<Self> {
        let mut cells = text.strip_prefix("| ")?.split('|').map(str::trim);
        let path = words(&[cells.next()?]).into_iter().next()?.text;
        let package = path.rsplit('/').next().unwrap_or_default().to_owned();
        Some(Self { line, package, knows: cells.nth(1).unwrap_or_default() })
    }
}

fn in_table(rows: &[Row<'_>], arrows: &[(&str, May)]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for Row { line, package, knows } in rows {
        let Some((_, may)) = arrows.iter().find(|(name, _)| name == package) else { continue };
        let is_same = match may {
            May::KnowAll => *knows == "everything",
            May::Know([]) => *knows == "nothing of ours",
            May::Know(allowed) => sorted(&list(knows)) == sorted(allowed),
        };
        if !is_same {
            let expected = match may {
                May::KnowAll => "everything".to_owned(),
                May::Know([]) => "nothing of ours".to_owned(),
                May::Know(allowed) => quoted(allowed),
            };
            let why = "according to xtask/src/tidy/arrows.rs";
            found.push((*line, format!("{package} may know {expected}, {why}")));
        }
    }
    for (name, _) in arrows {
        match rows.iter().filter(|row| row.package == *name).count() {
            1 => {}
            n => found.push((1, format!("{name} has {n} rows in the map, expected one"))),
        }
    }
    found
}

fn below_table(map: &[&str], in_tests: &[(&str, &[&str])]) -> Vec<(usize, String)> {
    let start = map.iter().position(|line| line.starts_with(IN_TESTS)).unwrap_or(map.len());
    let lines = map[start..].iter().take_while(|line| !line.trim().is_empty());
    let paragraph = lines.copied().collect::<Vec<_>>().join(" ");
    let mut drawn: Vec<(String, Vec<String>)> = Vec::new();
    for part in paragraph.split(';') {
        let mut names = words(&[part]).into_iter().map(|word| word.text);
        drawn.extend(names.next().map(|package| (package, names.collect())));
    }
    let is_drawn = |(package, knows): &&(&str, &[&str])| {
        drawn.iter().any(|(name, drawn)| name == package && sorted(drawn) == sorted(knows))
    };
    let is_rule = |(name, _): &&(String, Vec<String>)| in_tests.iter().any(|rule| rule.0 == *name);
    let missing = in_tests.iter().filter(|rule| !is_drawn(rule)).map(|(package, knows)| {
        format!(
            "the paragraph \"{IN_TESTS} ...\" below the map does not say that {package} knows {}",
            quoted(knows)
        )
    });
    let wrong = drawn.iter().filter(|drawn| !is_rule(drawn)).map(|(package, _)| {
        format!(
            "{package} may know no other packages in tests, according to xtask/src/tidy/arrows.rs"
        )
    });
    let line = if start < map.len() { start + 1 } else { 1 };
    missing.chain(wrong).map(|violation| (line, violation)).collect()
}

/// The names in a cell, if it contains only names in backticks.
fn list(cell: &str) -> Vec<&str> {
    cell.split(", ").map(in_backticks).collect::<Option<_>>().unwrap_or_default()
}

fn in_backticks(part: &str) -> Option<&str> {
    part.strip_prefix('`')?.strip_suffix('`')
}

fn sorted<T: AsRef<str>>(names: &[T]) -> Vec<&str> {
    let mut names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.sort_unstable();
    names
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules<'static> = Rules {
        arrows: &[
            ("physics", May::Know(&[])),
            ("emulators", May::Know(&[])),
            ("engine", May::Know(&["physics", "proto"])),
            ("tests", May::KnowAll),
        ],
        in_tests: &[("physics", &["engine", "tests"]), ("engine", &["tests"])],
    };

    const MAP: &str = "## Map

| where | what | may know |
|---|---|---|
| `physics` | matter | nothing of ours |
| `drivers/emulators` | devices | nothing of ours |
| `engine` | `proto/src/lib.rs` | `proto`, `physics` |
| `tests` | tests | everything |

In tests, `physics` also knows `tests`
and `engine`; `engine` also knows `tests`.
";

    fn check(map: &str, expected: &[(usize, &str)]) {
        let lines: Vec<&str> = map.lines().collect();
        let expected: Vec<(usize, String)> =
            expected.iter().map(|(line, text)| (*line, (*text).to_owned())).collect();
        assert_eq!(differences(&lines, &RULES), expected);
    }

    #[test]
    fn an_equal_map_passes() {
        check(MAP, &[]);
    }

    #[test]
    fn other_arrows_are_reported() {
        let why = "according to xtask/src/tidy/arrows.rs";
        let engine = format!("engine may know `physics`, `proto`, {why}");
        let check_engine = |cell: &str| {
            check(&MAP.replace("| `proto`, `physics` |", cell), &[(7, engine.as_str())]);
        };
        check_engine("| `physics` |");
        check_engine("| `physics`, `proto`, `tests` |");
        check_engine("| all but `tests` |");
        check_engine("| everything |");
        check_engine("| nothing of ours |");
        check_engine("|");
        let physics = format!("physics may know nothing of ours, {why}");
        check(&MAP.replacen("| nothing of ours |", "| `proto` |", 1), &[(5, physics.as_str())]);
        let tests = format!("tests may know everything, {why}");
        check(&MAP.replace("| everything |", "| `physics` |"), &[(8, tests.as_str())]);
    }

    #[test]
    fn each_package_has_one_row() {
        let without = MAP.replace("| `tests` | tests | everything |\n", "");
        check(&without, &[(1, "tests has 0 rows in the map, expected one")]);
        let row = "| `tests` | tests | everything |\n";
        let twice = MAP.replace(row, &row.repeat(2));
        check(&twice, &[(1, "tests has 2 rows in the map, expected one")]);
    }

    #[test]
    fn dependencies_of_tests_stand_below_the_map() {
        let physics = "the paragraph \"In tests ...\" below the map does not say that physics \
                       knows `engine`, `tests`";
        let engine = "the paragraph \"In tests ...\" below the map does not say that engine knows \
                      `tests`";
        check(&MAP.replace("`tests`\nand ", ""), &[(10, physics)]);
        check(&MAP.replace("In tests, ", "And "), &[(1, physics), (1, engine)]);
        let more =
            "tests may know no other packages in tests, according to xtask/src/tidy/arrows.rs";
        check(&MAP.replace("`tests`.", "`tests`; `tests` knows `engine`."), &[(10, more)]);
    }
}
