//! Conversion between sRGB colours, as in most files, and linear light.

/// Clamps a number to the range from 0 to 1; NaN becomes 0.
pub(super) fn share_of_one(number: f32) -> f32 {
    if number >= 0.0 { number.min(1.0) } else { 0.0 }
}

/// Converts an sRGB share between 0 and 1 to linear light.
pub(super) fn linear(share: f32) -> f32 {
    let share = f64::from(share_of_one(share));
    let linear = if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) };
    linear as f32
}

/// Converts linear light to an sRGB share.
pub(super) fn encoded(linear: f32) -> f32 {
    let linear = f64::from(linear).clamp(0.0, 1.0);
    let share =
        if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    share as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_comes_back() {
        for i in 0..=1000 {
            let share = i as f32 / 1000.0;
            assert!((linear(encoded(share)) - share).abs() < 1e-6, "{share}");
        }
        // Half of the light looks much brighter than half.
        assert!((encoded(0.5) - 0.735).abs() < 1e-3);
        assert_eq!([linear(0.0), linear(1.0), linear(2.0), linear(f32::NAN)], [0.0, 1.0, 1.0, 0.0]);
    }
}
