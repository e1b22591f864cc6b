//! Pictures of a run's key moments.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::render::{Camera, Offscreen, Panel};
use crate::session::KeyMoments;

const SIZE: [u32; 2] = [1280, 720];

/// Writes one PNG per moment and says which.
pub(super) fn write(moments: &KeyMoments, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if moments.iter().next().is_none() {
        return Ok(files);
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut offscreen = Offscreen::new(SIZE[0], SIZE[1])?;
    let camera = Camera::default();
    for (moment, scene) in moments.iter() {
        let picture = offscreen.picture(scene, &camera, Panel::Shown)?;
        let file = folder.join(format!("{}-{}.png", moment as usize + 1, moment.name()));
        // Renamed when complete, so that nobody ever sees half a picture.
        let unfinished = file.with_extension("png.part");
        picture
            .save_with_format(&unfinished, image::ImageFormat::Png)
            .with_context(|| format!("cannot write {}", unfinished.display()))?;
        fs::rename(&unfinished, &file)
            .with_context(|| format!("cannot write {}", file.display()))?;
        files.push(file);
    }
    Ok(files)
}
