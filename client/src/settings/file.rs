//! The settings file: TOML that users can read and edit.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use drivers::Side;
use interaction::grasp::GraspRules;
use objects::Unit;
use physics::FieldKind;
use physics::material::{IsotropicElastic, USUAL_DENSITY};
use serde::{Deserialize, Serialize};

use super::{
    ColourMode, MaterialSetting, ReadOptions, RecentFiles, Settings, ThemeChoice, ViewOptions,
};
use crate::command_line::{
    ContactChoice, DeviceOptions, DeviceSource, GloveModel, GripChoice, HandPosition,
    MOST_FRICTION, SKIN_SOFTNESS, SecondHand,
};
use crate::wiring::{EmulatedPerformance, HandChoice, SolverChoice};

/// Version of the tables below.
const VERSION: u32 = 1;

/// Value of `colours` for a field, whose name is in `field`.
const FIELD: &str = "field";

const HEAD: &str = "\
# Settings of palpate's window. Options of the command line override them.
# Without this file, palpate uses its defaults.

";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsFile {
    version: u32,
    #[serde(default)]
    view: ViewFile,
    #[serde(default)]
    files: FilesFile,
    #[serde(default)]
    solver: SolverFile,
    #[serde(skip_serializing_if = "Option::is_none")]
    hand: Option<HandFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    material: Option<MaterialFile>,
    #[serde(default, skip_serializing_if = "ContactFile::is_usual")]
    contact: ContactFile,
    /// Names and values as for `--rule`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    rules: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ViewFile {
    theme: String,
    colours: String,
    /// Name of the field that the colours show, if `colours` is [`FIELD`].
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    forces: bool,
    measures: bool,
    wireframe: bool,
    sphere_tree: bool,
    real_hand: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FilesFile {
    /// Unit of numbers in files; guessed if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    surfaces_get_nodes: u32,
    recent: Vec<String>,
    recordings: Vec<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SolverFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_mb: Option<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HandFile {
    /// Absent if only a profile was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<FromFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<SideFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    devices: Option<DevicesFile>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FromFile {
    Emulated,
    Ports,
    Mouse,
    Headset,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SideFile {
    Left,
    Right,
}

/// Paths of ports, or `emulated`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DevicesFile {
    model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    glove: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tracker: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    second_glove: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    second_tracker: Option<String>,
    glove_baud: u32,
    tracker_baud: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ContactFile {
    /// `friction` or `thesis`.
    #[serde(skip_serializing_if = "Option::is_none")]
    grip: Option<String>,
    /// Coefficient of friction between hands and things.
    #[serde(skip_serializing_if = "Option::is_none")]
    friction: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skin_softness_mm_per_kpa: Option<f64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MaterialFile {
    name: String,
    young_pa: f64,
    poisson: f64,
    /// Absent in files of earlier versions.
    #[serde(default = "usual_density")]
    density_kg_m3: f64,
}

fn usual_density() -> f64 {
    USUAL_DENSITY
}

impl Default for ViewFile {
    fn default() -> Self {
        Self::of(&Settings::default())
    }
}

impl Default for FilesFile {
    fn default() -> Self {
        Self::of(&Settings::default())
    }
}

/// Parses the settings file. Returns a message of one line if it is invalid.
pub(super) fn read(text: &str) -> Result<Settings, String> {
    let file: SettingsFile = toml::from_str(text).map_err(|e| one_line(&e.to_string()))?;
    if file.version != VERSION {
        return Err(format!("the file has version {}, expected {VERSION}", file.version));
    }
    let words: Vec<String> =
        file.rules.iter().map(|(name, value)| format!("{name}={value}")).collect();
    GraspRules::with(&words).map_err(|e| format!("rules: {e}"))?;
    let (theme, views) = file.view.views()?;
    let (read_options, recent) = file.files.files()?;
    let hand = file.hand.as_ref().map(HandFile::choice).transpose()?.flatten();
    let material = file.material.map(MaterialFile::material).transpose()?;
    Ok(Settings {
        theme,
        views,
        read_options,
        recent,
        hand,
        profile: file.hand.and_then(|hand| hand.profile),
        rules: file.rules,
        contact: file.contact.contact()?,
        material,
        solver: file.solver.solver()?,
    })
}

pub(super) fn write(settings: &Settings) -> String {
    let file = SettingsFile {
        version: VERSION,
        view: ViewFile::of(settings),
        files: FilesFile::of(settings),
        solver: SolverFile {
            server: settings.solver.server.clone(),
            threads: settings.solver.threads,
            memory_mb: settings.solver.memory_mb,
        },
        hand: HandFile::of(settings),
        material: settings.material.as_ref().map(MaterialFile::of),
        contact: ContactFile::of(&settings.contact),
        rules: settings.rules.clone(),
    };
    let text = toml::to_string(&file).expect("texts, numbers and tables can be written as TOML");
    format!("{HEAD}{text}")
}

/// Settings in which every key of the file has a value.
pub(super) fn example() -> Settings {
    let port = |path: &str| Some(DeviceSource::Port(path.to_owned()));
    let devices = DeviceOptions {
        glove: port("/dev/ttyUSB0"),
        tracker: port("/dev/ttyUSB1"),
        position: Some(HandPosition::Mouse),
        ..DeviceOptions::default()
    };
    let second =
        SecondHand { second_glove: port("/dev/ttyUSB2"), second_tracker: port("/dev/ttyUSB3") };
    let views = ViewOptions {
        colours: ColourMode::field(&FieldKind::VON_MISES.name),
        ..ViewOptions::default()
    };
    Settings {
        theme: ThemeChoice::Dark,
        views,
        read_options: ReadOptions { unit: Some(Unit::Millimetre), ..ReadOptions::default() },
        recent: RecentFiles {
            things: vec![PathBuf::from("/home/anna/liver.msh")],
            recordings: vec![PathBuf::from("/home/anna/run.palpate")],
        },
        hand: Some(HandChoice::Ports { devices, second }),
        profile: Some("anna".to_owned()),
        rules: BTreeMap::from([("patch".to_owned(), "disc".to_owned())]),
        material: Some(MaterialSetting {
            name: "liver".to_owned(),
            young: 3e3,
            poisson: 0.45,
            density: 1060.0,
        }),
        contact: ContactChoice {
            grip: Some(GripChoice::Friction),
            friction: Some(0.6),
            skin_softness: Some(0.1),
            is_kept: false,
        },
        solver: SolverChoice {
            server: Some("http://127.0.0.1:50551".to_owned()),
            threads: Some(4),
            memory_mb: Some(4000),
        },
    }
}

/// The parser's message in one line, without its drawing of the place.
fn one_line(complaint: &str) -> String {
    let lines: Vec<&str> = complaint.lines().map(str::trim).collect();
    match lines.as_slice() {
        [place, .., why] => format!("{place}: {why}"),
        lines => lines.concat(),
    }
}

/// Finds the value with this name.
fn named<T: Copy>(
    what: &str,
    name: &str,
    all: &[T],
    of: fn(T) -> &'static str,
) -> Result<T, String> {
    all.iter().copied().find(|one| of(*one) == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| of(*one)).collect();
        format!("{what} cannot be {name:?}, expected one of {}", names.join(", "))
    })
}

impl ViewFile {
    fn of(Settings { theme, views, .. }: &Settings) -> Self {
        let ViewOptions { ref colours, forces, measures, wireframe, sphere_tree, real_hand } =
            *views;
        let (colours, field) = match colours {
            ColourMode::Field(name) => (FIELD, Some(name.to_string())),
            ColourMode::Natural | ColourMode::Displacement | ColourMode::Strain => {
                (colours.name(), None)
            }
        };
        let (theme, colours) = (theme.name().to_owned(), colours.to_owned());
        Self { theme, colours, field, forces, measures, wireframe, sphere_tree, real_hand }
    }

    fn views(self) -> Result<(ThemeChoice, ViewOptions), String> {
        let theme = named("view.theme", &self.theme, &ThemeChoice::ALL, ThemeChoice::name)?;
        let colours = self.colours()?;
        let Self { forces, measures, wireframe, sphere_tree, real_hand, .. } = self;
        Ok((theme, ViewOptions { colours, forces, measures, wireframe, sphere_tree, real_hand }))
    }

    fn colours(&self) -> Result<ColourMode, String> {
        Ok(match (&*self.colours, &self.field) {
            ("natural", _) => ColourMode::Natural,
            ("displacement", _) => ColourMode::Displacement,
            ("strain", _) => ColourMode::Strain,
            (FIELD, Some(name)) => ColourMode::field(name),
            (FIELD, None) => return Err("view.field: expected the name of a field".to_owned()),
            // Earlier versions numbered the fields. All things had one field, the von Mises stress.
            ("stress" | "field 1", _) => ColourMode::field(&FieldKind::VON_MISES.name),
            ("field 2" | "field 3" | "field 4", _) => ColourMode::Natural,
            (other, _) => {
                let expected = "expected one of natural, displacement, strain, field";
                return Err(format!("view.colours cannot be {other:?}, {expected}"));
            }
        })
    }
}

impl FilesFile {
    fn of(Settings { read_options, recent, .. }: &Settings) -> Self {
        Self {
            unit: read_options.unit.map(|unit| unit.symbol().to_owned()),
            surfaces_get_nodes: read_options.n_nodes,
            recent: texts(&recent.things),
            recordings: texts(&recent.recordings),
        }
    }

    fn files(self) -> Result<(ReadOptions, RecentFiles), String> {
        let unit = |name: String| named("files.unit", &name, &Unit::ALL, Unit::symbol);
        let unit = self.unit.map(unit).transpose()?;
        let n_nodes = self.surfaces_get_nodes;
        if !(50..=200_000).contains(&n_nodes) {
            let expected = "expected a number from 50 to 200000";
            return Err(format!("files.surfaces_get_nodes cannot be {n_nodes}, {expected}"));
        }
        let paths = |texts: Vec<String>| -> Vec<PathBuf> {
            texts.into_iter().take(RecentFiles::MOST).map(PathBuf::from).collect()
        };
        let (things, recordings) = (paths(self.recent), paths(self.recordings));
        Ok((ReadOptions { unit, n_nodes }, RecentFiles { things, recordings }))
    }
}

/// Paths as text. TOML has no place for a path that is not valid text; such a path is left out.
fn texts(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().filter_map(|path| path.to_str().map(str::to_owned)).collect()
}

impl ContactFile {
    fn of(contact: &ContactChoice) -> Self {
        Self {
            grip: contact.grip.map(|grip| grip.name().to_owned()),
            friction: contact.friction,
            skin_softness_mm_per_kpa: contact.skin_softness,
        }
    }

    fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    fn contact(self) -> Result<ContactChoice, String> {
        let grip = |name: String| named("contact.grip", &name, &GripChoice::ALL, GripChoice::name);
        let within = |what: &str, number: Option<f64>, [least, most]: [f64; 2]| match number {
            Some(number) if !(least..=most).contains(&number) => {
                Err(format!("contact.{what} cannot be {number}, expected {least} to {most}"))
            }
            number => Ok(number),
        };
        let softness = self.skin_softness_mm_per_kpa;
        Ok(ContactChoice {
            grip: self.grip.map(grip).transpose()?,
            friction: within("friction", self.friction, [0.0, MOST_FRICTION])?,
            skin_softness: within("skin_softness_mm_per_kpa", softness, SKIN_SOFTNESS)?,
            is_kept: false,
        })
    }
}

impl SolverFile {
    fn solver(self) -> Result<SolverChoice, String> {
        if self.threads.is_some_and(|n| !(1..=1024).contains(&n)) {
            return Err("solver.threads: expected a number from 1 to 1024".to_owned());
        }
        if self.memory_mb == Some(0) {
            return Err("solver.memory_mb: expected at least 1".to_owned());
        }
        Ok(SolverChoice { server: self.server, threads: self.threads, memory_mb: self.memory_mb })
    }
}

impl HandFile {
    fn of(settings: &Settings) -> Option<Self> {
        let profile = settings.profile.clone();
        let nothing = Self { from: None, profile, side: None, script: None, devices: None };
        Some(match &settings.hand {
            // A recording is played once and not kept.
            None | Some(HandChoice::Recording(_)) => {
                return nothing.profile.is_some().then_some(nothing);
            }
            Some(HandChoice::Emulated(EmulatedPerformance { script, devices, second })) => Self {
                from: Some(FromFile::Emulated),
                script: script.clone(),
                devices: Some(DevicesFile::of(devices, second)),
                ..nothing
            },
            Some(HandChoice::Ports { devices, second }) => Self {
                from: Some(FromFile::Ports),
                devices: Some(DevicesFile::of(devices, second)),
                ..nothing
            },
            Some(HandChoice::Mouse(side)) => {
                let side = match side {
                    Side::Left => SideFile::Left,
                    Side::Right => SideFile::Right,
                };
                Self { from: Some(FromFile::Mouse), side: Some(side), ..nothing }
            }
            Some(HandChoice::Headset) => Self { from: Some(FromFile::Headset), ..nothing },
        })
    }

    fn choice(&self) -> Result<Option<HandChoice>, String> {
        let Some(from) = self.from else { return Ok(None) };
        let devices = || self.devices.as_ref().map(DevicesFile::devices).transpose();
        Ok(Some(match from {
            FromFile::Emulated => {
                let (devices, second) = devices()?.unwrap_or_default();
                HandChoice::Emulated(EmulatedPerformance {
                    script: self.script.clone(),
                    devices,
                    second,
                })
            }
            FromFile::Ports => {
                let (devices, second) = devices()?.ok_or("hand.devices: expected the ports")?;
                HandChoice::Ports { devices, second }
            }
            FromFile::Mouse => HandChoice::Mouse(match self.side {
                Some(SideFile::Left) => Side::Left,
                Some(SideFile::Right) | None => Side::Right,
            }),
            FromFile::Headset => HandChoice::Headset,
        }))
    }
}

impl DevicesFile {
    fn of(devices: &DeviceOptions, second: &SecondHand) -> Self {
        let at = |source: &Option<DeviceSource>| {
            source.as_ref().map(|source| match source {
                DeviceSource::Emulated => "emulated".to_owned(),
                DeviceSource::Port(path) => path.clone(),
            })
        };
        Self {
            model: devices.glove_model.name().to_owned(),
            glove: at(&devices.glove),
            tracker: at(&devices.tracker),
            position: devices.position.map(|position| position.name().to_owned()),
            second_glove: at(&second.second_glove),
            second_tracker: at(&second.second_tracker),
            glove_baud: devices.glove_baud,
            tracker_baud: devices.tracker_baud,
        }
    }

    fn devices(&self) -> Result<(DeviceOptions, SecondHand), String> {
        let at = |path: &Option<String>| {
            let source = |path: &String| DeviceSource::from_str(path);
            path.as_ref().map(source).transpose().map_err(|e| format!("hand.devices: {e}"))
        };
        let baud = |baud: u32| match (300..=4_000_000).contains(&baud) {
            true => Ok(baud),
            false => Err(format!("hand.devices: expected 300 to 4000000 baud, found {baud}")),
        };
        let models = [GloveModel::Cyberglove, GloveModel::Opengloves];
        let positions = [HandPosition::Mouse, HandPosition::Headset];
        let position = self.position.as_ref().map(|position| {
            named("hand.devices.position", position, &positions, HandPosition::name)
        });
        let position = position.transpose()?;
        let devices = DeviceOptions {
            glove: at(&self.glove)?,
            glove_model: named("hand.devices.model", &self.model, &models, GloveModel::name)?,
            tracker: at(&self.tracker)?,
            position,
            glove_baud: baud(self.glove_baud)?,
            tracker_baud: baud(self.tracker_baud)?,
        };
        let (second_glove, second_tracker) = (at(&self.second_glove)?, at(&self.second_tracker)?);
        Ok((devices, SecondHand { second_glove, second_tracker }))
    }
}

impl MaterialFile {
    fn of(setting: &MaterialSetting) -> Self {
        let MaterialSetting { name, young, poisson, density } = setting;
        Self { name: name.clone(), young_pa: *young, poisson: *poisson, density_kg_m3: *density }
    }

    fn material(self) -> Result<MaterialSetting, String> {
        let Self { name, young_pa, poisson, density_kg_m3 } = self;
        IsotropicElastic::new(young_pa, poisson)
            .and_then(|material| material.with_density(density_kg_m3))
            .map_err(|e| format!("material: {e}"))?;
        Ok(MaterialSetting { name, young: young_pa, poisson, density: density_kg_m3 })
    }
}
