//! Checks that the committed code is generated from `palpate/solver/v1/solver.proto`.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

use std::path::Path;
use std::{env, fs};

use prost::Message;

const UPDATE: &str = "PALPATE_UPDATE=1 cargo test -p proto --test generated";

#[test]
fn committed_code_is_what_the_generator_makes() {
    compare("src/v1.rs", generated().as_bytes());
}

#[test]
fn reflection_describes_the_messages_of_the_proto_file() {
    let mut descriptors =
        protox::compile(["palpate/solver/v1/solver.proto"], [env!("CARGO_MANIFEST_DIR")]).unwrap();
    // Comments are for readers of the file.
    descriptors.file.iter_mut().for_each(|file| file.source_code_info = None);
    compare("src/descriptors.bin", &descriptors.encode_to_vec());
}

/// Compares a generated file with the committed one, or writes it if that is wanted.
fn compare(path: &str, generated: &[u8]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let committed = fs::read(&file).unwrap_or_default();
    if generated == committed {
        return;
    }
    let is_updated = env::var_os("PALPATE_UPDATE").is_some_and(|value| value == "1");
    assert!(is_updated, "{path} differs from palpate/solver/v1/solver.proto; `{UPDATE}` writes it");
    fs::write(&file, generated).unwrap();
}

#[test]
fn every_family_of_objects_is_named() {
    let descriptors =
        protox::compile(["palpate/solver/v1/solver.proto"], [env!("CARGO_MANIFEST_DIR")]).unwrap();
    let messages = descriptors.file.iter().flat_map(|file| &file.message_type);
    let object = messages.filter(|message| message.name() == "Object");
    let families: Vec<&str> =
        object.flat_map(|message| &message.field).map(|field| field.name()).collect();
    assert_eq!(families, proto::FAMILIES);
}

/// Generates the whole file, without a system `protoc`.
fn generated() -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    let descriptors = protox::compile(["palpate/solver/v1/solver.proto"], [root]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    // `bytes::Bytes` instead of `Vec<u8>`: a received array is a view into the message, not a copy.
    let generator = tonic_prost_build::configure().bytes(".").out_dir(folder.path());
    generator.compile_fds(descriptors).unwrap();
    let code = fs::read_to_string(folder.path().join("palpate.solver.v1.rs")).unwrap();
    format!(
        "//! Messages and service of `palpate/solver/v1/solver.proto`. Generated: do not edit.\n\
         //!\n\
         //! `{UPDATE}` writes this file.\n\
         {code}"
    )
}
