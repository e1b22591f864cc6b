//! Values at nodes and elements that go along with an object.

use nalgebra::Vector3;

/// A named quantity at every node or element.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    name: String,
    place: Place,
    n_components: usize,
    /// As many as there are components, or none.
    component_names: Vec<String>,
    /// What the file had them as.
    numbers: Numbers,
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

/// What values are in a file. Inside, all are `f64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numbers {
    /// Floating-point numbers.
    #[default]
    Floating,
    /// Whole numbers.
    Whole,
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
        Ok(Self::of(name.into(), place, n_components, values))
    }

    /// A vector at each node, such as a displacement (m) or a reaction (N).
    pub fn nodal_vectors(name: impl Into<String>, vectors: &[Vector3<f64>]) -> Self {
        let values = vectors.iter().flat_map(|vector| [vector.x, vector.y, vector.z]).collect();
        Self::of(name.into(), Place::Nodes, 3, values)
    }

    /// The stress in each element, in Pa, from the order `[xx, yy, zz, yz, xz, xy]` of `physics` to
    /// `[xx, yy, zz, xy, yz, xz]`, which is VTK's and is written down as the names of the components.
    pub fn stress(stresses: &[[f64; 6]]) -> Self {
        let values = stresses
            .iter()
            .flat_map(|&[xx, yy, zz, yz, xz, xy]| [xx, yy, zz, xy, yz, xz])
            .collect();
        Self::of("stress".to_owned(), Place::Elements, 6, values)
            .with_component_names(["xx", "yy", "zz", "xy", "yz", "xz"].map(str::to_owned).to_vec())
    }

    /// Linear red, green and blue of each node, between 0 and 1.
    pub fn colours(colours: &[[f32; 3]]) -> Self {
        let values = colours.as_flattened().iter().map(|share| f64::from(*share)).collect();
        Self::of(COLOUR.to_owned(), Place::Nodes, 3, values)
    }

    fn of(name: String, place: Place, n_components: usize, values: Vec<f64>) -> Self {
        let (component_names, numbers) = (Vec::new(), Numbers::default());
        Self { name, place, n_components, component_names, numbers, values }
    }

    /// With a name for each component; any other number of names is ignored.
    #[must_use]
    pub fn with_component_names(mut self, names: Vec<String>) -> Self {
        if names.len() == self.n_components {
            self.component_names = names;
        }
        self
    }

    /// With a note of what the file had its values as.
    #[must_use]
    pub(super) fn with_numbers(mut self, numbers: Numbers) -> Self {
        self.numbers = numbers;
        self
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

    /// A name for each component, or nothing.
    pub fn component_names(&self) -> &[String] {
        &self.component_names
    }

    /// What the file had its values as.
    pub fn numbers(&self) -> Numbers {
        self.numbers
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
        Self {
            name: self.name.clone(),
            component_names: self.component_names.clone(),
            values,
            ..*self
        }
    }

    /// Appends the rows of a field of the same name, place and width.
    pub(super) fn append(&mut self, other: &Self) {
        self.values.extend_from_slice(&other.values);
    }
}
