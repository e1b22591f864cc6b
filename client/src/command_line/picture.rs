//! Options of pictures: size, colours and viewpoint.

use std::str::FromStr;

use clap::{Args, ValueEnum};

/// Options of pictures.
#[derive(Debug, Clone, Args)]
pub struct PictureOptions {
    /// Width and height of pictures, in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720")]
    pub size: PictureSize,
    /// Meaning of the colours of objects in pictures
    #[arg(long, value_name = "WHAT", default_value = "natural")]
    pub colours: PictureColours,
    /// Draw pictures with a light background
    #[arg(long)]
    pub light: bool,
    /// Viewpoint of pictures: angle to the right of the objects, in degrees
    #[arg(long, value_name = "DEG", default_value_t = -18.0, allow_negative_numbers = true,
          value_parser = between::<-360, 360>)]
    pub yaw: f64,
    /// Viewpoint of pictures: angle above the objects, in degrees
    #[arg(long, value_name = "DEG", default_value_t = 21.0, allow_negative_numbers = true,
          value_parser = between::<3, 88>)]
    pub pitch: f64,
    /// Viewpoint of pictures: distance from the objects, in centimetres
    #[arg(long, value_name = "CM", default_value_t = 50.0, allow_negative_numbers = true,
          value_parser = between::<8, 200>)]
    pub distance: f64,
}

/// Size of a picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureSize {
    pub width: u32,
    pub height: u32,
}

/// Meaning of the colours of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PictureColours {
    /// Colours of the material
    Natural,
    /// Distance of each point from its rest position
    Displacement,
    /// Strain of the skin
    Strain,
    /// First field of the object's solver; for a solid, von Mises stress
    #[value(alias = "stress")]
    Field,
}

const LEAST: u32 = 16;
const MOST: u32 = 8192;

impl FromStr for PictureSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |text: &str| text.parse().ok().filter(|side| (LEAST..=MOST).contains(side));
        let sides = text.split_once('x').and_then(|(w, h)| Some((side(w)?, side(h)?)));
        match sides {
            Some((width, height)) => Ok(Self { width, height }),
            None => Err(format!(
                "expected a width and a height from {LEAST} to {MOST}, such as 1280x720"
            )),
        }
    }
}

fn between<const LOW: i32, const HIGH: i32>(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (f64::from(LOW)..=f64::from(HIGH)).contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err(format!("expected a number from {LOW} to {HIGH}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_numbers() {
        assert_eq!("640x360".parse(), Ok(PictureSize { width: 640, height: 360 }));
        for wrong in ["", "640", "640x", "640*360", "0x360", "640x99999", "-3x4", "640x360x2"] {
            assert!(wrong.parse::<PictureSize>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_stay_within_what_can_be_seen() {
        assert_eq!(between::<3, 88>("45"), Ok(45.0));
        for wrong in ["2", "89", "NaN", "up"] {
            assert_eq!(between::<3, 88>(wrong), Err("expected a number from 3 to 88".to_owned()));
        }
    }
}
