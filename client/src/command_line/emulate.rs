//! `palpate emulate`: the device to emulate, its motion and its faults.

use clap::{Args, ValueEnum};
use emulators::Fault;

pub(super) const EMULATE_EXAMPLES: &str = "\
The device repeats a motion: flat, fist, pinch, grasp or spread, or a file of keyframes. Emulators of
different processes keep step: a glove and a tracker that were started separately still make one hand.
At Ctrl+C the command prints how many records it sent, damaged and held back.

Faults, each may be given several times; --seed makes them repeatable:
  drop:0.01  duplicate:0.01  flip:0.01  insert:0.01  zero:0.01    damages one byte in 1 % of the records
  drop-end:0.01  drop@#120      drops the last byte of a record; drops a byte of record 120 only
  station:0.01  text:0.01       tracker: a station number out of range; stray text
  stall:2s@10s                  sends nothing for 2 s, 10 s after the start
  hangup:1s@every30s            unplugged for 1 s, every 30 s
  restart@5s  unplugged:2s@5s   the device restarts; the glove is pulled off its interface unit
  late:300ms  reply:0.01        replies to commands are late; 1 % of their bytes are damaged
  stuck:5@2s                    glove: the sensor of mask bit 5 is stuck after 2 s

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

`palpate devices` lists running emulators, `palpate devices watch PORT` shows the values of one.";

/// Options of `palpate emulate`.
#[derive(Debug, Clone, Args)]
pub struct EmulateOptions {
    /// The device to emulate
    pub device: EmulatedDevice,
    /// Motion of the hand: flat, fist, pinch, grasp, spread, or a file of keyframes
    #[arg(long, value_name = "NAME|FILE", default_value = "grasp")]
    pub script: String,
    /// A fault of the device, see below; may be given several times
    #[arg(long = "fault", value_name = "FAULT")]
    pub faults: Vec<Fault>,
    /// Seed of the random faults; the same seed gives the same faults again
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Line speed; a tenth of it is the number of bytes sent per second
    #[arg(long, value_name = "BAUD", default_value_t = 115_200,
          value_parser = clap::value_parser!(u32).range(300..=4_000_000))]
    pub baud: u32,
    /// Send garbage to a host that uses another line speed, as a real serial line does
    #[arg(long)]
    pub strict_baud: bool,
    /// Glove: number of sensors
    #[arg(long, value_name = "N", default_value = "22")]
    pub sensors: GloveSensors,
    /// Glove: its model; a CyberGlove III also knows the commands that begin with 1
    #[arg(long, value_name = "MODEL", default_value = "wired")]
    pub model: EmulatedModel,
    /// Gloves: the hand that wears it
    #[arg(long, value_name = "HAND", default_value = "right")]
    pub hand: HandSide,
    /// Glove: add noise, slow drift and crosstalk between sensors, as in a real glove
    #[arg(long)]
    pub lifelike: bool,
    /// Tracker: number of receivers that are plugged in
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=4))]
    pub stations: u8,
    /// Tracker: show a fault in all records until the host clears it
    #[arg(long)]
    pub latch_faults: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmulatedDevice {
    /// A CyberGlove on its interface unit
    #[value(alias = "cyberglove")]
    Glove,
    /// A Polhemus FASTRAK
    #[value(alias = "fastrak")]
    Tracker,
    /// A glove with the OpenGloves encoding and force feedback
    #[value(name = "opengloves", alias = "lucidglove")]
    Lucidglove,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GloveSensors {
    /// Without sensors at the end joints of the fingers
    #[value(name = "18")]
    Eighteen,
    #[value(name = "22")]
    TwentyTwo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmulatedModel {
    /// A CyberGlove on an interface unit, or a CyberGlove II
    #[value(alias = "ii")]
    Wired,
    /// A CyberGlove III, with its high-resolution stream
    #[value(name = "iii")]
    Three,
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
