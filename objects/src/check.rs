//! Checks on the contents of a file, with a report of what was found and repaired.

mod edges;
mod faces;
mod finding_text;
mod points;
mod quality;
mod tet_mesh;
mod triangle_surface;
mod unit;

use crate::format::{
    Body, DuplicateNodes, ElementShape, FieldPlace, FormatError, OpenedObject, RawMesh,
};

pub use finding_text::Length;
pub use quality::Quality;
pub use unit::{Unit, UnitSource, UnknownUnit};

/// Report on an object that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// Name of the file's dialect, such as "Gmsh 4.1, binary".
    pub dialect: String,
    /// Nodes or points, after all repairs.
    pub n_nodes: usize,
    /// Tetrahedra or triangles, after all repairs.
    pub n_elements: usize,
    /// Kind of the elements.
    pub shape: ElementShape,
    /// Unit of the file's numbers.
    pub unit: Unit,
    /// Source of the unit.
    pub unit_source: UnitSource,
    /// Sides of the box around all nodes that elements use, in metres.
    pub size: [f64; 3],
    /// Names of the fields that were left out.
    pub fields_left_out: Vec<String>,
    /// Names of the groups of elements that were left out.
    pub groups_left_out: Vec<String>,
    /// All findings, refusals first.
    pub findings: Vec<Finding>,
    /// Shapes of the tetrahedra; `None` for a surface.
    pub quality: Option<Quality>,
}

/// One kind of finding, with its count.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Kind of the finding.
    pub what: FindingKind,
    /// Number of offenders.
    pub count: usize,
    /// First offenders, by their position in the file counted from 0; empty if they have none.
    pub first: Vec<usize>,
    /// Treatment of the offenders.
    pub done: FindingOutcome,
}

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingKind {
    /// No elements at all.
    Nothing,
    /// Nodes with a coordinate that is NaN or infinite.
    NotFinite,
    /// Elements that name nodes that do not exist, with the first such name.
    NoSuchNode(i128),
    /// Elements whose four nodes lie in a plane.
    Flat,
    /// Elements that are inside out, with the number of all elements.
    Inverted(usize),
    /// Elements that name a node twice.
    Collapsed,
    /// Elements with the same nodes as another element.
    Repeated,
    /// Elements on the same side of a face as their neighbour there.
    Overlapping,
    /// Faces that more than two elements share.
    CrowdedFaces,
    /// Nodes at the same position as another node.
    DuplicateNodes,
    /// Nodes that no element names.
    Unreferenced,
    /// Triangles of the file that are not on the skin of its tetrahedra.
    OffSkin,
    /// Edges that belong to one triangle only.
    OpenEdges,
    /// Edges that more than two triangles share.
    CrowdedEdges,
    /// Triangles that are oriented against their neighbours, or inside out.
    TurnedTriangles,
    /// Edges whose two triangles cannot be oriented alike, as on a Möbius strip.
    Unorientable,
    /// Parts that are not connected.
    Parts,
    /// Parts that meet only in this node or in an edge there, with an element of each: a solver
    /// refuses them.
    Hinge {
        /// The node.
        node: u32,
        /// One element of each part, by its position in the file.
        elements: [u32; 2],
    },
    /// Bytes after the content of the file.
    TrailingBytes,
    /// Elements of kinds that are not used here.
    Skipped(ElementShape),
    /// Elements of higher order.
    HigherOrder,
    /// Faces with more than three corners.
    Polygons,
    /// Integers among the values that were too large to be represented exactly.
    RoundedNumbers,
    /// Fields that were not read; `Findings::fields_left_out` names them.
    Fields,
    /// Named groups of elements; `Findings::groups_left_out` names them.
    Groups,
    /// An unlikely size.
    Size,
}

/// Treatment of the offenders of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingOutcome {
    /// Nothing; the file cannot be used because of it.
    Refused,
    /// The orientation was reversed.
    Turned,
    /// The offenders were left out.
    LeftOut,
    /// The offenders were joined into one.
    Joined,
    /// The faces were cut into triangles.
    Cut,
    /// Only the corners were used.
    Corners,
    /// Rounded to the nearest number that can be represented.
    Rounded,
    /// Nothing; the offenders were kept.
    Kept,
}

/// Number of offenders that are listed.
const N_NAMED: usize = 5;

impl Finding {
    /// Finding about offenders at these positions in the file; `None` if there are none.
    fn of(
        what: FindingKind,
        done: FindingOutcome,
        places: impl Iterator<Item = usize>,
    ) -> Option<Self> {
        let (mut count, mut first) = (0, Vec::new());
        for place in places {
            count += 1;
            if first.len() < N_NAMED {
                first.push(place);
            }
        }
        (count > 0).then_some(Self { what, count, first, done })
    }

    /// Finding about `count` offenders without positions; `None` if there are none.
    fn counted(what: FindingKind, done: FindingOutcome, count: usize) -> Option<Self> {
        (count > 0).then_some(Self { what, count, first: Vec::new(), done })
    }
}

/// Checks a mesh that was read, and converts its numbers to metres.
pub(crate) fn checked(
    mut raw: RawMesh,
    unit: Option<(Unit, UnitSource)>,
    duplicate_nodes: DuplicateNodes,
) -> Result<OpenedObject, FormatError> {
    let is_solid = !raw.tetrahedra.is_empty();
    // Points that no element uses may be anywhere, and tell nothing about the object.
    let is_used = match is_solid {
        true => points::used(raw.points.len(), raw.tetrahedra.iter()),
        false => points::used(raw.points.len(), raw.triangles.iter()),
    };
    let used = raw.points.iter().zip(&is_used).filter(|(_, is_used)| **is_used).map(|(x, _)| x);
    let size_in_file = points::size(used);
    drop(is_used);
    let largest = size_in_file.into_iter().fold(0.0, f64::max);
    let (unit, unit_source) = unit.unwrap_or_else(|| (Unit::guess(largest), UnitSource::Guessed));
    if unit != Unit::Metre {
        raw.points.iter_mut().for_each(|x| *x *= unit.in_metres());
        // The units of other fields are unknown, so they stay as they are.
        for field in raw.fields.iter_mut().filter(|field| field.is_displacement()) {
            *field = field.clone().scaled(unit.in_metres());
        }
    }
    if !is_solid {
        // Triangles are cut, turned and joined: their values could no longer be assigned.
        for field in raw.fields.extract_if(.., |field| field.place() == FieldPlace::Elements) {
            raw.fields_left_out.push(field.name().to_owned());
        }
    }
    let mut findings = Findings {
        dialect: std::mem::take(&mut raw.dialect),
        n_nodes: raw.points.len(),
        n_elements: if is_solid { raw.tetrahedra.len() } else { raw.triangles.len() },
        shape: if is_solid { ElementShape::Tetrahedron } else { ElementShape::Triangle },
        unit,
        unit_source,
        size: size_in_file.map(|side| side * unit.in_metres()),
        fields_left_out: std::mem::take(&mut raw.fields_left_out),
        groups_left_out: std::mem::take(&mut raw.groups_left_out),
        findings: Vec::new(),
        quality: None,
    };
    findings.note_form(&raw);
    let body = if is_solid {
        let (mesh, fields) = tet_mesh::checked(raw, duplicate_nodes, &mut findings)?;
        (findings.n_nodes, findings.n_elements) = (mesh.n_nodes(), mesh.elements().len());
        (Body::Solid(mesh), fields)
    } else {
        let (surface, fields) = triangle_surface::checked(raw, &mut findings)?;
        (findings.n_nodes, findings.n_elements) =
            (surface.points().len(), surface.triangles().len());
        (Body::Surface(surface), fields)
    };
    findings.findings.sort_by_key(|finding| finding.done);
    Ok(OpenedObject { body: body.0, fields: body.1, findings })
}

impl Findings {
    fn add(&mut self, finding: Option<Finding>) {
        self.findings.extend(finding);
    }

    /// The reason why a solver refuses the object although it can be read, if there is one.
    pub fn unsolvable(&self) -> Option<String> {
        let is_hinge = |finding: &&Finding| matches!(finding.what, FindingKind::Hinge { .. });
        self.findings.iter().find(is_hinge).map(|hinge| self.words(hinge))
    }

    /// True if a surface is closed: it has no open edges, at no edge meet more than two of its
    /// triangles, and it has an outside.
    pub fn is_closed_surface(&self) -> bool {
        let opens = |finding: &Finding| {
            matches!(
                finding.what,
                FindingKind::OpenEdges | FindingKind::CrowdedEdges | FindingKind::Unorientable
            )
        };
        self.shape == ElementShape::Triangle && !self.findings.iter().any(opens)
    }

    /// Returns an error if one of the findings is a refusal.
    fn refuse(&self) -> Result<(), FormatError> {
        if self.findings.iter().all(|finding| finding.done != FindingOutcome::Refused) {
            return Ok(());
        }
        let mut findings = self.clone();
        findings.findings.sort_by_key(|finding| finding.done);
        Err(FormatError::Refused(Box::new(findings)))
    }

    /// Adds the findings that need no check of the elements.
    fn note_form(&mut self, raw: &RawMesh) {
        for (shape, count) in &raw.skipped {
            self.add(Finding::counted(
                FindingKind::Skipped(*shape),
                FindingOutcome::LeftOut,
                *count,
            ));
        }
        self.add(Finding::counted(
            FindingKind::HigherOrder,
            FindingOutcome::Corners,
            raw.n_higher_order,
        ));
        self.add(Finding::counted(FindingKind::Polygons, FindingOutcome::Cut, raw.n_cut_polygons));
        self.add(Finding::counted(
            FindingKind::TrailingBytes,
            FindingOutcome::LeftOut,
            raw.n_trailing_bytes,
        ));
        self.add(Finding::counted(
            FindingKind::RoundedNumbers,
            FindingOutcome::Rounded,
            raw.n_rounded,
        ));
        self.add(Finding::counted(
            FindingKind::Fields,
            FindingOutcome::LeftOut,
            self.fields_left_out.len(),
        ));
        self.add(Finding::counted(
            FindingKind::Groups,
            FindingOutcome::LeftOut,
            self.groups_left_out.len(),
        ));
        let is_nothing = raw.tetrahedra.is_empty() && raw.triangles.is_empty();
        self.add(Finding::counted(
            FindingKind::Nothing,
            FindingOutcome::Refused,
            usize::from(is_nothing),
        ));
        let not_finite = points::not_finite(&raw.points);
        self.add(Finding::of(FindingKind::NotFinite, FindingOutcome::Refused, not_finite));
        let size = unit::strange_size(self.size).filter(|_| !is_nothing);
        self.add(size.map(|done| Finding {
            what: FindingKind::Size,
            count: 1,
            first: Vec::new(),
            done,
        }));
    }

    /// Adds a finding about elements that name nodes that do not exist.
    fn note_missing(&mut self, raw: &RawMesh) {
        let is_missing = |node: &u32| *node as usize >= raw.points.len();
        let names = raw.tetrahedra.iter().map(|nodes| &nodes[..]);
        let names = names.chain(raw.triangles.iter().map(|nodes| &nodes[..]));
        let mut missing = names.enumerate().filter(|(_, nodes)| nodes.iter().any(is_missing));
        let Some((first, nodes)) = missing.next() else { return };
        let named = nodes.iter().find(|node| is_missing(node)).copied().unwrap_or_default();
        let name = raw.first_missing.map_or(i128::from(named), |(_, name)| name);
        let places = std::iter::once(first).chain(missing.map(|(place, _)| place));
        let what = FindingKind::NoSuchNode(name);
        self.findings.extend(Finding::of(what, FindingOutcome::Refused, places));
    }
}
