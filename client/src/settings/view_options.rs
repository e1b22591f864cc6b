//! The user's choice of overlays and colours in a scene.

use std::sync::Arc;

use interaction::scene::OfferedField;

/// Overlays and colours in a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewOptions {
    pub colours: ColourMode,
    /// Force arrows at the fingers.
    pub forces: bool,
    /// Bars and a graph of the forces.
    pub measures: bool,
    pub wireframe: bool,
    pub sphere_tree: bool,
    pub real_hand: bool,
}

/// The quantity that colours show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColourMode {
    Natural,
    Displacement,
    Strain,
    /// The field with this name, on the things that offer it.
    Field(Arc<str>),
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            colours: ColourMode::Natural,
            forces: true,
            measures: true,
            wireframe: false,
            sphere_tree: false,
            real_hand: false,
        }
    }
}

impl ViewOptions {
    /// The defaults with these colours.
    pub fn with_colours(colours: ColourMode) -> Self {
        Self { colours, ..Self::default() }
    }
}

impl ColourMode {
    /// The mode for the field with this name.
    pub fn field(name: &str) -> Self {
        Self::Field(name.into())
    }

    /// All modes for things with these fields.
    pub(crate) fn offered(fields: &[OfferedField]) -> impl Iterator<Item = Self> {
        let of_fields = fields.iter().map(|field| Self::field(&field.kind.name));
        [Self::Natural, Self::Displacement, Self::Strain].into_iter().chain(of_fields)
    }

    /// The next mode for things with these fields; the first one follows the last.
    pub(crate) fn next(&self, fields: &[OfferedField]) -> Self {
        let mut after = Self::offered(fields).skip_while(|colours| colours != self).skip(1);
        after.next().unwrap_or(Self::Natural)
    }

    /// The mode's name for users.
    pub fn name(&self) -> &str {
        match self {
            Self::Natural => "natural",
            Self::Displacement => "displacement",
            Self::Strain => "strain",
            Self::Field(name) => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use physics::FieldKind;

    use super::*;

    #[test]
    fn all_fields_are_offered_and_colours_go_round() {
        let names = ["speed", "heat", "strain", "a", "b", "c"];
        let field = |name: &'static str| OfferedField {
            kind: FieldKind { name: Cow::Borrowed(name), unit: Cow::Borrowed("") },
            range: None,
        };
        let fields = names.map(field);
        let all: Vec<ColourMode> = ColourMode::offered(&fields).collect();
        assert_eq!(all[3..], names.map(ColourMode::field));
        for (i, colours) in all.iter().enumerate() {
            assert_eq!(colours.next(&fields), all[(i + 1) % all.len()]);
        }
        // The things no longer offer the field.
        assert_eq!(ColourMode::field("c").next(&fields[..2]), ColourMode::Natural);
        assert_ne!(ColourMode::field("strain"), ColourMode::Strain);
    }
}
