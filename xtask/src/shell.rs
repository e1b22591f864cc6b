//! Starts other programs: prints the command line first, and names the command in errors.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use anyhow::{Context, Result, bail};

/// The cargo that started this program, so that the toolchain stays the same.
pub(crate) fn cargo<const N: usize>(args: [&str; N]) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), args)
}

/// A command that has not been started yet.
pub(crate) fn command<const N: usize>(program: impl AsRef<OsStr>, args: [&str; N]) -> Command {
    let mut command = Command::new(program);
    command.args(args);
    command
}

/// Prints the command and starts it.
pub(crate) fn spawn(command: &mut Command) -> Result<Child> {
    let line = command_line(command);
    eprintln!("$ {line}");
    command.spawn().with_context(|| cannot_start(&line))
}

/// Prints the command, runs it and waits; returns an error if the command fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = command_line(command);
    eprintln!("$ {line}");
    let status = command.status().with_context(|| cannot_start(&line))?;
    if !status.success() {
        bail!("`{line}` failed ({status}); its own output is above");
    }
    Ok(())
}

/// Prints the command and replaces this process with it, so that exit code and signals are the
/// command's.
#[cfg(unix)]
pub(crate) fn become_command(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt;

    let line = command_line(command);
    eprintln!("$ {line}");
    Err(command.exec()).with_context(|| cannot_start(&line))
}

/// Prints the command, runs it and exits with its exit code.
#[cfg(not(unix))]
pub(crate) fn become_command(command: &mut Command) -> Result<()> {
    let line = command_line(command);
    eprintln!("$ {line}");
    let status = command.status().with_context(|| cannot_start(&line))?;
    std::process::exit(status.code().unwrap_or(1));
}

/// True if the command can be started and succeeds; prints nothing.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Standard output of the command; prints nothing. If the command fails, returns an error with its
/// stderr.
pub(crate) fn stdout_of(command: &mut Command) -> Result<String> {
    let output = output_of(command)?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed ({}): {}", command_line(command), output.status, words.trim());
    }
    Ok(stdout_in(&output))
}

/// Standard output of the command, even if it fails; prints nothing.
pub(crate) fn stdout_despite_failure(command: &mut Command) -> Result<String> {
    Ok(stdout_in(&output_of(command)?))
}

/// Standard output of the command, which receives `input`; prints nothing. Its errors are not an
/// error here: its output says whether it worked.
pub(crate) fn stdout_to(command: &mut Command, input: &str) -> Result<String> {
    let line = command_line(command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().with_context(|| cannot_start(&line))?;
    if let Some(mut stdin) = child.stdin.take() {
        // Fails if the program ended without reading.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().with_context(|| cannot_start(&line))?;
    Ok(stdout_in(&output))
}

fn output_of(command: &mut Command) -> Result<Output> {
    let output = command.stdin(Stdio::null()).output();
    output.with_context(|| cannot_start(&command_line(command)))
}

fn stdout_in(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The command as typed in a shell: short program name, variables first, quotes where needed.
fn command_line(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={}", name.to_string_lossy(), quoted(&value?.to_string_lossy())))
    });
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    let words = words.map(|word| quoted(&word.to_string_lossy()));
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn cannot_start(line: &str) -> String {
    format!("cannot start `{line}`; is the program installed and on the PATH?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_can_be_pasted_into_a_shell() {
        let mut it = command("/usr/bin/cargo", ["run", "--", "two words", "it's", ""]);
        it.env("PALPATE_BIN_DIR", "/a b");
        let expected = r"PALPATE_BIN_DIR='/a b' cargo run -- 'two words' 'it'\''s' ''";
        assert_eq!(command_line(&it), expected);
    }

    #[test]
    fn failure_names_the_command() {
        let error = run(&mut command("false", ["--now"])).expect_err("false fails");
        assert!(error.to_string().contains("`false --now` failed"), "{error}");
        let error = run(&mut command("no-such-program", [])).expect_err("it does not exist");
        assert!(error.to_string().contains("cannot start `no-such-program`"), "{error}");
        let error = stdout_of(&mut command("sh", ["-c", "echo why >&2; exit 3"])).expect_err("3");
        assert!(error.to_string().contains("exit status: 3): why"), "{error}");
    }

    #[test]
    fn an_answer_can_be_taken_from_a_command_that_fails() {
        let mut it = command("sh", ["-c", "echo known; exit 1"]);
        assert_eq!(stdout_despite_failure(&mut it).expect("it starts"), "known\n");
        let error = stdout_despite_failure(&mut command("no-such-program", []));
        assert!(error.is_err_and(|error| error.to_string().contains("cannot start")));
    }
}
