//! The headset's thread: finds the runtime, shows scenes, and tries again after a loss.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engine::Bell;

use super::frame_timing::FrameTiming;
use super::headset_link::{HeadsetLink, HeadsetState, WorldPlacement};
use super::runtime::Runtime;
use super::xr_session::{SessionEnd, XrSession};
use crate::render::Picture;

/// The headset's thread; it runs until `finish` or drop.
pub struct Headset {
    link: Arc<HeadsetLink>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    report: Receiver<HeadsetReport>,
}

/// Options of a headset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeadsetOptions {
    /// Keep the last pictures of the eyes.
    pub pictures: bool,
    /// Track hands, bare ones and those that hold controllers.
    pub hands: bool,
    /// Initial position and scale of the world.
    pub placement: WorldPlacement,
}

/// Report of a headset's thread.
#[derive(Debug, Default)]
pub struct HeadsetReport {
    /// Frame timing of the last session.
    pub timing: FrameTiming,
    /// Number of frames in all sessions.
    pub n_frames: u64,
    /// Strongest haptic feedback of the headset's devices for each hand, left first, from 0 to 1.
    pub felt: [f32; 2],
    /// Last pictures of the eyes, left first.
    pub pictures: Option<[Picture; 2]>,
}

/// "headset   812 pictures for each eye; upload 0.21, ... ms (medians)".
impl fmt::Display for HeadsetReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.n_frames {
            0 => write!(f, "headset   nothing shown"),
            n => write!(f, "headset   {n} pictures for each eye; {} (medians)", self.timing),
        }?;
        for (hand, felt) in ["left", "right"].into_iter().zip(self.felt) {
            if felt > 0.0 {
                write!(f, "\nfelt      up to {:.0} % by the {hand} hand", 100.0 * felt)?;
            }
        }
        Ok(())
    }
}

/// Pauses between attempts. They grow, because loaders and runtimes print a complaint about each
/// attempt.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// Time limit for the end of a session. Calls to the runtime have no limit of their own.
const LONGEST_END: Duration = Duration::from_secs(8);
/// Silence after which the thread counts as hanging in the runtime.
const SILENCE: Duration = Duration::from_secs(3);
/// Time limit for the end of a session whose thread hangs.
const LONGEST_END_AFTER_SILENCE: Duration = Duration::from_millis(500);

impl Headset {
    /// Starts the thread. Errors appear in the link's state.
    pub fn start(options: HeadsetOptions, bell: &Arc<Bell>) -> std::io::Result<Self> {
        let link = Arc::new(HeadsetLink::new(bell, options.placement));
        let stop = Arc::new(AtomicBool::new(false));
        let (own_link, own_stop) = (Arc::clone(&link), Arc::clone(&stop));
        let (done, report) = sync_channel(1);
        let thread = std::thread::Builder::new().name("headset".to_owned()).spawn(move || {
            // The receiver may be gone already.
            let _ = done.send(run_headset(&own_link, &own_stop, options));
        })?;
        Ok(Self { link, stop, thread: Some(thread), report })
    }

    pub fn link(&self) -> &Arc<HeadsetLink> {
        &self.link
    }

    /// Ends the session and returns its report. If the runtime hangs, the thread that waits for it
    /// is abandoned.
    pub fn finish(mut self) -> HeadsetReport {
        self.join().unwrap_or_default()
    }

    fn join(&mut self) -> Option<HeadsetReport> {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take()?;
        thread.thread().unpark();
        let longest = match self.link.silence() > SILENCE {
            true => LONGEST_END_AFTER_SILENCE,
            false => LONGEST_END,
        };
        match self.report.recv_timeout(longest) {
            Ok(report) => {
                // All that it still has to do is to end.
                let _ = thread.join();
                Some(report)
            }
            Err(RecvTimeoutError::Timeout) => {
                tracing::warn!("the OpenXR runtime hangs and is left behind");
                None
            }
            Err(RecvTimeoutError::Disconnected) => {
                tracing::error!("the headset's thread panicked");
                None
            }
        }
    }
}

impl Drop for Headset {
    fn drop(&mut self) {
        self.join();
    }
}

/// The loop of the headset's thread; runs until `stop`.
pub fn run_headset(
    link: &HeadsetLink,
    stop: &AtomicBool,
    options: HeadsetOptions,
) -> HeadsetReport {
    let mut report = HeadsetReport::default();
    let mut wait = SHORTEST_PAUSE;
    let mut was_there = false;
    while !stop.load(Ordering::Relaxed) {
        link.beat();
        let opened = Runtime::connect().and_then(|runtime| XrSession::open(runtime, options, link));
        let error = match opened {
            Ok(mut session) => {
                (was_there, wait) = (true, SHORTEST_PAUSE);
                let ran = session.run(link, stop);
                report.n_frames += session.timing().n_frames();
                for (felt, now) in report.felt.iter_mut().zip(session.felt()) {
                    *felt = felt.max(now);
                }
                (report.timing, report.pictures) = session.into_report();
                match ran {
                    Ok(SessionEnd::Stopped) => return report,
                    Ok(SessionEnd::Closed) => {
                        let words = "closed from within the headset; start again to come back";
                        link.set_state(HeadsetState::Failed(words.to_owned()));
                        return report;
                    }
                    Err(error) => error,
                }
            }
            Err(error) => error,
        };
        let may_pass = error.may_pass();
        link.set_state(match (may_pass, was_there) {
            (false, _) => HeadsetState::Failed(error.to_string()),
            (true, false) => HeadsetState::Missing(error.to_string()),
            (true, true) => HeadsetState::Lost(error.to_string()),
        });
        if !may_pass {
            return report;
        }
        pause(stop, wait);
        wait = (wait * 2).min(LONGEST_PAUSE);
    }
    report
}

fn pause(stop: &AtomicBool, wait: Duration) {
    let end = Instant::now() + wait;
    while !stop.load(Ordering::Relaxed) && Instant::now() < end {
        std::thread::park_timeout(end.saturating_duration_since(Instant::now()));
    }
}
