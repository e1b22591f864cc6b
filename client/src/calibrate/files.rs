//! Profiles on disk: where they are, and what is in them.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use calibration::maker::{self, MakerFormat, MakerOptions};
use calibration::store::{Edition, StoreError};
use calibration::{Profile, SavedProfile, Store};
use drivers::{Hand, Sensor, SensorMask};

use crate::command_line::{
    ExportProfile, GloveSensors, HandSide, ImportProfile, ProfilesFolder, ShowProfile,
};
use crate::folders;
use crate::replace::replace;

/// Where profiles are kept.
pub fn store(options: &ProfilesFolder) -> anyhow::Result<Store> {
    let folder = match &options.folder {
        Some(folder) => folder.clone(),
        None => {
            let data = folders::data().context("no home folder is known; say --profiles DIR")?;
            data.join("profiles")
        }
    };
    Ok(Store::new(folder))
}

/// The profile of a person for one hand.
pub fn load(options: &ProfilesFolder, name: &str, hand: Hand) -> anyhow::Result<SavedProfile> {
    Ok(store(options)?.load(name, hand, Edition::Newest)?)
}

/// Whether there simply is no such profile.
pub fn is_missing(error: &anyhow::Error) -> bool {
    use std::io::ErrorKind::NotFound;
    matches!(error.downcast_ref(), Some(StoreError::Disk { error, .. }) if error.kind() == NotFound)
}

/// Prints one profile, or the names of all.
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
    let hands: Vec<Hand> = all.iter().filter(|(n, _)| n == name).map(|(_, hand)| *hand).collect();
    if hands.is_empty() {
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        bail!("there is no profile of {name}, only of [{}]", names.join(", "));
    }
    let mut missing = None;
    let mut n_shown = 0;
    for hand in hands {
        match store.load(name, hand, edition).map_err(anyhow::Error::from) {
            Ok(saved) => {
                writeln!(out, "{}", calibration::plot::plot(&saved))?;
                n_shown += 1;
            }
            // One hand may have a profile before the last, the other not.
            Err(error) if is_missing(&error) => missing = Some(error),
            Err(error) => return Err(error),
        }
    }
    match missing {
        Some(error) if n_shown == 0 => Err(error),
        Some(_) | None => Ok(()),
    }
}

/// Takes over the maker's file.
pub(super) fn import(options: &ImportProfile) -> anyhow::Result<()> {
    let in_file = || format!("cannot use {}", options.file.display());
    let bytes = std::fs::read(&options.file).with_context(in_file)?;
    let hand = match options.hand {
        HandSide::Left => Hand::Left,
        HandSide::Right => Hand::Right,
    };
    let mask = match options.sensors {
        GloveSensors::Eighteen => SensorMask::GLOVE_18,
        GloveSensors::TwentyTwo => SensorMask::GLOVE_22,
    };
    let model = maker::read(&bytes, &MakerOptions::new(hand, mask)).with_context(in_file)?;
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

/// Writes the maker's file.
pub(super) fn export(options: &ExportProfile) -> anyhow::Result<()> {
    let store = store(&options.profiles)?;
    let hands = store.list()?.into_iter().filter(|(name, _)| *name == options.name);
    let hands: Vec<Hand> = hands.map(|(_, hand)| hand).collect();
    let hand = match (hands.as_slice(), options.hand) {
        ([], _) => bail!("there is no profile of {}", options.name),
        (_, Some(HandSide::Left)) => Hand::Left,
        (_, Some(HandSide::Right)) => Hand::Right,
        ([only], None) => *only,
        (_, None) => bail!("{} has profiles of both hands; say --hand", options.name),
    };
    let saved = store.load(&options.name, hand, Edition::Newest)?;
    let text = maker::write(saved.profile.glove(), hand, MakerFormat::VirtualHand);
    replace(&options.file, text.as_bytes())
        .with_context(|| format!("cannot write {}", options.file.display()))?;
    writeln!(
        std::io::stdout(),
        "written   {}; it cannot hold cross terms",
        options.file.display()
    )?;
    Ok(())
}

/// The day, by the calendar of UTC.
pub(super) fn today() -> String {
    let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = civil((unix.as_secs() / 86_400) as i64);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day so many days after 1 January 1970, in the Gregorian calendar. Counts from
/// 1 March 0000, so that the leap day is the last of a year, in eras of 400 years.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(19_722), (2023, 12, 31));
        assert_eq!(civil(20_773), (2026, 11, 16));
    }
}
