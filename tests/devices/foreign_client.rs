//! The emulated CyberGlove III and a client that is not ours: `cyberglove` from PyPI.

use std::path::{Path, PathBuf};
use std::process::Command;

use drivers::cyberglove::Model;
use drivers::{CyberGlove, GloveOptions};
use emulators::{Emulator, GloveModel, LineOptions};

use crate::harness::{glove, line, next, start};
use crate::sample_accounting::judged_glove;

/// Python with the packages of `tests/python/cyberglove.txt`, which `cargo xtask test` installs.
fn python() -> Option<PathBuf> {
    let this = std::env::current_exe().unwrap();
    let target = this.ancestors().nth(3).unwrap();
    let python = target.join("test-python/bin/python");
    let has_it = Command::new(&python).args(["-c", "import serial"]).output();
    has_it.is_ok_and(|output| output.status.success()).then_some(python)
}

/// The packets that the client reads, each with 22 values.
fn read_by_client(python: &Path, glove: &Emulator, arguments: &[&str]) -> Vec<Vec<u16>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("devices/cyberglove_client.py");
    let mut client = Command::new(python);
    let output = client.arg(script).arg(glove.path()).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the client has ended"), "{said}\n{complaint}");
    let packets = said.lines().filter_map(|line| line.strip_prefix("packet "));
    let numbers = |line: &str| line.split(' ').map(|word| word.parse().unwrap()).collect();
    packets.map(numbers).collect()
}

/// The values of the records that the emulator has sent, in order.
fn sent(glove: &Emulator) -> Vec<Vec<u16>> {
    let records = glove.journal().into_iter().filter(|entry| entry.bytes.len() == 61);
    let values = |bytes: &[u8]| {
        let (pairs, _) = bytes[14..58].as_chunks::<2>();
        pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect()
    };
    records.map(|entry| values(&entry.bytes)).collect()
}

#[test]
#[allow(clippy::print_stderr, reason = "skipped tests must be reported")]
fn a_client_of_another_maker_reads_the_emulated_cyberglove_iii() {
    let Some(python) = python() else {
        return eprintln!(
            "\n*** NOT RUN: the emulated CyberGlove III was not tried with a client of another \
             maker, because there is no Python with `cyberglove` here. ***\n*** `cargo xtask setup \
             --python` installs it. ***\n"
        );
    };
    let unit = emulators::GloveOptions { model: GloveModel::Third, ..Default::default() };
    let line = LineOptions { baud: Some(115_200), ..line(&[]) };
    let glove = glove(unit.lifelike(3), &line);
    // At rest, then in the middle of the stream that the client left on.
    for arguments in [["60", "leave"], ["60", ""]] {
        let packets = read_by_client(&python, &glove, &arguments);
        assert_eq!(packets.len(), 60);
        let sent = sent(&glove);
        let mut rest = sent.iter();
        for packet in &packets {
            assert_eq!(packet.len(), 22);
            assert!(rest.any(|one| one == packet), "the glove did not send {packet:?} in order");
        }
        let n_different = packets.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(n_different > 50, "the hand moves: {n_different}");
    }
    // Our driver takes the glove over from it.
    let options = GloveOptions { model: Model::Three, ..judged_glove() };
    let mut ours: CyberGlove = start(glove.path(), &options);
    assert_eq!(ours.info().model(), Some(Model::Three));
    next(&mut ours);
}
