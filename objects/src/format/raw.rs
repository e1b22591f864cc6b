//! What a reader found in a file, before anything is checked.

use nalgebra::Point3;

use super::{Field, FormatError};

/// Stands for a node that the file names but does not have.
pub const MISSING: u32 = u32::MAX;

/// Points and elements as a file has them: inside out or flat ones too, and names of nodes that do not exist.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawMesh {
    /// The dialect in words, such as "Gmsh 4.1, binary".
    pub dialect: String,
    /// In the file's unit.
    pub points: Vec<Point3<f64>>,
    /// Places of four nodes among the points, or [`MISSING`].
    pub tetrahedra: Vec<[u32; 4]>,
    /// Places of three nodes among the points, or [`MISSING`].
    pub triangles: Vec<[u32; 3]>,
    /// The first element that names a node that is not there, and that name.
    pub first_missing: Option<(usize, u64)>,
    /// What was passed over, by kind.
    pub skipped: Vec<(Shape, usize)>,
    /// Elements of higher order, of which only the corners were taken.
    pub n_higher_order: usize,
    /// Polygons that were cut into triangles.
    pub n_cut_polygons: usize,
    /// Values at nodes or elements that came along.
    pub fields: Vec<Field>,
    /// Whole numbers among the values that an `f64` cannot hold.
    pub n_rounded: usize,
    /// The names of values that were passed over.
    pub fields_left_out: Vec<String>,
    /// The names of groups of elements that were passed over.
    pub groups_left_out: Vec<String>,
}

/// The kinds of elements that files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A single node.
    Point,
    /// Two corners.
    Line,
    /// Three corners.
    Triangle,
    /// Four corners in a plane.
    Quadrangle,
    /// A plane or surface piece of any number of corners.
    Polygon,
    /// What can be squeezed.
    Tetrahedron,
    /// Eight corners.
    Hexahedron,
    /// Six corners.
    Prism,
    /// Five corners.
    Pyramid,
    /// A volume of any number of corners.
    Polyhedron,
}

/// A kind of element with its nodes; corners come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ElementType {
    pub(super) shape: Shape,
    pub(super) n_nodes: usize,
}

impl Shape {
    /// In words, as a plural.
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

    /// Volumes other than tetrahedra cannot be left out without a hole, nor used.
    pub(super) fn check(self) -> Result<(), FormatError> {
        match self {
            Self::Hexahedron | Self::Prism | Self::Pyramid | Self::Polyhedron => {
                Err(FormatError::Unsupported(format!(
                    "the file has {}, expected tetrahedra as the only volumes (most mesh programs can \
                     split the others)",
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

    /// Counts elements that are of no use here.
    pub(super) fn skip(&mut self, shape: Shape, count: usize) {
        if count == 0 {
            return;
        }
        match self.skipped.iter_mut().find(|(known, _)| *known == shape) {
            Some((_, n)) => *n += count,
            None => self.skipped.push((shape, count)),
        }
    }

    /// Takes an element by the places of its nodes; corners come first.
    pub(super) fn add(&mut self, kind: ElementType, nodes: &[u32]) -> Result<(), FormatError> {
        kind.shape.check()?;
        match (kind.shape, nodes) {
            (Shape::Tetrahedron, [a, b, c, d, rest @ ..]) => {
                self.tetrahedra.push([*a, *b, *c, *d]);
                self.n_higher_order += usize::from(!rest.is_empty());
            }
            (Shape::Triangle, [a, b, c, rest @ ..]) => {
                self.triangles.push([*a, *b, *c]);
                self.n_higher_order += usize::from(!rest.is_empty());
            }
            _ => self.skip(kind.shape, 1),
        }
        Ok(())
    }

    /// Takes a polygon as a fan of triangles; fewer than three corners make none.
    pub(super) fn add_polygon(&mut self, corners: &[u32]) {
        match corners {
            [] | [_] | [_, _] => self.skip(Shape::Line, 1),
            [first, rest @ ..] => {
                self.triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
                self.n_cut_polygons += usize::from(rest.len() > 2);
            }
        }
    }

    /// Notes values that are passed over, once for each name.
    pub(super) fn leave_out(&mut self, name: &str) {
        if !self.fields_left_out.iter().any(|known| known == name) {
            self.fields_left_out.push(name.to_owned());
        }
    }

    /// Remembers the first element that names what is not there.
    pub(super) fn note_missing(&mut self, element: usize, name: u64) {
        self.first_missing.get_or_insert((element, name));
    }
}
