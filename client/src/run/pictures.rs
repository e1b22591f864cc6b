//! Pictures of a run's key moments.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use image::RgbaImage;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};

use crate::render::{Camera, Offscreen, Panel};
use crate::session::KeyMoments;

const SIZE: [u32; 2] = [1280, 720];

/// Writes one PNG per moment, and what the eyes in a headset saw, into a folder that exists; says which.
pub(super) fn write(
    moments: &KeyMoments,
    eyes: Option<&[RgbaImage; 2]>,
    folder: &Path,
) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (picture, name) in eyes.into_iter().flatten().zip(["left-eye.png", "right-eye.png"]) {
        files.push(place(picture, folder.join(name))?);
    }
    if moments.iter().next().is_none() {
        return Ok(files);
    }
    let mut offscreen = Offscreen::new(SIZE[0], SIZE[1])?;
    let camera = Camera::default();
    for (i, (moment, scene)) in moments.iter().enumerate() {
        let picture = offscreen.picture(scene, &camera, Panel::Shown)?;
        files.push(place(&picture, folder.join(format!("{}-{}.png", i + 1, moment.name())))?);
    }
    Ok(files)
}

/// Renamed when complete, so that nobody ever sees half a picture.
fn place(picture: &RgbaImage, file: PathBuf) -> anyhow::Result<PathBuf> {
    let unfinished = file.with_extension("png.part");
    write_png(picture, &unfinished)
        .with_context(|| format!("cannot write {}", unfinished.display()))?;
    fs::rename(&unfinished, &file).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

fn write_png(picture: &RgbaImage, path: &Path) -> anyhow::Result<()> {
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
