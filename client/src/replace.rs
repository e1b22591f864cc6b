//! Writes a file so that it is either the old one or the whole new one.

use std::fs;
use std::io::Write;
use std::path::Path;

/// Replaces what a link points to, not the link; a device or a pipe is written to, not replaced.
pub(crate) fn replace(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return fs::write(&target, text);
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Its name is its own, so that runs side by side do not meet; on failure it is removed.
    let mut unfinished = tempfile::Builder::new()
        .prefix(".palpate-")
        .permissions(old.map_or_else(ordinary_permissions, |old| old.permissions()))
        .tempfile_in(folder.unwrap_or(Path::new(".")))?;
    unfinished.write_all(text)?;
    unfinished.persist(&target)?;
    Ok(())
}

/// Those of any new file, less what the user's mask takes away.
#[cfg(unix)]
fn ordinary_permissions() -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
}
