//! A solver server for other machines: TLS, and access only with its pass.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use engine::{Bell, LinkState, ObjectSpec, Pass, RemoteLink, ServerUrl, SolverLink};
use physics::material::IsotropicElastic;
use physics::{SampleId, SolidSpec, SurfaceFrame, Touch};

use crate::program::{PATIENCE, Program, Server, ours};

fn cube() -> ObjectSpec {
    let mesh = objects::generate::cube(0.06, 2).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap())
}

/// Result of opening a cube on the server.
fn outcome(url: ServerUrl) -> LinkState {
    let bell = Arc::new(Bell::default());
    let link = RemoteLink::start(url, cube(), Arc::clone(&bell)).unwrap();
    let deadline = Instant::now() + PATIENCE;
    loop {
        match link.state() {
            LinkState::Preparing(_) => bell.wait_for(PATIENCE / 1000),
            state => return state,
        }
        assert!(Instant::now() < deadline, "{:?}", link.state());
    }
}

fn with_pass(text: &str) -> LinkState {
    outcome(text.parse::<Pass>().unwrap().into())
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// The line that begins with this.
fn line<'a>(text: &'a str, name: &str) -> &'a str {
    text.lines().find(|line| line.starts_with(name)).unwrap()
}

#[test]
fn only_the_pass_lets_in_and_only_at_its_server() {
    let folder = tempfile::tempdir().unwrap();
    let [ours, theirs] = ["ours.pass", "theirs.pass"].map(|name| folder.path().join(name));
    let server = Server::start_with_pass("127.0.0.1:0", &ours);
    let _other = Server::start_with_pass("127.0.0.1:0", &theirs);
    for file in [&ours, &folder.path().join("ours.pass.key")] {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
    }
    let [ours, theirs] = [text(&ours), text(&theirs)];
    assert!(matches!(with_pass(&ours), LinkState::Ready(_)));

    // A client with the server's certificate, but without its secret.
    let guessed = ours.replace(line(&ours, "token"), line(&theirs, "token"));
    let LinkState::Failed(why) = with_pass(&guessed) else { panic!("a guess was let in") };
    assert!(why.contains("not the pass"), "{why}");

    // Another server at the same address does not get the secret.
    let moved = ours.replace(line(&ours, "address"), line(&theirs, "address"));
    let LinkState::Lost(why) = with_pass(&moved) else { panic!("another server was believed") };
    assert!(why.contains("certificate"), "{why}");

    // Unencrypted connections get no answer.
    let plain = outcome(format!("http://{}", server.address()).parse().unwrap());
    assert!(matches!(plain, LinkState::Lost(_)), "{plain:?}");
}

/// What HTTP/2 begins with, and no settings.
const HELLO: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// Strangers take places, but not more than there are, and not for ever: neither those who say
/// nothing, nor those who greet and then ask for nothing.
#[test]
fn a_crowd_at_the_door_is_turned_away_or_has_to_go() {
    let server = Server::start_with(&["--listen", "127.0.0.1:0", "--max-sessions", "1"]);
    let connect = || {
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    };
    // A server answers the greeting of whom it lets in; the others hear the end.
    let is_let_in = |stream: &mut TcpStream| {
        stream.write_all(HELLO).is_ok() && matches!(stream.read(&mut [0; 9]), Ok(1..))
    };
    let mut crowd: Vec<TcpStream> = (0..13).map(|_| connect()).collect();
    let turned_away = (13..200).find(|_| {
        let mut stream = connect();
        let is_in = is_let_in(&mut stream);
        crowd.push(stream);
        !is_in
    });
    assert_eq!(turned_away, Some(33), "one session's connection and 32 others");
    // None of them disconnects.
    let deadline = Instant::now() + PATIENCE;
    while !matches!(outcome(server.url.parse().unwrap()), LinkState::Ready(_)) {
        assert!(Instant::now() < deadline, "no client is admitted any more");
    }
    // An admitted client stays connected for longer than the time limit of a handshake.
    let bell = Arc::new(Bell::default());
    let mut link =
        RemoteLink::start(server.url.parse().unwrap(), cube(), Arc::clone(&bell)).unwrap();
    let rest = frame_of(&mut link, &bell);
    crowd.iter_mut().for_each(|stream| {
        // Until the end: also those who came last have gone by then.
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let mut latecomer = connect();
    latecomer.read_to_end(&mut Vec::new()).unwrap();
    let sample = SampleId(7);
    link.submit(Touch { sample, topology_version: rest.topology.version, ..Touch::default() });
    assert_eq!(frame_of(&mut link, &bell).sample, sample);
}

fn frame_of(link: &mut RemoteLink, bell: &Bell) -> Arc<SurfaceFrame> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(frame) = link.latest() {
            return frame;
        }
        assert!(Instant::now() < deadline, "{:?}", link.state());
        bell.wait_for(PATIENCE / 1000);
    }
}

#[test]
fn a_pass_outlives_its_server_and_broken_pairs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let pass = folder.path().join("lab.pass");
    let server = Server::start_with_pass("127.0.0.1:0", &pass);
    let (address, before) = (server.address().to_owned(), text(&pass));
    server.program.kill();
    let _again = Server::start_with_pass(&address, &pass);
    assert_eq!(text(&pass), before);
    assert!(matches!(with_pass(&before), LinkState::Ready(_)));

    fs::remove_file(folder.path().join("lab.pass.key")).unwrap();
    let refused = |arguments: &[&str]| {
        let mut server = ours("solver-server");
        let server = server.current_dir(folder.path()).args(arguments);
        let (status, said) = Program::start("solver-server", server).wait();
        assert!(!status.success(), "{said}");
        said
    };
    let said = refused(&["--listen", "127.0.0.1:0", "--pass", "lab.pass"]);
    assert!(said.contains("not its private key") && said.contains("remove the pass"), "{said}");
    fs::write(folder.path().join("odd.pass"), "token = 7\n").unwrap();
    fs::write(folder.path().join("odd.pass.key"), "").unwrap();
    let said = refused(&["--listen", "127.0.0.1:0", "--pass", "odd.pass"]);
    assert!(said.contains("cannot use odd.pass") && said.contains("address"), "{said}");
    // What others could reach is not opened without one.
    let said = refused(&["--listen", "0.0.0.0:0"]);
    assert!(said.contains("needs TLS and a pass: add --pass FILE"), "{said}");
    // A key that belongs to another certificate.
    let said = {
        fs::write(folder.path().join("odd.pass"), &before).unwrap();
        let _made = Server::start_with_pass("127.0.0.1:0", &folder.path().join("third.pass"));
        fs::copy(folder.path().join("third.pass.key"), folder.path().join("odd.pass.key")).unwrap();
        refused(&["--listen", "127.0.0.1:0", "--pass", "odd.pass"])
    };
    assert!(said.contains("the pass and its private key do not match"), "{said}");
}

#[test]
fn the_program_takes_a_pass_for_an_address() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_with_pass("127.0.0.1:0", &folder.path().join("lab.pass"));
    let palpate = |arguments: &[&str]| {
        let mut palpate = ours("palpate");
        let palpate = palpate.current_dir(folder.path()).args(arguments);
        let (status, said) = Program::start("palpate", palpate).wait();
        (status.success(), said)
    };
    let tiny =
        ["bench", "--nodes", "60", "--threads", "1", "--repetitions", "3", "--contacts", "6"];
    let (ok, said) = palpate(&[&tiny[..], &["--server", "lab.pass"]].concat());
    assert!(ok, "{said}");
    let results = text(&folder.path().join("palpate-bench/results.json"));
    assert!(results.contains("round_trip_server"), "{said}");
    let plain = format!("http://{}", server.address());
    let (ok, said) = palpate(&[&tiny[..], &["--server", &plain]].concat());
    assert!(!ok && said.contains("started with --pass is named by that file"), "{said}");
    // Neither table nor results tell the secret.
    let token = text(&folder.path().join("lab.pass"));
    let token = line(&token, "token").trim_start_matches("token = ");
    let report = text(&folder.path().join("palpate-bench/report.html"));
    assert!([&said, &results, &report].iter().all(|text| !text.contains(token)));

    fs::write(folder.path().join("letter.txt"), "Dear all,\n").unwrap();
    for (server, expected) in [
        ("letter.txt", "not a pass"),
        ("absent.pass", "cannot read this file"),
        ("https://lab1:50551", "needs a pass"),
        ("http://192.0.2.7:50551", "only loopback"),
    ] {
        let (ok, said) = palpate(&["squeeze", "--headless", "--server", server]);
        assert!(!ok && said.contains(expected), "{server}: {said}");
    }
}
