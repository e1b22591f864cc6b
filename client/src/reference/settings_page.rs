//! The page about the settings file: every key with its values, and an example.

use std::fmt::Write as _;

use crate::settings::example_text;

/// A key of the settings file: name, values, meaning.
type Key = (&'static str, &'static str, &'static str);

const KEYS: &[Key] = &[
    ("version", "`1`", "version of the file's format"),
    ("view.theme", "`system`, `light`, `dark`", "colours of the panels"),
    (
        "view.colours",
        "`natural`, `displacement`, `strain`, `field`",
        "the quantity that the colours of objects show",
    ),
    ("view.field", "a name such as `von Mises stress`", "the field, if `colours` is `field`"),
    ("view.forces", "`true`, `false`", "arrows at the fingertips (F)"),
    ("view.measures", "`true`, `false`", "bars and graph of the forces (G)"),
    ("view.wireframe", "`true`, `false`", "triangles of the skin (W)"),
    ("view.sphere_tree", "`true`, `false`", "spheres that find contacts (T)"),
    ("view.real_hand", "`true`, `false`", "position of the real hand (H)"),
    ("files.unit", "`m`, `cm`, `mm`, `in`", "unit of numbers in files; else guessed"),
    ("files.surfaces_get_nodes", "50 to 200000", "nodes of a surface that is filled"),
    ("files.recent", "paths", "objects that were read last"),
    ("files.recordings", "paths", "recordings that were played last"),
    ("solver.server", "an address or the path of a pass", "the solver server; else this process"),
    ("solver.threads", "1 to 1024", "threads of the solver; else one for each core"),
    ("solver.memory_mb", "at least 1", "memory limit of one object, in megabytes"),
    ("hand.from", "`emulated`, `ports`, `mouse`, `headset`", "source of the hand"),
    ("hand.profile", "a name", "calibration profile"),
    ("hand.side", "`left`, `right`", "the hand that the mouse moves"),
    ("hand.script", "a name or a path", "motion of the emulated hand"),
    ("hand.devices.model", "`cyberglove`, `opengloves`", "make of the gloves"),
    ("hand.devices.glove", "`emulated` or a port", "the glove"),
    ("hand.devices.tracker", "`emulated` or a port", "the tracker"),
    ("hand.devices.position", "`mouse`, `headset`", "what moves a hand without a tracker"),
    ("hand.devices.second_glove", "`emulated` or a port", "glove of the other hand"),
    ("hand.devices.second_tracker", "`emulated` or a port", "tracker of the other hand"),
    ("hand.devices.glove_baud", "300 to 4000000", "speed of the gloves' lines, in baud"),
    ("hand.devices.tracker_baud", "300 to 4000000", "speed of the trackers' lines, in baud"),
    ("material.name", "a name", "material that was chosen last"),
    ("material.young_pa", "above 0", "its Young's modulus, in Pa"),
    ("material.poisson", "above -1, below 0.5", "its Poisson's ratio"),
    ("material.density_kg_m3", "above 0", "its density, in kg/m³"),
    ("contact.grip", "`friction`, `thesis`", "the way in which hands hold objects"),
    ("contact.friction", "0 to 5", "coefficient of friction between hands and objects"),
    ("contact.skin_softness_mm_per_kpa", "0.01 to 1", "softness of the hands' skin"),
    ("rules.NAME", "see [Grasp rules](grasp-rules.md)", "a grasp rule that was changed"),
];

pub(super) fn text() -> String {
    let mut text = String::from(
        "The window keeps its settings in `~/.config/palpate/settings.toml`, or below\n\
         `XDG_CONFIG_HOME` if that is set. Options of the command line override them. Runs without\n\
         a window do not read them. A file with a mistake is renamed to `settings.broken.toml`, and\n\
         the window says what is wrong.\n\n| Key | Values | Meaning |\n|---|---|---|\n",
    );
    for (name, values, meaning) in KEYS {
        writeln!(text, "| `{name}` | {values} | {meaning} |").expect("text takes it");
    }
    write!(text, "\n## Example\n\n```toml\n{}\n```\n", example_text().trim_end())
        .expect("text takes it");
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Full names of all values in a table.
    fn names(table: &toml::Table, before: &str, names: &mut BTreeSet<String>) {
        for (name, value) in table {
            let name = format!("{before}{name}");
            match value {
                toml::Value::Table(_) if name == "rules" => _ = names.insert("rules.NAME".into()),
                toml::Value::Table(inner) => self::names(inner, &format!("{name}."), names),
                _ => _ = names.insert(name),
            }
        }
    }

    #[test]
    fn the_page_names_every_key() {
        let mut expected = BTreeSet::new();
        names(&example_text().parse().unwrap(), "", &mut expected);
        // Ports, which the example has, need neither.
        expected.extend(["hand.side", "hand.script"].map(str::to_owned));
        let named: BTreeSet<String> = KEYS.iter().map(|(name, ..)| (*name).to_owned()).collect();
        assert_eq!(named, expected);
    }
}
