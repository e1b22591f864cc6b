//! `palpate simulate`: the example scenarios against closed forms, and errors in words.

use std::fs;
use std::path::Path;

use crate::program::{Program, ours};

/// Rows of a result: fields by the name of their column.
struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect());
        Self { columns: lines.next().unwrap(), rows: lines.collect() }
    }

    /// Values of a column in the rows of a shape or of the body.
    fn of(&self, name: &str, column: &str) -> Vec<f64> {
        let at = |column: &str| self.columns.iter().position(|c| c == column).unwrap();
        let (name_at, value_at) = (at("name"), at(column));
        let rows = self.rows.iter().filter(|row| row[name_at] == name);
        rows.map(|row| row[value_at].parse().unwrap()).collect()
    }

    fn last(&self, name: &str, column: &str) -> f64 {
        *self.of(name, column).last().unwrap()
    }
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../client/src/simulate/examples/{name}.toml"));
    fs::read_to_string(path).unwrap()
}

fn simulate(folder: &Path, scenario: &str, extra: &[&str]) -> (bool, String) {
    fs::write(folder.join("scenario.toml"), scenario).unwrap();
    let mut palpate = ours("palpate");
    palpate.current_dir(folder).args(["simulate", "scenario.toml"]).args(extra);
    let (status, said) = Program::start("palpate", &mut palpate).wait();
    (status.success(), said)
}

fn table(name: &str) -> Table {
    let folder = tempfile::tempdir().unwrap();
    let (ok, said) = simulate(folder.path(), &example(name), &["--out", "r.csv"]);
    assert!(ok, "{said}");
    Table::read(&folder.path().join("r.csv"))
}

fn check(what: &str, got: f64, want: f64, share: f64) {
    assert!((got - want).abs() <= share * want.abs(), "{what}: {got:e}, expected {want:e}");
}

#[test]
fn an_indented_block_presses_back_as_the_limit_of_fine_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--out", "r.csv", "--picture", "end.png", "--size", "320x240"];
    let (ok, said) = simulate(folder.path(), &example("indent"), &arguments);
    assert!(ok, "{said}");
    let result = Table::read(&folder.path().join("r.csv"));
    let (depths, forces) = (result.of("fingertip", "depth"), result.of("fingertip", "fy"));
    let held = forces.len() * 3 / 5;
    check("depth", depths[held], 2e-3, 0.01);
    check("force", -forces[held], 0.1950, 0.12);
    // It comes back to nothing, and friction has taken energy out.
    assert!(forces.last().unwrap().abs() < 1e-3);
    let stored = result.last("body", "elastic") + result.last("body", "pads");
    assert!(result.last("body", "work") > stored - 1e-9);
    let picture = tests::png_frames::picture(&folder.path().join("end.png"));
    assert_eq!(picture.size, [320, 240]);
}

#[test]
fn pinched_cubes_are_lifted_and_each_jaw_carries_half_of_the_weight() {
    let result = table("pinch");
    let height = result.of("body", "y");
    check("height", height.last().unwrap() - height[0], 0.01, 0.06);
    let mut carried = 0.0;
    for jaw in ["left", "right"] {
        check("half of the weight", result.last(jaw, "fy"), 0.5 * 0.064 * 9.81, 0.02);
        check("sticking", result.last(jaw, "sticking"), 1.0, 1e-9);
        carried += result.last(jaw, "fy");
    }
    // The cube still swings a little.
    check("weight", carried, 0.064 * 9.81, 0.01);
    assert_eq!(result.last("table", "points"), 0.0);
}

#[test]
fn sliding_blocks_stop_after_the_way_that_friction_allows() {
    let result = table("slide");
    check("way", result.last("body", "x"), 0.25 / (2.0 * 0.3 * 9.81), 0.015);
    assert!(result.last("body", "vx").abs() < 1e-4);
    // Friction has taken all of the energy of the motion.
    assert!(result.last("body", "kinetic") < 1e-8);
}

#[test]
fn rolling_balls_go_half_as_far_as_the_plate() {
    let result = table("roll");
    let way = result.of("body", "x");
    check("way", way.last().unwrap() - way[0], 0.015, 0.01);
    let turn = 2.0 * result.last("body", "qw").clamp(-1.0, 1.0).acos();
    assert!((0.6..0.63).contains(&turn), "{turn}");
}

#[test]
fn mistakes_in_a_scenario_are_named_with_line_and_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    let indent = example("indent");
    let line = |text: &str| 1 + indent.lines().position(|line| line.starts_with(text)).unwrap();
    let buried = indent.replacen("[0, 0.048, 0]", "[0, 0.040, 0]", 1);
    let (ok, said) = simulate(folder.path(), &buried, &[]);
    let shape = line("[[shape]]");
    assert!(!ok && said.contains(&format!("line {shape}: shape \"fingertip\" starts")), "{said}");
    assert!(said.contains("expected a start outside or touching it"), "{said}");
    // What exists is kept, and a place that takes no file is found, before the work.
    fs::create_dir(folder.path().join("film")).unwrap();
    for kept in ["end.png", "film/00001.png"] {
        fs::write(folder.path().join(kept), "years of work").unwrap();
    }
    for (extra, expected) in [
        (["--picture", "end.png"], "end.png exists already; --replace"),
        (["--pictures", "film"], "00001.png exists already; --replace"),
        (["--out", "nowhere/r.csv"], "cannot write nowhere/r.csv"),
    ] {
        let (ok, said) = simulate(folder.path(), &indent, &extra);
        assert!(!ok && said.contains(expected) && !said.contains("simulating"), "{said}");
    }
}
