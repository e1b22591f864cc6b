//! Generated objects by name, with real sizes and colours.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use nalgebra::Point3;
use physics::TetMesh;

use super::lattice::{FEWEST_NODES, MOST_NODES};
use super::{BodyError, CubeError, cube, sphere, strawberry, toothpaste};

/// An object that is made by formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GeneratedKind {
    /// A soft cube with edges of 6 cm.
    Cube,
    /// A ball, 7 cm across.
    Sphere,
    /// A strawberry, 7.5 cm high: oversized, so that five fingers fit on it.
    Strawberry,
    /// A tube of toothpaste, 14 cm long.
    Toothpaste,
}

/// A mesh with colours.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// Nodes and elements, in metres.
    pub mesh: TetMesh,
    /// For each node, linear RGB between 0 and 1.
    pub colours: Vec<[f32; 3]>,
}

/// Error of `generate`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// The cube could not be made.
    #[error(transparent)]
    Cube(#[from] CubeError),
    /// One of the other bodies could not be made.
    #[error(transparent)]
    Body(#[from] BodyError),
}

/// Error for a name that no generated object has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown object {0:?}, expected cube, sphere, strawberry or toothpaste")]
pub struct UnknownKind(String);

/// Makes an object with about `n_nodes` nodes. A cube has the nearest third power, at least 8.
pub fn generate(kind: GeneratedKind, n_nodes: usize) -> Result<Generated, GenerateError> {
    let mesh = match kind {
        GeneratedKind::Cube => cube(kind.size(), cells_of_cube(n_nodes))?,
        GeneratedKind::Sphere => sphere(kind.size() / 2.0, n_nodes)?,
        GeneratedKind::Strawberry => strawberry(kind.size(), n_nodes)?,
        GeneratedKind::Toothpaste => toothpaste(kind.size(), n_nodes)?,
    };
    let colours = mesh.rest_positions().iter().map(|x| kind.colour(x)).collect();
    Ok(Generated { mesh, colours })
}

impl GeneratedKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Cube, Self::Sphere, Self::Strawberry, Self::Toothpaste];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cube => "cube",
            Self::Sphere => "sphere",
            Self::Strawberry => "strawberry",
            Self::Toothpaste => "toothpaste",
        }
    }

    /// Possible numbers of nodes: fewer cannot show the shape, more cannot be solved in real time.
    pub fn n_nodes(self) -> RangeInclusive<usize> {
        match self {
            Self::Cube => 8..=MOST_NODES,
            Self::Sphere | Self::Strawberry | Self::Toothpaste => FEWEST_NODES..=MOST_NODES,
        }
    }

    /// Longest extent along an axis, in metres.
    pub fn size(self) -> f64 {
        match self {
            Self::Cube => 0.06,
            Self::Sphere => 0.07,
            Self::Strawberry => 0.075,
            Self::Toothpaste => 0.14,
        }
    }

    /// Linear RGB at a rest position in metres; valid for any point on the skin, not only for
    /// nodes.
    pub fn colour(self, rest_position: &Point3<f64>) -> [f32; 3] {
        let x = rest_position / self.size();
        match self {
            Self::Cube => [0.55, 0.21, 0.05],
            Self::Sphere => [0.05, 0.22, 0.55],
            Self::Strawberry => super::strawberry::colour(&x),
            Self::Toothpaste => super::toothpaste::colour(&x),
        }
    }
}

impl fmt::Display for GeneratedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GeneratedKind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| UnknownKind(name.to_owned()))
    }
}

/// Cells along an edge for about `n_nodes` nodes: `n` cells give `(n + 1)³` nodes.
fn cells_of_cube(n_nodes: usize) -> usize {
    ((n_nodes as f64).cbrt().round() as usize).saturating_sub(1).max(1)
}
