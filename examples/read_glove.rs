//! Prints the index finger's middle joint of a CyberGlove, ten samples or as many as are wanted.
//! The glove is opened again if its cable is pulled and plugged in again.
//!
//! `cargo run -p examples --bin read_glove -- /dev/ttyUSB0 100`
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::time::Duration;

use anyhow::{Context, bail};
use drivers::line_source::SystemLines;
use drivers::ports::SystemPorts;
use drivers::reconnect::ReconnectingDevice;
use drivers::{CyberGlove, GloveOptions, Sensor};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(port) = arguments.next() else { bail!("expected the serial port of a glove") };
    let n_samples: usize = match arguments.next() {
        Some(text) => text.parse().with_context(|| format!("{text:?} is not a number"))?,
        None => 10,
    };
    let (ports, lines) = (Box::new(SystemPorts), Box::new(SystemLines));
    let options = GloveOptions::default();
    let mut glove = ReconnectingDevice::<CyberGlove>::new(&port, options, ports, lines);
    let mut n_read = 0;
    while n_read < n_samples {
        match glove.next_sample(Duration::from_secs(1)) {
            Some(sample) => {
                n_read += 1;
                println!("index PIJ: {:?} counts", sample.counts.get(Sensor::IndexPij));
            }
            None => println!("no sample: {:?}", glove.presence()),
        }
    }
    Ok(())
}
