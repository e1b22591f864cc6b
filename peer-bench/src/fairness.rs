//! Measures the frames of one object while another client's large object is prepared, compared with
//! the same frames alone, through one solver-server on this machine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use benchmark::server::Server;
use benchmark::statistics::quantile;
use benchmark::{Body, Subject};
use engine::{Bell, LinkState, ObjectSpec, RemoteLink, SolverLink};
use physics::{NodeId, Outcome, SampleId};

use crate::Arguments;
use crate::closed_loop::wait_ready;

/// Nodes of the object whose frames are measured.
const SMALL: usize = 5_000;

/// Nodes of the object that is prepared meanwhile. It takes some ten seconds on two cores.
const LARGE: usize = 60_000;

/// Number of touched nodes.
const TOUCHED: usize = 15;

/// Number of frames alone, before and after.
const FRAMES: usize = 4000;

/// Time between two touches: the rate of a haptic device.
const PERIOD: Duration = Duration::from_millis(1);

/// Largest useful ratio of the 99th percentiles.
const TARGET: f64 = 4.0;

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    println!("\n# Frames beside the preparation of another client's object (ms)");
    let program = Server::program().context("there is no solver-server next to this program")?;
    let server = Server::start(&program, arguments.threads)?;
    let subject = Subject::body(Body::Sphere, SMALL)?;
    let large = ObjectSpec::from(Subject::body(Body::Sphere, LARGE)?.spec()?);

    let bell = Arc::new(Bell::default());
    let spec = ObjectSpec::from(subject.spec()?);
    let mut link = RemoteLink::start(server.url.clone(), spec, Arc::clone(&bell))?;
    wait_ready(&mut link, &bell)?;
    let mut hand = Hand { nodes: subject.fingers(TOUCHED, 0), subject, link, bell, touches: 0 };
    // The first frames wait for columns and for threads to wake up.
    hand.frames(|n| n < FRAMES)?;

    let mut alone = hand.frames(|n| n < FRAMES)?;
    let other = RemoteLink::start(server.url.clone(), large, Arc::default())?;
    let start = Instant::now();
    let beside = hand.frames(|_| matches!(other.state(), LinkState::Preparing(_)))?;
    let preparation = start.elapsed();
    ensure!(matches!(other.state(), LinkState::Ready(_)), "{:?}", other.state());
    drop(other);
    alone.extend(hand.frames(|n| n < FRAMES)?);

    let show = |times: &[f64]| {
        let [median, most] = [0.5, 0.99].map(|share| 1e3 * quantile(times, share));
        format!("median {median:.3}, 99th percentile {most:.3} ({} frames)", times.len())
    };
    let ratio = quantile(&beside, 0.99) / quantile(&alone, 0.99);
    println!("{SMALL} nodes alone: {}", show(&alone));
    println!(
        "beside the preparation of {LARGE} nodes ({:.1} s): {}",
        preparation.as_secs_f64(),
        show(&beside)
    );
    println!("99th percentile, beside / alone: {ratio:.1} (target: at most {TARGET})");
    Ok(())
}

/// A hand that touches the small object.
struct Hand {
    subject: Subject,
    nodes: Vec<NodeId>,
    link: RemoteLink,
    bell: Arc<Bell>,
    /// Number of touches so far.
    touches: usize,
}

impl Hand {
    /// Seconds from touch to frame, for touches in a fixed rhythm as long as `goes_on`.
    fn frames(&mut self, goes_on: impl Fn(usize) -> bool) -> anyhow::Result<Vec<f64>> {
        let mut times = Vec::new();
        let mut next = Instant::now();
        while goes_on(times.len()) {
            self.touches += 1;
            let mut touch = self.subject.squeeze(&self.nodes, self.touches);
            touch.sample = SampleId(self.touches as u64);
            let (sample, start) = (touch.sample, Instant::now());
            self.link.submit(touch);
            let frame = loop {
                match self.link.latest() {
                    Some(frame) if frame.sample == sample => break frame,
                    _ => self.bell.wait_for(Duration::from_secs(20)),
                }
            };
            times.push(start.elapsed().as_secs_f64());
            ensure!(frame.report.outcome == Outcome::Solved, "{:?}", frame.report.outcome);
            next = (next + PERIOD).max(Instant::now());
            std::thread::sleep(next - Instant::now());
        }
        Ok(times)
    }
}
