//! How long the stages of a headset's frame take.

use std::fmt;
use std::time::Instant;

/// What a frame consists of, from the moment at which the runtime lets it begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameStage {
    /// The newest scene goes to the graphics device.
    Upload,
    /// The runtime gives an image.
    Image,
    /// The commands of an eye's picture are written down.
    FirstEye,
    SecondEye,
    /// Where the eyes will be is asked, and the commands are on their way with it.
    Aim,
    /// The picture goes to the runtime.
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
    /// The last ones, in seconds: enough for a median, and no more memory after that.
    recent: [Vec<f32>; STAGES.len()],
}

const MOST: usize = 512;

impl FrameTiming {
    /// Takes when a frame's stages began, and when the last one ended.
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

    /// The median of a stage, in seconds.
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
