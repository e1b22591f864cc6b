//! Colour ramp for numbers, from none to full.
//!
//! The stops are those of viridis, whose lightness grows monotonically, so that people with colour
//! blindness can read it.

/// Stops, encoded for the screen (sRGB).
const STOPS: [[f32; 3]; 5] = [
    [68.0, 1.0, 84.0],
    [59.0, 82.0, 139.0],
    [33.0, 145.0, 140.0],
    [94.0, 201.0, 98.0],
    [253.0, 231.0, 37.0],
];

const N_STEPS: usize = STOPS.len() - 1;

/// Returns the sRGB colour of a share from 0 to 1; shares beyond keep the end colours.
pub fn displayed(share: f32) -> [u8; 3] {
    between_stops(share).map(|channel| channel.round() as u8)
}

/// Returns the linear colour of a share.
pub fn linear(share: f32) -> [f32; 3] {
    between_stops(share).map(|channel| {
        let channel = channel / 255.0;
        if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
    })
}

/// `ramp(share)` in the shaders' language: the same colours, linear.
pub(super) fn shader() -> String {
    let stop = |stop: [f32; 3]| {
        let [r, g, b] = stop.map(|channel| channel / 255.0);
        format!("vec3<f32>({r:?}, {g:?}, {b:?})")
    };
    let mut source = format!(
        "fn ramp(share: f32) -> vec3<f32> {{\n    let at = share * {:?};\n",
        N_STEPS as f32
    );
    source += &format!("    var colour = {};\n", stop(STOPS[0]));
    for (i, next) in STOPS.iter().enumerate().skip(1) {
        let part = format!("saturate(at - {:?})", (i - 1) as f32);
        source += &format!("    colour = mix(colour, {}, {part});\n", stop(*next));
    }
    source + "    return decoded(colour);\n}\n"
}

fn between_stops(share: f32) -> [f32; 3] {
    // NaN is shown as 0.
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    let at = share * N_STEPS as f32;
    let before = (at as usize).min(N_STEPS - 1);
    let part = at - before as f32;
    std::array::from_fn(|i| STOPS[before][i] * (1.0 - part) + STOPS[before + 1][i] * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_begins_and_ends_at_its_stops_and_grows_lighter() {
        assert_eq!(displayed(0.0), [68, 1, 84]);
        assert_eq!(displayed(0.5), [33, 145, 140]);
        assert_eq!(displayed(7.0), [253, 231, 37]);
        assert_eq!(displayed(f32::NAN), displayed(-1.0));
        let luminance = |i: u8| {
            let [r, g, b] = linear(f32::from(i) / 100.0);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        assert!((1..=100).all(|i| luminance(i) > luminance(i - 1)));
    }
}
