//! What a person wants to see of a scene, besides things and hands.

use std::sync::Arc;

use interaction::scene::ShownField;

/// What the person wants to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Views {
    pub colours: Colours,
    /// Arrows where fingers press.
    pub forces: bool,
    /// Bars and a graph of the forces.
    pub measures: bool,
    pub wireframe: bool,
    pub sphere_tree: bool,
    pub real_hand: bool,
}

/// What colours say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Colours {
    Natural,
    Displacement,
    Strain,
    /// The field with this name, of the things that offer it.
    Field(Arc<str>),
}

impl Default for Views {
    fn default() -> Self {
        Self {
            colours: Colours::Natural,
            forces: true,
            measures: true,
            wireframe: false,
            sphere_tree: false,
            real_hand: false,
        }
    }
}

impl Views {
    /// As at first, but for the colours.
    pub fn with_colours(colours: Colours) -> Self {
        Self { colours, ..Self::default() }
    }
}

impl Colours {
    /// The field with this name.
    pub fn field(name: &str) -> Self {
        Self::Field(name.into())
    }

    /// What can be shown of things with these fields.
    pub(crate) fn offered(fields: &[ShownField]) -> impl Iterator<Item = Self> {
        let of_fields = fields.iter().map(|field| Self::field(&field.kind.name));
        [Self::Natural, Self::Displacement, Self::Strain].into_iter().chain(of_fields)
    }

    /// The one after this, round and round, of things with these fields.
    pub(crate) fn next(&self, fields: &[ShownField]) -> Self {
        let mut after = Self::offered(fields).skip_while(|colours| colours != self).skip(1);
        after.next().unwrap_or(Self::Natural)
    }

    /// As a person reads it.
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
        let field = |name: &'static str| ShownField {
            kind: FieldKind { name: Cow::Borrowed(name), unit: Cow::Borrowed("") },
            range: None,
        };
        let fields = names.map(field);
        let all: Vec<Colours> = Colours::offered(&fields).collect();
        assert_eq!(all[3..], names.map(Colours::field));
        for (i, colours) in all.iter().enumerate() {
            assert_eq!(colours.next(&fields), all[(i + 1) % all.len()]);
        }
        // Things that do not offer what others did before.
        assert_eq!(Colours::field("c").next(&fields[..2]), Colours::Natural);
        assert_ne!(Colours::field("strain"), Colours::Strain);
    }
}
