//! Writes pictures of a run's key moments.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use interaction::scene::Scene;

use super::picture_painter::{PicturePainter, ScaleMaxima};
use crate::atomic_write::replace_file;
use crate::command_line::PictureOptions;
use crate::render::{Picture, StatusPanel};
use crate::session::{KeyMoments, Moment};

/// Names of the eyes' pictures.
const EYES: [&str; 2] = ["left-eye.png", "right-eye.png"];

/// True if a run gives this name to a picture: "1-approach.png".
pub(super) fn is_of_a_run(name: &str) -> bool {
    let is_moment = || {
        let (number, rest) = name.split_once('-')?;
        let moment = rest.strip_suffix(".png")?;
        let is_number = number.parse::<u32>().is_ok();
        Some(is_number && Moment::ALL.iter().any(|known| known.name() == moment))
    };
    EYES.contains(&name) || is_moment().unwrap_or(false)
}

/// Writes one PNG per moment and one per eye of a headset into an existing folder. Returns the
/// files.
pub(super) fn write(
    moments: &KeyMoments,
    eyes: Option<&[Picture; 2]>,
    folder: &Path,
    picture_options: &PictureOptions,
) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (picture, name) in eyes.into_iter().flatten().zip(EYES) {
        write_whole(picture, &folder.join(name))?;
        files.push(folder.join(name));
    }
    if moments.iter().next().is_none() {
        return Ok(files);
    }
    let mut painter = PicturePainter::new(picture_options)?;
    painter.scale_to(&ScaleMaxima::of(moments.iter().map(|(_, scene)| &**scene)));
    for (i, (moment, scene)) in moments.iter().enumerate() {
        let picture = painter.picture(scene, StatusPanel::Shown)?;
        let file = folder.join(format!("{}-{}.png", i + 1, moment.name()));
        write_whole(&picture, &file)?;
        files.push(file);
    }
    Ok(files)
}

/// Checks that a picture can be written to this path.
pub(super) fn check_place(file: &Path) -> anyhow::Result<()> {
    let is_png = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    ensure!(is_png, "{} cannot be written: expected a name that ends in .png", file.display());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        ensure!(folder.is_dir(), "there is no folder {} for the picture", folder.display());
    }
    Ok(())
}

/// Writes a picture of one moment.
pub(super) fn snapshot(
    scene: &Scene,
    mut painter: PicturePainter,
    file: &Path,
) -> anyhow::Result<()> {
    painter.scale_to(&ScaleMaxima::of(std::iter::once(scene)));
    write_whole(&painter.picture(scene, StatusPanel::Shown)?, file)
}

/// Writes a picture as a whole: no program ever reads half a picture.
fn write_whole(picture: &Picture, file: &Path) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    picture.write_png(&mut bytes)?;
    replace_file(file, &bytes).with_context(|| format!("cannot write {}", file.display()))
}

/// Writes a picture directly; for folders that are not published yet.
pub(super) fn write_png(picture: &Picture, path: &Path) -> anyhow::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    picture.write_png(&mut file)?;
    Ok(file.flush()?)
}
