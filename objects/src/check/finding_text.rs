//! Findings as sentences for the user.

use std::fmt::{self, Display, Formatter, Write};

use physics::{ElementId, NodeId, SpecError};

use super::{Finding, FindingKind, FindingOutcome, Findings, Quality, Unit, UnitSource};
use crate::format::ElementShape;

/// Number of names of lost items that are listed: more than of offenders, because no other place
/// shows them.
const N_NAMED_ALL: usize = 20;

impl Display for Findings {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let nodes = if self.shape == ElementShape::Tetrahedron { "nodes" } else { "points" };
        let [x, y, z] = self.size.map(|side| Length(side).to_string());
        write!(
            f,
            "{}: {} {nodes}, {} {}, {x} by {y} by {z} (numbers taken as {}, {})",
            self.dialect,
            self.n_nodes,
            self.n_elements,
            match (self.n_elements, self.shape) {
                (1, ElementShape::Tetrahedron) => "tetrahedron",
                (1, _) => "triangle",
                _ => self.shape.plural(),
            },
            self.unit.plural(),
            match self.unit_source {
                UnitSource::Told => "as given",
                UnitSource::Format => "as the format defines",
                UnitSource::Remark => "as the file says",
                UnitSource::Guessed => "guessed from the size",
            }
        )?;
        if self.unit_source == UnitSource::Guessed && self.unit == Unit::Centimetre {
            // Both fit into a hand.
            let longest = self.size.into_iter().fold(0.0, f64::max);
            let factor = Unit::Millimetre.in_metres() / self.unit.in_metres();
            let other = Length(longest * factor);
            write!(
                f,
                "\n- its numbers may also be millimetres; then it is {other} across: --unit mm or \
                 --unit cm says which"
            )?;
        }
        for finding in &self.findings {
            write!(f, "\n- {}", self.words(finding))?;
        }
        match &self.quality {
            Some(quality) => write!(f, "\n- {quality}"),
            None => Ok(()),
        }
    }
}

impl Findings {
    /// All findings, one sentence each.
    pub fn in_words(&self) -> impl Iterator<Item = String> {
        self.findings.iter().map(|finding| self.words(finding))
    }

    /// Reasons why the file was refused, as one line.
    pub fn refusal(&self) -> String {
        let refused =
            self.findings.iter().filter(|finding| finding.done == FindingOutcome::Refused);
        refused.map(|finding| self.words(finding)).collect::<Vec<_>>().join("; ")
    }

    /// One finding as a line of text.
    pub fn words(&self, finding: &Finding) -> String {
        let Finding { what, count, first, done } = finding;
        let element =
            if self.shape == ElementShape::Tetrahedron { "tetrahedron" } else { "triangle" };
        let elements = if *count == 1 { element } else { self.shape.plural() };
        let nodes = if *count == 1 { "node" } else { "nodes" };
        let [s, is, has] = if *count == 1 { ["", "is", "has"] } else { ["s", "are", "have"] };
        let places = places(first, *count);
        match what {
            FindingKind::Nothing => "there are neither tetrahedra nor triangles to use".to_owned(),
            FindingKind::NotFinite => format!(
                "{count} {nodes}{places} {has} no valid position: coordinates are NaN, infinite or \
                 beyond 1e38 m"
            ),
            FindingKind::NoSuchNode(name) => format!(
                "{count} {elements}{places} name{} nodes that do not exist, first {name}",
                if *count == 1 { "s" } else { "" }
            ),
            FindingKind::Flat => format!(
                "{count} {elements}{places} {is} flat: without volume there is nothing to squeeze; \
                 mesh it again"
            ),
            FindingKind::Inverted(n) if n == count => format!(
                "all {count} tetrahedra were inside out, as some programs number them; turned round"
            ),
            FindingKind::Inverted(n) => format!(
                "{count} of {n} tetrahedra{places} {} inside out; turned round",
                if *count == 1 { "was" } else { "were" }
            ),
            FindingKind::Collapsed => format!(
                "{count} {elements}{places} named a {} twice; left out",
                if self.shape == ElementShape::Tetrahedron { "node" } else { "point" }
            ),
            FindingKind::Repeated => {
                format!("{count} {elements}{places} repeated others; left out")
            }
            FindingKind::Overlapping => format!(
                "{count} {elements}{places} overlap{} a neighbour: the mesh is tangled there",
                if *count == 1 { "s" } else { "" }
            ),
            FindingKind::CrowdedFaces => {
                format!(
                    "{count} face{s} {is} shared by more than two tetrahedra: the mesh is tangled \
                     there"
                )
            }
            FindingKind::DuplicateNodes => match done {
                FindingOutcome::Joined => {
                    format!(
                        "{count} {nodes}{places} at the same position as others; joined with them"
                    )
                }
                _ => format!(
                    "{count} {nodes}{places} at the same position as others; kept apart, so the \
                     elements there are not connected"
                ),
            },
            FindingKind::Unreferenced => match done {
                FindingOutcome::LeftOut => {
                    format!("{count} {nodes}{places} that no element uses; left out")
                }
                _ => format!(
                    "{count} {nodes}{places} that no element uses; kept, so that the numbers of \
                     nodes do not change"
                ),
            },
            FindingKind::OffSkin => format!(
                "{count} triangle{s}{places} of the file {is} not on the skin of the tetrahedra; \
                 left out"
            ),
            FindingKind::OpenEdges => format!(
                "{count} open edge{s}: the surface has holes, and filling it has to guess how to \
                 close them"
            ),
            FindingKind::CrowdedEdges => {
                format!("{count} edge{s} at which more than two triangles of the surface meet")
            }
            FindingKind::TurnedTriangles => format!(
                "{count} of {} triangles{places} were the wrong way round; turned",
                self.n_elements.max(*count)
            ),
            FindingKind::Unorientable => {
                format!("{count} edge{s} at which the surface has neither an outside nor an inside")
            }
            FindingKind::Parts if self.shape == ElementShape::Triangle => format!(
                "{count} shells that are not connected: filling unites those that overlap or lie \
                 inside each other, unless the inner one faces inward and makes a hollow"
            ),
            FindingKind::Parts => format!("{count} separate parts"),
            FindingKind::Hinge { node, elements } => {
                let elements = elements.map(ElementId);
                SpecError::Hinge { node: NodeId(*node), elements }.to_string()
            }
            FindingKind::TrailingBytes => {
                format!("{count} byte{s} after the last triangle; left out")
            }
            FindingKind::Skipped(shape) => {
                let shapes = if *count == 1 { shape.singular() } else { shape.plural() };
                format!("{count} {shapes} left out")
            }
            FindingKind::HigherOrder => format!(
                "{count} element{s} of second or higher order; only corners were used, so edges \
                 become straight"
            ),
            FindingKind::Polygons => {
                format!("{count} face{s} with more than three corners; cut into triangles")
            }
            FindingKind::RoundedNumbers => format!(
                "{count} whole number{s} among the values cannot be held exactly; rounded to the \
                 nearest floating-point number"
            ),
            FindingKind::Fields => {
                format!("{count} kind{s} of values left out: {}", names(&self.fields_left_out))
            }
            FindingKind::Groups => {
                format!("{count} physical group{s} left out: {}", names(&self.groups_left_out))
            }
            FindingKind::Size => format!(
                "{} across {}: {}",
                Length(self.size.into_iter().fold(0.0, f64::max)),
                if *done == FindingOutcome::Refused {
                    "cannot be right"
                } else {
                    "is unusual for something to squeeze"
                },
                match self.unit_source {
                    UnitSource::Guessed => "say which unit the numbers are in",
                    UnitSource::Told | UnitSource::Format | UnitSource::Remark => {
                        "is the unit right?"
                    }
                }
            ),
        }
    }
}

impl Quality {
    /// Both histograms as a small text chart, one line for each step.
    pub fn chart(&self) -> String {
        const WIDEST: usize = 40;
        let angles =
            (0..8).map(|i| (format!("{:>3} to {:>2} °", 10 * i, 10 * (i + 1)), self.angles[i]));
        let ratios = (0..10).map(|i| {
            (format!("{:.1} to {:.1}", i as f64 / 10.0, (i + 1) as f64 / 10.0), self.ratios[i])
        });
        let mut chart = String::new();
        for (title, steps) in [
            (
                "smallest dihedral angle of a tetrahedron (70.5 in a regular one)",
                angles.collect::<Vec<_>>(),
            ),
            ("radius ratio (1 in a regular one)", ratios.collect()),
        ] {
            let most = steps.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
            // Empty steps at both ends are left out.
            let is_any = |(_, count): &(String, usize)| *count > 0;
            let first = steps.iter().position(is_any).unwrap_or(0);
            let last = steps.iter().rposition(is_any).map_or(first, |last| last + 1);
            // Writing to a string cannot fail.
            let _ = writeln!(chart, "{title}");
            for (step, count) in &steps[first..last] {
                // Rounded up, so that every step with a count shows at least one mark.
                let width = (count * WIDEST).div_ceil(most);
                let _ = writeln!(chart, "  {step}  {:<WIDEST$} {count}", "#".repeat(width));
            }
        }
        chart
    }
}

impl Display for Quality {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let n: usize = self.angles.iter().sum();
        write!(
            f,
            "smallest dihedral angle {:.1} degrees (tetrahedron {}), {} of {n} below 10; least \
             radius ratio {:.3} (tetrahedron {}), {} of {n} below 0.1",
            self.smallest_angle.to_degrees(),
            self.sharpest,
            self.angles[0],
            self.least_ratio,
            self.flattest,
            self.ratios[0],
        )
    }
}

/// A length in metres, shown in a unit that fits its size.
pub struct Length(pub f64);

impl Display for Length {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            0.0 => write!(f, "0 m"),
            metres if !(1e-6..1e6).contains(&metres) => write!(f, "{metres:.1e} m"),
            metres if metres >= 1.0 => write!(f, "{metres:.2} m"),
            metres if metres >= 1e-3 => write!(f, "{:.1} mm", 1e3 * metres),
            metres if metres >= 1e-4 => write!(f, "{:.2} mm", 1e3 * metres),
            metres => write!(f, "{:.1} µm", 1e6 * metres),
        }
    }
}

/// First names of a list. Control characters are escaped: names in a file may contain anything,
/// also terminal commands.
fn names(names: &[String]) -> String {
    let (shown, more) = names.split_at(names.len().min(N_NAMED_ALL));
    let shown: Vec<String> = shown.iter().map(|name| name.escape_debug().to_string()).collect();
    let more = if more.is_empty() { "" } else { ", ..." };
    format!("{}{more}", shown.join(", "))
}

/// First offenders in brackets.
fn places(first: &[usize], count: usize) -> String {
    if first.is_empty() {
        return String::new();
    }
    let names: Vec<String> = first.iter().map(usize::to_string).collect();
    let more = if count > first.len() { ", ..." } else { "" };
    format!(" ({}{more})", names.join(", "))
}
