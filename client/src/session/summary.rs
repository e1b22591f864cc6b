//! Summary of a run, in numbers and in words.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use drivers::Side;
use interaction::grasp::{GraspState, Transition};
use interaction::thing::pushing_forces;
use physics::{Outcome, SampleId, SurfaceFrame};

use super::status::RunEvent;

/// Ending of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The requested number of grasps or frames was reached.
    Completed,
    /// The person ended the run.
    Stopped,
    /// The recording ended.
    Replayed,
    /// The time limit was reached first.
    TimeUp,
    /// A part was lost and did not come back; with the reason.
    GaveUp(String),
}

/// Counts that grow while a run goes on.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) n_releases: u64,
    n_grasps: u64,
    /// Number of times that hands lifted a thing from the table by friction.
    n_lifts: u64,
    n_frames: u64,
    n_solves: u64,
    n_underdetermined: u64,
    n_refused: u64,
    largest_displacement: f64,
    largest_force: f64,
    /// Touches that have not come back as a frame yet, oldest first.
    under_way: VecDeque<(SampleId, Instant)>,
    /// Seconds from a sample's arrival to its frame.
    ages: Vec<f64>,
}

impl Tally {
    /// Greatest number of stored delays: a squeeze of more than two hours at 100 samples per
    /// second. Later delays are not counted.
    const MOST_AGES: usize = 1_000_000;

    pub(super) fn n_frames(&self) -> u64 {
        self.n_frames
    }

    /// Counts a transition. A push counts as a grasp that is taken when the push begins and
    /// released when it ends.
    pub(super) fn count_transition(&mut self, transition: &Transition) {
        match transition.to {
            GraspState::Releasing => self.n_releases += 1,
            GraspState::Approach
                if matches!(transition.from, GraspState::Pushed | GraspState::Lifted) =>
            {
                self.n_releases += 1;
            }
            GraspState::Attached if transition.from == GraspState::Touching => self.n_grasps += 1,
            GraspState::Pushed if transition.from == GraspState::Approach => self.n_grasps += 1,
            GraspState::Lifted => self.n_lifts += 1,
            GraspState::Approach
            | GraspState::Touching
            | GraspState::Attached
            | GraspState::Pushed
            | GraspState::Deforming => {}
        }
    }

    pub(super) fn touch_submitted(&mut self, sample: SampleId, arrival: Instant) {
        // A lost solver does not answer: the oldest touches are dropped.
        const MOST_UNDER_WAY: usize = 1024;
        if self.under_way.len() == MOST_UNDER_WAY {
            self.under_way.pop_front();
        }
        self.under_way.push_back((sample, arrival));
    }

    pub(super) fn count_frame(&mut self, frame: &Arc<SurfaceFrame>) {
        self.n_frames += 1;
        match frame.report.outcome {
            Outcome::Solved => self.n_solves += 1,
            Outcome::AtRest => {}
            Outcome::Underdetermined(_) => self.n_underdetermined += 1,
            Outcome::Refused(_) | Outcome::Frozen => self.n_refused += 1,
        }
        for (_, force) in &frame.reactions {
            let force = force.iter().map(|f| f64::from(*f).powi(2)).sum::<f64>().sqrt();
            self.largest_force = self.largest_force.max(force);
        }
        for side in [Side::Left, Side::Right] {
            let forces = pushing_forces(frame, side);
            self.largest_force = forces.into_iter().fold(self.largest_force, f64::max);
        }
        while let Some((sample, arrival)) =
            self.under_way.front().copied().filter(|(sample, _)| *sample <= frame.sample)
        {
            self.under_way.pop_front();
            if sample == frame.sample && self.ages.len() < Self::MOST_AGES {
                self.ages.push(arrival.elapsed().as_secs_f64());
            }
        }
    }

    pub(super) fn see_displacement(&mut self, displacement: f64) {
        self.largest_displacement = self.largest_displacement.max(displacement);
    }
}

/// Summary of a run.
#[derive(Debug)]
pub struct Summary {
    pub ending: Ending,
    pub elapsed: Duration,
    /// Samples of glove and tracker, if there were devices.
    pub n_device_samples: Option<[u64; 2]>,
    /// True if there was a tracker.
    pub has_tracker: bool,
    pub n_pairs: u64,
    /// Damaged records of glove and tracker.
    pub n_lost: [u64; 2],
    /// Doubtful samples of the tracker.
    pub n_doubtful: u64,
    /// Description of the solver that answered.
    pub solver: String,
    pub events: Vec<RunEvent>,
    pub(super) tally: Tally,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed.as_secs_f64();
        let rate = |n: u64| n as f64 / seconds.max(f64::MIN_POSITIVE);
        let t = &self.tally;
        let ending = match &self.ending {
            Ending::Completed => "completed",
            Ending::Stopped => "stopped",
            Ending::Replayed => "replayed",
            Ending::TimeUp => "time is up",
            Ending::GaveUp(_) => "gave up",
        };
        writeln!(f, "run       {ending} after {seconds:.1} s")?;
        if let Some([glove, tracker]) = self.n_device_samples {
            let lost =
                |n: u64| if n == 0 { String::new() } else { format!(", {n} lost to damage") };
            let [glove_lost, tracker_lost] = self.n_lost.map(lost);
            let doubtful = match self.n_doubtful {
                0 => String::new(),
                n => format!(", {n} of them doubtful"),
            };
            writeln!(f, "glove     {glove} samples, {:.0} a second{glove_lost}", rate(glove))?;
            if self.has_tracker {
                let rate = rate(tracker);
                writeln!(
                    f,
                    "tracker   {tracker} samples, {rate:.0} a second{doubtful}{tracker_lost}"
                )?;
            }
            let from = if self.has_tracker { " from both" } else { "" };
            writeln!(f, "hand      {} poses{from}", self.n_pairs)?;
        } else {
            writeln!(f, "hand      {} poses", self.n_pairs)?;
        }
        write!(f, "grasps    {} taken, {} let go", t.n_grasps, t.n_releases)?;
        match t.n_lifts {
            0 => writeln!(f)?,
            1 => writeln!(f, ", lifted once")?,
            n => writeln!(f, ", lifted {n} times")?,
        }
        let solver = if self.solver.is_empty() { "never ready" } else { &self.solver };
        writeln!(f, "solver    {solver}")?;
        writeln!(
            f,
            "solves    {} squeezed shapes among {} frames, {:.0} frames a second",
            t.n_solves,
            t.n_frames,
            rate(t.n_frames)
        )?;
        if t.n_underdetermined > 0 {
            writeln!(f, "          {} touches did not determine a shape", t.n_underdetermined)?;
        }
        if t.n_refused > 0 {
            writeln!(f, "          {} touches were refused or blew up", t.n_refused)?;
        }
        if let Some((median, late)) = quantiles(&t.ages) {
            writeln!(
                f,
                "latency   {:.2} ms from {} to frame (median), {:.2} ms (99th percentile)",
                median * 1e3,
                if self.n_device_samples.is_some() { "glove byte" } else { "pose" },
                late * 1e3
            )?;
        }
        write!(
            f,
            "squeeze   {:.1} mm at the deepest, {:.2} N at one finger",
            t.largest_displacement * 1e3,
            t.largest_force
        )?;
        if t.n_grasps > 0 && t.n_solves == 0 {
            write!(
                f,
                "\n          the object was held, but by too few fingers to deform it (--rule help)"
            )?;
        }
        for event in &self.events {
            write!(f, "\n  {:6.2} s  {}", event.time, event.text)?;
        }
        Ok(())
    }
}

/// Median and 99th percentile.
fn quantiles(values: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at =
        |part: f64| sorted.get(((sorted.len().checked_sub(1)?) as f64 * part) as usize).copied();
    Some((at(0.5)?, at(0.99)?))
}

#[cfg(test)]
mod tests {
    use physics::{Grip, ProxyId, Topology};

    use super::*;

    /// A frame of matter on which these parts of hands push.
    fn pushed(forces: &[(ProxyId, [f32; 3])]) -> Arc<SurfaceFrame> {
        let topology = Topology::of_points(Grip::Contact, vec![[0.0; 3]], Vec::new());
        let frame = SurfaceFrame::at_rest(Arc::new(topology), Arc::new(vec![[0.0; 3]]));
        Arc::new(SurfaceFrame { contact_forces: forces.to_vec(), ..frame })
    }

    #[test]
    fn the_largest_force_is_that_of_the_finger_that_pushes_most() {
        let part = |hand: u8, segment: u8| ProxyId { hand, finger: 2, segment };
        let mut tally = Tally::default();
        // One finger squeezes from two sides; the other hand pushes less.
        tally.count_frame(&pushed(&[
            (part(0, 1), [0.0, 3.0, 0.0]),
            (part(0, ProxyId::TIP), [0.0, -2.0, 0.0]),
            (part(1, ProxyId::TIP), [4.0, 0.0, 0.0]),
        ]));
        assert_eq!(tally.largest_force, 5.0);
        tally.count_frame(&pushed(&[]));
        assert_eq!(tally.largest_force, 5.0);
    }

    #[test]
    fn a_push_counts_as_a_grasp_and_a_mere_touch_does_not() {
        use GraspState::*;
        let mut tally = Tally::default();
        let mut go = |states: &[GraspState]| {
            for ways in states.windows(2) {
                let (from, to, reason) = (ways[0], ways[1], String::new());
                tally.count_transition(&Transition { from, to, reason });
            }
            (tally.n_grasps, tally.n_releases)
        };
        assert_eq!(go(&[Approach, Touching, Approach]), (0, 0));
        assert_eq!(go(&[Approach, Pushed]), (1, 0));
        assert_eq!(go(&[Pushed, Lifted, Pushed, Lifted, Approach]), (1, 1));
        assert_eq!(go(&[Approach, Touching, Attached, Deforming, Releasing, Approach]), (2, 2));
    }
}
