//! `palpate object`: makes objects, shows the contents of files, converts them, fills surfaces.

mod info;
mod picture;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail, ensure};
use nalgebra::Point3;
use objects::filling::Progress;
use objects::format::{BodyToWrite, DuplicateNodes, Field, NumberKind, ObjectToWrite, WriteError};
use objects::generate::generate;
use objects::{Body, OpenedObject, TriangleSurface, Unit};
use physics::TetMesh;

use crate::command_line::{
    ConvertObject, FillSurface, NewObject, ObjectCommand, ObjectOptions, ReplaceFlag,
};
use crate::object_file::{self, ExistingFile, fields_for, kind, open_as, open_solid, save};
use crate::progress_bar::run_interruptibly;

/// Runs the command; `stop` ends it before any file is written.
pub fn run(options: &ObjectOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    match &options.command {
        ObjectCommand::New(new) => make(new, stop),
        ObjectCommand::Info(info) => info::run(info, stop),
        ObjectCommand::Convert(convert) => self::convert(convert, stop),
        ObjectCommand::Solid(solid) => fill(solid, stop),
    }
}

fn make(new: &NewObject, stop: &AtomicBool) -> anyhow::Result<()> {
    let range = new.kind.n_nodes();
    ensure!(
        range.contains(&(new.nodes as usize)),
        "cannot make {} nodes for a {}, expected {} to {}",
        new.nodes,
        new.kind,
        range.start(),
        range.end()
    );
    let usual = || PathBuf::from(format!("{}.obj3", new.kind));
    let out = new.out.clone().unwrap_or_else(usual);
    let existing = may_write(&out, new.existing)?;
    let (thing, n_nodes) = (new.kind, new.nodes as usize);
    let title = format!("making a {thing} of {n_nodes} nodes");
    let made = run_interruptibly(&title, || 0.0, stop, move || generate(thing, n_nodes))?
        .with_context(|| format!("cannot make a {thing} of {n_nodes} nodes"))?;
    let fields = fields_for(kind(&out)?, vec![Field::colours(&made.colours)])?;
    save(&out, BodyToWrite::Solid(&made.mesh), &fields.0, existing)?;
    let (n_nodes, n_elements) = (made.mesh.n_nodes(), made.mesh.elements().len());
    let made = format!("a {thing} of {n_nodes} nodes and {n_elements} tetrahedra");
    print_written(&out, &made, &fields.1)
}

fn convert(options: &ConvertObject, stop: &AtomicBool) -> anyhow::Result<()> {
    let (from, to) = (options.from.clone(), &options.to);
    let existing = may_write(to, options.existing)?;
    let holds = kind(to)?.holds().ok_or(WriteError::ReadOnly(kind(to)?))?;
    let unit = options.unit.unit;
    let duplicates = if options.join { DuplicateNodes::Join } else { DuplicateNodes::Keep };
    let title = format!("reading {}", from.display());
    let opened = run_interruptibly(&title, || 0.0, stop, move || open_as(&from, unit, duplicates))?
        .with_context(|| format!("cannot use {}", options.from.display()))?;
    writeln!(std::io::stdout(), "{}", opened.findings)?;
    if let Some(own) = kind(to)?.own_unit().filter(|own| *own != options.to_unit) {
        bail!(
            ".{} files are always in {}, expected no other --to-unit",
            kind(to)?.extension(),
            own.plural()
        );
    }
    let is_rescaled = [opened.findings.unit, options.to_unit].iter().any(|u| *u != Unit::Metre);
    let opened = counted_in(options.to_unit, opened)?;
    let (fields, left_out) = fields_for(kind(to)?, opened.fields)?;
    let is_kept = |f: &&Field| !f.is_displacement() && f.as_colours().is_none();
    let kept: Vec<&str> = fields.iter().filter(is_kept).map(Field::name).collect();
    if is_rescaled && !kept.is_empty() {
        let kept = kept.join(", ");
        let kept = kept.escape_debug();
        writeln!(std::io::stdout(), "- values that do not depend on the unit: {kept}")?;
    }
    let is_whole = |f: &&Field| f.numbers() == NumberKind::Whole;
    let whole: Vec<&str> = fields.iter().filter(is_whole).map(Field::name).collect();
    if !whole.is_empty() {
        let whole = whole.join(", ");
        let whole = whole.escape_debug();
        writeln!(
            std::io::stdout(),
            "- whole numbers that become floating-point numbers of double precision: {whole}"
        )?;
    }
    let (body, written) = match &opened.body {
        Body::Surface(_) if holds.solids => bail!(
            "{from} holds a surface of triangles, expected a solid for {to}: `palpate object solid {from} {to}` \
             fills it with tetrahedra",
            from = options.from.display(),
            to = to.display(),
        ),
        Body::Surface(surface) => {
            let n = surface.triangles().len();
            (BodyToWrite::Surface(surface), format!("{n} triangles"))
        }
        Body::Solid(mesh) if holds.solids => {
            let n = mesh.elements().len();
            (BodyToWrite::Solid(mesh), format!("{n} tetrahedra"))
        }
        Body::Solid(mesh) => {
            let n = mesh.surface().topology.triangles.len();
            (BodyToWrite::Solid(mesh), format!("its skin of {n} triangles"))
        }
    };
    let object = ObjectToWrite { body, unit: options.to_unit, fields: &fields };
    object_file::save_object(to, &object, existing)?;
    print_written(to, &written, &left_out)
}

/// Converts an object to another unit than metres.
fn counted_in(unit: Unit, opened: OpenedObject) -> anyhow::Result<OpenedObject> {
    if unit == Unit::Metre {
        return Ok(opened);
    }
    let OpenedObject { body, fields, findings } = opened;
    let counted = |points: &[Point3<f64>]| points.iter().map(|x| x / unit.in_metres()).collect();
    let body = match body {
        Body::Solid(mesh) => {
            let elements = mesh.elements().to_vec();
            Body::Solid(TetMesh::new(counted(mesh.rest_positions()), elements)?)
        }
        Body::Surface(surface) => {
            let triangles = surface.triangles().to_vec();
            Body::Surface(TriangleSurface::new(counted(surface.points()), triangles)?)
        }
    };
    let counted = |field: Field| match field.is_displacement() {
        true => field.scaled(1.0 / unit.in_metres()),
        false => field,
    };
    Ok(OpenedObject { body, fields: fields.into_iter().map(counted).collect(), findings })
}

fn fill(options: &FillSurface, stop: &AtomicBool) -> anyhow::Result<()> {
    let (from, to) = (options.from.clone(), &options.to);
    let existing = may_write(to, options.existing)?;
    let holds = kind(to)?.holds().ok_or(WriteError::ReadOnly(kind(to)?))?;
    ensure!(
        holds.solids,
        "{} would hold only the skin, expected .obj3, .msh or .vtu for a solid",
        to.display()
    );
    let progress = Arc::new(Progress::default());
    let (working, n_nodes, unit) = (Arc::clone(&progress), options.nodes, options.unit.unit);
    let title = format!("filling {}", from.display());
    let work = move || open_solid(&from, unit, n_nodes, &working);
    let found = run_interruptibly(&title, || progress.share(), stop, work);
    // After an interruption the result is discarded.
    progress.cancel();
    let found = found?.with_context(|| format!("cannot use {}", options.from.display()))?;
    let mut out = std::io::stdout();
    writeln!(out, "{found}")?;
    if found.filling.is_none() {
        bail!(
            "{} holds a solid already; `palpate object convert` writes it in another format",
            options.from.display()
        );
    }
    let (fields, left_out) = fields_for(kind(to)?, found.fields)?;
    save(to, BodyToWrite::Solid(&found.mesh), &fields, existing)?;
    print_written(to, &format!("{} tetrahedra", found.mesh.elements().len()), &left_out)
}

/// Refuses a file that must not or cannot be written before long work, not after it.
fn may_write(path: &Path, flag: ReplaceFlag) -> anyhow::Result<ExistingFile> {
    let kind = object_file::kind(path)?;
    kind.holds().ok_or(WriteError::ReadOnly(kind))?;
    let existing = ExistingFile::from(flag);
    existing.check(path)?;
    Ok(existing)
}

fn print_written(path: &Path, what: &str, left_out: &[String]) -> anyhow::Result<()> {
    let left_out = match left_out {
        [] => String::new(),
        names => {
            let names = names.join(", ").escape_debug().to_string();
            format!("; left out, because the format has no place for it: {names}")
        }
    };
    Ok(writeln!(std::io::stdout(), "wrote {}: {what}{left_out}", path.display())?)
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use objects::ReadingOptions;
    use objects::format::write;

    use super::*;

    /// A file in millimetres holds displacements in millimetres, too.
    #[test]
    fn displacements_count_what_points_count() {
        let mesh = generate(objects::generate::GeneratedKind::Cube, 27).unwrap().mesh;
        let field = |name: &str, x: f64| {
            Field::nodal_vectors(name, &vec![Vector3::new(x, 0.0, 0.0); mesh.n_nodes()])
        };
        let fields = [field("displacement", 3.0), field("reaction", 3.0)];
        let to_write =
            ObjectToWrite { body: BodyToWrite::Solid(&mesh), unit: Unit::Metre, fields: &fields };
        let bytes = write(objects::FileKind::Vtu, &to_write).unwrap();
        let reading = ReadingOptions { unit: Some(Unit::Millimetre), ..ReadingOptions::default() };
        let opened =
            objects::open(objects::FileKind::Vtu, &bytes, &mut |_| None, &reading).unwrap();
        let firsts = |opened: &OpenedObject| -> Vec<f64> {
            opened.fields.iter().map(|field| field.values()[0]).collect()
        };
        assert_eq!(firsts(&opened), [0.003, 3.0]);
        let opened = counted_in(Unit::Millimetre, opened).unwrap();
        assert!((firsts(&opened)[0] - 3.0).abs() < 1e-12);
        let Body::Solid(back) = &opened.body else { panic!("it is a solid") };
        assert!((back.rest_positions()[0] - mesh.rest_positions()[0]).norm() < 1e-12);
    }
}
