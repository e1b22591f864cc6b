//! `palpate object info`: contents of a file as text or JSON.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail};
use objects::TriangleSurface;
use objects::check::{FindingOutcome, Findings, UnitSource};
use objects::format::{Body, ElementShape, Field, FormatError, OpenedObject};
use physics::TetMesh;
use serde::Serialize;

use super::picture;
use crate::atomic_write::ExistingFile;
use crate::command_line::ObjectInfo;
use crate::object_file::open;
use crate::progress_bar::run_interruptibly;

/// Prints all findings. An unusable file is an error, reported after the findings.
pub(super) fn run(options: &ObjectInfo, stop: &AtomicBool) -> anyhow::Result<()> {
    let is_png =
        |path: &&PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("png"));
    if let Some(path) = options.picture.as_ref().filter(|path| !is_png(path)) {
        // Mixed up arguments must not overwrite a mesh.
        bail!("{} is not the name of a picture, expected one that ends in .png", path.display());
    }
    if let Some(path) = &options.picture {
        ExistingFile::from(options.existing).check(path)?;
    }
    let (file, unit) = (options.file.clone(), options.unit.unit);
    let title = format!("reading {}", file.display());
    let opened = run_interruptibly(&title, || 0.0, stop, move || open(&file, unit))?;
    let mut out = std::io::stdout();
    let opened = match opened {
        Ok(opened) => opened,
        Err(error) => {
            // Other findings help to recognise the kind of file.
            let findings = match error.downcast_ref() {
                Some(FormatError::Refused(findings)) => Some(findings),
                _ => None,
            };
            match (options.json, findings) {
                (true, Some(findings)) => {
                    let error = Some(format!("{error:#}"));
                    writeln!(out, "{}", json(findings, None, error)?)?;
                }
                (true, None) => {
                    let file = UnreadableFile { usable: false, error: format!("{error:#}") };
                    writeln!(out, "{}", serde_json::to_string_pretty(&file)?)?;
                }
                (false, Some(findings)) => writeln!(out, "{findings}")?,
                (false, None) => {}
            }
            return Err(error.context(format!("cannot use {}", options.file.display())));
        }
    };
    match options.json {
        true => {
            let error = opened.findings.unsolvable();
            writeln!(out, "{}", json(&opened.findings, Some(&opened), error)?)?;
        }
        false => write!(out, "{}", words(&opened))?,
    }
    if let Some(path) = &options.picture {
        picture::draw(&opened, path)
            .with_context(|| format!("cannot draw {}", options.file.display()))?;
    }
    match opened.findings.unsolvable() {
        Some(why) => bail!("cannot use {}: {why}", options.file.display()),
        None => Ok(()),
    }
}

fn words(opened: &OpenedObject) -> String {
    let mut text = format!("{}\n", opened.findings);
    let body = Measures::of(&opened.body);
    text += &match &opened.body {
        Body::Solid(_) => format!(
            "- volume {}, skin of {} triangles and {}\n",
            cubic(body.volume),
            body.n_skin_triangles,
            square(body.area)
        ),
        Body::Surface(_) => format!(
            "- {}, area {}; to be squeezed, it must be filled: `palpate object solid`\n",
            match opened.findings.is_closed_surface() {
                true => format!("closed, volume {}", cubic(body.volume)),
                false => "not closed".to_owned(),
            },
            square(body.area)
        ),
    };
    // Names in a file may contain control sequences of terminals.
    let names: Vec<String> =
        opened.fields.iter().map(|field| field.name().escape_debug().to_string()).collect();
    if !names.is_empty() {
        text += &format!("- other values in the file: {}\n", names.join(", "));
    }
    if let Some(quality) = &opened.findings.quality {
        text += &quality.chart();
    }
    text
}

struct Measures {
    volume: f64,
    area: f64,
    n_skin_triangles: usize,
}

impl Measures {
    fn of(body: &Body) -> Self {
        let corners =
            |points: &[nalgebra::Point3<f64>], t: &[u32; 3]| t.map(|i| points[i as usize]);
        match body {
            Body::Solid(mesh) => {
                let skin = mesh.surface().topology;
                let places: Vec<_> =
                    skin.nodes.iter().map(|node| mesh.rest_positions()[node.index()]).collect();
                Self {
                    volume: volume(mesh),
                    area: skin.triangles.iter().map(|t| area(corners(&places, t))).sum(),
                    n_skin_triangles: skin.triangles.len(),
                }
            }
            Body::Surface(surface) => Self {
                volume: enclosed(surface),
                area: surface.triangles().iter().map(|t| area(corners(surface.points(), t))).sum(),
                n_skin_triangles: surface.triangles().len(),
            },
        }
    }
}

fn volume(mesh: &TetMesh) -> f64 {
    let place = |node: physics::NodeId| mesh.rest_positions()[node.index()];
    let volume = |nodes: &[physics::NodeId; 4]| {
        let [a, b, c, d] = nodes.map(place);
        (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
    };
    mesh.elements().iter().map(volume).sum()
}

/// Volume that a closed surface encloses.
fn enclosed(surface: &TriangleSurface) -> f64 {
    let at = |i: u32| surface.points()[i as usize];
    // Counted from a point of the surface: from far away, it would be lost in rounding.
    let origin = surface.triangles().first().map_or_else(Default::default, |t| at(t[0]));
    let part = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| at(i) - origin);
        a.dot(&b.cross(&c)) / 6.0
    };
    surface.triangles().iter().map(part).sum()
}

fn area([a, b, c]: [nalgebra::Point3<f64>; 3]) -> f64 {
    (b - a).cross(&(c - a)).norm() / 2.0
}

/// Formats a volume with a suitable unit.
fn cubic(volume: f64) -> String {
    match volume {
        v if v >= 0.1 => format!("{v:.2} m³"),
        v if v >= 1e-7 => format!("{:.1} cm³", 1e6 * v),
        v if v >= 1e-12 => format!("{:.3} mm³", 1e9 * v),
        v => format!("{v:.2e} m³"),
    }
}

fn square(area: f64) -> String {
    match area {
        a if a >= 1.0 => format!("{a:.2} m²"),
        a if a >= 1e-5 => format!("{:.1} cm²", 1e4 * a),
        a if a >= 1e-9 => format!("{:.3} mm²", 1e6 * a),
        a => format!("{a:.2e} m²"),
    }
}

/// Returns the JSON of a file without findings.
#[derive(Serialize)]
struct UnreadableFile {
    usable: bool,
    error: String,
}

#[derive(Serialize)]
struct InfoFile<'a> {
    usable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    dialect: &'a str,
    holds: &'static str,
    nodes: usize,
    elements: usize,
    unit: &'static str,
    unit_from: &'static str,
    size_m: [f64; 3],
    /// Of a surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    closed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    volume_m3: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    area_m2: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skin_triangles: Option<usize>,
    fields: Vec<&'a str>,
    fields_left_out: &'a [String],
    groups_left_out: &'a [String],
    findings: Vec<FindingFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<QualityFile>,
}

#[derive(Serialize)]
struct FindingFile {
    count: usize,
    first: Vec<usize>,
    done: &'static str,
    words: String,
}

#[derive(Serialize)]
struct QualityFile {
    smallest_angle_deg: f64,
    sharpest_element: usize,
    least_radius_ratio: f64,
    flattest_element: usize,
    elements_by_smallest_angle_in_steps_of_10_deg: [usize; 8],
    elements_by_radius_ratio_in_tenths: [usize; 10],
}

fn json(
    findings: &Findings,
    opened: Option<&OpenedObject>,
    error: Option<String>,
) -> anyhow::Result<String> {
    let measures = opened.map(|opened| Measures::of(&opened.body));
    let is_solid = findings.shape == ElementShape::Tetrahedron;
    let file = InfoFile {
        usable: opened.is_some() && error.is_none(),
        error,
        dialect: &findings.dialect,
        holds: if is_solid { "solid" } else { "surface" },
        nodes: findings.n_nodes,
        elements: findings.n_elements,
        unit: findings.unit.symbol(),
        unit_from: match findings.unit_source {
            UnitSource::Told => "told",
            UnitSource::Format => "format",
            UnitSource::Remark => "file",
            UnitSource::Guessed => "guess",
        },
        size_m: findings.size,
        closed: (!is_solid && opened.is_some()).then(|| findings.is_closed_surface()),
        volume_m3: measures
            .as_ref()
            .filter(|_| is_solid || findings.is_closed_surface())
            .map(|m| m.volume),
        area_m2: measures.as_ref().map(|m| m.area),
        skin_triangles: measures.as_ref().map(|m| m.n_skin_triangles),
        fields: opened.map_or_else(Vec::new, |o| o.fields.iter().map(Field::name).collect()),
        fields_left_out: &findings.fields_left_out,
        groups_left_out: &findings.groups_left_out,
        findings: findings
            .findings
            .iter()
            .map(|finding| FindingFile {
                count: finding.count,
                first: finding.first.clone(),
                done: match finding.done {
                    FindingOutcome::Refused => "refused",
                    FindingOutcome::Turned => "turned",
                    FindingOutcome::LeftOut => "left out",
                    FindingOutcome::Joined => "joined",
                    FindingOutcome::Cut => "cut",
                    FindingOutcome::Corners => "corners only",
                    FindingOutcome::Rounded => "rounded",
                    FindingOutcome::Kept => "kept",
                },
                words: findings.words(finding),
            })
            .collect(),
        quality: findings.quality.as_ref().map(|quality| QualityFile {
            smallest_angle_deg: quality.smallest_angle.to_degrees(),
            sharpest_element: quality.sharpest,
            least_radius_ratio: quality.least_ratio,
            flattest_element: quality.flattest,
            elements_by_smallest_angle_in_steps_of_10_deg: quality.angles,
            elements_by_radius_ratio_in_tenths: quality.ratios,
        }),
    };
    Ok(serde_json::to_string_pretty(&file)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_volumes_and_areas_have_a_unit_in_which_they_can_be_read() {
        for (volume, expected) in [
            (0.25, "0.25 m³"),
            (4.85e-5, "48.5 cm³"),
            (4.85e-11, "0.049 mm³"),
            (4e-8, "40.000 mm³"),
        ] {
            assert_eq!(cubic(volume), expected);
        }
        for (area, expected) in [(0.0099, "99.0 cm²"), (8.5e-7, "0.850 mm²")] {
            assert_eq!(square(area), expected);
        }
    }
}
