//! `palpate devices`: options for listing and watching devices.

use clap::{Args, Subcommand, ValueEnum};

pub(super) const DEVICES_EXAMPLES: &str = "\
Examples:
  palpate devices                            the headset, all serial ports and running emulators
  palpate devices --headset                  the headset only
  palpate devices /dev/ttyUSB0               only this one
  palpate devices watch /dev/ttyUSB0         live values; q ends it
  palpate devices watch /dev/ttyUSB0 --raw   the raw bytes

The command writes to each port at several line speeds; a port without an answer takes about 15 seconds. To a
device, a question at a wrong speed is noise: if a device that is plugged in does not answer, ask again ten
seconds later, or give its speed with --baud. To count the records of a FASTRAK, the command sets it to binary
output, centimetres and no filter, and puts it back as it was found. A LIBERTY or PATRIOT is recognised, but only
the library can use it.";

/// Options of `palpate devices`.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ListDevices {
    #[command(subcommand)]
    pub command: Option<DevicesCommand>,
    /// Ports to check [default: all ports, all running emulators, and the headset]
    pub ports: Vec<String>,
    /// Check no port: only print what the OpenXR runtime offers
    #[arg(long, conflicts_with_all = ["ports", "baud"])]
    pub headset: bool,
    /// Try only this line speed [default: 115200, 38400, 57600, 19200, 9600]
    #[arg(long, value_name = "BAUD", value_parser = clap::value_parser!(u32).range(300..=4_000_000))]
    pub baud: Option<u32>,
}

#[derive(Debug, Clone, Subcommand)]
pub enum DevicesCommand {
    /// Show the values of a device live
    Watch(WatchOptions),
}

/// Options of `palpate devices watch`.
#[derive(Debug, Clone, Args)]
pub struct WatchOptions {
    /// Serial port of the device
    pub port: String,
    /// Kind of the device [default: detected]
    #[arg(long, value_name = "KIND")]
    pub kind: Option<DeviceKind>,
    /// Line speed [default: detected, or 115200 with --kind]
    #[arg(long, value_name = "BAUD", value_parser = clap::value_parser!(u32).range(300..=4_000_000))]
    pub baud: Option<u32>,
    /// Print the bytes sent and received instead of values
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
