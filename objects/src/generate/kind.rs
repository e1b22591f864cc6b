//! The things that can be had by name, in real sizes and with their colours.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use nalgebra::Point3;
use physics::TetMesh;

use super::lattice::{FEWEST_NODES, MOST_NODES};
use super::{BodyError, CubeError, cube, sphere, strawberry, toothpaste};

/// Something that is made by formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A soft cube with edges of 6 cm.
    Cube,
    /// A ball, 7 cm across.
    Sphere,
    /// A strawberry, 7.5 cm high: a giant, on which five fingers find room.
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

/// Why something could not be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// The cube's grid.
    #[error(transparent)]
    Cube(#[from] CubeError),
    /// The other bodies.
    #[error(transparent)]
    Body(#[from] BodyError),
}

/// A name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {0:?}, expected cube, sphere, strawberry or toothpaste")]
pub struct UnknownKind(String);

/// Makes something of about `n_nodes` nodes. A cube has as many as the nearest third power, from 8 on.
pub fn generate(kind: Kind, n_nodes: usize) -> Result<Generated, GenerateError> {
    let mesh = match kind {
        Kind::Cube => cube(kind.size(), cells_of_cube(n_nodes))?,
        Kind::Sphere => sphere(kind.size() / 2.0, n_nodes)?,
        Kind::Strawberry => strawberry(kind.size(), n_nodes)?,
        Kind::Toothpaste => toothpaste(kind.size(), n_nodes)?,
    };
    let colours = mesh.rest_positions().iter().map(|x| kind.colour(x)).collect();
    Ok(Generated { mesh, colours })
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Cube, Self::Sphere, Self::Strawberry, Self::Toothpaste];

    /// As on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cube => "cube",
            Self::Sphere => "sphere",
            Self::Strawberry => "strawberry",
            Self::Toothpaste => "toothpaste",
        }
    }

    /// How many nodes it can have: fewer cannot show the shape, more are not solved while a hand waits.
    pub fn n_nodes(self) -> RangeInclusive<usize> {
        match self {
            Self::Cube => 8..=MOST_NODES,
            Self::Sphere | Self::Strawberry | Self::Toothpaste => FEWEST_NODES..=MOST_NODES,
        }
    }

    /// Its longest extent along an axis, in metres.
    pub fn size(self) -> f64 {
        match self {
            Self::Cube => 0.06,
            Self::Sphere => 0.07,
            Self::Strawberry => 0.075,
            Self::Toothpaste => 0.14,
        }
    }

    /// Linear RGB at a rest position in metres, for any point on the skin, not only for nodes.
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

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| UnknownKind(name.to_owned()))
    }
}

/// A cube of `n` cells along an edge has `(n + 1)³` nodes.
fn cells_of_cube(n_nodes: usize) -> usize {
    ((n_nodes as f64).cbrt().round() as usize).saturating_sub(1).max(1)
}
