//! Checks that the committed code is generated from `solver/v1/solver.proto`.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

use std::path::Path;
use std::{env, fs};

const UPDATE: &str = "PALPATE_UPDATE=1 cargo test -p proto --test generated";

#[test]
fn committed_code_is_what_the_generator_makes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/v1.rs");
    let generated = generated();
    let committed = fs::read_to_string(&path).unwrap();
    if generated == committed {
        return;
    }
    let is_updated = env::var_os("PALPATE_UPDATE").is_some_and(|value| value == "1");
    assert!(is_updated, "src/v1.rs differs from solver/v1/solver.proto; `{UPDATE}` writes it");
    fs::write(&path, generated).unwrap();
}

/// Generates the whole file, without a system `protoc`.
fn generated() -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    let descriptors = protox::compile(["solver/v1/solver.proto"], [root]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    // `bytes::Bytes` instead of `Vec<u8>`: a received array is a view into the message, not a copy.
    let generator = tonic_prost_build::configure().bytes(".").out_dir(folder.path());
    generator.compile_fds(descriptors).unwrap();
    let code = fs::read_to_string(folder.path().join("palpate.solver.v1.rs")).unwrap();
    format!(
        "//! Messages and service of `solver/v1/solver.proto`. Generated: do not edit.\n\
         //!\n\
         //! `{UPDATE}` writes this file.\n\
         {code}"
    )
}
