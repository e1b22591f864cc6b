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

/// Writes one PNG per moment into a folder that exists, and says which.
pub(super) fn write(moments: &KeyMoments, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if moments.iter().next().is_none() {
        return Ok(files);
    }
    let mut offscreen = Offscreen::new(SIZE[0], SIZE[1])?;
    let camera = Camera::default();
    for (i, (moment, scene)) in moments.iter().enumerate() {
        let picture = offscreen.picture(scene, &camera, Panel::Shown)?;
        let file = folder.join(format!("{}-{}.png", i + 1, moment.name()));
        // Renamed when complete, so that nobody ever sees half a picture.
        let unfinished = file.with_extension("png.part");
        write_png(&picture, &unfinished)
            .with_context(|| format!("cannot write {}", unfinished.display()))?;
        fs::rename(&unfinished, &file)
            .with_context(|| format!("cannot write {}", file.display()))?;
        files.push(file);
    }
    Ok(files)
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
