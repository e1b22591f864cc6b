//! A name under which a host finds the terminal, whichever number the system gives it.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A symbolic link in a private folder. Both vanish with this value.
#[derive(Debug)]
pub(crate) struct PortName {
    folder: PathBuf,
    name: String,
    path: String,
}

/// The ports of all emulators that run on this machine, in whichever process, by path.
pub fn running() -> Vec<String> {
    let folders = std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
    let ours = folders.filter(|folder| folder.file_name().to_string_lossy().starts_with(PREFIX));
    let inside = ours.filter_map(|folder| std::fs::read_dir(folder.path()).ok());
    let mut ports: Vec<String> = inside
        .flatten()
        .flatten()
        // A name that leads nowhere was left by a process that was killed.
        .filter(|port| port.path().exists() && port.path().is_symlink())
        .filter_map(|port| port.path().into_os_string().into_string().ok())
        .collect();
    ports.sort();
    ports
}

/// What the names of our folders begin with.
const PREFIX: &str = "palpate-";
/// How often a taken folder name is answered with another one.
const MAX_TRIES: u32 = 16;

impl PortName {
    /// Reserves a name such as `glove`; there is no port behind it yet.
    pub(crate) fn reserve(name: &str) -> io::Result<Self> {
        let folder = private_folder()?;
        let path = text(folder.join(name))?;
        Ok(Self { folder, name: name.to_owned(), path })
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Puts a terminal behind the name.
    pub(crate) fn point_to(&self, terminal: &str) -> io::Result<()> {
        self.remove();
        symlink(terminal, &self.path)
    }

    /// The port is gone from the desk.
    pub(crate) fn remove(&self) {
        if let Err(error) = std::fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = self.path, %error, "cannot remove the port's name");
        }
    }

    /// Chooses the `number`th name, in the same folder.
    pub(crate) fn rename(&mut self, number: u32) -> io::Result<()> {
        self.remove();
        self.path = text(self.folder.join(format!("{}-{number}", self.name)))?;
        Ok(())
    }
}

impl Drop for PortName {
    fn drop(&mut self) {
        self.remove();
        if let Err(error) = std::fs::remove_dir(&self.folder) {
            tracing::debug!(folder = %self.folder.display(), %error, "cannot remove the folder");
        }
    }
}

/// A new folder that only we may enter.
fn private_folder() -> io::Result<PathBuf> {
    static N_FOLDERS: AtomicU64 = AtomicU64::new(0);
    let mut n_tries = 0;
    loop {
        n_tries += 1;
        let number = N_FOLDERS.fetch_add(1, Ordering::Relaxed);
        // Any clock will do: the time only keeps apart processes with one number.
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
