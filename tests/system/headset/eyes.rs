//! Compares the pictures of both eyes with geometry.

use std::path::Path;

use super::monado::View;

/// Distance of the table's middle, where the cube stands, ahead of the eyes, and size of the cube,
/// in metres.
const AHEAD: f64 = 0.42;
const HALF_CUBE: f64 = 0.03;

/// The red area of a picture.
struct Cube {
    /// Its middle, in pixels from the left and from the top.
    middle: [f64; 2],
    n_pixels: usize,
    /// Of the whole picture.
    size: [f64; 2],
}

fn cube(path: &Path) -> Cube {
    let picture = tests::png_frames::picture(path);
    let is_cube = |pixel: [u8; 4]| {
        let [red, green, blue, _] = pixel.map(f64::from);
        red > 90.0 && red > 1.6 * green && red > 1.6 * blue
    };
    let red: Vec<[f64; 2]> = picture
        .places()
        .filter(|(_, pixel)| is_cube(*pixel))
        .map(|(at, _)| at.map(|pixels| f64::from(pixels) + 0.5))
        .collect();
    let n_pixels = red.len();
    let mean = |axis: usize| red.iter().map(|at| at[axis]).sum::<f64>() / n_pixels.max(1) as f64;
    let size = picture.size.map(f64::from);
    Cube { middle: [mean(0), mean(1)], n_pixels, size }
}

/// The cube is in both pictures, and as much farther to the right in the left one as its distance
/// demands. Things look `scale` times as large as they are.
pub(crate) fn check(left: &Path, right: &Path, view: &View, scale: f64) {
    let (left, right) = (cube(left), cube(right));
    let (n_left, n_right) = (left.n_pixels, right.n_pixels);
    assert!(n_left > 100 && n_right > 100, "{n_left} and {n_right} pixels of the cube");
    let focal_length = left.size[0] / 2.0 / view.half_angle.tan();
    let disparity = |distance: f64| focal_length * view.between_eyes / distance;
    // What is seen of it is neither nearer than its front nor farther than its back; and half a
    // pixel.
    let half = HALF_CUBE * scale;
    let (least, most) = (disparity(AHEAD + half) - 0.5, disparity(AHEAD - half) + 0.5);
    let found = left.middle[0] - right.middle[0];
    assert!(
        (least..=most).contains(&found),
        "{found:.2} pixels apart, expected {least:.2} to {most:.2}"
    );
}

/// The cube is seen at this height below the eyes, in metres from them to its middle, with the
/// right size.
pub(crate) fn check_height(picture: &Path, view: &View, below: f64, scale: f64) {
    let cube = cube(picture);
    let focal_length = cube.size[1] / 2.0 / view.half_angle.tan();
    let half = HALF_CUBE * scale;
    let row = |below: f64, distance: f64| cube.size[1] / 2.0 + focal_length * below / distance;
    // The middle of what is seen is between the middles of its top and of its front.
    let (least, most) = (row(below - half, AHEAD), row(below, AHEAD - half));
    let found = cube.middle[1];
    assert!((least..=most).contains(&found), "at row {found:.1}, expected {least:.1} to {most:.1}");
    let front = (focal_length * 2.0 * half / (AHEAD - half)).powi(2);
    let n = cube.n_pixels as f64;
    assert!((0.9 * front..2.5 * front).contains(&n), "{n} pixels, its front has {front:.0}");
}
