//! Where a film goes: a folder of pictures or an animated one, there as a whole or not at all.

use std::fs::{self, File};
use std::io::BufWriter;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use image::RgbaImage;
use tempfile::{NamedTempFile, TempDir};

use super::animation::{Animation, set_count};
use crate::run::pictures;

/// What to do with a film that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    Keep,
    Replace,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Animation,
    Folder,
}

/// A place for a film, looked at before anything is done for it.
#[derive(Debug)]
pub(super) struct Out {
    path: PathBuf,
    kind: Kind,
    existing: Existing,
}

/// A film that is being written, under another name.
pub(super) enum Writing {
    Animation {
        animation: Animation<BufWriter<File>>,
        n_written: u32,
        unfinished: NamedTempFile,
        path: PathBuf,
        existing: Existing,
    },
    Folder {
        unfinished: TempDir,
        n_written: u32,
        path: PathBuf,
        existing: Existing,
    },
}

impl Out {
    /// Says at once what would be in the way at the end.
    pub(super) fn at(path: &Path, existing: Existing) -> anyhow::Result<Self> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let kind = match ending.as_deref() {
            Some("png" | "apng") => Kind::Animation,
            None => Kind::Folder,
            Some(other) => bail!(
                "cannot make a film of the kind .{other}, expected a file that ends in .png or .apng, or the name of a \
                 folder (of which other programs make other films: ffmpeg -i {}/%05d.png {})",
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

    pub(super) fn begin(self, size: [u32; 2], fps: u16) -> anyhow::Result<Writing> {
        let Self { path, kind, existing } = self;
        let cannot = format!("cannot write to {}", parent(&path).display());
        let mut beside = tempfile::Builder::new();
        // As open as the user's mask allows.
        let mode = if kind == Kind::Folder { 0o777 } else { 0o666 };
        beside.prefix(".palpate-film-").permissions(fs::Permissions::from_mode(mode));
        Ok(match kind {
            Kind::Animation => {
                let unfinished = beside.tempfile_in(parent(&path)).context(cannot)?;
                let to = BufWriter::new(unfinished.reopen()?);
                let animation = Animation::begin(to, size, fps)?;
                Writing::Animation { animation, n_written: 0, unfinished, path, existing }
            }
            Kind::Folder => {
                let unfinished = beside.tempdir_in(parent(&path)).context(cannot)?;
                Writing::Folder { unfinished, n_written: 0, path, existing }
            }
        })
    }
}

impl Writing {
    pub(super) fn n_pictures(&self) -> u32 {
        match self {
            Self::Animation { n_written, .. } | Self::Folder { n_written, .. } => *n_written,
        }
    }

    pub(super) fn add(&mut self, picture: &RgbaImage) -> anyhow::Result<()> {
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

    /// The film takes its place, and with it that of an older one.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Animation { animation, n_written, unfinished, path, existing } => {
                let cannot = || format!("cannot write {}", path.display());
                animation.finish().with_context(cannot)?;
                set_count(&mut unfinished.as_file(), n_written).with_context(cannot)?;
                unfinished.as_file().sync_all().with_context(cannot)?;
                // Somebody may have put something there meanwhile.
                may_take(&path, Kind::Animation, existing)?;
                match existing {
                    Existing::Keep => unfinished.persist_noclobber(&path).with_context(cannot)?,
                    Existing::Replace => unfinished.persist(&path).with_context(cannot)?,
                };
            }
            Self::Folder { unfinished, path, existing, .. } => {
                may_take(&path, Kind::Folder, existing)?;
                take_place(unfinished.path(), &path, existing)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                // It is no longer where it was, so nothing is left to remove.
                let _ = unfinished.keep();
            }
        }
        Ok(())
    }
}

/// Says what is in the way.
fn may_take(path: &Path, kind: Kind, existing: Existing) -> anyhow::Result<()> {
    let is_in_the_way = match kind {
        Kind::Animation if path.is_dir() => bail!("{} is a folder", path.display()),
        Kind::Animation => path.exists(),
        Kind::Folder if path.is_file() => {
            bail!("{} is a file, expected a folder", path.display())
        }
        Kind::Folder => holds_a_film(path)?,
    };
    if is_in_the_way && existing == Existing::Keep {
        bail!("{} is there already; --replace writes over it", path.display());
    }
    Ok(())
}

/// A folder of pictures takes the place of an older one, which is removed only when the new one is there.
fn take_place(new: &Path, place: &Path, existing: Existing) -> anyhow::Result<()> {
    if existing == Existing::Keep || !place.exists() {
        // The system refuses this if anything has come into the place.
        return Ok(fs::rename(new, place)?);
    }
    // Kept from now on: what is put in there must not go with it.
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
    // It is empty, unless the old film could not go anywhere else.
    let _ = fs::remove_dir(room);
    taken
}

/// Whether a folder holds the pictures of a film. One that holds anything else is nobody's to replace.
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
                "{} holds other things than a film, such as {}; expected a folder that is empty or not there",
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
    use image::Rgba;

    fn film(out: Out, pictures: &[RgbaImage]) {
        let mut writing = out.begin([4, 4], 25).unwrap();
        pictures.iter().for_each(|picture| writing.add(picture).unwrap());
        writing.finish().unwrap();
    }

    fn pictures(n: u8) -> Vec<RgbaImage> {
        (0..n).map(|i| RgbaImage::from_pixel(4, 4, Rgba([i, 0, 0, 255]))).collect()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn check_refused(path: &Path, existing: Existing, expected: &str) {
        let refused = Out::at(path, existing).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }

    #[test]
    fn a_folder_holds_one_picture_after_the_other_and_nothing_of_an_older_film() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("film");
        film(Out::at(&path, Existing::Keep).unwrap(), &pictures(3));
        assert_eq!(names(&path), ["00001.png", "00002.png", "00003.png"]);
        check_refused(&path, Existing::Keep, "--replace");
        film(Out::at(&path, Existing::Replace).unwrap(), &pictures(1));
        assert_eq!(names(&path), ["00001.png"]);
        assert_eq!(names(room.path()), ["film"]);
        // What somebody else put there stays.
        fs::write(path.join("thesis.txt"), "years of work").unwrap();
        check_refused(&path, Existing::Replace, "thesis.txt");
    }

    #[test]
    fn what_came_into_the_place_meanwhile_stays() {
        let room = tempfile::tempdir().unwrap();
        for (name, existing) in
            [("film", Existing::Keep), ("film.png", Existing::Keep), ("other", Existing::Replace)]
        {
            let path = room.path().join(name);
            let mut writing = Out::at(&path, existing).unwrap().begin([4, 4], 25).unwrap();
            writing.add(&pictures(1)[0]).unwrap();
            let work = match name {
                "film" => path.join("00001.png"),
                "film.png" => path.clone(),
                _ => path.join("thesis.txt"),
            };
            if work != path {
                fs::create_dir(&path).unwrap();
            }
            fs::write(&work, "years of work").unwrap();
            writing.finish().unwrap_err();
            assert_eq!(fs::read_to_string(&work).unwrap(), "years of work");
        }
        assert_eq!(names(room.path()), ["film", "film.png", "other"]);
    }

    #[test]
    fn an_animation_is_there_as_a_whole_or_not_at_all() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("film.png");
        let mut writing = Out::at(&path, Existing::Keep).unwrap().begin([4, 4], 25).unwrap();
        writing.add(&pictures(1)[0]).unwrap();
        assert!(!path.exists());
        drop(writing);
        assert!(names(room.path()).is_empty());
        film(Out::at(&path, Existing::Keep).unwrap(), &pictures(2));
        assert_eq!(names(room.path()), ["film.png"]);
        check_refused(&path, Existing::Keep, "--replace");
        film(Out::at(&path, Existing::Replace).unwrap(), &pictures(3));
    }

    #[test]
    fn places_that_will_not_do_are_named_before_anything_is_done() {
        let room = tempfile::tempdir().unwrap();
        check_refused(
            &room.path().join("film.mp4"),
            Existing::Keep,
            "expected a file that ends in .png",
        );
        check_refused(&room.path().join("no/film.png"), Existing::Keep, "there is no folder");
        fs::write(room.path().join("file"), "x").unwrap();
        check_refused(&room.path().join("file"), Existing::Replace, "expected a folder");
    }
}
