//! `palpate devices`: what is plugged in, and what it says.

use clap::{Args, Subcommand, ValueEnum};

pub(super) const DEVICES_EXAMPLES: &str = "\
Examples:
  palpate devices                            the headset, all serial ports and running emulators
  palpate devices --headset                  the headset only
  palpate devices /dev/ttyUSB0               only this one
  palpate devices watch /dev/ttyUSB0         live values; q ends it
  palpate devices watch /dev/ttyUSB0 --raw   the bytes

Each port is written to, at several line speeds: that takes a quarter of a minute if nobody answers. Asking at
a wrong speed is noise to a device: if one that you know to be there does not answer, ask again ten seconds
later, or say --baud. To count its records, a FASTRAK is set to binary, centimetres and no filter, and left
so until it is switched off. A LIBERTY or PATRIOT is named, but can only be used through the library.";

/// Which ports to look at.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ListDevices {
    #[command(subcommand)]
    pub command: Option<DevicesCommand>,
    /// Ports to look at [default: all, and running emulators; and the headset]
    pub ports: Vec<String>,
    /// Look at no port: only say what the OpenXR runtime offers
    #[arg(long, conflicts_with_all = ["ports", "baud"])]
    pub headset: bool,
    /// Try only this line speed [default: 115200, 38400, 57600, 19200, 9600]
    #[arg(long, value_name = "BAUD", value_parser = clap::value_parser!(u32).range(300..=4_000_000))]
    pub baud: Option<u32>,
}

#[derive(Debug, Clone, Subcommand)]
pub enum DevicesCommand {
    /// Show live what a device says
    Watch(WatchOptions),
}

/// What to watch.
#[derive(Debug, Clone, Args)]
pub struct WatchOptions {
    /// Serial port of the device
    pub port: String,
    /// What it is [default: found out]
    #[arg(long, value_name = "KIND")]
    pub kind: Option<DeviceKind>,
    /// Line speed [default: found out, or 115200 with --kind]
    #[arg(long, value_name = "BAUD", value_parser = clap::value_parser!(u32).range(300..=4_000_000))]
    pub baud: Option<u32>,
    /// Print the bytes that come and go instead of values
    #[arg(long)]
    pub raw: bool,
    /// End after this many seconds [default: at q or Ctrl+C]
    #[arg(long, value_name = "S")]
    pub seconds: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeviceKind {
    #[value(alias = "glove")]
    Cyberglove,
    #[value(alias = "tracker")]
    Fastrak,
    #[value(alias = "lucidglove")]
    Opengloves,
}
