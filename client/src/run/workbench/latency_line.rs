//! The status line with the latency of a sample.

use interaction::scene::{Scene, StatusLevel, StatusLine};

/// Latency from the glove's byte to the picture, stage by stage.
pub(super) fn line(scene: &Scene, to_picture: Option<f64>) -> Option<StatusLine> {
    let stages = [
        ("pair", scene.latency.to_pair),
        ("touch", scene.latency.to_touch),
        ("solve", scene.latency.to_frame),
        ("picture", to_picture),
    ];
    if stages.iter().all(|(_, seconds)| seconds.is_none()) {
        return None;
    }
    let stage = |(name, seconds): &(&str, Option<f64>)| match seconds {
        Some(seconds) => format!("{name} {:.2}", seconds * 1e3),
        None => format!("{name} -"),
    };
    let words: Vec<String> = stages.iter().map(stage).collect();
    let text = format!("{} ms", words.join("  +  "));
    Some(StatusLine { name: "latency", level: StatusLevel::Good, text })
}
