//! `bench`: installs what the benchmarks need, builds them and starts them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::MetadataCommand;

use crate::{python, setup, shell};

/// Another solver that the benchmark compares with, in a Python environment of its own.
struct Peer {
    /// Name of the environment's folder.
    name: &'static str,
    /// Requirements file in `peer-bench/peers`.
    requirements: &'static str,
    /// Script in `peer-bench/peers` that drives it, with arguments.
    script: &'static [&'static str],
    /// Flag of `peer-bench` for the environment's interpreter.
    flag: &'static str,
    /// Part of `peer-bench` that compares with it.
    part: &'static str,
}

/// There are two versions of MKL, because only the older one lets processors of all manufacturers
/// use its best kernels.
const PEERS: [Peer; 4] = [
    Peer {
        name: "mkl",
        requirements: "requirements.txt",
        script: &["peers.py", "--solver", "pardiso"],
        flag: "--mkl",
        part: LOAD,
    },
    Peer {
        name: "mkl2019",
        requirements: "requirements-mkl2019.txt",
        script: &["peers.py", "--solver", "pardiso"],
        flag: "--mkl",
        part: LOAD,
    },
    Peer {
        name: "cholmod",
        requirements: "requirements-cholmod.txt",
        script: &["peers.py", "--solver", "cholmod"],
        flag: "--cholmod",
        part: LOAD,
    },
    Peer {
        name: "flex",
        requirements: "requirements-flex.txt",
        script: &["flex.py"],
        flag: "--flex",
        part: FLEX,
    },
];

/// Part that draws pictures, and so needs a graphics driver.
const RENDERING: &str = "rendering";

/// Parts that are benchmarks of other packages.
const ELSEWHERE: [&str; 4] = ["collision", "contact", "haptics", RENDERING];

/// Starts the benchmarks with these arguments. What they need is installed first, and what is
/// missing is listed. A benchmark that fails does not end the others.
pub(crate) fn bench(without_peers: bool, args: &[String]) -> Result<()> {
    let wanted = Wanted::by(args);
    let mut missing = Vec::new();
    if wanted.elsewhere.contains(&RENDERING)
        && let Err(error) = setup::or_fail()
    {
        missing.push(format!("graphics driver: {error:#}"));
    }
    let workspace = MetadataCommand::new().no_deps().exec().context("cannot read the workspace")?;
    let peers = match &wanted.solver {
        Some(args) if !without_peers => {
            let folders = Folders {
                peers: workspace.workspace_root.join("peer-bench/peers").into_std_path_buf(),
                environments: workspace.target_directory.join("peers").into_std_path_buf(),
            };
            installed_peers(&folders, args, &mut missing)
        }
        _ => Vec::new(),
    };
    eprint!("{}", report_of(&missing));

    let mut parts: Vec<Part<'_>> = Vec::new();
    if let Some(args) = &wanted.solver {
        let program = workspace.target_directory.join("release/peer-bench").into_std_path_buf();
        parts.push(("solver and drivers", Box::new(move || solver_bench(&program, &peers, args))));
    }
    for part in wanted.elsewhere {
        // Built for the whole workspace, so that dependencies have the same features as elsewhere.
        let run = move || shell::run(&mut shell::cargo(["bench", "--workspace", "--bench", part]));
        parts.push((part, Box::new(run)));
    }
    run_each(parts)
}

/// Name of a benchmark and what runs it.
type Part<'a> = (&'static str, Box<dyn FnOnce() -> Result<()> + 'a>);

/// Runs every benchmark; at the end returns an error that names those that failed.
fn run_each(parts: Vec<Part<'_>>) -> Result<()> {
    let n_parts = parts.len();
    let mut failed = Vec::new();
    for (name, run) in parts {
        if let Err(error) = run() {
            eprintln!("warning: {name}: {error:#}");
            failed.push(name);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    bail!("{} of {n_parts} benchmarks failed: {}", failed.len(), failed.join(", "))
}

/// What the benchmarks will lack, for the reader before they start.
fn report_of(missing: &[String]) -> String {
    if missing.is_empty() {
        return String::new();
    }
    let list: String = missing.iter().map(|line| format!("  {line}\n")).collect();
    format!("bench: missing, and so not measured:\n{list}")
}

/// Part of `peer-bench` that compares with other direct solvers.
const LOAD: &str = "load";

/// Part of `peer-bench` that compares with another program's soft bodies.
const FLEX: &str = "flex";

/// True unless the arguments name other parts of `peer-bench` only, or ask for help.
fn needs(args: &[String], part: &str) -> bool {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        return false;
    }
    let names_a_part = args.first().is_some_and(|arg| !arg.starts_with('-'));
    !names_a_part || args.iter().any(|arg| arg == part)
}

/// Benchmarks selected by the arguments.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    /// Arguments for the benchmark of solver and drivers; `None` if it is not selected.
    solver: Option<Vec<String>>,
    elsewhere: Vec<&'static str>,
}

impl Wanted {
    /// Selects benchmarks; all of them if there are no arguments.
    fn by(args: &[String]) -> Self {
        let is_named = |part: &&str| args.iter().any(|arg| arg == part);
        let elsewhere =
            ELSEWHERE.into_iter().filter(|part| args.is_empty() || is_named(part)).collect();
        let is_other = |arg: &&String| !ELSEWHERE.contains(&arg.as_str());
        let others: Vec<String> = args.iter().filter(is_other).cloned().collect();
        Self { solver: (args.is_empty() || !others.is_empty()).then_some(others), elsewhere }
    }
}

struct Folders {
    /// `peers.py` and the requirements.
    peers: PathBuf,
    /// Python environments.
    environments: PathBuf,
}

/// Installs the other solvers that the arguments ask for. Returns the flag and the interpreter of
/// each that answers, and adds a line to `missing` for each that does not.
fn installed_peers(
    folders: &Folders,
    args: &[String],
    missing: &mut Vec<String>,
) -> Vec<(&'static str, PathBuf)> {
    let mut peers = Vec::new();
    for peer in PEERS.iter().filter(|peer| needs(args, peer.part)) {
        let folder = folders.environments.join(peer.name);
        let python = python::environment(&folder, &folders.peers.join(peer.requirements));
        match python.and_then(|python| answers(&python, folders, peer.script).map(|()| python)) {
            Ok(python) => peers.push((peer.flag, python)),
            Err(error) => missing.push(format!("{}: {error:#}", peer.name)),
        }
    }
    peers
}

/// Fails unless a solver answers a greeting (the protocol is that of `peers.py`).
fn answers(python: &Path, folders: &Folders, script: &[&str]) -> Result<()> {
    let (script, arguments) = script.split_first().context("a peer has a script")?;
    let mut peer = shell::command(python, []);
    peer.arg(folders.peers.join(script)).args(arguments);
    let reply = shell::stdout_to(&mut peer, "{\"do\":\"hello\"}\n{\"do\":\"quit\"}\n")?;
    let first = reply.lines().next().unwrap_or_default();
    ensure!(first.starts_with("{\"ok\": true"), "the solver answers {first:?}, expected its name");
    Ok(())
}

/// Builds and starts the benchmark of solver and drivers.
fn solver_bench(program: &Path, peers: &[(&str, PathBuf)], args: &[String]) -> Result<()> {
    // Built for the whole workspace, so that dependencies have the same features as elsewhere.
    let programs = ["--bin", "peer-bench", "--bin", "solver-server"];
    shell::run(shell::cargo(["build", "--release", "--workspace"]).args(programs))?;
    let mut bench = shell::command(program, []);
    for (flag, python) in peers {
        bench.arg(flag).arg(python);
    }
    shell::run(bench.args(args))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn check(args: &[&str], solver: Option<&[&str]>, elsewhere: &[&'static str]) {
        let owned = |args: &[&str]| args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>();
        let expected = Wanted { solver: solver.map(owned), elsewhere: elsewhere.to_vec() };
        assert_eq!(Wanted::by(&owned(args)), expected);
    }

    #[test]
    fn parts_go_to_the_benchmark_that_has_them() {
        check(&[], Some(&[]), &ELSEWHERE);
        check(&["collision"], None, &["collision"]);
        check(&["rendering", "collision"], None, &["collision", "rendering"]);
        check(&["load", "--nodes", "5000"], Some(&["load", "--nodes", "5000"]), &[]);
        check(&["load", "rendering"], Some(&["load"]), &["rendering"]);
    }

    #[test]
    fn a_benchmark_that_fails_does_not_end_the_others() {
        let ran = std::cell::RefCell::new(Vec::new());
        let part = |name: &'static str, works: bool| -> Part<'_> {
            let ran = &ran;
            let run = move || {
                ran.borrow_mut().push(name);
                ensure!(works, "no adapter");
                Ok(())
            };
            (name, Box::new(run))
        };
        let error = run_each(vec![part("a", false), part("b", true), part("c", false)]);
        let error = error.expect_err("two of them fail").to_string();
        assert_eq!(error, "2 of 3 benchmarks failed: a, c");
        assert!(run_each(vec![part("d", true)]).is_ok());
        assert_eq!(*ran.borrow(), ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_solver_that_cannot_be_installed_is_named_at_the_start_and_the_others_stay() {
        let scratch = std::env::temp_dir().join(format!("palpate-peers-{}", std::process::id()));
        let folders =
            Folders { peers: scratch.clone(), environments: scratch.join("environments") };
        // An installed environment whose interpreter answers like a solver, and one that does not.
        for (name, reply) in [("mkl", "{\\\"ok\\\": true}"), ("cholmod", "no library")] {
            let bin = folders.environments.join(name).join("bin");
            fs::create_dir_all(&bin).expect("the folder is writable");
            fs::write(bin.join("python"), format!("#!/bin/sh\necho \"{reply}\"\n"))
                .expect("the folder is writable");
            let made = shell::succeeds(shell::command("chmod", ["+x"]).arg(bin.join("python")));
            assert!(made, "the script can be started");
            let wanted = PEERS.iter().find(|peer| peer.name == name).expect("a peer");
            for file in [
                folders.peers.join(wanted.requirements),
                folders.environments.join(name).join("installed.txt"),
            ] {
                fs::write(file, "numpy").expect("the folder is writable");
            }
        }
        let mut missing = Vec::new();
        let peers = installed_peers(&folders, &[LOAD.to_owned()], &mut missing);
        assert_eq!(peers.iter().map(|(flag, _)| *flag).collect::<Vec<_>>(), ["--mkl"]);
        let report = report_of(&missing);
        assert!(report.starts_with("bench: missing, and so not measured:\n  mkl2019: cannot read"));
        assert!(report.contains("\n  cholmod: the solver answers \"no library\""), "{report}");
        assert_eq!(report_of(&[]), "");
        fs::remove_dir_all(scratch).expect("the test's own folder");
    }

    #[test]
    fn solvers_are_installed_only_for_the_part_that_needs_them() {
        let needs = |args: &[&str], part: &str| {
            needs(&args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>(), part)
        };
        assert!(needs(&[], LOAD) && needs(&["load"], LOAD) && needs(&[], FLEX));
        assert!(needs(&["frame", "load", "--nodes", "270"], LOAD) && needs(&["flex"], FLEX));
        assert!(needs(&["--nodes", "270"], LOAD));
        assert!(!needs(&["fairness"], LOAD) && !needs(&["frame", "--nodes", "270"], LOAD));
        assert!(!needs(&["flex"], LOAD) && !needs(&["load"], FLEX) && !needs(&["--help"], FLEX));
    }
}
