//! `cargo xtask`: every chore of this repository behind one entry point.
//!
//! - `setup`: system packages; `headset`: an OpenXR runtime for tests;
//! - `run`, `bench`: build our programs and start them;
//! - `test`, `soak`: the tests, and those that find more the longer they run;
//! - `lint`, `tidy`: what the compiler does not check; `ci`: all that CI does;
//! - `docs`: pages that are made from the program;
//! - `shell`: starts other programs.
//!
//! What the commands say about themselves goes to stderr, so that the stdout of `cargo xtask run`
//! is only that of the program.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool talks to the person who started it"
)]

mod bench;
mod ci;
mod docs;
mod headset;
mod lint;
mod run;
mod setup;
mod shell;
mod soak;
mod test;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of the Palpate repository: install, run, test, check.
///
/// New here? `cargo xtask run` installs what is missing, builds the workstation and starts it.
/// Before you propose a change, `cargo xtask ci` runs exactly what CI runs.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Install the system packages that pictures, windows and tests need: `cargo xtask setup`.
    ///
    /// Installs only what is missing, on systems with apt-get; elsewhere lists what is needed.
    Setup {
        /// Also make the OpenXR runtime that headset tests run against: Monado from Debian trixie,
        /// in a root folder of its own under ~/.cache/palpate (750 MB). `cargo xtask test` does
        /// this too.
        #[arg(long)]
        headset: bool,
    },
    /// Build the workstation and start it: `cargo xtask run --headless`.
    ///
    /// Everything after `run` goes to the program as it is. For the program's own help:
    /// `cargo xtask run -- --help`.
    Run {
        /// Arguments for the `palpate` program.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Run the doc tests, then all other tests: `cargo xtask test strawberry`.
    ///
    /// Everything after `test` goes to the test runner: cargo-nextest if it is installed,
    /// `cargo test` if not.
    Test {
        /// Arguments for the test runner, for example a part of a test's name.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Run the tests that find more the longer they run: `cargo xtask soak --minutes 60`.
    ///
    /// `cargo xtask test` runs the same ones for some seconds each.
    Soak {
        /// How long, in minutes.
        #[arg(long, default_value_t = 10)]
        minutes: u32,
    },
    /// Measure the solver beside other solvers: `cargo xtask bench load --nodes 1000,5000`, and
    /// what the hand touches beside brute force: `cargo xtask bench collision`; pictures: `cargo
    /// xtask bench rendering`.
    ///
    /// Installs the other solvers (MKL, under its own licence, from PyPI) into the target folder,
    /// builds with optimisation and starts the benchmark. For its own help: `cargo xtask bench --
    /// --help`.
    Bench {
        /// Measure without other solvers; nothing is installed.
        #[arg(long)]
        no_peers: bool,
        /// Arguments for the benchmark.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Check formatting and run clippy with warnings as errors: `cargo xtask lint`.
    Lint,
    /// Check who depends on whom and that the pages tell the truth: `cargo xtask tidy`.
    ///
    /// Lists every violation, not only the first.
    Tidy,
    /// Write the pages of docs/reference that are made from the program: `cargo xtask docs`.
    ///
    /// These are command line, keys, grasp rules, settings and the solver's messages.
    Docs,
    /// Run what CI runs, which is lint, tidy and test: `cargo xtask ci`.
    ///
    /// Says at the end what each part took, and warns if the tests have grown slow.
    Ci,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Setup { headset: false } => setup::or_fail(),
        Command::Setup { headset: true } => setup::or_fail().and_then(|()| headset::or_fail()),
        Command::Run { args } => run::run(&args),
        Command::Test { args } => test::test(&args),
        Command::Soak { minutes } => soak::soak(minutes),
        Command::Bench { no_peers, args } => bench::bench(no_peers, &args),
        Command::Lint => lint::lint(),
        Command::Tidy => tidy::tidy().and_then(|()| docs::check(|command| command)),
        Command::Docs => docs::docs(),
        Command::Ci => ci::ci(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn run_passes_its_arguments_on() {
        check_run_args(&[], &[]);
        check_run_args(&["--headless"], &["--headless"]);
        check_run_args(
            &["--object", "cube", "-v", "--help", "--", "x"],
            &["--object", "cube", "-v", "--help", "--", "x"],
        );
        check_run_args(&["--", "--help"], &["--help"]);
    }

    fn check_run_args(given: &[&str], passed: &[&str]) {
        let line = ["xtask", "run"].iter().chain(given);
        match Cli::try_parse_from(line).expect("every argument is accepted").command {
            Command::Run { args } => assert_eq!(args, passed),
            other => panic!("parsed as {other:?}"),
        }
    }
}
