//! The user's settings from the window, kept between runs in one file of the settings folder.
//!
//! Options of the command line override the settings. Runs without a window do not read them, so
//! that scripts do the same for every user.

mod file;
mod view_options;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use objects::Unit;

use crate::atomic_write::replace_file;
use crate::command_line::{
    self, ContactChoice, DeviceOptions, HandMover, ReplayOptions, RunOptions, SecondHand,
    SqueezeOptions,
};
use crate::object_file::USUAL_NODES;
use crate::user_folders;
use crate::wiring::{EmulatedPerformance, HandChoice, SolverChoice};

pub use view_options::{ColourMode, ViewOptions};

/// All settings that are kept between runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    pub theme: ThemeChoice,
    pub views: ViewOptions,
    pub read_options: ReadOptions,
    /// Recently used files of things and recordings, the newest first.
    pub recent: RecentFiles,
    /// Source of the hand; never a recording.
    pub hand: Option<HandChoice>,
    /// Name of the calibration in use.
    pub profile: Option<String>,
    /// Changed grasp rules: values by name.
    pub rules: BTreeMap<String, String>,
    pub material: Option<MaterialSetting>,
    /// Way in which hands hold things, and its numbers.
    pub contact: ContactChoice,
    pub solver: SolverChoice,
}

/// Colours of the panels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThemeChoice {
    /// The system's theme.
    #[default]
    System,
    Light,
    Dark,
}

impl ThemeChoice {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Options for reading a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOptions {
    /// Unit of the numbers in the file; guessed if not given.
    pub unit: Option<Unit>,
    /// Approximate number of nodes when a surface is filled to a solid.
    pub n_nodes: u32,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { unit: None, n_nodes: USUAL_NODES }
    }
}

/// Recently used files, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecentFiles {
    pub things: Vec<PathBuf>,
    pub recordings: Vec<PathBuf>,
}

impl RecentFiles {
    /// Number of files that are kept of each kind.
    pub const MOST: usize = 5;

    /// Puts a file in front of the others.
    pub fn remember(files: &mut Vec<PathBuf>, file: PathBuf) {
        files.retain(|other| *other != file);
        files.insert(0, file);
        files.truncate(Self::MOST);
    }
}

/// The material that was chosen last.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialSetting {
    pub name: String,
    /// Young's modulus in Pa.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density in kg/m³.
    pub density: f64,
}

/// Errors of saving the settings.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("there is no home folder for the settings")]
    NoFolder,
    #[error("cannot write {path}: {source}")]
    Disk { path: String, source: io::Error },
}

/// Path of the settings file, if the user has a folder for it.
pub fn path() -> Option<PathBuf> {
    Some(user_folders::config()?.join("settings.toml"))
}

impl Settings {
    /// Reads the settings. Returns the defaults and a message if the file is unusable; the file is
    /// then renamed, so that nothing of it is lost and a new file can take its place.
    pub fn load() -> (Self, Option<String>) {
        path().map_or_else(Default::default, |path| Self::load_from(&path))
    }

    fn load_from(path: &Path) -> (Self, Option<String>) {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Default::default(),
            Err(e) if e.kind() == io::ErrorKind::InvalidData => {
                return (Self::default(), Some(set_aside(path, "it is not a text file")));
            }
            Err(e) => return (Self::default(), Some(set_aside(path, &e.to_string()))),
        };
        match file::read(&text) {
            Ok(settings) => (settings, None),
            Err(why) => (Self::default(), Some(set_aside(path, &why))),
        }
    }

    /// Saves the settings for the next run. On an error the file keeps its old contents.
    pub fn save(&self) -> Result<(), SaveError> {
        let path = path().ok_or(SaveError::NoFolder)?;
        let disk = |source| SaveError::Disk { path: path.display().to_string(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(disk)?;
        }
        replace_file(&path, file::write(self).as_bytes()).map_err(disk)
    }

    /// Fills in all options that the command line does not give. Returns a message if the kept
    /// solver cannot be used.
    pub fn fill_squeeze(&self, squeeze: &mut SqueezeOptions) -> Result<(), String> {
        let is_said = squeeze.hand.is_some()
            || squeeze.script.is_some()
            || squeeze.devices != DeviceOptions::default()
            || squeeze.second != SecondHand::default()
            || squeeze.hand_position.is_some();
        match &self.hand {
            Some(HandChoice::Emulated(EmulatedPerformance { script, devices, second }))
                if !is_said =>
            {
                squeeze.script.clone_from(script);
                (squeeze.devices, squeeze.second) = (devices.clone(), second.clone());
            }
            Some(HandChoice::Ports { devices, second }) if !is_said => {
                (squeeze.devices, squeeze.second) = (devices.clone(), second.clone());
            }
            Some(HandChoice::Mouse(side)) => {
                if !is_said {
                    squeeze.hand = Some(HandMover::Mouse);
                }
                squeeze.side = squeeze.side.or(Some((*side).into()));
            }
            Some(HandChoice::Headset) if !is_said => squeeze.hand = Some(HandMover::Openxr),
            Some(_) | None => {}
        }
        let run = &mut squeeze.run;
        let own = self.rules.iter().map(|(name, value)| format!("{name}={value}"));
        // Rules of the command line come later and override these.
        run.rules = own.chain(std::mem::take(&mut run.rules)).collect();
        let material = &mut run.material;
        if let Some(kept) = &self.material
            && material.material.is_none()
        {
            material.young = material.young.or(Some(kept.young));
            material.poisson = material.poisson.or(Some(kept.poisson));
            material.density = material.density.or(Some(kept.density));
        }
        let ContactChoice { grip, friction, skin_softness, .. } = self.contact;
        run.contact.is_kept = run.contact.grip.is_none();
        run.contact.grip = run.contact.grip.or(grip);
        run.contact.friction = run.contact.friction.or(friction);
        run.contact.skin_softness = run.contact.skin_softness.or(skin_softness);
        run.profile = run.profile.take().or_else(|| self.profile.clone());
        self.fill_solver(run)
    }

    /// Fills in the solver options of a replay; the recording holds all others.
    pub fn fill_replay(&self, replay: &mut ReplayOptions) -> Result<(), String> {
        self.fill_solver(&mut replay.run)
    }

    fn fill_solver(&self, run: &mut RunOptions) -> Result<(), String> {
        let SolverChoice { server, threads, memory_mb } = &self.solver;
        run.memory_mb = run.memory_mb.or(*memory_mb);
        if run.server.is_some() || run.threads.is_some() {
            return Ok(());
        }
        run.threads = *threads;
        if let Some(text) = server {
            let found = command_line::server(text);
            let cannot = |why| {
                format!("the solver runs in this process, because {text} cannot be used: {why}")
            };
            run.server = Some(found.map_err(cannot)?);
        }
        Ok(())
    }
}

/// Text of a settings file in which every key has a value, for the reference.
pub(crate) fn example_text() -> String {
    file::write(&file::example())
}

/// Renames an unusable settings file. Returns a message about it.
fn set_aside(path: &Path, why: &str) -> String {
    let mut names = (1..).map(|n| match n {
        1 => path.with_extension("broken.toml"),
        n => path.with_extension(format!("broken-{n}.toml")),
    });
    let aside = names.find(|name| !name.exists()).unwrap_or_else(|| path.to_owned());
    let before = format!("your settings in {} cannot be used: {why}", path.display());
    match fs::rename(path, &aside) {
        Ok(()) => {
            format!("{before}. The defaults are used; the file was renamed to {}", aside.display())
        }
        Err(e) => format!("{before}. The defaults are used; the file could not be renamed: {e}"),
    }
}

#[cfg(test)]
mod tests;
