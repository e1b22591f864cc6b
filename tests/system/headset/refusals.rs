//! Each missing capability of a headset is reported in one sentence with advice, and the run goes
//! on without it.

use std::path::Path;
use std::process::Command;

use super::check_devices;
use crate::program::{Program, SMALL_PICTURES, ours};

/// A short run that was to be shown in a headset: it says `expected`, and is done all the same.
fn check_run(command: &mut Command, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    command.args(["squeeze", "--vr", "--headless", "--frames", "60"]);
    command.args(SMALL_PICTURES).arg("--pictures");
    let (status, said) = Program::start("palpate", command.arg(folder.path())).wait();
    assert!(status.success() && said.contains("run       completed"), "{said}");
    assert!(said.contains(expected), "{expected:?} is not in\n{said}");
}

/// A manifest that names this library as the active runtime.
fn manifest(folder: &Path, library: &Path) -> std::path::PathBuf {
    let path = folder.join("runtime.json");
    let text = format!(
        r#"{{"file_format_version": "1.0.0", "runtime": {{"library_path": "{}"}}}}"#,
        library.display()
    );
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn without_a_loader_or_a_runtime_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    // It is found first, and is no library.
    std::fs::write(folder.path().join("libopenxr_loader.so.1"), "").unwrap();
    check_run(
        ours("palpate").env("LD_LIBRARY_PATH", folder.path()),
        "the OpenXR loader cannot be loaded; install it",
    );
    let no_runtime = "no OpenXR runtime is active; install the headset's";
    let nowhere = folder.path().join("no-such-runtime.json");
    check_run(ours("palpate").env("XR_RUNTIME_JSON", nowhere), no_runtime);
    let broken = manifest(folder.path(), &folder.path().join("libopenxr_loader.so.1"));
    check_run(ours("palpate").env("XR_RUNTIME_JSON", broken), no_runtime);
}

#[test]
fn a_runtime_that_refuses_our_version_or_has_no_headset_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("librefusing.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("system/headset/refusing_runtime.c");
    let mut compiler = Command::new("cc");
    let made =
        compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).status().unwrap();
    assert!(made.success(), "the runtime that refuses cannot be made");
    let manifest = manifest(folder.path(), &library);
    let refusing = |what: &str| {
        let mut palpate = ours("palpate");
        palpate.env("XR_RUNTIME_JSON", &manifest).env("REFUSES", what);
        palpate
    };
    let version = "the OpenXR runtime refuses version 1.0 of OpenXR; update it";
    check_devices(&mut refusing("version"), &[version]);
    check_run(&mut refusing("version"), version);
    let no_headset = "Refusal 1.0.0 finds no headset; plug it in and switch it on";
    check_devices(&mut refusing("headset"), &[no_headset]);
    check_run(&mut refusing("headset"), no_headset);
}
