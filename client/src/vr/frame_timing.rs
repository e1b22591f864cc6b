//! Durations of the stages of a headset frame.

use std::fmt;
use std::time::Instant;

/// Stages of a frame, beginning when the runtime starts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameStage {
    /// Uploads the newest scene to the graphics device.
    Upload,
    /// Acquires an image from the runtime.
    Image,
    /// Encodes the drawing commands of an eye.
    FirstEye,
    SecondEye,
    /// Asks for the predicted eye poses and submits the commands with them.
    Aim,
    /// Submits the picture to the runtime.
    Submit,
}

const STAGES: [FrameStage; 6] = [
    FrameStage::Upload,
    FrameStage::Image,
    FrameStage::FirstEye,
    FrameStage::SecondEye,
    FrameStage::Aim,
    FrameStage::Submit,
];

/// Durations of all frames of a session.
#[derive(Debug, Clone, Default)]
pub struct FrameTiming {
    n_frames: u64,
    /// Newest durations, in seconds: a limited number, enough for a median.
    recent: [Vec<f32>; STAGES.len()],
}

const MOST: usize = 512;

impl FrameTiming {
    /// Records the start times of a frame's stages and the end of the last one.
    pub(super) fn add(&mut self, moments: [Instant; STAGES.len() + 1]) {
        let place = (self.n_frames % MOST as u64) as usize;
        self.n_frames += 1;
        for (recent, ends) in self.recent.iter_mut().zip(moments.windows(2)) {
            let seconds = ends[1].saturating_duration_since(ends[0]).as_secs_f32();
            match recent.get_mut(place) {
                Some(oldest) => *oldest = seconds,
                None => {
                    recent.reserve_exact(MOST - recent.len());
                    recent.push(seconds);
                }
            }
        }
    }

    pub fn n_frames(&self) -> u64 {
        self.n_frames
    }

    /// Returns the median duration of a stage, in seconds.
    pub fn median(&self, stage: FrameStage) -> Option<f64> {
        let mut sorted = self.recent[stage as usize].clone();
        sorted.sort_by(f32::total_cmp);
        sorted.get(sorted.len() / 2).copied().map(f64::from)
    }
}

/// "upload 0.21, image 0.02, first eye 0.40, second eye 0.31, aim 0.05, submit 0.10 ms".
impl fmt::Display for FrameTiming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ["upload", "image", "first eye", "second eye", "aim", "submit"];
        let medians = STAGES.into_iter().zip(names);
        let words: Vec<String> = medians
            .filter_map(|(stage, name)| Some(format!("{name} {:.2}", self.median(stage)? * 1e3)))
            .collect();
        write!(f, "{} ms", words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_median_is_that_of_the_last_frames() {
        let mut timing = FrameTiming::default();
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        for frame in 0..2 * MOST as u64 {
            let upload = if frame < MOST as u64 { 90 } else { 3 };
            let image = upload + 1;
            timing.add([0, upload, image, image + 4, image + 6, image + 8, image + 9].map(at));
        }
        assert_eq!(timing.n_frames(), 2 * MOST as u64);
        assert_eq!(
            timing.to_string(),
            "upload 3.00, image 1.00, first eye 4.00, second eye 2.00, aim 2.00, submit 1.00 ms"
        );
        assert_eq!(FrameTiming::default().median(FrameStage::Upload), None);
    }
}
