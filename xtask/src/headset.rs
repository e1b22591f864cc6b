//! A real OpenXR runtime for the headset tests: Monado, from Debian trixie, in a separate root
//! folder.
//!
//! Older systems have no Monado, and trixie's needs a newer C library than theirs, so it is
//! installed into its own root, and tests start it through the program loader of that root. The
//! system itself is not changed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::setup::{self, Package};
use crate::shell;

const TOOLS: [Package; 2] = [
    Package { name: "mmdebstrap", purpose: "makes a root folder from Debian packages" },
    Package {
        name: "debian-archive-keyring",
        purpose: "the keys which those packages are signed with",
    },
];

const SUITE: &str = "trixie";
/// Packages of the root: the runtime, its software graphics, and a tool that sets up its network.
const INCLUDED: &str =
    "monado-service,libopenxr1-monado,libopenxr-loader1,mesa-vulkan-drivers,libvulkan1,iproute2";

/// Location of the root, below the cache folder. The number is increased when [`INCLUDED`] changes,
/// so that an old root is not used for a new one. `tests/system/headset/monado.rs` uses the same
/// path.
const FOLDER: &str = "palpate/monado-trixie-1";

/// Makes the root if it does not exist; returns an error if that is not possible.
pub(crate) fn or_fail() -> Result<()> {
    let root = root()?;
    if root.exists() {
        eprintln!("setup: the headset's runtime is installed: {}", root.display());
        return Ok(());
    }
    if env::consts::OS != "linux" {
        bail!("Monado runs on Linux only");
    }
    eprintln!("setup: the headset tests need Monado, an OpenXR runtime");
    setup::install(&TOOLS)?;
    eprintln!(
        "setup: making a Debian {SUITE} root with it, which takes a minute or two and 750 MB: {}",
        root.display()
    );
    let start = Instant::now();
    make(&root)?;
    eprintln!(
        "setup: that took {:.0} s; it is kept for the next time",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Makes the root if it does not exist; prints a warning if that is not possible.
pub(crate) fn or_warn() {
    if let Err(error) = or_fail() {
        eprintln!(
            "warning: {error:#}\nwarning: NO OPENXR RUNTIME, so the headset tests will not run; \
             everything else does"
        );
    }
}

/// Path of the root: in the user's cache, so that all checkouts share it and `cargo clean` keeps
/// it.
fn root() -> Result<PathBuf> {
    let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    Ok(cache.context("neither XDG_CACHE_HOME nor HOME names a folder")?.join(FOLDER))
}

/// Address of the mirror from which this system installs its packages.
fn mirror() -> Result<String> {
    let format = ["indextargets", "--format", "$(ORIGIN)\t$(REPO_URI)"];
    let targets = shell::stdout_of(&mut shell::command("apt-get", format))?;
    debian_mirror(&targets).context("apt knows no mirror of Debian, from which Monado would come")
}

/// Mirror in lines with origin, tab and address; ignores that of security updates, which has no
/// Monado.
fn debian_mirror(targets: &str) -> Option<String> {
    let of_debian = targets.lines().filter_map(|line| line.strip_prefix("Debian\t"));
    let mut addresses = of_debian.map(|address| address.trim_end_matches('/'));
    addresses.find(|address| address.ends_with("/debian")).map(str::to_owned)
}

/// Makes the root under a temporary name first, so that an incomplete root is never used.
fn make(root: &Path) -> Result<()> {
    let folder = root.parent().context("the root is below the cache folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let unfinished = root.with_extension(format!("unfinished-{}", std::process::id()));
    let made = shell::run(
        shell::command("mmdebstrap", ["--quiet", "--variant=minbase"])
            .arg(format!("--include={INCLUDED}"))
            .args([SUITE.as_ref(), unfinished.as_os_str(), mirror()?.as_ref()]),
    );
    let placed = made.and_then(|()| {
        fs::rename(&unfinished, root).with_context(|| format!("cannot make {}", root.display()))
    });
    if placed.is_err() {
        // Other file systems may be mounted in an unfinished root.
        shell::succeeds(shell::command("rm", ["-rf", "--one-file-system", "--"]).arg(&unfinished));
    }
    // Another checkout may have made the root in the meantime.
    if root.exists() { Ok(()) } else { placed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_is_the_one_with_all_packages() {
        let targets = "Debian\thttp://here.example/debian-security/\n\
                       Other\thttp://there.example/debian/\n\
                       Debian\thttp://here.example/debian/\n";
        assert_eq!(debian_mirror(targets).as_deref(), Some("http://here.example/debian"));
        assert_eq!(debian_mirror("Other\thttp://there.example/debian/\n"), None);
    }
}
