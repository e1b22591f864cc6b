//! `palpate film`: options for making a film of a recording.

use std::path::PathBuf;

use clap::Args;

use super::squeeze::RunOptions;

pub(super) const FILM_EXAMPLES: &str = "\
A recording of `palpate squeeze --record` is computed again, bit for bit, with its own objects and rules, as fast
as the machine can. A recording of `palpate record` holds only the data of the devices: it is played through the
drivers in real time, and --object names the object. The film has the speed of the recording unless --speed
changes it.

Examples:
  palpate film run.palpate --out film.png                   animated, for a browser (APNG)
  palpate film run.palpate --out frames                     a folder: 00001.png, 00002.png, ...
  palpate film run.palpate --out film.png --colours stress --fps 50 --speed 0.25
  palpate film run.palpate --out film.png --from 2 --to 5 --size 640x360 --light --yaw 40

Other programs make other kinds of films from such a folder:
  ffmpeg -framerate 25 -i frames/%05d.png -pix_fmt yuv420p film.mp4";

/// Options of `palpate film`.
#[derive(Debug, Clone, Args)]
#[command(mut_args(|arg| {
    // These options belong to runs and do nothing for a film.
    let is_of_runs = ["headless", "pictures", "grasps", "seconds", "trace", "frames", "snapshot"]
        .contains(&arg.get_id().as_str());
    if is_of_runs { arg.hide(true) } else { arg }
}))]
pub struct FilmOptions {
    /// The recording
    pub recording: PathBuf,
    /// The film: a name that ends in .png or .apng makes an animated picture, a name without an
    /// extension makes a folder of pictures
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Pictures per second
    #[arg(long, value_name = "N", default_value_t = 25,
          value_parser = clap::value_parser!(u16).range(1..=120))]
    pub fps: u16,
    /// Speed of the film: 0.01 to 20 times the speed of the recording
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true,
          value_parser = speed)]
    pub speed: f64,
    /// Begin at this second of the recording
    #[arg(long, value_name = "S", default_value_t = 0.0, allow_negative_numbers = true,
          value_parser = seconds)]
    pub from: f64,
    /// End at this second of the recording [default: at its end]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    pub to: Option<f64>,
    /// Object to squeeze, if the recording does not contain it; may be given several times
    /// [default: cube]
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
