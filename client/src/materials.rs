//! `palpate materials`, and the materials that options choose.

use std::io::Write;
use std::path::PathBuf;
use std::{fs, io};

use anyhow::{Context, bail};
use objects::materials::{Library, Material, library};
use physics::material::{IsotropicElastic, USUAL_DENSITY};
use serde::Serialize;

use crate::command_line::{MaterialChoice, MaterialsFile, MaterialsOptions};
use crate::user_folders;

/// Largest Poisson's ratio for squeezing: nearer to 0.5, linear tetrahedra are much too stiff.
const MOST_POISSON: f64 = 0.45;

/// Prints all materials, or one.
pub fn run(options: &MaterialsOptions) -> anyhow::Result<()> {
    let known = known(&options.file)?;
    let shown: Vec<&Material> = match &options.name {
        Some(name) => vec![find(&known, name)?],
        None => known.materials().iter().collect(),
    };
    let mut out = io::stdout();
    if options.json {
        let lines: Vec<MaterialLine<'_>> = shown.into_iter().map(MaterialLine::of).collect();
        return Ok(writeln!(out, "{}", serde_json::to_string_pretty(&lines)?)?);
    }
    match (&options.name, shown.as_slice()) {
        (Some(_), [material]) => write!(out, "{}", in_full(material))?,
        _ => write!(out, "{}", table(&shown))?,
    }
    Ok(())
}

/// Returns the user's own materials, followed by the built-in ones.
pub(crate) fn known(file: &MaterialsFile) -> anyhow::Result<Library> {
    let Some(path) = file.path.clone().or_else(own_path) else { return Ok(library()) };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        // The default file may be missing.
        Err(e) if e.kind() == io::ErrorKind::NotFound && file.path.is_none() => {
            return Ok(library());
        }
        Err(e) => return Err(e).with_context(|| format!("cannot read {}", path.display())),
    };
    library().with(&text).with_context(|| format!("cannot use {}", path.display()))
}

fn own_path() -> Option<PathBuf> {
    Some(user_folders::config()?.join("materials.toml"))
}

/// Returns the chosen material. `usual` holds the default Young's modulus and Poisson's ratio.
pub(crate) fn chosen(
    choice: &MaterialChoice,
    usual: Option<[f64; 2]>,
) -> anyhow::Result<IsotropicElastic> {
    let mut density = None;
    let named = match &choice.material {
        Some(name) => {
            let known = known(&choice.file)?;
            let material = find(&known, name)?;
            if choice.poisson.is_none() && material.poisson > MOST_POISSON {
                tracing::info!(
                    "{}: a Poisson's ratio of {} is taken as {MOST_POISSON}, beyond which linear tetrahedra are \
                     much too stiff",
                    material.name,
                    material.poisson
                );
            }
            density = Some(material.density);
            Some(numbers(material))
        }
        None => usual,
    };
    let (Some(young), Some(poisson)) =
        (choice.young.or(named.map(|n| n[0])), choice.poisson.or(named.map(|n| n[1])))
    else {
        bail!("expected --material NAME, or both --young and --poisson");
    };
    if choice.poisson.is_some_and(|poisson| poisson > MOST_POISSON) {
        tracing::warn!(
            "above a Poisson's ratio of {MOST_POISSON} linear tetrahedra are much too stiff"
        );
    }
    let density = choice.density.or(density).unwrap_or(USUAL_DENSITY);
    Ok(IsotropicElastic::new(young, poisson)?.with_density(density)?)
}

/// Young's modulus and Poisson's ratio of a material, as far as linear tetrahedra can be.
pub(crate) fn numbers(material: &Material) -> [f64; 2] {
    [material.young, material.poisson.min(MOST_POISSON)]
}

fn find<'a>(known: &'a Library, name: &str) -> anyhow::Result<&'a Material> {
    if let Some(material) = known.find(name) {
        return Ok(material);
    }
    let wanted = name.to_lowercase();
    let begins_alike = |material: &&Material| {
        let begins = |word: &str| word.starts_with(&wanted.chars().take(3).collect::<String>());
        material.name.split([' ', ',']).any(begins)
    };
    let near: Vec<&str> =
        known.materials().iter().filter(begins_alike).map(|m| m.name.as_str()).collect();
    match near.as_slice() {
        [] => bail!("there is no material {name:?}; `palpate materials` lists them"),
        [only] => bail!("there is no material {name:?}; there is {only:?}"),
        near => bail!("there is no material {name:?}; similar names are {}", quoted(near)),
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

fn table(materials: &[&Material]) -> String {
    let width = materials.iter().map(|m| m.name.chars().count()).max().unwrap_or(0);
    let mut text = format!(
        "{:width$}  {:8}  {:>9}  {:22}  {:>7}  {:>7}\n",
        "material", "kind", "Young", "from ... to", "Poisson", "kg/m³"
    );
    for material in materials {
        let Material { name, kind, young, young_range: [low, high], poisson, density, .. } =
            material;
        let range = match low == high {
            true => String::new(),
            false => format!("{} ... {}", pascals(*low), pascals(*high)),
        };
        let mark = if material.is_checked { " " } else { "?" };
        text += &format!(
            "{name:width$}{mark} {:8}  {:>9}  {range:22}  {poisson:>7}  {density:>7}\n",
            kind.name(),
            pascals(*young)
        );
    }
    if materials.iter().any(|material| !material.is_checked) {
        text += "?  quoted from other sources; the original was not checked\n";
    }
    let own = own_path().map_or_else(String::new, |path| path.display().to_string());
    text + &format!("`palpate materials NAME` shows the source of each number. Your own: {own}\n")
}

fn in_full(material: &Material) -> String {
    let Material { name, kind, young, young_range: [low, high], poisson, density, .. } = material;
    let mut text = format!(
        "{name} ({kind})\n  Young's modulus  {}, from {} to {}\n  Poisson's ratio  {poisson}\n  density          \
         {density} kg/m³\n",
        pascals(*young),
        pascals(*low),
        pascals(*high),
    );
    for (title, words) in [("source", &material.source), ("note", &material.note)] {
        if !words.is_empty() {
            text += &format!("  {title:16} {words}\n");
        }
    }
    if !material.is_checked {
        text += "  checked          no: quoted from other sources; the original was not checked\n";
    }
    text
}

/// Formats a modulus with a suitable unit.
pub(crate) fn pascals(modulus: f64) -> String {
    let (scaled, unit) = match modulus {
        modulus if modulus >= 1e9 => (modulus / 1e9, "GPa"),
        modulus if modulus >= 1e6 => (modulus / 1e6, "MPa"),
        modulus if modulus >= 1e3 => (modulus / 1e3, "kPa"),
        modulus => (modulus, "Pa"),
    };
    let decimals = if scaled >= 100.0 { 0 } else { 1 };
    let digits = format!("{scaled:.decimals$}");
    format!("{} {unit}", digits.trim_end_matches(".0"))
}

#[derive(Serialize)]
struct MaterialLine<'a> {
    name: &'a str,
    kind: &'static str,
    young_pa: f64,
    young_range_pa: [f64; 2],
    poisson: f64,
    density_kg_m3: f64,
    source: &'a str,
    note: &'a str,
    checked: bool,
}

impl<'a> MaterialLine<'a> {
    fn of(material: &'a Material) -> Self {
        Self {
            name: &material.name,
            kind: material.kind.name(),
            young_pa: material.young,
            young_range_pa: material.young_range,
            poisson: material.poisson,
            density_kg_m3: material.density,
            source: &material.source,
            note: &material.note,
            checked: material.is_checked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(choice: &MaterialChoice, usual: Option<[f64; 2]>, expected: Result<[f64; 2], &str>) {
        let found = chosen(choice, usual).map(|m| [m.young(), m.poisson()]);
        match expected {
            Ok(expected) => assert_eq!(found.unwrap(), expected),
            Err(words) => {
                let error = format!("{:#}", found.unwrap_err());
                assert!(error.contains(words), "{error}");
            }
        }
    }

    #[test]
    fn names_and_numbers_go_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.toml");
        let own =
            "[[material]]\nname = \"jelly\"\nyoung_pa = 3e3\npoisson = 0.48\ndensity_kg_m3 = 1e3\n";
        fs::write(&path, own).unwrap();
        let file = MaterialsFile { path: Some(path.clone()) };
        let jelly = MaterialChoice {
            material: Some("Jelly".to_owned()),
            file,
            ..MaterialChoice::default()
        };
        check(&jelly, None, Ok([3e3, 0.45]));
        check(&MaterialChoice { young: Some(5e3), ..jelly.clone() }, None, Ok([5e3, 0.45]));
        check(&MaterialChoice { poisson: Some(0.49), ..jelly.clone() }, None, Ok([3e3, 0.49]));
        let none = MaterialChoice { material: None, ..jelly.clone() };
        check(&none, Some([1e4, 0.4]), Ok([1e4, 0.4]));
        check(&none, None, Err("expected --material NAME, or both --young and --poisson"));
        check(
            &MaterialChoice { young: Some(-1.0), ..jelly.clone() },
            None,
            Err("Young's modulus is -1"),
        );
        let stone = MaterialChoice { material: Some("stone".to_owned()), ..jelly.clone() };
        check(&stone, None, Err("there is no material \"stone\"; `palpate materials` lists them"));
        let near = MaterialChoice { material: Some("livor".to_owned()), ..jelly.clone() };
        check(&near, None, Err("there is no material \"livor\"; there is \"liver\""));
        fs::write(&path, own.replace("0.48", "0.5")).unwrap();
        check(&jelly, None, Err("material \"jelly\": poisson is 0.5"));
        fs::remove_file(&path).unwrap();
        check(&jelly, None, Err("cannot read"));
    }

    #[test]
    fn the_density_is_the_named_materials_or_the_one_given_or_that_of_water() {
        let liver = MaterialChoice { material: Some("liver".to_owned()), ..Default::default() };
        let of_liver = find(&library(), "liver").unwrap().density;
        assert_eq!(chosen(&liver, None).unwrap().density(), of_liver);
        let heavy = MaterialChoice { density: Some(7800.0), ..liver };
        assert_eq!(chosen(&heavy, None).unwrap().density(), 7800.0);
        let plain = MaterialChoice::default();
        assert_eq!(chosen(&plain, Some([1e4, 0.4])).unwrap().density(), USUAL_DENSITY);
        let no_mass = MaterialChoice { density: Some(0.0), ..MaterialChoice::default() };
        let error = chosen(&no_mass, Some([1e4, 0.4])).unwrap_err();
        assert!(error.to_string().contains("density is 0 kg/m³, expected a positive"), "{error}");
    }

    #[test]
    fn moduli_are_easy_to_picture() {
        for (modulus, expected) in [
            (950.0, "950 Pa"),
            (5400.0, "5.4 kPa"),
            (1e4, "10 kPa"),
            (3.378e5, "338 kPa"),
            (2.5e7, "25 MPa"),
        ] {
            assert_eq!(pascals(modulus), expected);
        }
    }
}
