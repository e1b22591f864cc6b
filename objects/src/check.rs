//! Checks on what a file holds, and what was done about it, in words for whoever opened it.

mod edges;
mod faces;
mod points;
mod quality;
mod solid;
mod surface;
mod unit;
mod words;

use crate::format::{Body, DuplicateNodes, FormatError, Opened, Place, RawMesh, Shape};

pub use quality::Quality;
pub use unit::{Unit, UnitSource, UnknownUnit};
pub use words::Length;

/// What is worth knowing about an object that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// The file's dialect in words, such as "Gmsh 4.1, binary".
    pub dialect: String,
    /// Nodes or points, after everything.
    pub n_nodes: usize,
    /// Tetrahedra or triangles, after everything.
    pub n_elements: usize,
    /// What an element is.
    pub shape: Shape,
    /// What the file's numbers count.
    pub unit: Unit,
    /// Who says so.
    pub unit_source: UnitSource,
    /// Sides of the box around all nodes, in metres.
    pub size: [f64; 3],
    /// The names of values that were left out.
    pub fields_left_out: Vec<String>,
    /// The names of groups of elements that were left out.
    pub groups_left_out: Vec<String>,
    /// What was found, refusals first.
    pub findings: Vec<Finding>,
    /// The shapes of the tetrahedra.
    pub quality: Option<Quality>,
}

/// One kind of thing that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What it is.
    pub what: What,
    /// How many there are.
    pub count: usize,
    /// The first of them, by their places in the file counted from 0, if they have such.
    pub first: Vec<usize>,
    /// What became of them.
    pub done: Done,
}

/// What can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Nothing to squeeze or to fill.
    Nothing,
    /// Nodes at a position that is NaN or infinite.
    NotFinite,
    /// Elements that name nodes that are not there, and the first such name.
    NoSuchNode(u64),
    /// Elements whose four nodes lie in a plane.
    Flat,
    /// Elements that are inside out, of how many.
    Inverted(usize),
    /// Elements that name a node twice.
    Collapsed,
    /// Elements with the nodes of another.
    Repeated,
    /// Elements on the same side of a face as their neighbour there.
    Overlapping,
    /// Faces that more than two elements share.
    CrowdedFaces,
    /// Nodes in the place of another.
    DuplicateNodes,
    /// Nodes that no element names.
    Unreferenced,
    /// Triangles of the file that are not on the skin of its tetrahedra.
    OffSkin,
    /// Edges that only one triangle has.
    OpenEdges,
    /// Edges that more than two triangles share.
    CrowdedEdges,
    /// Triangles that are turned against their neighbours, or inside out.
    TurnedTriangles,
    /// Edges whose two triangles cannot be turned alike, as on a Möbius strip.
    Unorientable,
    /// Parts that do not hang together.
    Parts,
    /// Elements of kinds that are of no use here.
    Skipped(Shape),
    /// Elements of higher order.
    HigherOrder,
    /// Faces with more than three corners.
    Polygons,
    /// Whole numbers among the values that were too large to keep.
    RoundedNumbers,
    /// Values at nodes or elements that were not read; the findings name them.
    Fields,
    /// Named groups of elements; the findings name them.
    Groups,
    /// A size in metres that nobody could take into a hand.
    Size,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Done {
    /// The file cannot be used because of it.
    Refused,
    /// Turned round.
    Turned,
    /// Left out.
    LeftOut,
    /// Made one.
    Joined,
    /// Cut into triangles.
    Cut,
    /// Only the corners were taken.
    Corners,
    /// Made the nearest number that can be held.
    Rounded,
    /// Nothing.
    Kept,
}

/// How many offenders are named.
const N_NAMED: usize = 5;

impl Finding {
    /// About some things, by their places in the file; `None` if there are none.
    fn of(what: What, done: Done, places: impl Iterator<Item = usize>) -> Option<Self> {
        let (mut count, mut first) = (0, Vec::new());
        for place in places {
            count += 1;
            if first.len() < N_NAMED {
                first.push(place);
            }
        }
        (count > 0).then_some(Self { what, count, first, done })
    }

    /// About so many things without places; `None` if there are none.
    fn counted(what: What, done: Done, count: usize) -> Option<Self> {
        (count > 0).then_some(Self { what, count, first: Vec::new(), done })
    }
}

/// Checks what was read; numbers become metres.
pub(crate) fn checked(
    mut raw: RawMesh,
    unit: Option<(Unit, UnitSource)>,
    duplicate_nodes: DuplicateNodes,
) -> Result<Opened, FormatError> {
    let size_in_file = points::size(&raw.points);
    let largest = size_in_file.into_iter().fold(0.0, f64::max);
    let (unit, unit_source) = unit.unwrap_or_else(|| (Unit::guess(largest), UnitSource::Guessed));
    if unit != Unit::Metre {
        raw.points.iter_mut().for_each(|x| *x *= unit.in_metres());
        // Of other values nobody knows what they count.
        for field in raw.fields.iter_mut().filter(|field| field.is_displacement()) {
            *field = field.clone().scaled(unit.in_metres());
        }
    }
    let is_solid = !raw.tetrahedra.is_empty();
    if !is_solid {
        // Triangles are cut, turned and joined, so nobody knows what would belong to which.
        for field in raw.fields.extract_if(.., |field| field.place() == Place::Elements) {
            raw.fields_left_out.push(field.name().to_owned());
        }
    }
    let mut findings = Findings {
        dialect: std::mem::take(&mut raw.dialect),
        n_nodes: raw.points.len(),
        n_elements: if is_solid { raw.tetrahedra.len() } else { raw.triangles.len() },
        shape: if is_solid { Shape::Tetrahedron } else { Shape::Triangle },
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
        let (mesh, fields) = solid::checked(raw, duplicate_nodes, &mut findings)?;
        (findings.n_nodes, findings.n_elements) = (mesh.n_nodes(), mesh.elements().len());
        (Body::Solid(mesh), fields)
    } else {
        let (surface, fields) = surface::checked(raw, &mut findings)?;
        (findings.n_nodes, findings.n_elements) =
            (surface.points().len(), surface.triangles().len());
        (Body::Surface(surface), fields)
    };
    findings.findings.sort_by_key(|finding| finding.done);
    Ok(Opened { body: body.0, fields: body.1, findings })
}

impl Findings {
    fn add(&mut self, finding: Option<Finding>) {
        self.findings.extend(finding);
    }

    /// Gives up if something must be refused.
    fn refuse(&self) -> Result<(), FormatError> {
        if self.findings.iter().all(|finding| finding.done != Done::Refused) {
            return Ok(());
        }
        let mut findings = self.clone();
        findings.findings.sort_by_key(|finding| finding.done);
        Err(FormatError::Refused(Box::new(findings)))
    }

    /// What can be seen before anything is checked.
    fn note_form(&mut self, raw: &RawMesh) {
        for (shape, count) in &raw.skipped {
            self.add(Finding::counted(What::Skipped(*shape), Done::LeftOut, *count));
        }
        self.add(Finding::counted(What::HigherOrder, Done::Corners, raw.n_higher_order));
        self.add(Finding::counted(What::Polygons, Done::Cut, raw.n_cut_polygons));
        self.add(Finding::counted(What::RoundedNumbers, Done::Rounded, raw.n_rounded));
        self.add(Finding::counted(What::Fields, Done::LeftOut, self.fields_left_out.len()));
        self.add(Finding::counted(What::Groups, Done::LeftOut, self.groups_left_out.len()));
        let is_nothing = raw.tetrahedra.is_empty() && raw.triangles.is_empty();
        self.add(Finding::counted(What::Nothing, Done::Refused, usize::from(is_nothing)));
        let not_finite = points::not_finite(&raw.points);
        self.add(Finding::of(What::NotFinite, Done::Refused, not_finite));
        let size = unit::strange_size(self.size).filter(|_| !is_nothing);
        self.add(size.map(|done| Finding { what: What::Size, count: 1, first: Vec::new(), done }));
    }

    /// Elements that name nodes that are not there.
    fn note_missing(&mut self, raw: &RawMesh) {
        let is_missing = |node: &u32| *node as usize >= raw.points.len();
        let names = raw.tetrahedra.iter().map(|nodes| &nodes[..]);
        let names = names.chain(raw.triangles.iter().map(|nodes| &nodes[..]));
        let mut missing = names.enumerate().filter(|(_, nodes)| nodes.iter().any(is_missing));
        let Some((first, nodes)) = missing.next() else { return };
        let named = nodes.iter().find(|node| is_missing(node)).copied().unwrap_or_default();
        let name = raw.first_missing.map_or(u64::from(named), |(_, name)| name);
        let places = std::iter::once(first).chain(missing.map(|(place, _)| place));
        let what = What::NoSuchNode(name);
        self.findings.extend(Finding::of(what, Done::Refused, places));
    }
}
