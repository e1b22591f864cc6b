//! What programs log is what `RUST_LOG` asks for, and a text that cannot be read is reported.

use crate::program::{Program, ours};

/// A server on a port of its choice; it logs the address at level info.
fn server(rust_log: &str) -> Program {
    let mut command = ours("solver-server");
    Program::start(
        "solver-server",
        command.args(["--listen", "127.0.0.1:0"]).env("RUST_LOG", rust_log),
    )
}

#[test]
fn a_text_that_cannot_be_read_is_reported_and_the_usual_lines_are_logged() {
    let server = server("engine=loud");
    server.wait_for("warning: RUST_LOG is `engine=loud`, which cannot be read");
    server.wait_for("listens on");
    let (_, said) =
        Program::start("palpate", ours("palpate").arg("materials").env("RUST_LOG", "a=b=c")).wait();
    assert!(said.contains("warning: RUST_LOG is `a=b=c`, which cannot be read"), "{said}");
    assert!(said.contains("liver"), "{said}");
}

#[test]
fn a_text_that_can_be_read_is_followed_and_an_empty_one_is_none() {
    let said = server("warn,solver_server=info").wait_for("listens on");
    assert!(!said.contains("RUST_LOG"), "{said}");
    let said = server("").wait_for("listens on");
    assert!(!said.contains("RUST_LOG"), "{said}");
}
