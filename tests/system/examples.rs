//! The small programs that people copy do what their heads say.

use std::path::Path;
use std::process::Command;

use emulators::{GloveEmulator, GloveOptions, Motion, ScriptClock};

use crate::program::{Program, SMALL_PICTURES, Server, emulated_devices, ours, squeeze};

/// Runs a program to its end; returns what it printed.
fn printed(name: &'static str, command: &mut Command) -> String {
    let (status, said) = Program::start(name, command).wait();
    assert!(status.success(), "{said}");
    said
}

/// The last number of each line that ends with one.
fn last_numbers(said: &str) -> Vec<f64> {
    let last = |line: &str| line.split_whitespace().last()?.parse().ok();
    said.lines().filter_map(last).collect()
}

#[test]
fn a_cube_yields_in_proportion() {
    let forces = last_numbers(&printed("squeeze_cube", &mut ours("squeeze_cube")));
    assert_eq!(forces.len(), 5, "{forces:?}");
    // The solid is linear, so five times the depth is five times the force. Three decimals are
    // printed.
    assert!(forces[0] > 0.05 && (forces[4] - 5.0 * forces[0]).abs() < 0.005, "{forces:?}");
}

#[test]
fn a_glove_is_read() {
    let clock = ScriptClock::since(std::time::Instant::now());
    let motion = Motion::grasp_and_squeeze();
    let glove = GloveEmulator::start(GloveOptions::default(), motion, clock).unwrap();
    let said = printed("read_glove", ours("read_glove").args([glove.path(), "20"]));
    assert_eq!(said.matches("index PIJ: Some(").count(), 20, "{said}");
}

#[test]
fn a_server_answers() {
    let server = Server::start("127.0.0.1:0");
    let said = printed("solve_over_grpc", ours("solve_over_grpc").arg(&server.url));
    let force = said.lines().find_map(|line| line.split_once("pressed with ")?.1.split_once(" N"));
    let force = force.and_then(|(number, _)| number.parse::<f64>().ok());
    // Five nodes along each edge.
    assert!(said.contains("125 displacements, the same in the stream"), "{said}");
    // A free column would answer with E A / L times the depth, 10 kPa * (6 cm)² / 6 cm * 3 mm. Held
    // at both ends it is stiffer, by less than its uniaxial strain modulus.
    let free = 10e3 * 0.06 * 0.003;
    let uniaxial = free * (1.0 - 0.4) / ((1.0 + 0.4) * (1.0 - 2.0 * 0.4));
    assert!(force.is_some_and(|force| force > free && force < uniaxial), "{said}");
}

#[test]
fn a_trace_is_read_in_python() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, (glove, tracker)) = (folder.path().join("run.jsonl"), emulated_devices());
    let mut run = squeeze(&glove, &tracker);
    run.args(["--headless", "--trace"]).arg(&trace).args(SMALL_PICTURES);
    printed("palpate", run.arg("--pictures").arg(folder.path().join("pictures")));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/read_trace.py");
    let said = printed("python3", Command::new("python3").arg(script).arg(&trace));
    assert!(said.contains("attached -> deforming") && said.contains("largest force"), "{said}");
}
