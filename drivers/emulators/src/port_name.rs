//! A stable name for the terminal, which does not depend on the number that the system gives it.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A symbolic link in a private folder. Dropping this value removes both.
#[derive(Debug)]
pub(crate) struct PortName {
    folder: PathBuf,
    /// Locked while this value lives. A name whose file is not locked has no owner any more, and
    /// its terminal may belong to another program.
    _lock: File,
    name: String,
    path: String,
}

/// The ports of all emulators on this machine, in all processes, sorted by path.
///
/// A folder whose file is not locked was left by a process that was killed. It is removed, because
/// the terminal behind its name may belong to another program.
pub fn running() -> Vec<String> {
    let folders = std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
    let ours = folders.filter(|folder| folder.file_name().to_string_lossy().starts_with(PREFIX));
    let mut ports: Vec<String> = ours.flat_map(|folder| ports_in(&folder.path())).collect();
    ports.sort();
    ports
}

/// The ports of one emulator's folder; removes the folder if the emulator has died.
fn ports_in(folder: &Path) -> Vec<String> {
    let Ok(lock) = File::open(folder.join(LOCK)) else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_dead = lock.try_lock_shared().is_ok();
    let links = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_symlink());
    if is_dead {
        links.chain([folder.join(LOCK)]).for_each(|path| drop(std::fs::remove_file(path)));
        // Fails if the folder contains other files, which are not the emulator's.
        let _ = std::fs::remove_dir(folder);
        return Vec::new();
    }
    links
        .filter(|path| path.exists())
        .filter_map(|path| path.into_os_string().into_string().ok())
        .collect()
}

/// Prefix of the names of the emulators' folders.
const PREFIX: &str = "palpate-";
/// File in each folder that is locked by the folder's owner.
const LOCK: &str = "lock";
/// Most tries to find a folder name that does not exist yet.
const MAX_TRIES: u32 = 16;

impl PortName {
    /// Reserves a name such as `glove`, without a port yet.
    pub(crate) fn reserve(name: &str) -> io::Result<Self> {
        let folder = private_folder()?;
        let lock = File::create(folder.join(LOCK))?;
        lock.lock()?;
        let path = text(folder.join(name))?;
        Ok(Self { folder, _lock: lock, name: name.to_owned(), path })
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Links the name to a terminal.
    pub(crate) fn point_to(&self, terminal: &str) -> io::Result<()> {
        self.remove();
        symlink(terminal, &self.path)
    }

    /// Removes the link.
    pub(crate) fn remove(&self) {
        if let Err(error) = std::fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = self.path, %error, "cannot remove the port's name");
        }
    }

    /// Changes to the `number`th name in the same folder.
    pub(crate) fn rename(&mut self, number: u32) -> io::Result<()> {
        self.remove();
        self.path = text(self.folder.join(format!("{}-{number}", self.name)))?;
        Ok(())
    }
}

impl Drop for PortName {
    fn drop(&mut self) {
        self.remove();
        let emptied = std::fs::remove_file(self.folder.join(LOCK));
        if let Err(error) = emptied.and_then(|()| std::fs::remove_dir(&self.folder)) {
            tracing::debug!(folder = %self.folder.display(), %error, "cannot remove the folder");
        }
    }
}

/// Creates a folder that only this user may enter.
fn private_folder() -> io::Result<PathBuf> {
    static N_FOLDERS: AtomicU64 = AtomicU64::new(0);
    let mut n_tries = 0;
    loop {
        n_tries += 1;
        let number = N_FOLDERS.fetch_add(1, Ordering::Relaxed);
        // The time distinguishes processes with the same number; a wrong clock is no problem.
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
        let name = format!("{PREFIX}{}-{number}-{time:x}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && n_tries < MAX_TRIES => {}
            Err(error) => return Err(error),
        }
    }
}

fn text(path: PathBuf) -> io::Result<String> {
    path.into_os_string().into_string().map_err(|path| {
        let message = format!("expected a temporary folder with a readable name, got {path:?}");
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_listed_while_its_owner_lives() {
        let name = PortName::reserve("glove").unwrap();
        name.point_to("/dev/null").unwrap();
        let path = name.path().to_owned();
        assert!(running().contains(&path));
        drop(name);
        assert!(!running().contains(&path));
    }

    #[test]
    fn what_a_killed_emulator_left_is_cleared_away() {
        let folder = private_folder().unwrap();
        let port = folder.join("glove");
        symlink("/dev/null", &port).unwrap();
        drop(File::create(folder.join(LOCK)).unwrap());
        assert!(!running().iter().any(|path| Path::new(path) == port));
        assert!(!folder.exists());
    }
}
