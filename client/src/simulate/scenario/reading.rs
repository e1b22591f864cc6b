//! Reads and checks a scenario. Errors name the line and what was expected.

use std::collections::HashSet;

use nalgebra::{Isometry3, UnitQuaternion, UnitVector3};
use objects::Unit;
use objects::generate::GeneratedKind;
use physics::contact::{ContactSettings, Friction, Pad, ProxyShape};
use toml::Spanned;

use super::{ObjectSource, Scenario, ScenarioObject, ScriptedShape};
use crate::simulate::scenario_file::{
    ContactTable, Expected, ObjectTable, ScenarioError, ScenarioFile, ShapeTable, Source, TurnTable,
};

/// Largest number of steps of a scenario.
const MOST_STEPS: f64 = 1e7;

impl Scenario {
    /// Reads and checks a scenario.
    pub(in crate::simulate) fn parse(text: &str) -> Result<Self, ScenarioError> {
        let source = Source::of(text);
        let file = source.parsed()?;
        let reader = Reader { source };
        reader.scenario(&file)
    }
}

struct Reader<'a> {
    source: Source<'a>,
}

impl Reader<'_> {
    fn scenario(&self, file: &ScenarioFile) -> Result<Scenario, ScenarioError> {
        let source = &self.source;
        let step = source.number("step", &file.time.step, 1e-3, Expected::Positive)?;
        let duration = source.needed("duration", &file.time.duration, Expected::Positive)?;
        if duration / step > MOST_STEPS {
            let words = format!(
                "duration is {duration} s, expected at most {MOST_STEPS:.0} steps of {step} s"
            );
            return Err(source.error(&file.time.duration, words));
        }
        let every = source.count("row_every", &file.time.row_every, 1, 1..=1_000_000)?;
        let mut names = HashSet::new();
        let mut shapes = Vec::with_capacity(file.shapes.len());
        for (number, table) in file.shapes.iter().enumerate() {
            let shape = self.shape(number, table)?;
            if !names.insert(shape.name.clone()) {
                let words =
                    format!("name is {:?}, expected another name for each shape", shape.name);
                return Err(source.error(table, words));
            }
            shapes.push(shape);
        }
        Ok(Scenario {
            object: self.object(&file.object)?,
            gravity: source.vector("gravity", &file.world.gravity, [0.0, -9.81, 0.0])?,
            step,
            n_steps: (duration / step).round().max(1.0) as u64,
            row_every: every.into(),
            contact: self.contact(&file.contact)?,
            shapes,
        })
    }

    fn object(&self, table: &ObjectTable) -> Result<ScenarioObject, ScenarioError> {
        let source = &self.source;
        let positive = |name: &str, value: &Option<Spanned<f64>>| {
            value.as_ref().map(|value| source.needed(name, value, Expected::Positive)).transpose()
        };
        let size = match &table.size {
            None => None,
            Some(size) => {
                let found = source.needed_vector("size", size)?;
                if found.min() <= 0.0 {
                    let words =
                        format!("size is {:?}, expected three positive numbers", size.get_ref());
                    return Err(source.error(size, words));
                }
                Some(found)
            }
        };
        let poisson = match &table.poisson {
            None => None,
            Some(value) => {
                let poisson = source.needed("poisson", value, Expected::Finite)?;
                if !(-1.0 < poisson && poisson < 0.5) {
                    let words =
                        format!("poisson is {poisson}, expected a number above -1 and below 0.5");
                    return Err(source.error(value, words));
                }
                Some(poisson)
            }
        };
        Ok(ScenarioObject {
            source: self.object_source(table)?,
            size,
            material: table.material.as_ref().map(|name| name.get_ref().clone()),
            young: positive("young", &table.young)?,
            poisson,
            density: positive("density", &table.density)?,
            is_glued: source.choice(
                "support",
                &table.support,
                &[("none", false), ("bottom", true)],
            )?,
            at: table.at.as_ref().map(|at| source.needed_vector("at", at)).transpose()?,
            turn: self.turn(&table.turn)?,
            velocity: source.vector("velocity", &table.velocity, [0.0; 3])?,
            spin: source.vector("spin", &table.spin, [0.0; 3])?,
        })
    }

    fn object_source(&self, table: &ObjectTable) -> Result<ObjectSource, ScenarioError> {
        let source = &self.source;
        let nodes = |default: u32| source.count("nodes", &table.nodes, default, 8..=1_000_000);
        match (&table.make, &table.file) {
            (None, None) => Err(ScenarioError {
                line: 1,
                reason: "[object] has neither make nor file, expected make = \"cube\" or \
                         file = \"mesh.msh\""
                    .to_owned(),
            }),
            (Some(_), Some(file)) => {
                Err(source.error(file, "file stands beside make, expected one of the two"))
            }
            (Some(name), None) => {
                let kind = name.get_ref().parse::<GeneratedKind>();
                let kind =
                    kind.map_err(|unknown| source.error(name, format!("make: {unknown}")))?;
                let cells = match &table.cells {
                    None => None,
                    Some(cells) if kind != GeneratedKind::Cube => {
                        return Err(source.error(cells, "cells is for cubes, expected nodes"));
                    }
                    cells => Some(source.count("cells", cells, 0, 1..=100)?),
                };
                Ok(ObjectSource::Made { kind, nodes: nodes(800)?, cells })
            }
            (None, Some(path)) => {
                let unit = table.unit.as_ref().map(|unit| {
                    let words =
                        || format!("unit is {:?}, expected mm, cm, m or in", unit.get_ref());
                    unit.get_ref().parse::<Unit>().map_err(|_| source.error(unit, words()))
                });
                let unit = unit.transpose()?;
                Ok(ObjectSource::File { path: path.get_ref().into(), unit, nodes: nodes(2000)? })
            }
        }
    }

    fn contact(&self, table: &ContactTable) -> Result<ContactSettings, ScenarioError> {
        let source = &self.source;
        let defaults = ContactSettings::default();
        let spacing = source.number("spacing", &table.spacing, 2e-3, Expected::Positive)?;
        let on_nodes =
            source.choice("points", &table.points, &[("area", false), ("nodes", true)])?;
        let is_quasi_static = source.choice(
            "motion",
            &table.motion,
            &[("dynamic", false), ("quasi-static", true)],
        )?;
        Ok(ContactSettings {
            spacing: (!on_nodes).then_some(spacing),
            has_local_compliance: table.local_compliance.unwrap_or(defaults.has_local_compliance),
            tolerance: source.number(
                "tolerance",
                &table.tolerance,
                defaults.tolerance,
                Expected::Positive,
            )?,
            most_sweeps: source.count(
                "sweeps",
                &table.sweeps,
                defaults.most_sweeps,
                1..=100_000,
            )?,
            is_quasi_static,
            ..defaults
        })
    }

    fn shape(
        &self,
        number: usize,
        spanned: &Spanned<ShapeTable>,
    ) -> Result<ScriptedShape, ScenarioError> {
        let source = &self.source;
        let table = spanned.get_ref();
        let kind = ["sphere", "cylinder", "box", "plane"]
            .into_iter()
            .find(|kind| kind == table.kind.get_ref())
            .ok_or_else(|| {
                let found = table.kind.get_ref();
                source.error(
                    &table.kind,
                    format!("kind is {found:?}, expected sphere, cylinder, box or plane"),
                )
            })?;
        let soft = if kind == "plane" { Pad::HARD } else { Pad::FINGERTIP };
        let normal = source.number("pad", &table.pad, soft.normal, Expected::Positive)?;
        let tangential =
            source.number("sideways_pad", &table.sideways_pad, normal, Expected::Positive)?;
        let thickness = source.number(
            "pad_thickness",
            &table.pad_thickness,
            f64::INFINITY,
            Expected::Positive,
        )?;
        let sticking = source.number(
            "friction",
            &table.friction,
            Friction::SKIN.sticking,
            Expected::NotNegative,
        )?;
        let sliding = source.number(
            "sliding_friction",
            &table.sliding_friction,
            sticking,
            Expected::NotNegative,
        )?;
        if let Some(value) = table.sliding_friction.as_ref().filter(|_| sliding > sticking) {
            let words =
                format!("sliding_friction is {sliding}, expected at most friction, {sticking}");
            return Err(source.error(value, words));
        }
        let touches = source.choice(
            "touches",
            &table.touches,
            &[("default", None), ("points", Some(false)), ("nodes", Some(true))],
        )?;
        Ok(ScriptedShape {
            name: table
                .name
                .as_ref()
                .map_or_else(|| format!("{kind} {}", number + 1), |name| name.get_ref().clone()),
            line: source.error(spanned, "").line,
            shape: self.geometry(kind, table)?,
            pad: Pad { normal, tangential, thickness },
            friction: Friction { sticking, sliding },
            touches_nodes_only: touches.unwrap_or(kind == "plane"),
            path: self.path(spanned)?,
        })
    }

    /// Shape of a kind. A length that the kind needs must be there, and no other.
    fn geometry(&self, kind: &str, table: &ShapeTable) -> Result<ProxyShape, ScenarioError> {
        let source = &self.source;
        let needed = |name: &str, value: &Option<Spanned<f64>>| match value {
            Some(value) => source.needed(name, value, Expected::Positive),
            None => Err(source.error(
                &table.kind,
                format!("the {kind} has no {name}, expected {name} in metres"),
            )),
        };
        let foreign = |name: &str, place: Option<ScenarioError>| match place {
            Some(error) => Err(ScenarioError {
                reason: format!("{name} does not belong to a {kind}"),
                ..error
            }),
            None => Ok(()),
        };
        let radius_at = table.radius.as_ref().map(|value| source.error(value, ""));
        let length_at = table.length.as_ref().map(|value| source.error(value, ""));
        let rounded_at = table.rounded.as_ref().map(|value| source.error(value, ""));
        let size_at = table.size.as_ref().map(|value| source.error(value, ""));
        if kind != "cylinder" {
            foreign("length", length_at)?;
            foreign("rounded", rounded_at)?;
        }
        if kind != "box" {
            foreign("size", size_at)?;
        }
        if matches!(kind, "box" | "plane") {
            foreign("radius", radius_at)?;
        }
        match kind {
            "sphere" => Ok(ProxyShape::Sphere { radius: needed("radius", &table.radius)? }),
            "cylinder" => Ok(ProxyShape::Cylinder {
                radius: needed("radius", &table.radius)?,
                half_length: 0.5 * needed("length", &table.length)?,
                is_rounded: table.rounded.as_ref().is_some_and(|rounded| *rounded.get_ref()),
            }),
            "box" => {
                let Some(size) = &table.size else {
                    let words = "the box has no size, expected size = [x, y, z] in metres";
                    return Err(source.error(&table.kind, words));
                };
                let half_extents = source.needed_vector("size", size)? * 0.5;
                if half_extents.min() <= 0.0 {
                    let words =
                        format!("size is {:?}, expected three positive numbers", size.get_ref());
                    return Err(source.error(size, words));
                }
                Ok(ProxyShape::Box { half_extents })
            }
            _ => Ok(ProxyShape::Plane),
        }
    }

    fn path(
        &self,
        spanned: &Spanned<ShapeTable>,
    ) -> Result<Vec<(f64, Isometry3<f64>)>, ScenarioError> {
        let source = &self.source;
        let table = spanned.get_ref();
        let Some(moments) = &table.path else {
            let at = source.vector("at", &table.at, [0.0; 3])?;
            let turn = self.turn(&table.turn)?;
            return Ok(vec![(0.0, Isometry3::from_parts(at.into(), turn))]);
        };
        if let Some(at) = &table.at {
            return Err(source.error(at, "at stands beside path, expected one of the two"));
        }
        if let Some(turn) = &table.turn {
            return Err(source.error(turn, "turn stands beside path, expected it in each moment"));
        }
        let mut path: Vec<(f64, Isometry3<f64>)> = Vec::new();
        for moment in moments.get_ref() {
            let table = moment.get_ref();
            let time = source.needed("time", &table.time, Expected::NotNegative)?;
            if let Some((before, _)) = path.last().filter(|(before, _)| *before >= time) {
                let words = format!("time is {time}, expected a moment after {before}");
                return Err(source.error(&table.time, words));
            }
            let at = source.needed_vector("at", &table.at)?;
            let turn = self.turn(&table.turn)?;
            path.push((time, Isometry3::from_parts(at.into(), turn)));
        }
        match path.is_empty() {
            true => Err(source.error(moments, "path is empty, expected at least one moment")),
            false => Ok(path),
        }
    }

    fn turn(
        &self,
        turn: &Option<Spanned<TurnTable>>,
    ) -> Result<UnitQuaternion<f64>, ScenarioError> {
        let Some(turn) = turn else { return Ok(UnitQuaternion::identity()) };
        let TurnTable { axis, degrees } = turn.get_ref();
        let direction = self.source.needed_vector("axis", axis)?;
        let direction = UnitVector3::try_new(direction, 1e-9).ok_or_else(|| {
            let found = axis.get_ref();
            self.source.error(axis, format!("axis is {found:?}, expected a direction"))
        })?;
        let degrees = self.source.needed("degrees", degrees, Expected::Finite)?;
        Ok(UnitQuaternion::from_axis_angle(&direction, degrees.to_radians()))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    const SCENARIO: &str = "\
[object]
make = \"cube\"
cells = 2

[time]
duration = 0.1

[[shape]]
kind = \"sphere\"
radius = 0.008
friction = 0.5
path = [
  { time = 0.0, at = [0, 0.07, 0] },
  { time = 0.1, at = [0, 0.06, 0] },
]
";

    fn check(from: &str, to: &str, line: usize, words: &str) {
        assert!(SCENARIO.contains(from), "{from}");
        let error = Scenario::parse(&SCENARIO.replacen(from, to, 1)).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.reason.contains(words), "{error}");
        assert!(!error.reason.contains('\n'), "{error}");
    }

    #[test]
    fn a_scenario_is_read_with_its_defaults() {
        let scenario = Scenario::parse(SCENARIO).unwrap();
        assert_eq!((scenario.n_steps, scenario.row_every), (100, 1));
        assert_eq!(scenario.gravity, Vector3::new(0.0, -9.81, 0.0));
        assert_eq!(scenario.contact, ContactSettings::default());
        let shape = &scenario.shapes[0];
        assert_eq!((shape.name.as_str(), shape.line), ("sphere 1", 8));
        assert_eq!(shape.pose_at(0.05).translation.vector, Vector3::new(0.0, 0.065, 0.0));
        assert_eq!(shape.pose_at(9.0).translation.vector, Vector3::new(0.0, 0.06, 0.0));
        assert_eq!(shape.resting(shape.pose_at(0.0)).pad, Pad::FINGERTIP);
    }

    #[test]
    fn wrong_keys_and_numbers_are_named_with_their_line() {
        check("radius", "radus", 10, "unknown field `radus`, expected one of");
        check("0.008", "-0.008", 10, "radius is -0.008, expected a positive number");
        check("0.008", "nan", 10, "radius is NaN, expected a positive number");
        check("0.008", "\"big\"", 10, "expected a number");
        check("0.5", "-0.5", 11, "friction is -0.5, expected zero or a positive number");
        check("\"sphere\"", "\"ball\"", 9, "expected sphere, cylinder, box or plane");
        check("radius = 0.008\n", "", 9, "the sphere has no radius");
        check("friction = 0.5", "length = 0.5", 11, "length does not belong to a sphere");
        check("friction = 0.5", "sliding_friction = 0.9", 11, "expected at most friction, 0.6");
        check("friction = 0.5", "touches = \"all\"", 11, "expected default, points, nodes");
        check("time = 0.1", "time = 0.0", 14, "time is 0, expected a moment after 0");
        check("[0, 0.06, 0]", "[0, 0.06]", 14, "three numbers");
        check("[0, 0.06, 0]", "[0, inf, 0]", 14, "expected finite numbers");
        check("duration = 0.1", "duration = 0", 6, "duration is 0, expected a positive number");
        check("duration = 0.1", "duration = 1e9", 6, "expected at most 10000000 steps");
        check("duration = 0.1", "step = 0.1", 5, "missing field `duration`");
        check("\"cube\"", "\"cone\"", 2, "expected cube, sphere, strawberry or toothpaste");
        check("cells = 2", "cells = 0", 3, "cells is 0, expected 1 to 100");
        check("cells = 2", "density = -1", 3, "density is -1, expected a positive number");
        check("cells = 2", "poisson = 0.5", 3, "expected a number above -1 and below 0.5");
        check("cells = 2", "turn = { axis = [0, 0, 0], degrees = 3 }", 3, "expected a direction");
        check("make = \"cube\"\ncells = 2\n", "", 1, "has neither make nor file");
        check("[object]\nmake = \"cube\"\ncells = 2\n", "object = 3\n", 1, "expected a table");
    }

    #[test]
    fn the_examples_are_scenarios() {
        for text in [
            include_str!("../examples/indent.toml"),
            include_str!("../examples/pinch.toml"),
            include_str!("../examples/slide.toml"),
            include_str!("../examples/roll.toml"),
        ] {
            Scenario::parse(text).unwrap();
        }
    }
}
