//! Writes the generated pages of the reference into a folder. With `--check`, lists the pages in
//! the folder that are out of date. `cargo xtask docs` runs it.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::CommandFactory as _;
use client::reference::{ReferencePage, pages};
use solver_server::Arguments;

fn main() -> anyhow::Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_check = arguments.iter().any(|argument| argument == "--check");
    arguments.retain(|argument| argument != "--check");
    let [folder] = arguments.as_slice() else { bail!("expected a folder, and optionally --check") };
    let folder = PathBuf::from(folder);
    let mut stale = Vec::new();
    for ReferencePage { file, text } in pages(Arguments::command()) {
        let path = folder.join(file);
        if std::fs::read_to_string(&path).is_ok_and(|found| found == text) {
            continue;
        }
        if is_check {
            stale.push(file);
        } else {
            std::fs::create_dir_all(&folder)
                .and_then(|()| std::fs::write(&path, text))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    if !stale.is_empty() {
        bail!(
            "stale in {}: {}; `cargo xtask docs` writes them",
            folder.display(),
            stale.join(", ")
        );
    }
    Ok(())
}
