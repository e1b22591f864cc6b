//! Sources of packages, and their code without comments and quoted text.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A source that is not a test.
pub(super) struct Source {
    /// Path relative to the package's `src`.
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// All sources of a package in the workspace at `root`, in the order of their paths.
pub(super) fn of_package(root: &Path, package: &str) -> io::Result<Vec<Source>> {
    let folder = root.join(package).join("src");
    let mut files = below(&folder)?;
    files.retain(|file| {
        let path = file.strip_prefix(&folder).unwrap_or(file).with_extension("");
        path.iter().all(|part| part != "tests")
    });
    let read = |file: PathBuf| {
        let path = file.strip_prefix(&folder).unwrap_or(&file).to_owned();
        Ok(Source { path, text: fs::read_to_string(&file)? })
    };
    files.into_iter().map(read).collect()
}

/// All sources below a folder, including tests, in the order of their paths.
pub(super) fn below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    files_below(folder, "rs")
}

/// All files with this extension below a folder, in the order of their paths. Cargo's target
/// folders and hidden folders are left out.
pub(super) fn files_below(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, name) = (entry.path(), entry.file_name());
            if entry.file_type()?.is_dir() {
                if name != "target" && !name.to_string_lossy().starts_with('.') {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Numbered lines of a source, without its test modules. A `use` of several lines is one line.
pub(super) fn code(text: &str) -> Vec<(usize, String)> {
    statements(&without_tests(&bare(text)))
}

/// Numbered lines of a source, with its test modules.
pub(super) fn code_and_tests(text: &str) -> Vec<(usize, String)> {
    statements(&bare(text))
}

fn statements(bare: &str) -> Vec<(usize, String)> {
    let mut code: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (i, line) in bare.lines().enumerate() {
        match code.last_mut().filter(|_| is_open) {
            Some((_, statement)) => statement.push_str(line),
            None => code.push((i + 1, line.to_owned())),
        }
        let is_use = is_open || names(line, "use");
        is_open = is_use && !line.contains(';');
    }
    code
}

/// Bare code with the lines of its test modules emptied.
fn without_tests(bare: &str) -> String {
    let mut code = String::new();
    let mut is_test = false;
    let mut before = "";
    for line in bare.lines().map(str::trim_end) {
        is_test |= before == "#[cfg(test)]" && line.starts_with("mod ") && line.ends_with('{');
        code.push_str(if is_test { "" } else { line });
        code.push('\n');
        // As rustfmt formats it, only the module's own brace is not indented.
        is_test &= line != "}";
        before = line;
    }
    code
}

/// Comments and quoted text of a source, with spaces in place of code.
pub(super) fn prose(text: &str) -> String {
    let bare = bare(text);
    let pairs = text.chars().zip(bare.chars());
    pairs.map(|(c, bare)| if bare.is_whitespace() { c } else { ' ' }).collect()
}

/// A source with spaces in place of comments and quoted text; line numbers are kept.
pub(super) fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        match n_hidden(rest, bare.chars().next_back()) {
            0 => {
                bare.push(first);
                rest = &rest[first.len_utf8()..];
            }
            n_bytes => {
                let hidden = rest[..n_bytes].chars();
                bare.extend(hidden.map(|c| if c == '\n' { '\n' } else { ' ' }));
                rest = &rest[n_bytes..];
            }
        }
    }
    bare
}

/// Length in bytes of the comment or quoted text at the beginning of `rest`; 0 if it is code.
fn n_hidden(rest: &str, before: Option<char>) -> usize {
    let up_to = |end: Option<usize>| end.unwrap_or(rest.len());
    if rest.starts_with("//") {
        return up_to(rest.find('\n'));
    }
    if rest.starts_with("/*") {
        return up_to(end_of_block(rest));
    }
    if rest.starts_with('"') {
        return up_to(end_of_quotes(rest, '"'));
    }
    if let Some(quoted) = rest.strip_prefix('\'') {
        // A lifetime has no second quote.
        let is_character = quoted.starts_with('\\') || quoted.chars().nth(1) == Some('\'');
        return if is_character { up_to(end_of_quotes(rest, '\'')) } else { 0 };
    }
    if !before.is_some_and(is_word) {
        let raw = ["r", "br", "cr"].iter().find_map(|prefix| rest.strip_prefix(prefix));
        let n_hashes = raw.map_or(0, |raw| raw.bytes().take_while(|byte| *byte == b'#').count());
        if let Some(quoted) = raw.and_then(|raw| raw[n_hashes..].strip_prefix('"')) {
            let end = format!("\"{}", "#".repeat(n_hashes));
            let start = rest.len() - quoted.len();
            return up_to(quoted.find(&end).map(|at| start + at + end.len()));
        }
    }
    0
}

/// End of a block comment, including nested ones.
fn end_of_block(rest: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    loop {
        let next = at + rest[at..].find(['/', '*'])?;
        match rest.get(next..next + 2) {
            Some("/*") => depth += 1,
            Some("*/") => depth -= 1,
            _ => {
                at = next + 1;
                continue;
            }
        }
        at = next + 2;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// End of a text between two equal marks. A backslash escapes the next character.
fn end_of_quotes(rest: &str, mark: char) -> Option<usize> {
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        if c == '\\' {
            characters.next();
        } else if c == mark {
            return Some(at + c.len_utf8());
        }
    }
    None
}

/// True if code contains a path, itself or as a prefix. Lists in braces are searched, too, so that
/// `std::time::{Duration, Instant}` counts.
pub(super) fn names(code: &str, path: &str) -> bool {
    let contains = |code: &str, word: &str| {
        code.match_indices(word).any(|(at, _)| {
            let before = code[..at].chars().next_back();
            let after = code[at + word.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
    };
    let in_braces = path.rsplit_once("::").is_some_and(|(parent, last)| {
        let list = code.split_once(&format!("{parent}::{{")).map(|(_, list)| list);
        list.is_some_and(|list| contains(list, last))
    });
    contains(code, path) || in_braces
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_several_lines_is_one_statement_and_tests_are_left_out() {
        let text = "use crate::{\n    // Why.\n    grasp,\n};\n#[cfg(test)]\nmod tests;\n\
                    fn f() {}\n#[cfg(test)]\nmod more {\n    use std::thread;\n}\nfn g() {}\n";
        let code = code(text);
        assert_eq!(code[0].0, 1);
        assert!(names(&code[0].1, "crate::grasp"));
        assert!(code.contains(&(7, "fn f() {}".to_owned())));
        assert!(!code.iter().any(|(_, line)| names(line, "std::thread")));
        assert!(code.contains(&(12, "fn g() {}".to_owned())), "code after tests is code");
        assert!(code_and_tests(text).contains(&(10, "    use std::thread;".to_owned())));
    }

    #[test]
    fn longer_names_are_other_names() {
        assert!(names("use wgpu::Device;", "wgpu"));
        assert!(!names("let clapping = threads;", "clap"));
        assert!(!names("use crate::handle::Handle;", "crate::hand"));
    }

    #[test]
    fn comments_and_quotes_are_no_code() {
        let check = |text: &str, expected: &str| {
            let words: Vec<String> = bare(text).split_whitespace().map(str::to_owned).collect();
            assert_eq!(words.join(" "), expected, "{text}");
            assert_eq!(bare(text).lines().count(), text.lines().count(), "{text}");
        };
        check("a // b\nc", "a c");
        check("a /* b /* c */ d\n */ e", "a e");
        check("a /* never closed", "a");
        check(r#"a("http://b", c)"#, "a( , c)");
        check(r#"a("\"b\\", c)"#, "a( , c)");
        check("a(\"b\nc\", d)", "a( , d)");
        check(r##"a(r"\", r#"b" c"#, br"d", e)"##, "a( , , , e)");
        check("a(b\"c\", 'd', '\\'', '\\u{e9}', '\"', f)", "a(b , , , , , f)");
        check("fn a<'b>(c: &'b str, d: &'static str)", "fn a<'b>(c: &'b str, d: &'static str)");
        check("r#type, car\"b\"", "r#type, car");
        check("'é' é", "é");
    }
}
