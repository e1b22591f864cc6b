//! Tests readers and writers with files of other programs, files written by hand, each other, and
//! bytes that are not files.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

mod by_hand;
mod counts;
mod findings;
mod foreign;
mod limits;
mod peers;
mod round_trips;

use std::fs;
use std::path::{Path, PathBuf};

use objects::format::{Body, FormatError, Sibling, open};
use objects::{FileKind, OpenedObject, ReadingOptions, TriangleSurface};
use physics::TetMesh;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

/// Opens a file of the test folder, with its siblings.
fn open_file(name: &str, reading: &ReadingOptions) -> Result<OpenedObject, FormatError> {
    let path = folder().join(name);
    let mut siblings = |sibling: Sibling<'_>| {
        let path = match sibling {
            Sibling::Extension(extension) => path.with_extension(extension),
            Sibling::Name(name) => folder().join(name),
        };
        fs::read(path).ok()
    };
    open(FileKind::of(&path).unwrap(), &fs::read(&path).unwrap(), &mut siblings, reading)
}

fn solid(opened: OpenedObject) -> TetMesh {
    match opened.body {
        Body::Solid(mesh) => mesh,
        Body::Surface(_) => panic!("a surface: {}", opened.findings),
    }
}

fn surface(opened: OpenedObject) -> TriangleSurface {
    match opened.body {
        Body::Surface(surface) => surface,
        Body::Solid(_) => panic!("a solid: {}", opened.findings),
    }
}

/// Asserts that a result is an error whose text contains `expected`.
#[track_caller]
fn check_error(result: Result<impl Sized, impl std::error::Error>, expected: &str) {
    let Err(error) = result else { panic!("no error, expected {expected:?}") };
    let error = error.to_string();
    assert!(error.contains(expected), "{error:?} does not contain {expected:?}");
}
