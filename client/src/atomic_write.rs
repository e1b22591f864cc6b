//! Replaces a file completely or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Treatment of an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExistingFile {
    Keep,
    Replace,
}

/// Replaces the target of a link, not the link; writes to a device or a pipe without replacing it.
pub(crate) fn replace_file(path: &Path, text: &[u8]) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&target).ok();
    if old.is_some_and(|old| !old.is_file()) {
        return fs::write(&target, text);
    }
    let unfinished = unfinished(&target, text)?;
    unfinished.as_file().sync_all()?;
    unfinished.persist(&target)?;
    Ok(())
}

/// Writes a file, reads it back from the disk, and puts it into its place only if `check` accepts
/// it.
pub(crate) fn put_checked(
    path: &Path,
    bytes: &[u8],
    existing: ExistingFile,
    check: impl FnOnce(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let unfinished = unfinished(&target, bytes)?;
    unfinished.as_file().sync_all()?;
    check(&fs::read(unfinished.path())?)?;
    match existing {
        ExistingFile::Keep => unfinished.persist_noclobber(&target)?,
        ExistingFile::Replace => unfinished.persist(&target)?,
    };
    Ok(())
}

/// Writes a file into a folder, under the first of these names that is free.
pub(crate) fn put_under_free_name(
    folder: &Path,
    names: impl Iterator<Item = PathBuf>,
    bytes: &[u8],
) -> io::Result<Option<PathBuf>> {
    let mut unfinished = unfinished(&folder.join("new"), bytes)?;
    for path in names {
        match unfinished.persist_noclobber(&path) {
            Ok(_) => return Ok(Some(path)),
            // Another process has taken the name meanwhile.
            Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => unfinished = e.file,
            Err(e) => return Err(e.error),
        }
    }
    Ok(None)
}

/// A complete temporary file beside its place.
fn unfinished(target: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let old = fs::metadata(target).ok();
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Its name is unique, so that concurrent runs do not collide; on failure it is removed.
    let mut unfinished = tempfile::Builder::new()
        .prefix(".palpate-")
        .permissions(old.map_or_else(ordinary_permissions, |old| old.permissions()))
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .map_err(without_name)?;
    unfinished.as_file_mut().write_all(bytes)?;
    Ok(unfinished)
}

/// Removes the temporary file's name from an error: users do not know it.
fn without_name(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((words, _)) => io::Error::new(error.kind(), words.to_owned()),
        None => error,
    }
}

/// Permissions of a new file, reduced by the user's umask.
#[cfg(unix)]
fn ordinary_permissions() -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_found_right_takes_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("thing");
        let fine = |_: &[u8]| Ok(());
        put_checked(&path, b"one", ExistingFile::Keep, fine).unwrap();
        assert!(put_checked(&path, b"two", ExistingFile::Keep, fine).is_err());
        assert!(
            put_checked(&path, b"two", ExistingFile::Replace, |_| anyhow::bail!("spoilt")).is_err()
        );
        assert_eq!(fs::read(&path).unwrap(), b"one");
        put_checked(&path, b"three", ExistingFile::Replace, |read| {
            anyhow::ensure!(read == b"three");
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"three");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn an_error_does_not_tell_a_name_that_nobody_knows() {
        let folder = tempfile::tempdir().unwrap();
        let error =
            replace_file(&folder.path().join("nowhere/thing"), b"").unwrap_err().to_string();
        assert!(!error.contains(".palpate-") && !error.contains(" at path"), "{error}");
    }

    #[test]
    fn a_name_that_was_taken_meanwhile_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let names = || ["a", "b"].map(|name| folder.path().join(name)).into_iter();
        let put = |bytes: &[u8]| put_under_free_name(folder.path(), names(), bytes).unwrap();
        assert_eq!(put(b"one"), names().next());
        assert_eq!(put(b"two"), names().nth(1));
        assert_eq!(put(b"three"), None);
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"one");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
    }
}
