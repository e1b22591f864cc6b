//! Folders of the user's files, by the XDG base directory specification.

use std::env;
use std::path::PathBuf;

/// Folder of settings and own materials.
pub(crate) fn config() -> Option<PathBuf> {
    Some(base("XDG_CONFIG_HOME", ".config")?.join("palpate"))
}

/// Folder of data that the program stores: profiles.
pub(crate) fn data() -> Option<PathBuf> {
    Some(base("XDG_DATA_HOME", ".local/share")?.join("palpate"))
}

fn base(variable: &str, in_home: &str) -> Option<PathBuf> {
    let given = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    given(variable).or_else(|| Some(given("HOME")?.join(in_home)))
}
