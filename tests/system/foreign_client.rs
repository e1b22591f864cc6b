//! The solver server and a client that is not ours: Python with the gRPC library of its makers.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Program, Server};

/// Python with the packages of `tests/python/requirements.txt`, which `cargo xtask test` makes.
fn python() -> Option<PathBuf> {
    let this = std::env::current_exe().unwrap();
    let target = this.ancestors().nth(3).unwrap();
    let python = target.join("test-python/bin/python");
    let mut command = Command::new(&python);
    let has_packages = command.args(["-c", "import grpc, grpc_health, grpc_reflection"]).output();
    has_packages.is_ok_and(|output| output.status.success()).then_some(python)
}

/// One process makes all checks; its script has them one by one.
#[test]
fn a_client_of_another_maker_finds_health_reflection_answers_and_clear_errors() {
    let Some(python) = python() else {
        return eprintln!(
            "\n*** NOT RUN: the server was not tried with a client of another maker, because there is \
             no Python with grpcio here. ***\n*** `cargo xtask setup --python` installs it. ***\n"
        );
    };
    let server = Server::start_with(&["--listen", "127.0.0.1:0", "--max-sessions", "2"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("system/foreign_client.py");
    let mut client = Command::new(python);
    client.arg(script).args([server.address(), &server.program.id().to_string()]);
    // A proxy of the person who runs the tests must not matter.
    client.env("no_proxy", "127.0.0.1");
    let (status, said) = Program::start("python", &mut client).wait();
    assert!(
        status.success() && said.contains("all is well"),
        "{said}\n{}",
        server.program.output()
    );
    let (status, said) = server.program.wait();
    assert!(status.success(), "{said}");
}
