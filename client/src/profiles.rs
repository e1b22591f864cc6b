//! Where people's profiles are kept on the disk.

use anyhow::Context;
use calibration::store::{Edition, StoreError};
use calibration::{SavedProfile, Store};
use drivers::Hand;

use crate::command_line::ProfilesFolder;
use crate::folders;

/// Where profiles are kept.
pub(crate) fn store(options: &ProfilesFolder) -> anyhow::Result<Store> {
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
pub(crate) fn load(
    options: &ProfilesFolder,
    name: &str,
    hand: Hand,
) -> anyhow::Result<SavedProfile> {
    Ok(store(options)?.load(name, hand, Edition::Newest)?)
}

/// Whether there simply is no such profile.
pub(crate) fn is_missing(error: &anyhow::Error) -> bool {
    use std::io::ErrorKind::NotFound;
    matches!(error.downcast_ref(), Some(StoreError::Disk { error, .. }) if error.kind() == NotFound)
}
