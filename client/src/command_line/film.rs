//! `palpate film`: a recording as pictures.

use std::path::PathBuf;

use clap::Args;

use super::squeeze::RunOptions;

pub(super) const FILM_EXAMPLES: &str = "\
A recording of `palpate squeeze --record` is run again to the same bits, with the things and rules that it had, as
fast as it goes. One of `palpate record` holds only what the devices said: it is played through the drivers, in as
long a time as it took, and --object says what is squeezed. Films pass as fast as it was, unless --speed says otherwise.

Examples:
  palpate film run.palpate --out film.png                   animated, for a browser (APNG)
  palpate film run.palpate --out frames                     a folder: 00001.png, 00002.png, ...
  palpate film run.palpate --out film.png --colours stress --fps 50 --speed 0.25
  palpate film run.palpate --out film.png --from 2 --to 5 --size 640x360 --light --yaw 40

Other programs make other films of a folder:
  ffmpeg -framerate 25 -i frames/%05d.png -pix_fmt yuv420p film.mp4";

/// What to film.
#[derive(Debug, Clone, Args)]
#[command(mut_args(|arg| {
    // They are about runs, which a film is not.
    let is_of_runs = ["headless", "pictures", "grasps", "seconds", "trace", "frames", "snapshot"]
        .contains(&arg.get_id().as_str());
    if is_of_runs { arg.hide(true) } else { arg }
}))]
pub struct FilmOptions {
    /// A recording
    pub recording: PathBuf,
    /// Where it goes: a file that ends in .png or .apng becomes an animated picture, anything without an ending a
    /// folder of pictures
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Pictures a second
    #[arg(long, value_name = "N", default_value_t = 25,
          value_parser = clap::value_parser!(u16).range(1..=120))]
    pub fps: u16,
    /// How many times as fast as it was, from 0.01 to 20
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true,
          value_parser = speed)]
    pub speed: f64,
    /// Begin at this second of the recording
    #[arg(long, value_name = "S", default_value_t = 0.0, allow_negative_numbers = true,
          value_parser = seconds)]
    pub from: f64,
    /// End at this second of the recording [default: with it]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    pub to: Option<f64>,
    /// Replace a film that is there already
    #[arg(long)]
    pub replace: bool,
    /// What is squeezed, if the recording does not know; may be given several times [default: cube]
    #[arg(long = "object", value_name = "OBJECT")]
    pub objects: Vec<String>,
    #[command(flatten)]
    pub run: RunOptions,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.01..=20.0).contains(&speed) => Ok(speed),
        Ok(_) | Err(_) => Err("expected a number from 0.01 to 20".to_owned()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=1e6).contains(&seconds) => Ok(seconds),
        Ok(_) | Err(_) => Err("expected seconds, 0 or more".to_owned()),
    }
}
