//! Tests the material library and users' own materials.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

use objects::materials::{Material, MaterialError, MaterialKind, library};
use proptest::prelude::*;

#[test]
fn every_material_can_be_solved_and_has_a_source() {
    let library = library();
    assert!(library.materials().len() >= 20);
    for material in library.materials() {
        let Material { name, young, young_range: [low, high], poisson, density, .. } = material;
        assert!(low <= young && young <= high, "{name}");
        assert!((500.0..1e11).contains(young), "{name}");
        assert!((0.0..0.5).contains(poisson), "{name}");
        assert!((10.0..3000.0).contains(density), "{name}");
        assert!(material.source.len() > 15, "{name} has no source");
        assert_eq!(*name, name.to_lowercase());
    }
}

/// The order of stiffness that a hand feels: each is softer than the next.
#[test]
fn order_of_stiffness_is_that_of_experience() {
    let library = library();
    let young = |name: &str| library.find(name).unwrap_or_else(|| panic!("no {name}")).young;
    let order = [
        "brain, grey matter",
        "liver",
        "gelatine 10 %",
        "ecoflex 00-30",
        "ecoflex 00-50",
        "dragon skin 10",
        "dragon skin 20",
        "dragon skin 30",
        "sylgard 184",
        "natural rubber",
        "cork",
        "paper",
        "aluminium foil",
    ];
    assert!(order.is_sorted_by(|a, b| young(a) < young(b)));
}

/// Manufacturers give psi; one psi is 6894.757 Pa. These values are the upper ends of the ranges of
/// silicones.
#[test]
fn pounds_per_square_inch_are_converted() {
    for (name, psi) in [("ecoflex 00-30", 10.0), ("dragon skin 10", 22.0), ("dragon skin 30", 86.0)]
    {
        let [_, most] = library().find(name).unwrap().young_range;
        assert!((most / (psi * 6894.757) - 1.0).abs() < 2e-3, "{name}: {most}");
    }
}

/// Numbers that are quoted from other works are marked; most of the library was seen in its
/// sources.
#[test]
fn what_was_not_seen_in_the_source_is_marked() {
    let library = library();
    let unchecked: Vec<&str> = library
        .materials()
        .iter()
        .filter(|material| !material.is_checked)
        .map(|material| material.name.as_str())
        .collect();
    assert!(unchecked.contains(&"neoprene") && !unchecked.contains(&"liver"));
    assert!(unchecked.len() < library.materials().len() / 4, "{unchecked:?}");
}

#[test]
fn names_are_found_in_capitals_too() {
    assert_eq!(library().find("Liver").unwrap().kind, MaterialKind::Tissue);
    assert_eq!(library().find("unobtainium"), None);
}

const OWN: &str = r#"
[[material]]
name = "Liver"
young_pa = 9000
poisson = 0.45
density_kg_m3 = 1050

[[material]]
name = "my jelly"
kind = "gel"
young_pa = 2e3
young_range_pa = [1e3, 3e3]
poisson = 0.49
density_kg_m3 = 1010
source = "measured"
"#;

#[test]
fn own_materials_replace_or_follow_ours() {
    let both = library().with(OWN).unwrap();
    assert_eq!(both.materials().len(), library().materials().len() + 1);
    let liver = both.find("liver").unwrap();
    assert_eq!((liver.young, liver.young_range, liver.kind), (9e3, [9e3; 2], MaterialKind::Other));
    assert_eq!(both.find("my jelly").unwrap().source, "measured");
    assert_eq!(library().with(""), Ok(library()));
}

/// Changes one line of a good file and compares the message.
fn check(from: &str, to: &str, expected: &str) {
    assert!(OWN.contains(from));
    let message = library().with(&OWN.replacen(from, to, 1)).unwrap_err().to_string();
    assert_eq!(message, expected);
}

#[test]
fn errors_name_the_material_and_the_field() {
    check(
        "young_pa = 9000",
        "young_pa = -1",
        "material \"liver\": young_pa is -1, expected a positive number of pascals",
    );
    check(
        "poisson = 0.45",
        "poisson = 0.5",
        "material \"liver\": poisson is 0.5, expected a ratio above -1 and below 0.5",
    );
    check(
        "density_kg_m3 = 1010",
        "density_kg_m3 = nan",
        "material \"my jelly\": density_kg_m3 is NaN, expected a positive number of kilograms per \
         cubic metre",
    );
    check(
        "[1e3, 3e3]",
        "[3e3, 1e3]",
        "material \"my jelly\": young_range_pa is [3000, 1000], expected two moduli with young_pa \
         between them",
    );
    check(
        "kind = \"gel\"",
        "kind = \"jello\"",
        "material \"my jelly\": kind is \"jello\", expected tissue, silicone, rubber, foam, gel, \
         fruit, sheet or other",
    );
    check(
        "\"Liver\"",
        "\" \"",
        "material \"number 1\": name is \" \", expected 1 to 60 characters",
    );
    check(
        "\"Liver\"",
        "\"My Jelly\"",
        "material \"my jelly\" occurs twice, expected each name once",
    );
    check("poisson = 0.45\n", "", "line 2: missing field `poisson`");
    check(
        "poisson = 0.45",
        "poison = 0.45",
        "line 5: unknown field `poison`, expected one of `name`, `kind`, `young_pa`, \
         `young_range_pa`, `poisson`, `density_kg_m3`, `source`, `note`, `checked`",
    );
}

#[test]
fn books_are_no_material_files() {
    let long = "#".repeat(2 << 20);
    assert_eq!(library().with(&long), Err(MaterialError::TooLong(2 << 20)));
}

proptest! {
    /// Any text gives materials that can be solved, or an error.
    #[test]
    fn no_text_is_taken_for_more_than_it_is(lines in prop::collection::vec(
        prop_oneof![
            Just("[[material]]".to_owned()),
            Just("name = \"x\"".to_owned()),
            any::<f64>().prop_map(|v| format!("young_pa = {v:?}")),
            any::<f64>().prop_map(|v| format!("poisson = {v:?}")),
            any::<f64>().prop_map(|v| format!("density_kg_m3 = {v:?}")),
            ".{0,20}",
        ],
        0..8,
    )) {
        if let Ok(library) = library().with(&lines.join("\n")) {
            for material in library.materials() {
                prop_assert!(material.young > 0.0 && material.young.is_finite());
                prop_assert!(material.poisson > -1.0 && material.poisson < 0.5);
                prop_assert!(material.density > 0.0 && material.density.is_finite());
            }
        }
    }
}
