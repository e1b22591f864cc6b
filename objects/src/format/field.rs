//! Fields: values at the nodes or elements of an object.

use nalgebra::Vector3;

/// A named quantity at every node or element.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    name: String,
    place: FieldPlace,
    n_components: usize,
    /// One name for each component, or none.
    component_names: Vec<String>,
    /// Kind of the numbers in the file.
    numbers: NumberKind,
    /// Unit of the values, such as "Pa", if it is known.
    unit: Option<&'static str>,
    values: Vec<f64>,
}

/// Name of the field that holds colours.
const COLOUR: &str = "colour";
/// Name of the field that holds the displacements of nodes.
const DISPLACEMENT: &str = "displacement";

/// Location of the values of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldPlace {
    /// One for each node.
    Nodes,
    /// One for each element.
    Elements,
}

/// Kind of the numbers in a file. In memory, all are `f64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NumberKind {
    /// Floating-point numbers.
    #[default]
    Floating,
    /// Whole numbers.
    Whole,
}

/// Error of making a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// The values do not fill whole rows.
    #[error("{n_values} values do not make rows of {n_components}")]
    Rows {
        /// Number of all values.
        n_values: usize,
        /// Number of values in a row.
        n_components: usize,
    },
}

impl Field {
    /// A field with rows of `n_components` values each.
    pub fn new(
        name: impl Into<String>,
        place: FieldPlace,
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
        Self::of(name.into(), FieldPlace::Nodes, 3, values)
    }

    /// The stress in each element, in Pa, converted from the order `[xx, yy, zz, yz, xz, xy]` of
    /// `physics` to the order `[xx, yy, zz, xy, yz, xz]` of VTK, which the names of the components
    /// document.
    pub fn stress(stresses: &[[f64; 6]]) -> Self {
        let values = stresses
            .iter()
            .flat_map(|&[xx, yy, zz, yz, xz, xy]| [xx, yy, zz, xy, yz, xz])
            .collect();
        Self::of("stress".to_owned(), FieldPlace::Elements, 6, values)
            .with_component_names(["xx", "yy", "zz", "xy", "yz", "xz"].map(str::to_owned).to_vec())
    }

    /// Linear red, green and blue of each node, between 0 and 1.
    pub fn colours(colours: &[[f32; 3]]) -> Self {
        let values = colours.as_flattened().iter().map(|share| f64::from(*share)).collect();
        Self::of(COLOUR.to_owned(), FieldPlace::Nodes, 3, values)
    }

    fn of(name: String, place: FieldPlace, n_components: usize, values: Vec<f64>) -> Self {
        let (component_names, numbers) = (Vec::new(), NumberKind::default());
        Self { name, place, n_components, component_names, numbers, unit: None, values }
    }

    /// Sets the unit, which formats with a place for it write.
    #[must_use]
    pub fn with_unit(mut self, unit: &'static str) -> Self {
        self.unit = Some(unit);
        self
    }

    /// Unit of the values, if it is known.
    pub fn unit(&self) -> Option<&'static str> {
        self.unit
    }

    /// Sets a name for each component; any other number of names is ignored.
    #[must_use]
    pub fn with_component_names(mut self, names: Vec<String>) -> Self {
        if names.len() == self.n_components {
            self.component_names = names;
        }
        self
    }

    /// Sets the kind of the numbers in the file.
    #[must_use]
    pub(super) fn with_numbers(mut self, numbers: NumberKind) -> Self {
        self.numbers = numbers;
        self
    }

    /// The colours, if this field holds colours.
    pub fn as_colours(&self) -> Option<Vec<[f32; 3]>> {
        let is_colour = (self.name.as_str(), self.place, self.n_components)
            == (COLOUR, FieldPlace::Nodes, 3)
            && self.values.iter().all(|share| (0.0..=1.0).contains(share));
        let rows = self.values.as_chunks().0.iter();
        is_colour.then(|| rows.map(|rgb: &[f64; 3]| rgb.map(|share| share as f32)).collect())
    }

    /// True if the field holds displacements, which have the unit of the points.
    pub fn is_displacement(&self) -> bool {
        (self.name.as_str(), self.place, self.n_components) == (DISPLACEMENT, FieldPlace::Nodes, 3)
    }

    /// True if a file can hold the field's name.
    pub fn has_fit_name(&self) -> bool {
        !self.name.is_empty() && !self.name.contains(char::is_control)
    }

    /// Multiplies all values by `factor`.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.values.iter_mut().for_each(|value| *value *= factor);
        self
    }

    /// Name of the quantity.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Location of the values.
    pub fn place(&self) -> FieldPlace {
        self.place
    }

    /// Number of values in a row.
    pub fn n_components(&self) -> usize {
        self.n_components
    }

    /// One name for each component, or none.
    pub fn component_names(&self) -> &[String] {
        &self.component_names
    }

    /// Kind of the numbers in the file.
    pub fn numbers(&self) -> NumberKind {
        self.numbers
    }

    /// All values, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.values.len() / self.n_components
    }

    /// A field of the rows with these numbers, which must exist.
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

    /// Appends the rows of a field with the same name, place and width.
    pub(super) fn append(&mut self, other: &Self) {
        self.values.extend_from_slice(&other.values);
    }
}
