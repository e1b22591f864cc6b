//! Identifies the device on a port, and its baud rate.

use std::time::{Duration, Instant};

use crate::cyberglove::{self, CyberGlove, GloveInfo, GloveOptions};
use crate::device::Device;
use crate::opengloves::{self, OpenGlove, OpenGloveIdentity, OpenGloveOptions};
use crate::polhemus::answer::Status;
use crate::polhemus::{self, Fastrak, FastrakInfo, Identity, TrackerOptions};
use crate::serial::{DeviceError, SerialLine};

/// Baud rates in the order in which they are tried: the usual first.
pub const BAUD_RATES: [u32; 5] = [115_200, 38_400, 57_600, 19_200, 9_600];

/// Longest wait for an OpenGloves glove; its board may just have been reset.
const OPENGLOVES: Duration = Duration::from_millis(700);
/// Time for which samples are counted to find their rate.
const COUNTING: Duration = Duration::from_millis(600);

/// A device on a port.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbedDevice {
    pub baud: u32,
    pub what: DeviceIdentity,
}

/// Identity of a device, from its own answers.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceIdentity {
    CyberGlove(Box<GloveInfo>),
    Fastrak(Status),
    /// A LIBERTY or PATRIOT, with the text in which it describes itself.
    LaterPolhemus(String),
    OpenGlove(OpenGloveIdentity),
}

/// Identifies the device on the port at `path`: tries each of `baud_rates` until a device answers.
///
/// Sends only questions and commands that end a stream. `on_try` is called with each rate before it
/// is tried; probing ends if it returns false. An error means that the port cannot be used at all.
pub fn probe(
    path: &str,
    baud_rates: &[u32],
    on_try: &mut dyn FnMut(u32) -> bool,
) -> Result<Option<ProbedDevice>, DeviceError> {
    for &baud in baud_rates {
        if !on_try(baud) {
            break;
        }
        let mut line = SerialLine::open(path, baud)?;
        if let Some(what) = identify(&mut line)? {
            return Ok(Some(ProbedDevice { baud, what }));
        }
    }
    Ok(None)
}

/// Asks for a CyberGlove first: to a CyberGlove, a tracker's question for its status is the command
/// to stream.
fn identify(line: &mut SerialLine) -> Result<Option<DeviceIdentity>, DeviceError> {
    if let Some(info) = cyberglove::identify(line)? {
        return Ok(Some(DeviceIdentity::CyberGlove(Box::new(info))));
    }
    match polhemus::identify(line)? {
        Some(Identity::Fastrak(status)) => return Ok(Some(DeviceIdentity::Fastrak(status))),
        Some(Identity::Later(text)) => return Ok(Some(DeviceIdentity::LaterPolhemus(text))),
        None => {}
    }
    // The device may be a CyberGlove that missed the first question: then it streams now.
    line.write_all(&cyberglove::Request::Abort.encode())?;
    Ok(opengloves::identify(line, OPENGLOVES)?.map(DeviceIdentity::OpenGlove))
}

/// Measured stream of a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Streaming {
    /// Samples per second.
    pub hz: f64,
    /// Version, name and stations of a FASTRAK; `None` for other devices.
    pub tracker: Option<FastrakInfo>,
}

impl ProbedDevice {
    /// Lets the device stream for a moment and counts its samples. `None` for a LIBERTY or PATRIOT,
    /// of which only the name is known.
    pub fn streaming(&self, path: &str) -> Result<Option<Streaming>, DeviceError> {
        let baud = self.baud;
        match &self.what {
            DeviceIdentity::CyberGlove(_) => {
                let mut glove = open::<CyberGlove>(path, GloveOptions::at_baud(baud))?;
                Ok(Some(Streaming { hz: count(&mut glove)?, tracker: None }))
            }
            DeviceIdentity::Fastrak(_) => {
                let options = TrackerOptions { baud, ..TrackerOptions::default() };
                let mut tracker = open::<Fastrak>(path, options)?;
                let hz = count(&mut tracker)?;
                Ok(Some(Streaming { hz, tracker: Some(tracker.info().clone()) }))
            }
            DeviceIdentity::OpenGlove(_) => {
                let options = OpenGloveOptions { baud, ..OpenGloveOptions::default() };
                let mut glove = open::<OpenGlove>(path, options)?;
                Ok(Some(Streaming { hz: count(&mut glove)?, tracker: None }))
            }
            DeviceIdentity::LaterPolhemus(_) => Ok(None),
        }
    }
}

fn open<D: Device>(path: &str, options: D::Options) -> Result<D, DeviceError> {
    D::start(SerialLine::open(path, D::baud(&options))?, &options)
}

/// Measures the samples per second.
fn count<D: Device>(device: &mut D) -> Result<f64, DeviceError> {
    // The first sample may be an old one.
    device.next_sample(COUNTING)?;
    let start = Instant::now();
    let mut n_samples = 0;
    while start.elapsed() < COUNTING {
        n_samples += u32::from(device.next_sample(COUNTING / 10)?.is_some());
    }
    Ok(f64::from(n_samples) / start.elapsed().as_secs_f64())
}
