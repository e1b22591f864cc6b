//! Objects that are measured: a body in a size, or a file, with fingers on it.

use std::fmt;
use std::str::FromStr;

use nalgebra::{Point3, Vector3};
use objects::generate::{self, BodyError, CubeError};
use physics::material::IsotropicElastic;
use physics::{KnownDisplacement, NodeId, SolidSpec, SpecError, TetMesh, Touch};

/// Bodies made by formula, 10 cm long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// A ball.
    Sphere,
    /// An irregular body.
    Blob,
    /// A cube on a regular grid.
    Cube,
}

/// An object to measure.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Name in tables.
    pub name: String,
    /// Mesh of the object.
    pub mesh: TetMesh,
    /// Material: a usual soft one.
    pub material: IsotropicElastic,
    /// Nodes on the surface, ascending.
    pub surface: Vec<NodeId>,
    centre: Point3<f64>,
    /// Distance from the centre to the farthest node.
    radius: f64,
}

/// Error of making an object.
#[derive(Debug, thiserror::Error)]
pub enum SubjectError {
    /// No body has that name.
    #[error("unknown body {0:?}, expected sphere, blob or cube")]
    UnknownBody(String),
    /// The body cannot be made in that size.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The cube cannot be made in that size.
    #[error(transparent)]
    Cube(#[from] CubeError),
    /// The object cannot be solved.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

impl FromStr for Body {
    type Err = SubjectError;

    fn from_str(name: &str) -> Result<Self, SubjectError> {
        match name {
            "sphere" => Ok(Self::Sphere),
            "blob" => Ok(Self::Blob),
            "cube" => Ok(Self::Cube),
            _ => Err(SubjectError::UnknownBody(name.to_owned())),
        }
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Sphere => "sphere",
            Self::Blob => "blob",
            Self::Cube => "cube",
        })
    }
}

impl Subject {
    /// A body with about `n_nodes` nodes.
    pub fn body(body: Body, n_nodes: usize) -> Result<Self, SubjectError> {
        let mesh = match body {
            Body::Sphere => generate::sphere(0.05, n_nodes)?,
            Body::Blob => generate::blob(0.1, n_nodes)?,
            Body::Cube => {
                let cells = (n_nodes as f64).cbrt().round() as usize;
                generate::cube(0.1, cells.saturating_sub(1).max(1))?
            }
        };
        Ok(Self::new(body.to_string(), mesh))
    }

    /// A given object, if it can be solved.
    pub fn own(name: String, mesh: TetMesh) -> Result<Self, SubjectError> {
        let subject = Self::new(name, mesh);
        subject.spec()?;
        Ok(subject)
    }

    fn new(name: String, mesh: TetMesh) -> Self {
        let positions = mesh.rest_positions();
        let sum: Vector3<f64> = positions.iter().map(|x| x.coords).sum();
        let centre = Point3::from(sum / positions.len().max(1) as f64);
        let radius = positions.iter().map(|x| (x - centre).norm()).fold(0.0, f64::max);
        let material = IsotropicElastic::new(1e5, 0.3).expect("an ordinary soft material");
        let surface = mesh.surface().topology.nodes.clone();
        Self { name, mesh, material, surface, centre, radius }
    }

    /// Description for the solver: without supports, held by the fingers only.
    pub fn spec(&self) -> Result<SolidSpec, SpecError> {
        SolidSpec::new(self.mesh.clone(), self.material, Vec::new())
    }

    /// Nodes under five fingertips, a few neighbours each, spread over the surface.
    pub fn fingers(&self, n_nodes: usize, shift: usize) -> Vec<NodeId> {
        let n = self.surface.len();
        let mut nodes: Vec<NodeId> = (0..n_nodes.min(n))
            .map(|i| self.surface[(shift + (i % 5) * n / 5 + i / 5) % n])
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// A squeeze of these nodes towards the centre, slightly different for each `step`.
    pub fn squeeze(&self, nodes: &[NodeId], step: usize) -> Touch {
        let depth = self.radius * (0.02 + 2e-5 * (step % 1000) as f64);
        let aside = 0.002 * self.radius * Vector3::z();
        let known = nodes
            .iter()
            .map(|&node| {
                let from_centre = self.mesh.rest_positions()[node.index()] - self.centre;
                let outward = from_centre.try_normalize(1e-12).unwrap_or_else(Vector3::zeros);
                KnownDisplacement::whole(node, aside - depth * outward)
            })
            .collect();
        Touch { known, ..Touch::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_about_as_many_nodes_as_asked() {
        for body in [Body::Sphere, Body::Blob, Body::Cube] {
            let subject = Subject::body(body, 216).unwrap();
            let n_nodes = subject.mesh.n_nodes();
            assert!((170..270).contains(&n_nodes), "{body}: {n_nodes}");
            assert_eq!(subject.name.parse::<Body>().unwrap(), body);
        }
        assert_eq!(Subject::body(Body::Cube, 216).unwrap().mesh.n_nodes(), 216);
        assert!("pyramid".parse::<Body>().is_err());
    }

    #[test]
    fn a_squeeze_presses_inwards_and_never_too_far() {
        let subject = Subject::body(Body::Sphere, 100).unwrap();
        let nodes = subject.fingers(15, 0);
        assert_eq!(nodes.len(), 15);
        for known in subject.squeeze(&nodes, 7).known {
            let x = subject.mesh.rest_positions()[known.node.index()].coords;
            let u = known.vector();
            assert!(u.dot(&x) < 0.0 && u.norm() < 0.05 * x.norm(), "{u}");
        }
    }
}
