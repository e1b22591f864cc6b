//! `palpate calibrate show`, `import` and `export`.

use std::io::Write;

use anyhow::{Context, bail};
use benchmark::machine::utc_now;
use calibration::manufacturer_file::{self, ManufacturerFormat, ManufacturerOptions};
use calibration::profile_store::Edition;
use calibration::{Profile, SavedProfile};
use drivers::{Sensor, SensorMask, Side};

use crate::atomic_write::{ExistingFile, replace_file};
use crate::command_line::{ExportProfile, GloveSensors, HandSide, ImportProfile, ShowProfile};
use crate::profiles::{is_missing, store};

/// Prints one profile, or the names of all profiles.
pub(super) fn show(options: &ShowProfile) -> anyhow::Result<()> {
    let store = store(&options.profiles)?;
    let mut out = std::io::stdout();
    let all = store.list()?;
    let Some(name) = &options.name else {
        if all.is_empty() {
            writeln!(out, "there is no profile yet; `palpate calibrate --name NAME` makes one")?;
        }
        for (name, hand) in all {
            writeln!(out, "{name}, {} hand", hand.name())?;
        }
        return Ok(());
    };
    let edition = if options.previous { Edition::Previous } else { Edition::Newest };
    let hands: Vec<Side> = all.iter().filter(|(n, _)| n == name).map(|(_, hand)| *hand).collect();
    if hands.is_empty() {
        let mut names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        names.dedup();
        if names.is_empty() {
            bail!("there is no profile of {name}; `palpate calibrate --name {name}` makes one");
        }
        bail!("there is no profile of {name}; there are profiles of {}", names.join(", "));
    }
    let mut missing = None;
    let mut n_shown = 0;
    for hand in hands {
        match store.load(name, hand, edition).map_err(anyhow::Error::from) {
            Ok(saved) => {
                writeln!(out, "{}", calibration::profile_plot::plot(&saved))?;
                n_shown += 1;
            }
            // Perhaps only one hand has a previous profile.
            Err(error) if is_missing(&error) => missing = Some(error),
            Err(error) => return Err(error),
        }
    }
    match missing {
        Some(_) if n_shown == 0 && options.previous => {
            bail!("there is no earlier profile of {name}")
        }
        Some(error) if n_shown == 0 => Err(error),
        Some(_) | None => Ok(()),
    }
}

/// Makes a profile from the maker's file.
pub(super) fn import(options: &ImportProfile) -> anyhow::Result<()> {
    let in_file = || format!("cannot use {}", options.file.display());
    let bytes = std::fs::read(&options.file).with_context(in_file)?;
    let hand = match options.hand {
        HandSide::Left => Side::Left,
        HandSide::Right => Side::Right,
    };
    let mask = match options.sensors {
        GloveSensors::Eighteen => SensorMask::GLOVE_18,
        GloveSensors::TwentyTwo => SensorMask::GLOVE_22,
    };
    let model = manufacturer_file::read(&bytes, &ManufacturerOptions::new(hand, mask))
        .with_context(in_file)?;
    let saved = SavedProfile {
        about: super::report::about(&options.name, mask),
        profile: Profile::uncalibrated(hand).with_glove(model),
        // The maker's file does not say how good it is.
        quality: [None; Sensor::ALL.len()],
    };
    let path = store(&options.profiles)?.save(&saved)?;
    writeln!(std::io::stdout(), "saved     {}", path.display())?;
    Ok(())
}

/// Writes a profile as the maker's file.
pub(super) fn export(options: &ExportProfile) -> anyhow::Result<()> {
    ExistingFile::from(options.existing).check(&options.file)?;
    let store = store(&options.profiles)?;
    let hands = store.list()?.into_iter().filter(|(name, _)| *name == options.name);
    let hands: Vec<Side> = hands.map(|(_, hand)| hand).collect();
    let hand = match (hands.as_slice(), options.hand) {
        ([], _) => bail!("there is no profile of {}", options.name),
        (_, Some(HandSide::Left)) => Side::Left,
        (_, Some(HandSide::Right)) => Side::Right,
        ([only], None) => *only,
        (_, None) => {
            bail!("{} has profiles of both hands; add --hand left or --hand right", options.name)
        }
    };
    let saved = store.load(&options.name, hand, Edition::Newest)?;
    let text =
        manufacturer_file::write(saved.profile.glove(), hand, ManufacturerFormat::VirtualHand);
    replace_file(&options.file, text.as_bytes())
        .with_context(|| format!("cannot write {}", options.file.display()))?;
    writeln!(
        std::io::stdout(),
        "written   {}; it cannot hold cross terms",
        options.file.display()
    )?;
    Ok(())
}

/// Returns today's date in UTC.
pub(super) fn today() -> String {
    utc_now().chars().take("2026-11-16".len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_a_date_without_the_time() {
        let today = today();
        let lengths: Vec<usize> = today.split('-').map(str::len).collect();
        assert_eq!(lengths, [4, 2, 2], "{today}");
    }
}
