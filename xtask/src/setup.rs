//! `setup`: system packages that pictures, windows and tests need, installed by apt-get if
//! possible.
//!
//! Rust itself and a C linker are required: without them this program would not run.

use anyhow::{Result, anyhow};

use crate::shell;

/// A package, with the reason why it is needed.
#[derive(Debug, PartialEq)]
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) purpose: &'static str,
}

const PACKAGES: [Package; 9] = [
    Package {
        name: "mesa-vulkan-drivers",
        purpose: "software Vulkan, so that pictures and windows work without a GPU",
    },
    Package { name: "libvulkan1", purpose: "Vulkan loader" },
    Package { name: "xvfb", purpose: "an X display without a screen, for window tests" },
    Package { name: "libxkbcommon-x11-0", purpose: "keyboard layouts, loaded by the window" },
    Package { name: "libxcursor1", purpose: "mouse cursors, loaded by the window" },
    Package { name: "libxi6", purpose: "mouse and keyboard events, loaded by the window" },
    Package { name: "libxrandr2", purpose: "screen sizes, loaded by the window" },
    Package { name: "libx11-xcb1", purpose: "X connection, loaded by the window" },
    Package { name: "libopenxr-loader1", purpose: "finds the headset's runtime, loaded by `--vr`" },
];

/// Packages that only tests need.
const TEST_TOOLS: [Package; 9] = [
    Package {
        name: "chromium",
        purpose: "a browser, for the test that opens the benchmark's report",
    },
    Package { name: "python3", purpose: "Python, for the example that reads a trace" },
    Package { name: "python3-venv", purpose: "Python packages for tests, in the target folder" },
    Package { name: "libglu1-mesa", purpose: "graphics, loaded by Gmsh from PyPI" },
    Package { name: "libxft2", purpose: "fonts, loaded by Gmsh from PyPI" },
    Package { name: "libxinerama1", purpose: "screens, loaded by Gmsh from PyPI" },
    Package { name: "libxrender1", purpose: "drawing, loaded by Gmsh from PyPI" },
    Package { name: "libxfixes3", purpose: "regions, loaded by Gmsh from PyPI" },
    Package { name: "libgomp1", purpose: "threads, loaded by Gmsh from PyPI" },
];

/// Installs missing packages; returns an error if that is not possible.
pub(crate) fn or_fail() -> Result<()> {
    install(&PACKAGES)
}

/// Installs packages that only tests need; prints a warning if that is not possible, because the
/// tests that need them report that they were not run.
pub(crate) fn test_tools_or_warn() {
    if let Err(error) = install(&TEST_TOOLS) {
        eprintln!("warning: {error:#}\nwarning: continuing; some tests may not run");
    }
}

/// Installs the missing ones of these packages; returns an error if that is not possible.
pub(crate) fn install(packages: &'static [Package]) -> Result<()> {
    if !shell::succeeds(&mut shell::command("apt-get", ["--version"])) {
        eprintln!("setup: there is no apt-get; please install these packages or equivalent ones:");
        list(&packages.iter().collect::<Vec<_>>());
        return Ok(());
    }
    let missing = missing(packages, &dpkg_status(packages)?);
    if missing.is_empty() {
        eprintln!("setup: all {} packages are installed", packages.len());
        return Ok(());
    }
    eprintln!("setup: {} of {} packages are missing:", missing.len(), packages.len());
    list(&missing);
    let Some(steps) = install_steps(&missing, privilege()) else {
        return Err(anyhow!(
            "installing packages needs root, and there is no sudo without a password; please run \
             this command:\n  {}",
            command_by_hand(&missing)
        ));
    };
    eprintln!("setup: refreshing the package lists, then installing the missing packages");
    if let Err(error) = run_step(&steps.update) {
        // An error of one package source is not fatal: the packages may come from another one.
        eprintln!("warning: {error:#}; continuing with the old package lists");
    }
    run_step(&steps.install).map_err(|error| {
        let by_hand = command_by_hand(&missing);
        error.context(format!("cannot install the packages; try this command:\n  {by_hand}\n"))
    })
}

/// Installs missing packages; prints a warning if that is not possible.
pub(crate) fn or_warn() {
    if let Err(error) = or_fail() {
        eprintln!("warning: {error:#}\nwarning: continuing; pictures and the window may not work");
    }
}

fn list(packages: &[&Package]) {
    for Package { name, purpose } in packages {
        eprintln!("  {name:<20} {purpose}");
    }
}

/// Output of dpkg: one line per known package with name, tab and status.
fn dpkg_status(packages: &[Package]) -> Result<String> {
    let mut query = shell::command("dpkg-query", ["-W", "-f", "${Package}\t${Status}\n"]);
    // The query fails if one of the packages is unknown, but still answers for the others.
    shell::stdout_despite_failure(query.args(packages.iter().map(|package| package.name)))
}

/// Packages that are not installed according to `status`. A package may have one line per
/// architecture.
fn missing(packages: &'static [Package], status: &str) -> Vec<&'static Package> {
    let installed: Vec<&str> = status
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter(|(_, status)| status.ends_with(" ok installed"))
        .map(|(name, _)| name)
        .collect();
    packages.iter().filter(|package| !installed.contains(&package.name)).collect()
}

/// Ways to become root.
#[derive(Clone, Copy, Debug)]
enum Privilege {
    IsRoot,
    SudoWithoutPassword,
    None,
}

fn privilege() -> Privilege {
    if shell::stdout_of(&mut shell::command("id", ["-u"])).is_ok_and(|uid| uid.trim() == "0") {
        Privilege::IsRoot
    } else if shell::succeeds(&mut shell::command("sudo", ["-n", "true"])) {
        Privilege::SudoWithoutPassword
    } else {
        Privilege::None
    }
}

/// Command lines, each a program with its arguments.
#[derive(Debug, PartialEq)]
struct InstallSteps {
    update: Vec<&'static str>,
    install: Vec<&'static str>,
}

/// Commands that install these packages; `None` without the privilege.
fn install_steps(packages: &[&'static Package], privilege: Privilege) -> Option<InstallSteps> {
    let root: &[&str] = match privilege {
        Privilege::IsRoot => &[],
        Privilege::SudoWithoutPassword => &["sudo", "-n"],
        Privilege::None => return None,
    };
    // Uses `env`, because sudo does not pass variables on.
    let apt_get = [root, &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]].concat();
    // Waits for another apt-get for a while, instead of failing at once.
    let install = ["install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"];
    let names = packages.iter().map(|package| package.name);
    Some(InstallSteps {
        update: [&apt_get[..], &["update"]].concat(),
        install: apt_get.into_iter().chain(install).chain(names).collect(),
    })
}

fn command_by_hand(packages: &[&Package]) -> String {
    let names: Vec<&str> = packages.iter().map(|package| package.name).collect();
    format!(
        "sudo apt-get update && sudo apt-get install --no-install-recommends {}",
        names.join(" ")
    )
}

fn run_step(words: &[&str]) -> Result<()> {
    let (program, args) = words.split_first().expect("every step has at least a program");
    shell::run(shell::command(program, []).args(args))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(packages: &[&Package]) -> Vec<&'static str> {
        packages.iter().map(|package| package.name).collect()
    }

    fn status_of_all(status: &str) -> String {
        PACKAGES.iter().map(|package| format!("{}\t{status}\n", package.name)).collect()
    }

    #[test]
    fn nothing_is_missing_when_all_are_installed() {
        assert_eq!(names(&missing(&PACKAGES, &status_of_all("install ok installed"))), [""; 0]);
        assert_eq!(names(&missing(&PACKAGES, &status_of_all("hold ok installed"))), [""; 0]);
    }

    #[test]
    fn unknown_removed_and_half_installed_packages_are_missing() {
        assert_eq!(missing(&PACKAGES, "").len(), PACKAGES.len());
        assert_eq!(
            missing(&PACKAGES, &status_of_all("deinstall ok config-files")).len(),
            PACKAGES.len()
        );
        assert_eq!(
            missing(&PACKAGES, &status_of_all("unknown ok not-installed")).len(),
            PACKAGES.len()
        );
        let status = status_of_all("install ok installed")
            .replace("xvfb\tinstall ok installed", "xvfb\tinstall ok half-installed")
            .replace("libxi6\tinstall ok installed\n", "");
        assert_eq!(names(&missing(&PACKAGES, &status)), ["xvfb", "libxi6"]);
    }

    #[test]
    fn packages_for_tests_are_installed_apart() {
        assert!(TEST_TOOLS.iter().all(|tool| !PACKAGES.contains(tool)));
        let all = names(&missing(&TEST_TOOLS, ""));
        assert_eq!(all[..2], ["chromium", "python3"]);
        let status = "chromium\tinstall ok installed\n";
        assert_eq!(names(&missing(&TEST_TOOLS, status)), all[1..]);
    }

    #[test]
    fn one_installed_architecture_is_enough() {
        let status = status_of_all("install ok installed") + "libxi6\tdeinstall ok config-files\n";
        assert_eq!(names(&missing(&PACKAGES, &status)), [""; 0]);
    }

    #[test]
    fn root_installs_only_what_is_missing() {
        let steps = install_steps(&[&PACKAGES[2]], Privilege::IsRoot).expect("root may install");
        check(&steps.update, "env DEBIAN_FRONTEND=noninteractive apt-get update");
        check(
            &steps.install,
            "env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
             -o DPkg::Lock::Timeout=120 xvfb",
        );
    }

    #[test]
    fn other_users_need_sudo_or_get_the_command() {
        let steps = install_steps(&[&PACKAGES[2]], Privilege::SudoWithoutPassword)
            .expect("sudo may install");
        check(&steps.update, "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get update");
        assert_eq!(install_steps(&[&PACKAGES[2]], Privilege::None), None);
        assert_eq!(
            command_by_hand(&[&PACKAGES[1], &PACKAGES[2]]),
            "sudo apt-get update && sudo apt-get install --no-install-recommends libvulkan1 xvfb"
        );
    }

    fn check(words: &[&str], expected: &str) {
        assert_eq!(words.join(" "), expected);
    }
}
