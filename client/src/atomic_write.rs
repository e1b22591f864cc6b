//! Replaces a file completely or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use tempfile::NamedTempFile;

/// Treatment of an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExistingFile {
    Keep,
    Replace,
}

impl ExistingFile {
    /// Refuses, before long work, a path at which a folder stands, or a file that must be kept, or
    /// at which no file can be made. Devices and pipes are written to.
    pub(crate) fn check(self, path: &Path) -> anyhow::Result<()> {
        match fs::metadata(path) {
            Ok(old) if old.is_dir() => {
                anyhow::bail!("{} is a folder, expected the name of a file", path.display())
            }
            Ok(old) if old.is_file() => self.check_replaceable(path)?,
            Ok(_) | Err(_) => {}
        }
        check_place(path).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Refuses to replace what exists at `path`, unless that is allowed.
    pub(crate) fn check_replaceable(self, path: &Path) -> anyhow::Result<()> {
        match self {
            Self::Keep => {
                anyhow::bail!("{} exists already; --replace overwrites it", path.display())
            }
            Self::Replace => Ok(()),
        }
    }
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

/// Checks before long work that a file can be written to this place: the folder exists, and takes
/// new files.
fn check_place(path: &Path) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&target) {
        Ok(old) if old.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        // A device or a pipe takes anything.
        Ok(old) if !old.is_file() => Ok(()),
        _ => unfinished(&target, &[]).map(drop),
    }
}

/// Beginning of the names of temporary files.
const PREFIX: &str = ".palpate-";
/// Number of letters after it.
const N_LETTERS: usize = 6;
/// Age from which a temporary file may be a leftover: a younger one may just have been made.
const OLD: Duration = Duration::from_secs(60);

/// Removes temporary files of processes that were killed: those that no process holds locked.
fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let letters = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let is_ours = letters.is_some_and(|letters| {
            letters.len() == N_LETTERS && letters.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        let is_old = |file: &fs::Metadata| {
            let age = file.modified().ok().and_then(|at| at.elapsed().ok());
            file.is_file() && age.is_some_and(|age| age > OLD)
        };
        if !is_ours || !entry.metadata().is_ok_and(|file| is_old(&file)) {
            continue;
        }
        // What cannot be opened or removed stays.
        if fs::File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A complete temporary file beside its place.
fn unfinished(target: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let old = fs::metadata(target).ok();
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    remove_leftovers(folder.unwrap_or(Path::new(".")));
    // Its name is unique, so that concurrent runs do not collide; on failure it is removed.
    let mut unfinished = tempfile::Builder::new()
        .prefix(PREFIX)
        .rand_bytes(N_LETTERS)
        .permissions(old.map_or_else(ordinary_permissions, |old| old.permissions()))
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .map_err(without_name)?;
    // Held until this process ends, however it ends. Without locks, only leftovers stay longer.
    let _ = unfinished.as_file().try_lock();
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
    fn only_a_checked_file_takes_the_name() {
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
    fn only_files_that_exist_need_permission_to_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("old"), "").unwrap();
        let check = |path: &Path, existing: ExistingFile, expected: Option<&str>| {
            let error = existing.check(path).err().map(|error| error.to_string());
            match (&error, expected) {
                (Some(error), Some(expected)) => assert!(error.contains(expected), "{error}"),
                (error, expected) => assert!(error.is_none() && expected.is_none(), "{error:?}"),
            }
        };
        check(
            &path("old"),
            ExistingFile::Keep,
            Some("old exists already; --replace overwrites it"),
        );
        check(&path("old"), ExistingFile::Replace, None);
        check(&path("new"), ExistingFile::Keep, None);
        check(folder.path(), ExistingFile::Replace, Some("is a folder"));
        check(Path::new("/dev/null"), ExistingFile::Keep, None);
    }

    #[test]
    fn an_error_does_not_name_the_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let error =
            replace_file(&folder.path().join("nowhere/thing"), b"").unwrap_err().to_string();
        assert!(!error.contains(".palpate-") && !error.contains(" at path"), "{error}");
    }

    #[test]
    fn leftovers_of_killed_processes_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, age_s: u64| {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            let then = std::time::SystemTime::now() - Duration::from_secs(age_s);
            file.set_modified(then).unwrap();
            file
        };
        drop([
            put(".palpate-aB3dE6", 3600),
            put(".palpate-young1", 1),
            put(".palpate-notes.txt", 3600),
        ]);
        let held = put(".palpate-held00", 3600);
        held.lock().unwrap();
        replace_file(&folder.path().join("thing"), b"one").unwrap();
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, [".palpate-held00", ".palpate-notes.txt", ".palpate-young1", "thing"]);
    }

    #[test]
    fn a_place_that_takes_no_file_is_found_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        check_place(&at("new")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
        for (name, expected) in
            [("nowhere/x.vtu", io::ErrorKind::NotFound), (".", io::ErrorKind::IsADirectory)]
        {
            assert_eq!(check_place(&at(name)).unwrap_err().kind(), expected);
        }
        check_place(Path::new("/dev/null")).unwrap();
    }

    #[test]
    fn a_name_that_was_taken_meanwhile_is_skipped() {
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
