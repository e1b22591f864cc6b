//! PNG files as a viewer shows them: still pictures, and animations frame by frame.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use png::{BlendOp, ColorType, Decoder, Transformations};

/// What a viewer shows until the next frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green, blue and opacity, row by row from the top.
    pub pixels: Vec<[u8; 4]>,
    /// Seconds until the next frame; 0 in a still picture.
    pub seconds: f64,
}

impl Frame {
    /// The pixel at a place.
    pub fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[(y * self.size[0] + x) as usize]
    }

    /// All pixels with their places.
    pub fn places(&self) -> impl Iterator<Item = ([u32; 2], [u8; 4])> {
        let width = self.size[0];
        (0..).zip(&self.pixels).map(move |(i, pixel): (u32, _)| ([i % width, i / width], *pixel))
    }

    /// The number of pixels for which `is_counted` is true.
    pub fn count(&self, is_counted: impl Fn([u8; 4]) -> bool) -> usize {
        self.pixels.iter().filter(|pixel| is_counted(**pixel)).count()
    }

    /// The number of pixels that differ from those of a picture of the same size.
    pub fn n_differing(&self, other: &Self) -> usize {
        assert_eq!(self.size, other.size);
        self.pixels.iter().zip(&other.pixels).filter(|(a, b)| a != b).count()
    }
}

/// The picture in a file.
pub fn picture(file: &Path) -> Frame {
    let bytes = fs::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    frames(&bytes).swap_remove(0)
}

/// All frames of a file: one if it is not an animation.
pub fn frames(bytes: &[u8]) -> Vec<Frame> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().expect("the file is a PNG");
    let info = reader.info();
    let size = [info.width, info.height];
    let n_frames = info.animation_control().map_or(1, |all| all.num_frames);
    let mut shown = vec![[0; 4]; (size[0] * size[1]) as usize];
    let mut bytes = vec![0; reader.output_buffer_size().expect("pictures fit the memory")];
    let frames = (0..n_frames).map(|_| {
        let part = reader.next_frame(&mut bytes).expect("the file holds as many frames as it says");
        let control = reader.info().frame_control().copied();
        let [left, top] = control.map_or([0, 0], |control| [control.x_offset, control.y_offset]);
        let is_over = control.is_some_and(|control| control.blend_op == BlendOp::Over);
        let pixels = bytes.chunks_exact(part.color_type.samples());
        for (i, pixel) in (0..part.width * part.height).zip(pixels) {
            let pixel = match (part.color_type, pixel) {
                (ColorType::Rgb, &[r, g, b]) => [r, g, b, u8::MAX],
                (ColorType::Rgba, &[r, g, b, a]) => [r, g, b, a],
                (other, _) => panic!("expected colours, found {other:?}"),
            };
            assert!([0, u8::MAX].contains(&pixel[3]), "only whole pixels are blended here");
            if !(is_over && pixel[3] == 0) {
                let [x, y] = [left + i % part.width, top + i / part.width];
                shown[(y * size[0] + x) as usize] = pixel;
            }
        }
        let seconds =
            control.map_or(0.0, |c| f64::from(c.delay_num) / f64::from(c.delay_den.max(1)));
        Frame { size, pixels: shown.clone(), seconds }
    });
    frames.collect()
}
