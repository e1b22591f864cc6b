//! Writes a film to its place: a folder of pictures or one animated picture, complete or not at
//! all.

use std::fs::{self, File};
use std::io::BufWriter;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tempfile::{NamedTempFile, TempDir};

use super::animation::{Animation, set_count};
use crate::atomic_write::ExistingFile;
use crate::render::Picture;
use crate::run::pictures;

/// Kind of a film, by the ending of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FilmKind {
    Animation,
    Folder,
}

/// Path of a film, checked before any work is done.
#[derive(Debug)]
pub(super) struct FilmOutput {
    path: PathBuf,
    kind: FilmKind,
    existing: ExistingFile,
}

/// A film that is being written under a temporary name.
pub(super) enum FilmWriter {
    Animation {
        animation: Animation<BufWriter<File>>,
        n_written: u32,
        unfinished: NamedTempFile,
        path: PathBuf,
        existing: ExistingFile,
    },
    Folder {
        unfinished: TempDir,
        n_written: u32,
        path: PathBuf,
        existing: ExistingFile,
    },
}

impl FilmOutput {
    /// Checks the path, so that an error is reported before the work.
    pub(super) fn at(path: &Path, existing: ExistingFile) -> anyhow::Result<Self> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let kind = match ending.as_deref() {
            Some("png" | "apng") => FilmKind::Animation,
            None => FilmKind::Folder,
            Some(other) => bail!(
                "cannot make a film of the kind .{other}, expected a file that ends in .png or \
                 .apng, or the name of a folder (ffmpeg makes other films from the pictures in a \
                 folder: ffmpeg -i {}/%05d.png {})",
                path.with_extension("").display(),
                path.display()
            ),
        };
        may_take(path, kind, existing)?;
        let folder = parent(path);
        if !folder.is_dir() {
            bail!("there is no folder {}", folder.display());
        }
        Ok(Self { path: path.to_owned(), kind, existing })
    }

    pub(super) fn begin(self, size: [u32; 2], fps: u16) -> anyhow::Result<FilmWriter> {
        let Self { path, kind, existing } = self;
        let cannot = format!("cannot write to {}", parent(&path).display());
        let mut beside = tempfile::Builder::new();
        // The user's umask reduces these permissions.
        let mode = if kind == FilmKind::Folder { 0o777 } else { 0o666 };
        beside.prefix(".palpate-film-").permissions(fs::Permissions::from_mode(mode));
        Ok(match kind {
            FilmKind::Animation => {
                let unfinished = beside.tempfile_in(parent(&path)).context(cannot)?;
                let to = BufWriter::new(unfinished.reopen()?);
                let animation = Animation::begin(to, size, fps)?;
                FilmWriter::Animation { animation, n_written: 0, unfinished, path, existing }
            }
            FilmKind::Folder => {
                let unfinished = beside.tempdir_in(parent(&path)).context(cannot)?;
                FilmWriter::Folder { unfinished, n_written: 0, path, existing }
            }
        })
    }
}

impl FilmWriter {
    pub(super) fn n_pictures(&self) -> u32 {
        match self {
            Self::Animation { n_written, .. } | Self::Folder { n_written, .. } => *n_written,
        }
    }

    pub(super) fn add(&mut self, picture: &Picture) -> anyhow::Result<()> {
        match self {
            Self::Animation { animation, n_written, path, .. } => {
                *n_written += 1;
                animation.add(picture).with_context(|| format!("cannot write {}", path.display()))
            }
            Self::Folder { unfinished, n_written, path, .. } => {
                *n_written += 1;
                let file = unfinished.path().join(format!("{n_written:05}.png"));
                pictures::write_png(picture, &file)
                    .with_context(|| format!("cannot write into {}", path.display()))
            }
        }
    }

    /// Moves the film to its path; replaces an older film if that is allowed.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Animation { animation, n_written, unfinished, path, existing } => {
                let cannot = || format!("cannot write {}", path.display());
                animation.finish().with_context(cannot)?;
                set_count(&mut unfinished.as_file(), n_written).with_context(cannot)?;
                unfinished.as_file().sync_all().with_context(cannot)?;
                // Another program may have created the file meanwhile.
                may_take(&path, FilmKind::Animation, existing)?;
                match existing {
                    ExistingFile::Keep => {
                        unfinished.persist_noclobber(&path).with_context(cannot)?
                    }
                    ExistingFile::Replace => unfinished.persist(&path).with_context(cannot)?,
                };
            }
            Self::Folder { unfinished, path, existing, .. } => {
                may_take(&path, FilmKind::Folder, existing)?;
                take_place(unfinished.path(), &path, existing)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                // The folder has moved, so the temporary folder must not remove it.
                let _ = unfinished.keep();
            }
        }
        Ok(())
    }
}

/// Checks that a film may take this path.
fn may_take(path: &Path, kind: FilmKind, existing: ExistingFile) -> anyhow::Result<()> {
    let is_in_the_way = match kind {
        FilmKind::Animation if path.is_dir() => bail!("{} is a folder", path.display()),
        FilmKind::Animation => path.exists(),
        FilmKind::Folder if path.is_file() => {
            bail!("{} is a file, expected a folder", path.display())
        }
        FilmKind::Folder => holds_a_film(path)?,
    };
    if is_in_the_way { existing.check_replaceable(path) } else { Ok(()) }
}

/// Moves a folder of pictures to its path. An older folder is removed only after the new one has
/// taken its place.
fn take_place(new: &Path, place: &Path, existing: ExistingFile) -> anyhow::Result<()> {
    if existing == ExistingFile::Keep || !place.exists() {
        // The system refuses this if the path exists meanwhile.
        return Ok(fs::rename(new, place)?);
    }
    // From here on no destructor removes this folder: it may hold files of other programs.
    let room = tempfile::Builder::new().prefix(".palpate-film-").tempdir_in(parent(place))?.keep();
    let old = room.join("old");
    let taken = fs::rename(place, &old).map_err(anyhow::Error::from).and_then(|()| {
        let taken = holds_a_film(&old).and_then(|_| Ok(fs::rename(new, place)?));
        match taken {
            Ok(()) => fs::remove_dir_all(&old)?,
            Err(_) => fs::rename(&old, place)?,
        }
        taken
    });
    // The folder is empty, unless the old film could not be moved back.
    let _ = fs::remove_dir(room);
    taken
}

/// True if a folder holds the pictures of a film. Fails if the folder holds any other file: such a
/// folder is never replaced.
fn holds_a_film(folder: &Path) -> anyhow::Result<bool> {
    if !folder.exists() {
        return Ok(false);
    }
    let mut is_empty = true;
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot look into {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let (name, is_file) = (entry.file_name(), entry.file_type()?.is_file());
        let number = name.to_str().and_then(|name| name.strip_suffix(".png"));
        if !number
            .filter(|_| is_file)
            .is_some_and(|n| n.len() >= 5 && n.bytes().all(|b| b.is_ascii_digit()))
        {
            bail!(
                "{} holds files that are not of a film, such as {}; expected an empty folder or a \
                 new one",
                folder.display(),
                Path::new(&name).display()
            );
        }
        is_empty = false;
    }
    Ok(!is_empty)
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn film(out: FilmOutput, pictures: &[Picture]) {
        let mut writer = out.begin([4, 4], 25).unwrap();
        pictures.iter().for_each(|picture| writer.add(picture).unwrap());
        writer.finish().unwrap();
    }

    fn pictures(n: u8) -> Vec<Picture> {
        (0..n).map(|i| Picture::from_fn([4, 4], |_, _| [i, 0, 0, 255])).collect()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn check_refused(path: &Path, existing: ExistingFile, expected: &str) {
        let refused = FilmOutput::at(path, existing).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }

    #[test]
    fn a_folder_holds_one_picture_after_the_other_and_nothing_of_an_older_film() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("film");
        film(FilmOutput::at(&path, ExistingFile::Keep).unwrap(), &pictures(3));
        assert_eq!(names(&path), ["00001.png", "00002.png", "00003.png"]);
        check_refused(&path, ExistingFile::Keep, "--replace");
        film(FilmOutput::at(&path, ExistingFile::Replace).unwrap(), &pictures(1));
        assert_eq!(names(&path), ["00001.png"]);
        assert_eq!(names(room.path()), ["film"]);
        // Files of other programs stay.
        fs::write(path.join("thesis.txt"), "years of work").unwrap();
        check_refused(&path, ExistingFile::Replace, "thesis.txt");
    }

    #[test]
    fn what_came_into_the_place_meanwhile_stays() {
        let room = tempfile::tempdir().unwrap();
        for (name, existing) in [
            ("film", ExistingFile::Keep),
            ("film.png", ExistingFile::Keep),
            ("other", ExistingFile::Replace),
        ] {
            let path = room.path().join(name);
            let mut writer = FilmOutput::at(&path, existing).unwrap().begin([4, 4], 25).unwrap();
            writer.add(&pictures(1)[0]).unwrap();
            let work = match name {
                "film" => path.join("00001.png"),
                "film.png" => path.clone(),
                _ => path.join("thesis.txt"),
            };
            if work != path {
                fs::create_dir(&path).unwrap();
            }
            fs::write(&work, "years of work").unwrap();
            writer.finish().unwrap_err();
            assert_eq!(fs::read_to_string(&work).unwrap(), "years of work");
        }
        assert_eq!(names(room.path()), ["film", "film.png", "other"]);
    }

    #[test]
    fn an_animation_is_there_as_a_whole_or_not_at_all() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("film.png");
        let mut writer =
            FilmOutput::at(&path, ExistingFile::Keep).unwrap().begin([4, 4], 25).unwrap();
        writer.add(&pictures(1)[0]).unwrap();
        assert!(!path.exists());
        drop(writer);
        assert!(names(room.path()).is_empty());
        film(FilmOutput::at(&path, ExistingFile::Keep).unwrap(), &pictures(2));
        assert_eq!(names(room.path()), ["film.png"]);
        check_refused(&path, ExistingFile::Keep, "--replace");
        film(FilmOutput::at(&path, ExistingFile::Replace).unwrap(), &pictures(3));
    }

    #[test]
    fn places_that_will_not_do_are_named_before_anything_is_done() {
        let room = tempfile::tempdir().unwrap();
        check_refused(
            &room.path().join("film.mp4"),
            ExistingFile::Keep,
            "expected a file that ends in .png",
        );
        check_refused(&room.path().join("no/film.png"), ExistingFile::Keep, "there is no folder");
        fs::write(room.path().join("file"), "x").unwrap();
        check_refused(&room.path().join("file"), ExistingFile::Replace, "expected a folder");
    }
}
