//! Readers and writers: against files of other programs, files written by hand, each other, and bytes that
//! are no files.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

mod by_hand;
mod findings;
mod foreign;
mod limits;
mod round_trips;

use std::fs;
use std::path::{Path, PathBuf};

use objects::format::{Body, FormatError, Sibling, open};
use objects::{Kind, Opened, Reading, TriangleSurface};
use physics::TetMesh;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

/// Opens a file of the test folder, with its siblings.
fn open_file(name: &str, reading: &Reading) -> Result<Opened, FormatError> {
    let path = folder().join(name);
    let mut siblings = |sibling: Sibling<'_>| {
        let path = match sibling {
            Sibling::Extension(extension) => path.with_extension(extension),
            Sibling::Name(name) => folder().join(name),
        };
        fs::read(path).ok()
    };
    open(Kind::of(&path).unwrap(), &fs::read(&path).unwrap(), &mut siblings, reading)
}

fn solid(opened: Opened) -> TetMesh {
    match opened.body {
        Body::Solid(mesh) => mesh,
        Body::Surface(_) => panic!("a surface: {}", opened.findings),
    }
}

fn surface(opened: Opened) -> TriangleSurface {
    match opened.body {
        Body::Surface(surface) => surface,
        Body::Solid(_) => panic!("a solid: {}", opened.findings),
    }
}

/// That it is an error with these words in it.
#[track_caller]
fn check_error(result: Result<impl Sized, impl std::error::Error>, expected: &str) {
    let Err(error) = result else { panic!("no error, expected {expected:?}") };
    let error = error.to_string();
    assert!(error.contains(expected), "{error:?} does not contain {expected:?}");
}
