//! Materials as TOML text: one table for each material, checked field by field.
//!
//! ```toml
//! [[material]]
//! name = "my rubber"
//! kind = "rubber"                # optional: other
//! young_pa = 1.2e6
//! young_range_pa = [1e6, 2e6]    # optional: young_pa alone
//! poisson = 0.49
//! density_kg_m3 = 1100
//! source = "measured"            # optional
//! note = ""                      # optional
//! checked = true                 # optional: true if the numbers were seen in the source itself
//! ```

use std::collections::HashSet;

use serde::Deserialize;

use super::{Material, MaterialKind};

/// Error of reading a list of materials.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// The file is larger than a list of materials can reasonably be.
    #[error("the file has {0} bytes, expected at most {LONGEST_FILE}")]
    TooLong(usize),
    /// The text is not TOML, or not of this form.
    #[error("line {line}: {reason}")]
    Syntax {
        /// Line number, counted from 1.
        line: usize,
        /// The parser's message.
        reason: String,
    },
    /// A value is impossible for a material.
    #[error("material {material:?}: {field} is {found}, expected {expected}")]
    Value {
        /// Name of the material, or its position in the file if the name is invalid.
        material: String,
        /// Name of the field in the file.
        field: &'static str,
        /// The value, as text.
        found: String,
        /// Description of valid values.
        expected: &'static str,
    },
    /// Two materials have the same name.
    #[error("material {0:?} occurs twice, expected each name once")]
    Twice(String),
}

const LONGEST_FILE: usize = 1 << 20;
const LONGEST_NAME: usize = 60;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    #[serde(default)]
    material: Vec<MaterialText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MaterialText {
    name: String,
    kind: Option<String>,
    young_pa: f64,
    young_range_pa: Option<[f64; 2]>,
    poisson: f64,
    density_kg_m3: f64,
    #[serde(default)]
    source: String,
    #[serde(default)]
    note: String,
    #[serde(default = "yes")]
    checked: bool,
}

fn yes() -> bool {
    true
}

pub(super) fn read(text: &str) -> Result<Vec<Material>, MaterialError> {
    if text.len() > LONGEST_FILE {
        return Err(MaterialError::TooLong(text.len()));
    }
    let file: FileText = toml::from_str(text).map_err(|error| syntax(text, &error))?;
    let mut names = HashSet::new();
    let mut materials = Vec::with_capacity(file.material.len());
    for (place, twin) in file.material.into_iter().enumerate() {
        let material = checked(twin, place)?;
        if !names.insert(material.name.clone()) {
            return Err(MaterialError::Twice(material.name));
        }
        materials.push(material);
    }
    Ok(materials)
}

fn syntax(text: &str, error: &toml::de::Error) -> MaterialError {
    let at = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
    MaterialError::Syntax { line, reason: error.message().to_owned() }
}

fn checked(twin: MaterialText, place: usize) -> Result<Material, MaterialError> {
    let name = twin.name.trim().to_lowercase();
    let is_named = !name.is_empty() && name.chars().count() <= LONGEST_NAME;
    let called = if is_named { name.clone() } else { format!("number {}", place + 1) };
    let check = |is_right: bool, field, found: String, expected| {
        let material = called.clone();
        let error = MaterialError::Value { material, field, found, expected };
        if is_right { Ok(()) } else { Err(error) }
    };
    let is_positive = |value: f64| value.is_finite() && value > 0.0;
    check(is_named, "name", format!("{:?}", twin.name), "1 to 60 characters")?;
    let kind = twin.kind.as_deref().unwrap_or(MaterialKind::Other.name());
    let known_kind = MaterialKind::ALL.into_iter().find(|known| known.name() == kind);
    check(
        known_kind.is_some(),
        "kind",
        format!("{kind:?}"),
        "tissue, silicone, rubber, foam, gel, fruit, sheet or other",
    )?;
    let (young, poisson, density) = (twin.young_pa, twin.poisson, twin.density_kg_m3);
    check(is_positive(young), "young_pa", young.to_string(), "a positive number of pascals")?;
    let [low, high] = twin.young_range_pa.unwrap_or([young, young]);
    check(
        is_positive(low) && high.is_finite() && low <= young && young <= high,
        "young_range_pa",
        format!("[{low}, {high}]"),
        "two moduli with young_pa between them",
    )?;
    check(
        poisson > -1.0 && poisson < 0.5,
        "poisson",
        poisson.to_string(),
        "a ratio above -1 and below 0.5",
    )?;
    check(
        is_positive(density),
        "density_kg_m3",
        density.to_string(),
        "a positive number of kilograms per cubic metre",
    )?;
    Ok(Material {
        name,
        kind: known_kind.unwrap_or(MaterialKind::Other),
        young,
        young_range: [low, high],
        poisson,
        density,
        source: twin.source,
        note: twin.note,
        is_checked: twin.checked,
    })
}
