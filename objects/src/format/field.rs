//! Values at nodes and elements that go along with an object.

use nalgebra::Vector3;

/// A named quantity at every node or element.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    name: String,
    place: Place,
    n_components: usize,
    values: Vec<f64>,
}

/// The name of the field that holds colours.
const COLOUR: &str = "colour";
/// The name of the field that holds how far nodes have moved.
const DISPLACEMENT: &str = "displacement";

/// Where the values of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// One for each node.
    Nodes,
    /// One for each element.
    Elements,
}

/// Why values are not a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// Values come in rows of as many components.
    #[error("{n_values} values do not make rows of {n_components}")]
    Rows {
        /// All of them.
        n_values: usize,
        /// In a row.
        n_components: usize,
    },
}

impl Field {
    /// Takes rows of `n_components` values each.
    pub fn new(
        name: impl Into<String>,
        place: Place,
        n_components: usize,
        values: Vec<f64>,
    ) -> Result<Self, FieldError> {
        if n_components == 0 || !values.len().is_multiple_of(n_components) {
            return Err(FieldError::Rows { n_values: values.len(), n_components });
        }
        Ok(Self { name: name.into(), place, n_components, values })
    }

    /// A vector at each node, such as a displacement (m) or a reaction (N).
    pub fn nodal_vectors(name: impl Into<String>, vectors: &[Vector3<f64>]) -> Self {
        let values = vectors.iter().flat_map(|vector| [vector.x, vector.y, vector.z]).collect();
        Self { name: name.into(), place: Place::Nodes, n_components: 3, values }
    }

    /// The stress in each element, in Pa, from the order `[xx, yy, zz, yz, xz, xy]` of `physics` to
    /// `[xx, yy, zz, xy, yz, xz]`, which is VTK's.
    pub fn stress(stresses: &[[f64; 6]]) -> Self {
        let values = stresses
            .iter()
            .flat_map(|&[xx, yy, zz, yz, xz, xy]| [xx, yy, zz, xy, yz, xz])
            .collect();
        Self { name: "stress".to_owned(), place: Place::Elements, n_components: 6, values }
    }

    /// Linear red, green and blue of each node, between 0 and 1.
    pub fn colours(colours: &[[f32; 3]]) -> Self {
        let values = colours.as_flattened().iter().map(|share| f64::from(*share)).collect();
        Self { name: COLOUR.to_owned(), place: Place::Nodes, n_components: 3, values }
    }

    /// The colours, if that is what it is.
    pub fn as_colours(&self) -> Option<Vec<[f32; 3]>> {
        let is_colour = (self.name.as_str(), self.place, self.n_components)
            == (COLOUR, Place::Nodes, 3)
            && self.values.iter().all(|share| (0.0..=1.0).contains(share));
        let rows = self.values.as_chunks().0.iter();
        is_colour.then(|| rows.map(|rgb: &[f64; 3]| rgb.map(|share| share as f32)).collect())
    }

    /// Whether it holds lengths, which count what the points count.
    pub fn is_displacement(&self) -> bool {
        (self.name.as_str(), self.place, self.n_components) == (DISPLACEMENT, Place::Nodes, 3)
    }

    /// Whether a file can hold its name.
    pub fn has_fit_name(&self) -> bool {
        !self.name.is_empty() && !self.name.contains(char::is_control)
    }

    /// With all values multiplied.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.values.iter_mut().for_each(|value| *value *= factor);
        self
    }

    /// What it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Values in a row.
    pub fn n_components(&self) -> usize {
        self.n_components
    }

    /// Row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.values.len() / self.n_components
    }

    /// The rows with these numbers only, which must be there.
    pub(crate) fn rows(&self, rows: impl Iterator<Item = usize>) -> Self {
        let n = self.n_components;
        let values = rows.flat_map(|row| &self.values[n * row..n * (row + 1)]).copied().collect();
        Self { name: self.name.clone(), place: self.place, n_components: n, values }
    }

    /// Appends the rows of a field of the same name, place and width.
    pub(super) fn append(&mut self, other: &Self) {
        self.values.extend_from_slice(&other.values);
    }
}
