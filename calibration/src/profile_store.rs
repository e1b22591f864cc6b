//! Profiles in a folder; the only module of this crate that uses the disk.
//!
//! `PERSON.HAND.toml` is the newest profile, `PERSON.HAND.previous.toml` the one before. A file is
//! written under another name, synced to the disk and only then renamed, so that a crash leaves the
//! old file or the new one, never half of either.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use drivers::Side;

use crate::profile_file::{FileError, MAX_BYTES, SavedProfile};

/// A folder of profiles. It is made when the first profile is saved.
#[derive(Debug, Clone)]
pub struct ProfileStore {
    folder: PathBuf,
}

/// Edition of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edition {
    Newest,
    Previous,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{0:?} as a name: expected 1 to {MAX_NAME} letters, digits, spaces, - or _")]
    Name(String),
    #[error("{path}: {error}")]
    Disk { path: PathBuf, error: io::Error },
    #[error("{path}: {error}")]
    File { path: PathBuf, error: FileError },
    #[error("{path}: {} hand of {person:?} expected", .hand.name())]
    Stranger { path: PathBuf, person: String, hand: Side },
    #[error("not saved, because it could not be read again: {0}")]
    Unsound(FileError),
}

const MAX_NAME: usize = 64;

impl ProfileStore {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Checks that a person's profiles can be stored under this name.
    pub fn check_name(&self, person: &str) -> Result<(), StoreError> {
        check_name(person)
    }

    /// Makes the folder if it does not exist. Called before a person holds poses, so that an error
    /// shows early.
    pub fn make_folder(&self) -> Result<(), StoreError> {
        fs::create_dir_all(&self.folder).map_err(|error| disk(&self.folder, error))
    }

    /// Saves a profile under its person and hand. The profile before it is kept if it was valid.
    pub fn save(&self, saved: &SavedProfile) -> Result<PathBuf, StoreError> {
        let (person, hand) = (&saved.about.person, saved.profile.hand());
        let newest = self.path(person, hand, Edition::Newest)?;
        let text = saved.to_text();
        SavedProfile::from_bytes(text.as_bytes()).map_err(StoreError::Unsound)?;
        self.make_folder()?;
        match read(&newest) {
            Ok(bytes) if SavedProfile::from_bytes(&bytes).is_ok() => {
                self.replace(&self.path(person, hand, Edition::Previous)?, &bytes)?;
            }
            // A broken file must not replace the previous profile, but is kept: it may have been
            // edited by hand.
            Ok(bytes) => self.replace(&newest.with_extension("broken"), &bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(disk(&newest, error)),
        }
        self.replace(&newest, text.as_bytes())?;
        Ok(newest)
    }

    pub fn load(
        &self,
        person: &str,
        hand: Side,
        edition: Edition,
    ) -> Result<SavedProfile, StoreError> {
        let path = self.path(person, hand, edition)?;
        let bytes = read(&path).map_err(|error| disk(&path, error))?;
        match SavedProfile::from_bytes(&bytes) {
            Ok(saved) if saved.about.person == person && saved.profile.hand() == hand => Ok(saved),
            Ok(_) => Err(StoreError::Stranger { path, person: person.into(), hand }),
            Err(error) => Err(StoreError::File { path, error }),
        }
    }

    /// Persons and hands that have profiles, sorted by name; other files are ignored.
    pub fn list(&self) -> Result<Vec<(String, Side)>, StoreError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(disk(&self.folder, error)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let name = entry.map_err(|error| disk(&self.folder, error))?.file_name();
            let Some(name) = name.to_str().and_then(|name| name.strip_suffix(".toml")) else {
                continue;
            };
            found.extend(HANDS.into_iter().find_map(|hand| {
                let person = name.strip_suffix(hand.name())?.strip_suffix('.')?;
                check_name(person).ok().map(|()| (person.to_owned(), hand))
            }));
        }
        found.sort_by_key(|(person, hand)| (person.clone(), hand.name()));
        Ok(found)
    }

    fn path(&self, person: &str, hand: Side, edition: Edition) -> Result<PathBuf, StoreError> {
        check_name(person)?;
        let edition = match edition {
            Edition::Newest => "",
            Edition::Previous => ".previous",
        };
        Ok(self.folder.join(format!("{person}.{}{edition}.toml", hand.name())))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let write = || -> io::Result<()> {
            let mut file =
                tempfile::Builder::new().prefix(".profile-").tempfile_in(&self.folder)?;
            file.write_all(bytes)?;
            file.as_file().sync_all()?;
            file.persist(path).map_err(|error| error.error)?;
            // The directory entry has to reach the disk as well, which can only be requested on
            // Unix.
            #[cfg(unix)]
            fs::File::open(&self.folder)?.sync_all()?;
            Ok(())
        };
        write().map_err(|error| disk(path, error))
    }
}

const HANDS: [Side; 2] = [Side::Left, Side::Right];

/// Reads a file, at most one byte more than the largest profile.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(
        &mut io::Read::take(fs::File::open(path)?, MAX_BYTES as u64 + 1),
        &mut bytes,
    )?;
    Ok(bytes)
}

/// Checks that a name is a single path component on any system; without dots, so that file names
/// are unique.
fn check_name(name: &str) -> Result<(), StoreError> {
    let is_fine = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let n = name.chars().count();
    if (1..=MAX_NAME).contains(&n) && name.trim() == name && name.chars().all(is_fine) {
        Ok(())
    } else {
        Err(StoreError::Name(name.into()))
    }
}

fn disk(path: &Path, error: io::Error) -> StoreError {
    StoreError::Disk { path: path.into(), error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::profile_file::{About, Device};
    use drivers::SensorMask;

    fn profile(person: &str, date: &str) -> SavedProfile {
        let device = Device { kind: "test".into(), mask: SensorMask::GLOVE_18, firmware: None };
        SavedProfile {
            about: About { person: person.into(), date: date.into(), device },
            profile: Profile::uncalibrated(Side::Left),
            quality: [None; 24],
        }
    }

    #[test]
    fn the_previous_profile_is_kept_and_a_broken_file_never_replaces_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = ProfileStore::new(folder.path().join("profiles"));
        let date = |edition| store.load("Ann", Side::Left, edition).unwrap().about.date;
        store.save(&profile("Ann", "first")).unwrap();
        assert!(store.load("Ann", Side::Left, Edition::Previous).is_err());
        let path = store.save(&profile("Ann", "second")).unwrap();
        assert_eq!(
            (date(Edition::Newest), date(Edition::Previous)),
            ("second".into(), "first".into())
        );
        // The newest file is broken by hand: the next save must not replace the valid one before
        // it.
        fs::write(&path, "format = 1\nperson = \"An").unwrap();
        assert!(matches!(
            store.load("Ann", Side::Left, Edition::Newest),
            Err(StoreError::File { .. })
        ));
        store.save(&profile("Ann", "third")).unwrap();
        assert_eq!(
            (date(Edition::Newest), date(Edition::Previous)),
            ("third".into(), "first".into())
        );
        assert_eq!(store.list().unwrap(), [("Ann".to_owned(), Side::Left)]);
        let n_files = fs::read_dir(path.parent().unwrap()).unwrap().count();
        // The newest, the one before it, and the broken one, which is kept.
        assert_eq!(n_files, 3, "nothing temporary is left");
    }

    #[test]
    fn an_unsound_profile_is_not_saved() {
        let folder = tempfile::tempdir().unwrap();
        let store = ProfileStore::new(folder.path());
        store.save(&profile("Bob", "good")).unwrap();
        let mut bad = profile("Bob", "bad");
        let mut glove = *bad.profile.glove();
        glove.sensor_mut(drivers::Sensor::IndexMpj).map.gain = f64::NAN;
        bad.profile = bad.profile.with_glove(glove);
        assert!(matches!(store.save(&bad), Err(StoreError::Unsound(_))));
        assert_eq!(store.load("Bob", Side::Left, Edition::Newest).unwrap().about.date, "good");
    }

    #[test]
    fn names_stay_in_the_folder() {
        let check = |name: &str, is_fine: bool| {
            assert_eq!(check_name(name).is_ok(), is_fine, "{name:?}");
        };
        check("Ann", true);
        check("Anna-Lena von 3_b", true);
        check("Émile", true);
        for name in ["", " ", "a/b", "..", "a\\b", ".hidden", "a.b", "a\n", "c:", " a"] {
            check(name, false);
        }
        check(&"a".repeat(65), false);
    }

    #[test]
    fn a_file_under_another_name_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = ProfileStore::new(folder.path());
        let path = store.save(&profile("Ann", "now")).unwrap();
        fs::rename(path, folder.path().join("Bob.left.toml")).unwrap();
        let error = store.load("Bob", Side::Left, Edition::Newest).unwrap_err();
        assert!(matches!(error, StoreError::Stranger { .. }));
    }
}
