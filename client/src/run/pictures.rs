//! Pictures of a run's key moments.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use image::RgbaImage;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use interaction::scene::Scene;

use super::portrait::{Most, Painter};
use crate::command_line::Portrait;
use crate::render::Panel;
use crate::replace::replace;
use crate::session::KeyMoments;

/// Writes one PNG per moment, and what the eyes in a headset saw, into a folder that exists; says which.
pub(super) fn write(
    moments: &KeyMoments,
    eyes: Option<&[RgbaImage; 2]>,
    folder: &Path,
    portrait: &Portrait,
) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (picture, name) in eyes.into_iter().flatten().zip(["left-eye.png", "right-eye.png"]) {
        write_whole(picture, &folder.join(name))?;
        files.push(folder.join(name));
    }
    if moments.iter().next().is_none() {
        return Ok(files);
    }
    let mut painter = Painter::new(portrait)?;
    painter.scale_to(&Most::of(moments.iter().map(|(_, scene)| &**scene)));
    for (i, (moment, scene)) in moments.iter().enumerate() {
        let picture = painter.picture(scene, Panel::Shown)?;
        let file = folder.join(format!("{}-{}.png", i + 1, moment.name()));
        write_whole(&picture, &file)?;
        files.push(file);
    }
    Ok(files)
}

/// Whether a picture can come to stand there.
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
pub(super) fn snapshot(scene: &Scene, mut painter: Painter, file: &Path) -> anyhow::Result<()> {
    painter.scale_to(&Most::of(std::iter::once(scene)));
    write_whole(&painter.picture(scene, Panel::Shown)?, file)
}

/// Nobody ever sees half a picture.
fn write_whole(picture: &RgbaImage, file: &Path) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    encode(picture, &mut bytes)?;
    replace(file, &bytes).with_context(|| format!("cannot write {}", file.display()))
}

/// Into a folder that is not looked at yet.
pub(super) fn write_png(picture: &RgbaImage, path: &Path) -> anyhow::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    encode(picture, &mut file)?;
    Ok(file.flush()?)
}

/// Well compressed: pictures are looked at and sent around.
pub(crate) fn encode(picture: &RgbaImage, out: &mut impl Write) -> image::ImageResult<()> {
    // The pictures are opaque; without the fourth channel they are a fifth smaller.
    let opaque = image::DynamicImage::from(picture.clone()).into_rgb8();
    opaque.write_with_encoder(PngEncoder::new_with_quality(
        out,
        CompressionType::Default,
        FilterType::Adaptive,
    ))
}
