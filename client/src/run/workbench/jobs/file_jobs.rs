//! Work of the background jobs: pictures, folders, names of files, a trial of a solver.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use anyhow::{Context, bail};
use drivers::recorder::{Recorder, RecorderError};
use engine::single_solve::{Algorithm, SolveQuestion};
use nalgebra::Vector3;
use objects::generate;
use physics::material::IsotropicElastic;
use physics::{KnownDisplacement, NodeId, SolidSpec, WhenUnderdetermined};

use super::super::force_graph::force_card;
use super::{FolderEntry, FolderListing, SnapshotRequest};
use crate::atomic_write::put_under_free_name;
use crate::command_line::ProfilesFolder;
use crate::profiles;
use crate::render::Offscreen;
use crate::ui::status_panel;

/// Largest number of listed entries of a folder.
const MOST_ENTRIES: usize = 2000;
/// Largest number of numbered pictures or recordings in one folder.
const MOST_NUMBERED: u32 = 9999;

pub(super) fn people(folder: &ProfilesFolder) -> anyhow::Result<Vec<String>> {
    let all = profiles::store(folder)?.list()?;
    // A person has a profile for each hand.
    let names: BTreeSet<String> = all.into_iter().map(|(name, _)| name).collect();
    Ok(names.into_iter().collect())
}

/// A cube that stands on the table and is pressed at a corner.
pub(super) fn trial_question() -> anyhow::Result<SolveQuestion> {
    let mesh = generate::cube(0.01, 1)?;
    let known = (0..4).map(|node| {
        let height = if node == 3 { 1e-4 } else { 0.0 };
        KnownDisplacement::whole(NodeId(node), Vector3::new(0.0, 0.0, height))
    });
    Ok(SolveQuestion {
        known: known.collect(),
        spec: SolidSpec::new(mesh, IsotropicElastic::new(1e4, 0.3)?, Vec::new())?,
        when_underdetermined: WhenUnderdetermined::Refuse,
        algorithm: Algorithm::Factorise,
        wants_stresses: false,
    })
}

pub(super) fn list(folder: PathBuf) -> FolderListing {
    let folder = folder.canonicalize().unwrap_or(folder);
    let entries = || -> io::Result<Vec<FolderEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&folder)?.take(MOST_ENTRIES) {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with('.') {
                entries.push(FolderEntry { is_file: !entry.path().is_dir(), name });
            }
        }
        entries.sort();
        Ok(entries)
    };
    FolderListing { entries: entries().map_err(|e| e.to_string()), folder }
}

pub(super) fn picture(snapshot: &SnapshotRequest) -> anyhow::Result<PathBuf> {
    let [width, height] = snapshot.size;
    let mut offscreen = Offscreen::new(width, height)?;
    let scene = &snapshot.scene;
    let panels = |ui: &mut egui::Ui| {
        status_panel(ui, ui.available_rect_before_wrap().right(), &scene.status);
        if let Some(history) = &snapshot.history {
            force_card(ui, scene, history);
        }
    };
    let image = offscreen.picture_with_panels(scene, &snapshot.camera, snapshot.look, panels)?;
    let mut bytes = Vec::new();
    image.write_png(&mut bytes)?;
    write_under_free_name(&env::current_dir()?, &bytes)
}

/// Writes a file under the next free name, completely or not at all. Never replaces a file.
pub(super) fn write_under_free_name(folder: &Path, bytes: &[u8]) -> anyhow::Result<PathBuf> {
    let free = names(folder, "png").filter(|path| !path.exists());
    let written = put_under_free_name(folder, free, bytes)
        .with_context(|| format!("cannot write into {}", folder.display()))?;
    written.with_context(|| is_full(folder))
}

/// Begins a recording under the next free name in a folder. If another program takes that name
/// first, the name after it is tried.
pub(in crate::run::workbench) fn begin_recording(
    folder: &Path,
    begin: impl Fn(&Path) -> Result<Recorder, RecorderError>,
) -> anyhow::Result<(Recorder, PathBuf)> {
    for path in names(folder, "palpate").filter(|path| !path.exists()) {
        match begin(&path) {
            Ok(recorder) => return Ok((recorder, path)),
            Err(error) if error.is_taken() => {}
            Err(error) => return Err(error.into()),
        }
    }
    bail!(is_full(folder))
}

fn names(folder: &Path, ending: &str) -> impl Iterator<Item = PathBuf> {
    (1..=MOST_NUMBERED).map(move |number| folder.join(format!("palpate-{number:04}.{ending}")))
}

fn is_full(folder: &Path) -> String {
    format!("{} has {MOST_NUMBERED} files named palpate already", folder.display())
}
