//! Classification of pixels by their hue.

use client::render::{Picture, Pixel};

/// Things that have a colour; everything else is grey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hue {
    Object,
    Glove,
}

impl Hue {
    pub(crate) fn of(pixel: Pixel) -> Option<Self> {
        match hue_deg(pixel) {
            _ if !is_vivid(pixel) => None,
            0.0..60.0 | 340.0..360.0 => Some(Self::Object),
            165.0..215.0 => Some(Self::Glove),
            _ => None,
        }
    }
}

pub(crate) fn n_pixels(picture: &Picture, hue: Hue) -> usize {
    picture.pixels().iter().filter(|pixel| Hue::of(**pixel) == Some(hue)).count()
}

fn is_vivid(pixel: Pixel) -> bool {
    let [r, g, b, _] = pixel.map(f64::from);
    let (low, high) = (r.min(g).min(b), r.max(g).max(b));
    high - low > 0.3 * high
}

pub(crate) fn hue_deg(pixel: Pixel) -> f64 {
    let [r, g, b, _] = pixel.map(f64::from);
    // The angle of the colour round the grey axis.
    let angle = (3.0_f64.sqrt() * (g - b)).atan2(2.0 * r - g - b).to_degrees();
    angle.rem_euclid(360.0)
}

pub(crate) fn is_red(pixel: Pixel) -> bool {
    is_vivid(pixel) && !(12.0..348.0).contains(&hue_deg(pixel))
}

pub(crate) fn difference(a: Pixel, b: Pixel) -> f64 {
    (0..3).map(|i| f64::from(a[i].abs_diff(b[i]))).sum()
}
