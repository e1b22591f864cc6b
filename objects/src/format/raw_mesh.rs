//! Content of a file, before any check.

use nalgebra::Point3;

use super::{Field, FormatError};

/// Stands for a node that the file names but does not contain.
pub const MISSING: u32 = u32::MAX;

/// Points and elements as they are in a file; elements may be inside out or flat, and may name
/// nodes that do not exist.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawMesh {
    /// Name of the dialect, such as "Gmsh 4.1, binary".
    pub dialect: String,
    /// Positions, in the file's unit.
    pub points: Vec<Point3<f64>>,
    /// Indices of four nodes, or [`MISSING`].
    pub tetrahedra: Vec<[u32; 4]>,
    /// Indices of three nodes, or [`MISSING`].
    pub triangles: Vec<[u32; 3]>,
    /// The first element that names a node that does not exist, with that name.
    pub first_missing: Option<(usize, i128)>,
    /// Numbers of ignored elements, by kind.
    pub skipped: Vec<(ElementShape, usize)>,
    /// Number of elements of higher order, of which only the corners were used.
    pub n_higher_order: usize,
    /// Number of polygons that were cut into triangles.
    pub n_cut_polygons: usize,
    /// First triangle and number of triangles of each polygon that was cut.
    pub(super) cut_polygons: Vec<(u32, u32)>,
    /// Number of bytes after the end of the content that were ignored.
    pub n_trailing_bytes: usize,
    /// Values at nodes or elements.
    pub fields: Vec<Field>,
    /// Number of integers among the values that an `f64` cannot hold exactly.
    pub n_rounded: usize,
    /// Names of the fields that were ignored.
    pub fields_left_out: Vec<String>,
    /// Names of the groups of elements that were ignored.
    pub groups_left_out: Vec<String>,
}

/// Kinds of elements in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementShape {
    /// A single node.
    Point,
    /// Two corners.
    Line,
    /// Three corners.
    Triangle,
    /// Four corners in a plane.
    Quadrangle,
    /// A plane or curved piece of a surface with any number of corners.
    Polygon,
    /// Four corners in space; the only volume that is supported.
    Tetrahedron,
    /// Eight corners.
    Hexahedron,
    /// Six corners.
    Prism,
    /// Five corners.
    Pyramid,
    /// A volume with any number of corners.
    Polyhedron,
}

/// A kind of element and its number of nodes; corners come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ElementType {
    pub(super) shape: ElementShape,
    pub(super) n_nodes: usize,
}

impl ElementShape {
    /// English name in the singular.
    pub fn singular(self) -> &'static str {
        match self {
            Self::Tetrahedron => "tetrahedron",
            Self::Hexahedron => "hexahedron",
            Self::Polyhedron => "polyhedron",
            Self::Point => "point",
            Self::Line => "line",
            Self::Triangle => "triangle",
            Self::Quadrangle => "quadrangle",
            Self::Polygon => "polygon",
            Self::Prism => "prism",
            Self::Pyramid => "pyramid",
        }
    }

    /// English name in the plural.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Point => "points",
            Self::Line => "lines",
            Self::Triangle => "triangles",
            Self::Quadrangle => "quadrangles",
            Self::Polygon => "polygons",
            Self::Tetrahedron => "tetrahedra",
            Self::Hexahedron => "hexahedra",
            Self::Prism => "prisms",
            Self::Pyramid => "pyramids",
            Self::Polyhedron => "polyhedra",
        }
    }

    /// Refuses volumes other than tetrahedra: they cannot be used, and leaving them out would make
    /// holes.
    pub(super) fn check(self) -> Result<(), FormatError> {
        match self {
            Self::Hexahedron | Self::Prism | Self::Pyramid | Self::Polyhedron => {
                Err(FormatError::Unsupported(format!(
                    "the file has {}, expected tetrahedra as the only volumes (most mesh programs \
                     can split the others)",
                    self.plural()
                )))
            }
            Self::Point
            | Self::Line
            | Self::Triangle
            | Self::Quadrangle
            | Self::Polygon
            | Self::Tetrahedron => Ok(()),
        }
    }
}

impl RawMesh {
    pub(super) fn of(dialect: impl Into<String>) -> Self {
        Self { dialect: dialect.into(), ..Self::default() }
    }

    /// Counts elements that are ignored.
    pub(super) fn skip(&mut self, shape: ElementShape, count: usize) {
        if count == 0 {
            return;
        }
        match self.skipped.iter_mut().find(|(known, _)| *known == shape) {
            Some((_, n)) => *n += count,
            None => self.skipped.push((shape, count)),
        }
    }

    /// Adds an element, given by the indices of its nodes; corners come first.
    pub(super) fn add(&mut self, kind: ElementType, nodes: &[u32]) -> Result<(), FormatError> {
        kind.shape.check()?;
        match (kind.shape, nodes) {
            (ElementShape::Tetrahedron, [a, b, c, d, rest @ ..]) => {
                self.tetrahedra.push([*a, *b, *c, *d]);
                self.n_higher_order += usize::from(!rest.is_empty());
            }
            (ElementShape::Triangle, [a, b, c, rest @ ..]) => {
                self.triangles.push([*a, *b, *c]);
                self.n_higher_order += usize::from(!rest.is_empty());
            }
            _ => self.skip(kind.shape, 1),
        }
        Ok(())
    }

    /// Adds a polygon as a fan of triangles; fewer than three corners make none. Once all points
    /// are known, [`RawMesh::cut_concave_polygons`] cuts those for which a fan is wrong.
    pub(super) fn add_polygon(&mut self, corners: &[u32]) {
        match corners {
            [] | [_] | [_, _] => self.skip(ElementShape::Line, 1),
            [first, rest @ ..] => {
                let n_before = self.triangles.len();
                self.triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
                if rest.len() > 2 {
                    self.n_cut_polygons += 1;
                    let places = (u32::try_from(n_before), u32::try_from(rest.len() - 1));
                    if let (Ok(first), Ok(count)) = places {
                        self.cut_polygons.push((first, count));
                    }
                }
            }
        }
    }

    /// Notes a field as ignored, once for each name.
    pub(super) fn leave_out(&mut self, name: &str) {
        if !self.fields_left_out.iter().any(|known| known == name) {
            self.fields_left_out.push(name.to_owned());
        }
    }

    /// Notes the first element that names a node that does not exist.
    pub(super) fn note_missing(&mut self, element: usize, name: impl Into<i128>) {
        self.first_missing.get_or_insert((element, name.into()));
    }
}
