//! Calibration profiles on the disk.

use anyhow::Context;
use calibration::profile_store::{Edition, StoreError};
use calibration::{ProfileStore, SavedProfile};
use drivers::Side;

use crate::command_line::ProfilesFolder;
use crate::user_folders;

/// Returns the store of profiles.
pub(crate) fn store(options: &ProfilesFolder) -> anyhow::Result<ProfileStore> {
    let folder = match &options.folder {
        Some(folder) => folder.clone(),
        None => {
            let data = user_folders::data()
                .context("no home folder is known; name one with --profiles DIR")?;
            data.join("profiles")
        }
    };
    Ok(ProfileStore::new(folder))
}

/// Loads the profile of a person for one hand.
pub(crate) fn load(
    options: &ProfilesFolder,
    name: &str,
    hand: Side,
) -> anyhow::Result<SavedProfile> {
    Ok(store(options)?.load(name, hand, Edition::Newest)?)
}

/// True if the error means that there is no such profile.
pub(crate) fn is_missing(error: &anyhow::Error) -> bool {
    use std::io::ErrorKind::NotFound;
    matches!(error.downcast_ref(), Some(StoreError::Disk { error, .. }) if error.kind() == NotFound)
}
