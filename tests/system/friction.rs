//! A run in which friction holds the cube, and the same run again from its recording.

use std::path::Path;

use crate::program::{Program, SMALL_PICTURES, Server, ours};
use crate::run_trace::RunTrace;

#[test]
fn a_run_with_friction_is_run_again_to_the_same_bits_here_and_on_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let [trace, recording] = ["trace.jsonl", "run.palpate"].map(|name| folder.path().join(name));
    let said = run(
        folder.path(),
        ours("palpate")
            .args(["squeeze", "--grip", "friction", "--headless"])
            .arg("--trace")
            .arg(&trace)
            .arg("--record")
            .arg(&recording),
    );
    assert!(said.contains("1 taken, 1 let go"), "{said}");
    it_was_pressed_and_moved(&RunTrace::read(&trace));
    let server = Server::start("127.0.0.1:0");
    for arguments in [&["--threads", "1"][..], &["--server", &server.url]] {
        let mut replay = ours("palpate");
        replay.arg("replay").arg(&recording).args(["--exact", "--replace"]).args(arguments);
        let said = run(folder.path(), &mut replay);
        assert!(said.contains("all with the bits that were recorded"), "{arguments:?}: {said}");
    }
    // The same hand can take it by the rules of the thesis.
    let mut replay = ours("palpate");
    replay.arg("replay").arg(&recording).args(["--grip", "thesis", "--headless", "--speed", "4"]);
    let said = run(folder.path(), replay.arg("--replace"));
    assert!(said.contains("-> attached"), "{said}");
}

fn run(folder: &Path, command: &mut std::process::Command) -> String {
    let command = command.args(SMALL_PICTURES).arg("--pictures").arg(folder.join("pictures"));
    let (status, said) = Program::start("palpate", command).wait();
    assert!(status.success(), "{said}");
    said
}

/// The cube felt fingers on both sides, and its pose followed them.
fn it_was_pressed_and_moved(trace: &RunTrace) {
    let fingers = |finger: u8| {
        let pressed = trace.frames.iter().flat_map(|frame| &frame.contacts);
        pressed.filter(|contact| contact.finger == finger && contact.vector.0.norm() > 0.1).count()
    };
    assert!(fingers(0) > 10 && fingers(1) + fingers(2) + fingers(3) > 10, "thumb and fingers");
    let ways = trace.frames.iter().filter_map(|frame| frame.pose);
    let farthest = ways.map(|[x, y, z, ..]| x.hypot(y).hypot(z)).fold(0.0, f64::max);
    assert!(farthest > 0.01, "{farthest} m");
}
