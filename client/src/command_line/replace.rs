//! `--replace`, of every command that writes a file.

use clap::Args;
use drivers::recording::Existing;

use crate::atomic_write::ExistingFile;

/// The permission to replace files.
#[derive(Debug, Clone, Copy, Args)]
pub struct ReplaceFlag {
    /// Replace existing files; without it, a file that exists is kept and the command fails
    #[arg(long)]
    pub replace: bool,
}

impl From<ReplaceFlag> for ExistingFile {
    fn from(flag: ReplaceFlag) -> Self {
        if flag.replace { Self::Replace } else { Self::Keep }
    }
}

impl From<ReplaceFlag> for Existing {
    fn from(flag: ReplaceFlag) -> Self {
        if flag.replace { Self::Replace } else { Self::Keep }
    }
}
