//! `doc_lint`: rustdoc with warnings, such as broken links, as errors.
//!
//! `cargo doc` would check every dependency once more before it reads our documentation. Here
//! rustdoc uses the libraries of an earlier build.

use std::collections::HashMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use cargo_metadata::{Message, Metadata, MetadataCommand, PackageId, TargetKind};

use crate::{shell, test};

/// Checks the documentation of our libraries. `compile` may choose another compiler, so that
/// existing build results are used.
pub(crate) fn check(compile: impl FnOnce(Command) -> Command) -> Result<()> {
    let metadata = MetadataCommand::new().exec().context("cannot read the workspace")?;
    let libraries = built_libraries(compile(test::build()))?;
    let mut n_failed = 0;
    for package in metadata.workspace_packages() {
        let is_library = |kinds: &[TargetKind]| kinds.contains(&TargetKind::Lib);
        let Some(target) = package.targets.iter().find(|target| is_library(&target.kind)) else {
            continue;
        };
        let mut rustdoc = shell::command("rustdoc", ["-D", "warnings", "--edition", "2024"]);
        rustdoc.arg("--crate-name").arg(target.name.replace('-', "_"));
        rustdoc.arg("--out-dir").arg(metadata.target_directory.join("doc-lint"));
        rustdoc.arg("-L").arg(format!("dependency={}/debug/deps", metadata.target_directory));
        for (name, library) in externs(&metadata, &package.id, &libraries) {
            rustdoc.arg("--extern").arg(format!("{name}={}", library.display()));
        }
        for feature in package.features.keys() {
            rustdoc.arg("--cfg").arg(format!("feature=\"{feature}\""));
        }
        // Variables that cargo sets for the sources.
        let folder = package.manifest_path.parent().context("a manifest is in a folder")?;
        rustdoc.env("CARGO_MANIFEST_DIR", folder).env("CARGO_PKG_NAME", package.name.as_str());
        rustdoc.env("CARGO_PKG_VERSION", package.version.to_string());
        rustdoc.current_dir(&metadata.workspace_root);
        if shell::run(rustdoc.arg(&target.src_path)).is_err() {
            n_failed += 1;
        }
    }
    if n_failed > 0 {
        bail!("the documentation of {n_failed} libraries has errors, listed above");
    }
    Ok(())
}

/// File of each package's library, from a build.
fn built_libraries(mut build: Command) -> Result<HashMap<PackageId, PathBuf>> {
    build.args(["--quiet", "--message-format", "json"]).stdout(Stdio::piped());
    let mut child = shell::spawn(&mut build)?;
    let stdout = child.stdout.take().context("the build's stdout is a pipe")?;
    let mut libraries = HashMap::new();
    for message in Message::parse_stream(BufReader::new(stdout)) {
        let Message::CompilerArtifact(artifact) = message.context("cannot read the build")? else {
            continue;
        };
        // Test programs are not libraries.
        let is_library = |file: &&Path| {
            let extension = file.extension().and_then(|extension| extension.to_str());
            matches!(extension, Some("rlib" | "so" | "dylib"))
        };
        let mut files = artifact.filenames.iter().map(|file| file.as_std_path());
        if !artifact.profile.test
            && let Some(file) = files.find(is_library)
        {
            libraries.insert(artifact.package_id, file.to_owned());
        }
    }
    if !child.wait().context("cannot wait for the build")?.success() {
        bail!("the workspace does not compile");
    }
    Ok(libraries)
}

/// The direct dependencies of a package, by the names that its sources use.
fn externs<'a>(
    metadata: &'a Metadata,
    package: &PackageId,
    libraries: &'a HashMap<PackageId, PathBuf>,
) -> Vec<(&'a str, &'a Path)> {
    let nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
    let node = nodes.into_iter().find(|node| node.id == *package);
    let dependencies = node.into_iter().flat_map(|node| &node.deps);
    let library = |id| libraries.get(id).map(PathBuf::as_path);
    dependencies.filter_map(|dep| Some((dep.name.as_str(), library(&dep.pkg)?))).collect()
}
