//! What a person has set in the window, kept over runs in one file of the settings' folder.
//!
//! The command line wins over it, and runs without a window know nothing of it, so that scripts do the same for
//! everybody.

mod file;
mod views;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use objects::Unit;

use crate::command_line::{self, Devices, Mover, Replay, Run, SecondHand, Squeeze};
use crate::folders;
use crate::object_file::USUAL_NODES;
use crate::replace::replace;
use crate::wiring::{HandChoice, Performance, SolverChoice};

pub use views::{Colours, Views};

/// Everything that is kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    pub theme: ThemeChoice,
    pub views: Views,
    pub opening: Opening,
    /// Files of things that were read or written, and recordings that were played, the last ones first.
    pub recent: Recent,
    /// Where the hand comes from; never a recording.
    pub hand: Option<HandChoice>,
    /// Whose calibration is used.
    pub profile: Option<String>,
    /// Values of grasp rules by their names: those that somebody has changed.
    pub rules: BTreeMap<String, String>,
    pub material: Option<MaterialSetting>,
    pub solver: SolverChoice,
}

/// In which colours the panels are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThemeChoice {
    /// As the system has it.
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

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// What its numbers count; guessed if nobody says so.
    pub unit: Option<Unit>,
    /// About so many nodes for a surface, which is filled.
    pub n_nodes: u32,
}

impl Default for Opening {
    fn default() -> Self {
        Self { unit: None, n_nodes: USUAL_NODES }
    }
}

/// Files of late.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recent {
    pub things: Vec<PathBuf>,
    pub recordings: Vec<PathBuf>,
}

impl Recent {
    /// Files that are offered again.
    pub const MOST: usize = 5;

    /// Puts a file before the others.
    pub fn remember(files: &mut Vec<PathBuf>, file: PathBuf) {
        files.retain(|other| *other != file);
        files.insert(0, file);
        files.truncate(Self::MOST);
    }
}

/// What things are made of, as it was chosen last.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialSetting {
    pub name: String,
    /// In Pa.
    pub young: f64,
    pub poisson: f64,
    /// In kg/m³.
    pub density: f64,
}

/// Why settings are not kept.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("no home folder is known to keep settings in")]
    NoFolder,
    #[error("cannot write {path}: {source}")]
    Disk { path: String, source: io::Error },
}

/// The file of the person's settings, if there is a folder for it.
pub fn path() -> Option<PathBuf> {
    Some(folders::config()?.join("settings.toml"))
}

impl Settings {
    /// What was kept, and what is wrong with it, if anything. A file that cannot be used is set aside, so that
    /// nothing of it is lost and the next one does not stand in its place.
    pub fn load() -> (Self, Option<String>) {
        path().map_or_else(Default::default, |path| Self::load_from(&path))
    }

    fn load_from(path: &Path) -> (Self, Option<String>) {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Default::default(),
            Err(e) if e.kind() == io::ErrorKind::InvalidData => {
                return (Self::default(), Some(set_aside(path, "it is no text")));
            }
            Err(e) => return (Self::default(), Some(set_aside(path, &e.to_string()))),
        };
        match file::read(&text) {
            Ok(settings) => (settings, None),
            Err(why) => (Self::default(), Some(set_aside(path, &why))),
        }
    }

    /// Keeps them for the next run: whole, or as they were before.
    pub fn save(&self) -> Result<(), SaveError> {
        let path = path().ok_or(SaveError::NoFolder)?;
        let disk = |source| SaveError::Disk { path: path.display().to_string(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(disk)?;
        }
        replace(&path, file::write(self).as_bytes()).map_err(disk)
    }

    /// What the command line says nothing of is as it was set; says what of it cannot be.
    pub fn fill_squeeze(&self, squeeze: &mut Squeeze) -> Result<(), String> {
        let is_said = squeeze.hand.is_some()
            || squeeze.script.is_some()
            || squeeze.devices != Devices::default()
            || squeeze.second != SecondHand::default();
        match &self.hand {
            Some(HandChoice::Emulated(Performance { script, devices, second })) if !is_said => {
                squeeze.script.clone_from(script);
                (squeeze.devices, squeeze.second) = (devices.clone(), second.clone());
            }
            Some(HandChoice::Ports { devices, second }) if !is_said => {
                (squeeze.devices, squeeze.second) = (devices.clone(), second.clone());
            }
            Some(HandChoice::Mouse(side)) => {
                if !is_said {
                    squeeze.hand = Some(Mover::Mouse);
                }
                squeeze.side = squeeze.side.or(Some((*side).into()));
            }
            Some(HandChoice::Headset) if !is_said => squeeze.hand = Some(Mover::Openxr),
            Some(_) | None => {}
        }
        let run = &mut squeeze.run;
        let own = self.rules.iter().map(|(name, value)| format!("{name}={value}"));
        // Those of the command line come later, and win.
        run.rules = own.chain(std::mem::take(&mut run.rules)).collect();
        let material = &mut run.material;
        if let Some(kept) = &self.material
            && material.material.is_none()
        {
            material.young = material.young.or(Some(kept.young));
            material.poisson = material.poisson.or(Some(kept.poisson));
        }
        run.profile = run.profile.take().or_else(|| self.profile.clone());
        self.fill_solver(run)
    }

    /// The same for a recording, which has all but the solver in it.
    pub fn fill_replay(&self, replay: &mut Replay) -> Result<(), String> {
        self.fill_solver(&mut replay.run)
    }

    fn fill_solver(&self, run: &mut Run) -> Result<(), String> {
        let SolverChoice { server, threads, memory_mb } = &self.solver;
        run.memory_mb = run.memory_mb.or(*memory_mb);
        if run.server.is_some() || run.threads.is_some() {
            return Ok(());
        }
        run.threads = *threads;
        if let Some(text) = server {
            let found = command_line::server(text);
            let cannot = |why| format!("solved in this process, because {text} cannot be: {why}");
            run.server = Some(found.map_err(cannot)?);
        }
        Ok(())
    }
}

/// Gives a file that cannot be used another name; says so.
fn set_aside(path: &Path, why: &str) -> String {
    let mut names = (1..).map(|n| match n {
        1 => path.with_extension("broken.toml"),
        n => path.with_extension(format!("broken-{n}.toml")),
    });
    let aside = names.find(|name| !name.exists()).unwrap_or_else(|| path.to_owned());
    let before = format!("your settings in {} cannot be used: {why}", path.display());
    match fs::rename(path, &aside) {
        Ok(()) => {
            format!("{before}. They are as at first, and the file is {} now", aside.display())
        }
        Err(e) => format!("{before}. They are as at first; the file could not be set aside: {e}"),
    }
}

#[cfg(test)]
mod tests;
