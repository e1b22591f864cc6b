//! A picture in memory, and as a PNG file.

use std::io::{BufRead, Seek, Write};

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter, Transformations};

/// Red, green, blue and opacity, with the encoding of sRGB.
pub type Pixel = [u8; 4];

/// Rows of pixels, from the top to the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    pixels: Vec<Pixel>,
}

impl Picture {
    /// Picture in which `pixel` gives the colour of each place, from the left and from the top.
    pub fn from_fn([width, height]: [u32; 2], pixel: impl Fn(u32, u32) -> Pixel) -> Self {
        let rows = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Self { width, pixels: rows.map(|(x, y)| pixel(x, y)).collect() }
    }

    /// Picture of rows that follow each other. The number of pixels is a multiple of the width.
    pub(super) fn of_rows(width: u32, pixels: Vec<Pixel>) -> Self {
        debug_assert!(pixels.len().is_multiple_of(width.max(1) as usize));
        Self { width, pixels }
    }

    /// Width and height.
    pub fn size(&self) -> [u32; 2] {
        [self.width, (self.pixels.len() / self.width.max(1) as usize) as u32]
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> &[Pixel] {
        &self.pixels
    }

    /// All pixels with their places.
    pub fn places(&self) -> impl Iterator<Item = (u32, u32, Pixel)> {
        let width = self.width as usize;
        let places = self.pixels.iter().enumerate();
        places.map(move |(i, pixel)| ((i % width) as u32, (i / width) as u32, *pixel))
    }

    /// Pixel at a place, which must be in the picture.
    pub fn at(&self, x: u32, y: u32) -> Pixel {
        self.pixels[self.index(x, y)]
    }

    /// Replaces the pixel at a place, which must be in the picture.
    pub fn set(&mut self, x: u32, y: u32, pixel: Pixel) {
        let index = self.index(x, y);
        self.pixels[index] = pixel;
    }

    fn index(&self, x: u32, y: u32) -> usize {
        assert!(x < self.width, "column {x} of {}", self.width);
        (y * self.width + x) as usize
    }

    /// Writes a PNG, well compressed. Opacity is left out: rendered pictures are opaque, and files
    /// without it are a fifth smaller.
    pub fn write_png(&self, to: impl Write) -> Result<(), png::EncodingError> {
        let [width, height] = self.size();
        let mut encoder = Encoder::new(to, width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_compression(Compression::Balanced);
        encoder.set_filter(Filter::Adaptive);
        let opaque: Vec<u8> = self.pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&opaque)?;
        writer.finish()
    }

    /// Reads a PNG of any colour type; of an animation, its first picture.
    pub fn read_png(from: impl BufRead + Seek) -> Result<Self, png::DecodingError> {
        let mut decoder = Decoder::new(from);
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info()?;
        let n_bytes = reader.output_buffer_size().ok_or(png::DecodingError::LimitsExceeded)?;
        let mut bytes = vec![0; n_bytes];
        let frame = reader.next_frame(&mut bytes)?;
        debug_assert_eq!(frame.bit_depth, BitDepth::Eight);
        let pixel: fn(&[u8]) -> Pixel = match frame.color_type {
            ColorType::Grayscale => |p| [p[0], p[0], p[0], u8::MAX],
            ColorType::GrayscaleAlpha => |p| [p[0], p[0], p[0], p[1]],
            // Palettes are expanded by the decoder.
            ColorType::Rgb | ColorType::Indexed => |p| [p[0], p[1], p[2], u8::MAX],
            ColorType::Rgba => |p| [p[0], p[1], p[2], p[3]],
        };
        let bytes = &bytes[..frame.buffer_size()];
        let pixels = bytes.chunks_exact(frame.color_type.samples()).map(pixel).collect();
        Ok(Self { width: frame.width, pixels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_comes_back_from_its_file() {
        let pixel = |x: u32, y: u32| [x as u8, y as u8, (3 * x + y) as u8, u8::MAX];
        let mut picture = Picture::from_fn([7, 5], pixel);
        picture.set(6, 4, [1, 2, 3, u8::MAX]);
        let mut file = Vec::new();
        picture.write_png(&mut file).unwrap();
        let again = Picture::read_png(std::io::Cursor::new(&file)).unwrap();
        assert_eq!(again, picture);
        assert_eq!((again.size(), again.at(6, 4)), ([7, 5], [1, 2, 3, u8::MAX]));
        assert!(again.places().all(|(x, y, seen)| seen == again.at(x, y)));
        let cut = Picture::read_png(std::io::Cursor::new(&file[..file.len() / 2]));
        assert!(cut.is_err(), "half a file is no picture");
    }
}
