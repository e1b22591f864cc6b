//! What both eyes saw, held against geometry.

use std::path::Path;

use super::monado::View;

/// The cube stands in the middle of the table, which the program puts so far ahead of the eyes, in metres; so large
/// is the cube.
const AHEAD: f64 = 0.42;
const HALF_CUBE: f64 = 0.03;

/// Where the red of the cube is in the middle, in pixels, and how many there are of it.
fn cube(path: &Path) -> (f64, usize, f64) {
    let picture = image::open(path).unwrap().into_rgb8();
    let is_cube = |pixel: &image::Rgb<u8>| {
        let [red, green, blue] = pixel.0.map(f64::from);
        red > 90.0 && red > 1.6 * green && red > 1.6 * blue
    };
    let columns: Vec<u32> = picture
        .enumerate_pixels()
        .filter(|(_, _, pixel)| is_cube(pixel))
        .map(|(x, ..)| x)
        .collect();
    let n = columns.len();
    let middle = columns.iter().map(|x| f64::from(*x) + 0.5).sum::<f64>() / n.max(1) as f64;
    (middle, n, f64::from(picture.width()))
}

/// The cube is in both pictures, and as much farther to the right in the left one as its distance demands.
pub(crate) fn check(left: &Path, right: &Path, view: &View) {
    let ((left, n_left, width), (right, n_right, _)) = (cube(left), cube(right));
    assert!(n_left > 100 && n_right > 100, "{n_left} and {n_right} pixels of the cube");
    let focal_length = width / 2.0 / view.half_angle.tan();
    let disparity = |distance: f64| focal_length * view.between_eyes / distance;
    // What is seen of it is neither nearer than its front nor farther than its back; and half a pixel.
    let (least, most) = (disparity(AHEAD + HALF_CUBE) - 0.5, disparity(AHEAD - HALF_CUBE) + 0.5);
    let found = left - right;
    assert!(
        (least..=most).contains(&found),
        "{found:.2} pixels apart, expected {least:.2} to {most:.2}"
    );
}
