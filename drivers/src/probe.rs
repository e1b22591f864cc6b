//! Finds out what is on a port, at which baud rate.

use std::time::{Duration, Instant};

use crate::cyberglove::{self, CyberGlove, GloveInfo, GloveOptions};
use crate::keeper::Device;
use crate::opengloves::{self, OpenGlove, OpenGloveIdentity, OpenGloveOptions};
use crate::polhemus::answer::Status;
use crate::polhemus::{self, Fastrak, FastrakInfo, Identity, TrackerOptions};
use crate::serial::{DeviceError, SerialLine};

/// The order in which line speeds are tried: the usual first.
pub const BAUD_RATES: [u32; 5] = [115_200, 38_400, 57_600, 19_200, 9_600];

/// How long a glove that speaks OpenGloves is waited for; its board may just have been reset.
const OPENGLOVES: Duration = Duration::from_millis(700);
/// How long samples are counted to find their rate.
const COUNTING: Duration = Duration::from_millis(600);

/// A device on a port.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub baud: u32,
    pub what: Identified,
}

/// What a device says that it is.
#[derive(Debug, Clone, PartialEq)]
pub enum Identified {
    CyberGlove(Box<GloveInfo>),
    Fastrak(Status),
    /// A LIBERTY or PATRIOT, in its own words.
    LaterPolhemus(String),
    OpenGlove(OpenGloveIdentity),
}

/// Asks whoever is on the port at `path`, at each of `baud_rates`, until somebody answers.
///
/// Sends only questions and what ends a stream. `on_try` hears which rate is being tried, and says
/// whether to go on. An error means that the port cannot be used at all.
pub fn probe(
    path: &str,
    baud_rates: &[u32],
    on_try: &mut dyn FnMut(u32) -> bool,
) -> Result<Option<Found>, DeviceError> {
    for &baud in baud_rates {
        if !on_try(baud) {
            break;
        }
        let mut line = SerialLine::open(path, baud)?;
        if let Some(what) = identify(&mut line)? {
            return Ok(Some(Found { baud, what }));
        }
    }
    Ok(None)
}

/// The glove is asked first: to it, a tracker's question for its status is the order to stream.
fn identify(line: &mut SerialLine) -> Result<Option<Identified>, DeviceError> {
    if let Some(info) = cyberglove::identify(line)? {
        return Ok(Some(Identified::CyberGlove(Box::new(info))));
    }
    match polhemus::identify(line)? {
        Some(Identity::Fastrak(status)) => return Ok(Some(Identified::Fastrak(status))),
        Some(Identity::Later(text)) => return Ok(Some(Identified::LaterPolhemus(text))),
        None => {}
    }
    // In case it was a glove after all that did not hear us the first time.
    line.write_all(&cyberglove::Request::Abort.encode())?;
    Ok(opengloves::identify(line, OPENGLOVES)?.map(Identified::OpenGlove))
}

/// How a device streams.
#[derive(Debug, Clone, PartialEq)]
pub struct Streaming {
    pub hz: f64,
    /// Of a FASTRAK.
    pub tracker: Option<FastrakInfo>,
}

impl Found {
    /// Lets the device stream for a moment and counts what comes. `None` for a device that we only
    /// know by name.
    pub fn streaming(&self, path: &str) -> Result<Option<Streaming>, DeviceError> {
        let baud = self.baud;
        match &self.what {
            Identified::CyberGlove(_) => {
                let mut glove = open::<CyberGlove>(path, GloveOptions::at_baud(baud))?;
                Ok(Some(Streaming { hz: count(&mut glove)?, tracker: None }))
            }
            Identified::Fastrak(_) => {
                let options = TrackerOptions { baud, ..TrackerOptions::default() };
                let mut tracker = open::<Fastrak>(path, options)?;
                let hz = count(&mut tracker)?;
                Ok(Some(Streaming { hz, tracker: Some(tracker.info().clone()) }))
            }
            Identified::OpenGlove(_) => {
                let options = OpenGloveOptions { baud, ..OpenGloveOptions::default() };
                let mut glove = open::<OpenGlove>(path, options)?;
                Ok(Some(Streaming { hz: count(&mut glove)?, tracker: None }))
            }
            Identified::LaterPolhemus(_) => Ok(None),
        }
    }
}

fn open<D: Device>(path: &str, options: D::Options) -> Result<D, DeviceError> {
    D::start(SerialLine::open(path, D::baud(&options))?, &options)
}

/// Samples per second.
fn count<D: Device>(device: &mut D) -> Result<f64, DeviceError> {
    // What comes first may have waited.
    device.next_sample(COUNTING)?;
    let start = Instant::now();
    let mut n_samples = 0;
    while start.elapsed() < COUNTING {
        n_samples += u32::from(device.next_sample(COUNTING / 10)?.is_some());
    }
    Ok(f64::from(n_samples) / start.elapsed().as_secs_f64())
}
