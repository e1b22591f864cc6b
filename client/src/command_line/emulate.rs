//! `palpate emulate`: which device, what it does, and what goes wrong with it.

use clap::{Args, ValueEnum};
use emulators::Fault;

pub(super) const EMULATE_EXAMPLES: &str = "\
The device repeats a script: flat, fist, pinch, grasp or spread, or a file of keyframes. Emulators of
different processes keep step, so that a glove and a tracker started by themselves still make one hand.
At Ctrl+C it says how many records it sent, spoilt and held back.

Faults, seeded by --seed, each as often as you like:
  drop:0.01  duplicate:0.01  flip:0.01  insert:0.01  zero:0.01    one byte of so many of the records
  drop-end:0.01  drop@#120      the byte that ends a record; a byte of record 120 only
  station:0.01  text:0.01       tracker: a station out of range; stray text
  stall:2s@10s                  says nothing for 2 s, 10 s after the start
  hangup:1s@every30s            unplugged for 1 s, every 30 s
  restart@5s  unplugged:2s@5s   the device starts anew; the glove is pulled off its unit
  late:300ms  stuck:5@2s        replies come late; glove: the sensor of mask bit 5 is stuck from then on

A file of keyframes, in seconds, degrees and centimetres (see drivers/emulators/src/motion/text.rs):
  period 4
  keyframe 0 open
    position 30 5 -20      # of the wrist's receiver: forward, right, down
  keyframe 2 closed
    index 45 50 25         # MPJ, PIJ, DIJ; likewise middle, ring, pinkie; thumb takes four

Example, in three terminals:
  palpate emulate glove --fault drop:0.02    prints, say, /tmp/palpate-71-0-1f/glove
  palpate emulate tracker                    prints, say, /tmp/palpate-72-0-2e/tracker
  palpate squeeze --glove /tmp/palpate-71-0-1f/glove --tracker /tmp/palpate-72-0-2e/tracker

`palpate devices` lists running emulators, `palpate devices watch PORT` shows what one says.";

/// Which device to emulate.
#[derive(Debug, Clone, Args)]
pub struct EmulateOptions {
    /// Which device
    pub device: EmulatedDevice,
    /// What the hand does: flat, fist, pinch, grasp, spread, or a file of keyframes
    #[arg(long, value_name = "NAME|FILE", default_value = "grasp")]
    pub script: String,
    /// What goes wrong; may be given several times
    #[arg(long = "fault", value_name = "FAULT")]
    pub faults: Vec<Fault>,
    /// Faults of the same seed do the same harm again
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Line speed: bytes leave at a tenth of it a second
    #[arg(long, value_name = "BAUD", default_value_t = 115_200,
          value_parser = clap::value_parser!(u32).range(300..=4_000_000))]
    pub baud: u32,
    /// Send garbage to a host that listens at another line speed, as a real line would
    #[arg(long)]
    pub strict_baud: bool,
    /// Glove: 18 or 22 sensors
    #[arg(long, value_name = "N", default_value = "22")]
    pub sensors: GloveSensors,
    /// Gloves: which hand it is for
    #[arg(long, value_name = "HAND", default_value = "right")]
    pub hand: HandSide,
    /// Glove: noise, slow drift and sensors that mix, as in a real one
    #[arg(long)]
    pub lifelike: bool,
    /// Tracker: how many receivers are plugged in
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=4))]
    pub stations: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmulatedDevice {
    /// A CyberGlove on its interface unit
    #[value(alias = "cyberglove")]
    Glove,
    /// A Polhemus FASTRAK
    #[value(alias = "fastrak")]
    Tracker,
    /// A glove with the OpenGloves encoding, which takes forces
    #[value(name = "opengloves", alias = "lucidglove")]
    Lucidglove,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GloveSensors {
    /// Without the fingers' end joints
    #[value(name = "18")]
    Eighteen,
    #[value(name = "22")]
    TwentyTwo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HandSide {
    Left,
    Right,
}

impl From<HandSide> for drivers::Side {
    fn from(side: HandSide) -> Self {
        match side {
            HandSide::Left => Self::Left,
            HandSide::Right => Self::Right,
        }
    }
}

impl From<drivers::Side> for HandSide {
    fn from(hand: drivers::Side) -> Self {
        match hand {
            drivers::Side::Left => Self::Left,
            drivers::Side::Right => Self::Right,
        }
    }
}
