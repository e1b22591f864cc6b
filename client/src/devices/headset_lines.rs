//! Describes the capabilities of this machine's OpenXR runtime as text.

use crate::vr::{HeadsetError, RuntimeInfo, runtime_info};

/// Returns one line for each part that is present or missing.
pub(super) fn lines() -> Vec<String> {
    in_words(runtime_info())
}

fn in_words(found_runtime: Result<RuntimeInfo, HeadsetError>) -> Vec<String> {
    let RuntimeInfo { runtime, headset } = match found_runtime {
        Ok(found_runtime) => found_runtime,
        Err(error) => return vec![format!("headset  {error}")],
    };
    let headset = match headset {
        Ok(headset) => headset,
        Err(error) => return vec![format!("headset  {error}")],
    };
    let [width, height] = headset.eye_size;
    let hands = match headset.hands {
        Ok(()) if headset.holds_fingers => "it tracks bare hands, and has a force glove".to_owned(),
        Ok(()) => "it tracks bare hands".to_owned(),
        Err(error) => error.to_string(),
    };
    vec![
        format!("headset  {}, {width} x {height} pixels for each eye, by {runtime}", headset.name),
        format!("         {hands}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vr::HeadsetInfo;

    #[test]
    fn a_headset_has_two_lines_and_a_missing_one_has_the_reason() {
        let headset = |hands| HeadsetInfo {
            name: "Goggles".to_owned(),
            eye_size: [960, 1080],
            hands,
            holds_fingers: false,
        };
        let found = |headset| Ok(RuntimeInfo { runtime: "Monado 25".to_owned(), headset });
        assert_eq!(
            in_words(found(Ok(headset(Ok(()))))),
            [
                "headset  Goggles, 960 x 1080 pixels for each eye, by Monado 25",
                "         it tracks bare hands"
            ]
        );
        let why = "it has no sensors for hands";
        let blind = HeadsetError::NoHandTracking { headset: "Goggles".to_owned(), why };
        assert!(in_words(found(Ok(headset(Err(blind)))))[1].contains("Goggles sees no hands"));
        let nothing = HeadsetError::NoHeadset { runtime: "Monado 25".to_owned() };
        assert_eq!(
            in_words(found(Err(nothing))),
            ["headset  Monado 25 finds no headset; plug it in and switch it on"]
        );
        assert!(
            in_words(Err(HeadsetError::NoRuntime))[0].starts_with("headset  no OpenXR runtime")
        );
    }
}
