//! Writes an animated PNG picture by picture, lossless, storing only the changed pixels.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};

use png::{BlendOp, ColorType, Encoder, EncodingError, Writer};

use crate::render::Picture;

/// An animation that is being written.
pub(super) struct Animation<W: Write> {
    writer: Writer<W>,
    /// The previous picture.
    shown: Option<Picture>,
}

/// Number of pictures in the header until [`set_count`] corrects it.
const UNKNOWN: u32 = u32::MAX >> 1;

impl<W: Write> Animation<W> {
    /// Begins an animation of pictures of this size at `fps` pictures per second. Call
    /// [`set_count`] on the finished file.
    pub(super) fn begin(to: W, [width, height]: [u32; 2], fps: u16) -> Result<Self, EncodingError> {
        let mut encoder = Encoder::new(to, width, height);
        encoder.set_color(ColorType::Rgba);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        // 0 repeats for ever.
        encoder.set_animated(UNKNOWN, 0)?;
        encoder.set_frame_delay(1, fps)?;
        // Unchanged pixels are transparent and show the previous picture.
        encoder.set_blend_op(BlendOp::Over)?;
        Ok(Self { writer: encoder.write_header()?, shown: None })
    }

    pub(super) fn add(&mut self, picture: &Picture) -> Result<(), EncodingError> {
        match &self.shown {
            None => self.writer.write_image_data(picture.pixels().as_flattened())?,
            Some(before) => {
                let [left, top, width, height] = changed(before, picture);
                let pixels: Vec<u8> = (top..top + height)
                    .flat_map(|y| (left..left + width).map(move |x| (x, y)))
                    .flat_map(|(x, y)| match picture.at(x, y) {
                        same if same == before.at(x, y) => [0; 4],
                        other => other,
                    })
                    .collect();
                self.writer.reset_frame_position()?;
                self.writer.set_frame_dimension(width, height)?;
                self.writer.set_frame_position(left, top)?;
                self.writer.write_image_data(&pixels)?;
            }
        }
        self.shown = Some(picture.clone());
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), EncodingError> {
        self.writer.finish()
    }
}

/// Writes the number of pictures into the header of a finished file.
pub(super) fn set_count(file: &mut (impl Read + Write + Seek), n_pictures: u32) -> io::Result<()> {
    const SIGNATURE: u64 = 8;
    const KIND: &[u8; 4] = b"acTL";
    let mut at = file.seek(SeekFrom::Start(SIGNATURE))?;
    loop {
        let mut head = [0; 8];
        file.read_exact(&mut head)?;
        let [a, b, c, d, kind @ ..] = head;
        let length = u32::from_be_bytes([a, b, c, d]);
        if kind == *KIND {
            break;
        }
        if kind == *b"IDAT" {
            return Err(io::Error::new(ErrorKind::InvalidData, "expected an animation"));
        }
        // Each chunk has a head of 8 bytes, its data, and 4 bytes of checksum.
        at = file.seek(SeekFrom::Start(at + 12 + u64::from(length)))?;
    }
    // The number of pictures, and 0 for endless repetition.
    let checked = [&KIND[..], &n_pictures.to_be_bytes(), &[0; 4]].concat();
    file.seek(SeekFrom::Start(at + 4))?;
    file.write_all(&checked)?;
    file.write_all(&checksum(&checked).to_be_bytes())
}

/// CRC-32 of PNG, annex D of its specification.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 0 { crc >> 1 } else { (crc >> 1) ^ 0xedb8_8320 }
        })
    })
}

/// The rectangle in which two pictures differ: left, top, width, height. It is one pixel if they
/// are equal.
fn changed(before: &Picture, after: &Picture) -> [u32; 4] {
    let (mut low, mut high) = ([u32::MAX; 2], [0; 2]);
    for ((x, y, a), b) in before.places().zip(after.pixels()) {
        if a != *b {
            low = [low[0].min(x), low[1].min(y)];
            high = [high[0].max(x), high[1].max(y)];
        }
    }
    if low[0] > high[0] {
        return [0, 0, 1, 1];
    }
    [low[0], low[1], high[0] - low[0] + 1, high[1] - low[1] + 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_animation_gives_its_pictures_back() {
        let grey = Picture::from_fn([20, 10], |_, _| [90, 90, 90, 255]);
        let mut dot = grey.clone();
        dot.set(13, 7, [255, 0, 0, 255]);
        let mut line = grey.clone();
        (2..9).for_each(|x| line.set(x, 0, [0, 255, 0, 255]));
        // One picture equals the one before.
        let pictures = [grey, dot.clone(), dot, line];
        let mut bytes = Vec::new();
        let mut animation = Animation::begin(&mut bytes, [20, 10], 25).unwrap();
        pictures.iter().for_each(|picture| animation.add(picture).unwrap());
        animation.finish().unwrap();
        let mut file = std::io::Cursor::new(&mut bytes);
        set_count(&mut file, 4).unwrap();

        let frames = ::tests::png_frames::frames(&bytes);
        assert_eq!(frames.len(), 4);
        for (frame, picture) in frames.iter().zip(&pictures) {
            assert_eq!(frame.seconds, 0.04, "a twenty-fifth of a second");
            assert_eq!((frame.size, &frame.pixels[..]), (picture.size(), picture.pixels()));
        }
    }
}
