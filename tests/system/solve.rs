//! `palpate solve` as a script uses it: files in, a file out.

use std::fs;
use std::path::Path;

use objects::format::write_thesis;
use objects::generate::cube;
use serde_json::{Value, json};

use crate::program::{Program, Server, ours};

const EDGE: f64 = 0.06;
const YOUNG: f64 = 2e4;

fn solve(folder: &Path, touch: &Value, extra: &[&str]) -> (bool, String) {
    fs::write(folder.join("cube.obj3"), write_thesis(&cube(EDGE, 4).unwrap())).unwrap();
    fs::write(folder.join("touch.json"), touch.to_string()).unwrap();
    let mut palpate = ours("palpate");
    palpate.current_dir(folder).args(["solve", "cube.obj3", "--touch", "touch.json"]).args(extra);
    let (status, said) = Program::start("palpate", &mut palpate).wait();
    (status.success(), said)
}

const MATERIAL: [&str; 4] = ["--young", "2e4", "--poisson", "0.3"];

/// The cube stretched along z by one percent between faces that may contract: E e A and E e² V / 2.
#[test]
fn a_stretched_cube_gives_the_textbook_force_and_energy() {
    let folder = tempfile::tempdir().unwrap();
    let strain = 0.01;
    let mesh = cube(EDGE, 4).unwrap();
    let half = EDGE / 2.0;
    let is = |a: f64, b: f64| (a - b).abs() < 1e-12;
    let known: Vec<Value> = mesh
        .rest_positions()
        .iter()
        .enumerate()
        .filter(|(_, x)| is(x.z.abs(), half))
        .map(|(node, x)| {
            // The middle of the lower face holds the sideways motion, the middle of an edge the
            // turn.
            let is_lower = is(x.z, -half);
            let is_middle = is_lower && is(x.x, 0.0) && is(x.y, 0.0);
            let is_edge = is_lower && is(x.x, half) && is(x.y, 0.0);
            let held = |it: bool| if it { json!(0.0) } else { Value::Null };
            json!({"node": node, "displacement": [held(is_middle), held(is_middle || is_edge), strain * x.z]})
        })
        .collect();
    let touch = json!({"supports": [], "known": known});
    let arguments = [&MATERIAL[..], &["--stress", "--out", "r.json"]].concat();
    let (ok, said) = solve(folder.path(), &touch, &arguments);
    assert!(ok, "{said}");

    let result: Value =
        serde_json::from_slice(&fs::read(folder.path().join("r.json")).unwrap()).unwrap();
    let pull: f64 = result["reactions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|reaction| reaction["force"][2].as_f64().unwrap().max(0.0))
        .sum();
    let close = |got: f64, want: f64| (got - want).abs() < 1e-9 * want.abs();
    assert!(close(pull, YOUNG * strain * EDGE * EDGE), "{pull} N");
    let energy = result["strain_energy"].as_f64().unwrap();
    assert!(close(energy, 0.5 * YOUNG * strain * strain * EDGE.powi(3)), "{energy} J");
    for stress in result["stresses"].as_array().unwrap() {
        for (axis, expected) in [0.0, 0.0, YOUNG * strain, 0.0, 0.0, 0.0].iter().enumerate() {
            let stress = stress[axis].as_f64().unwrap();
            assert!((stress - expected).abs() < 1e-9 * YOUNG * strain, "{stress} Pa");
        }
    }
    assert!(result["residual"].as_f64().unwrap() < 1e-10);
    assert_eq!(result["displacements"].as_array().unwrap().len(), mesh.n_nodes());
    for stage in ["reading", "assembling", "ordering", "analysing", "factorising", "solving"] {
        assert!(result["seconds"][stage].is_f64(), "{stage}");
    }
}

/// A squeeze from two sides, with one component left free.
fn squeeze() -> Value {
    json!({"known": [
        {"node": 2, "displacement": [0.0, 0.001, 0.001]},
        {"node": 10, "displacement": [0.0, null, 0.002]},
        {"node": 60, "displacement": [0.001, 0.0, 0.0]},
        {"node": 112, "displacement": [0.0, 0.0, -0.003]},
    ]})
}

#[test]
fn a_server_and_the_dense_inverse_give_the_same_answer() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start("127.0.0.1:0");
    let result = |extra: &[&str]| -> Value {
        let arguments = [&MATERIAL[..], &["--replace", "--out", "r.json"], extra].concat();
        let (ok, said) = solve(folder.path(), &squeeze(), &arguments);
        assert!(ok, "{said}");
        serde_json::from_slice(&fs::read(folder.path().join("r.json")).unwrap()).unwrap()
    };
    let here = result(&["--threads", "1"]);
    assert_eq!(here["threads"], 1);
    let there = result(&["--server", &server.url]);
    assert!(there["seconds"]["transfer"].is_f64());
    for field in ["displacements", "reactions", "strain_energy", "residual"] {
        assert_eq!(here[field], there[field], "{field} differs between here and the server");
    }
    assert!(there["seconds"]["factorising"].is_f64());
    let again = result(&["--server", &server.url]);
    assert!(again["seconds"]["factorising"].is_null(), "the server has factorised it before");
    assert_eq!(again["displacements"], here["displacements"]);
    let inverted = result(&["--algorithm", "invert"]);
    let numbers = |result: &Value| -> Vec<f64> {
        let flat = result["displacements"].as_array().unwrap().iter();
        flat.flat_map(|u| u.as_array().unwrap().iter().map(|c| c.as_f64().unwrap())).collect()
    };
    for (a, b) in numbers(&here).iter().zip(numbers(&inverted)) {
        assert!((a - b).abs() < 1e-9 * 0.003, "{a} and {b}");
    }
}

#[test]
fn a_loose_object_moves_least_if_that_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let lift = json!({"known": [{"node": 0, "displacement": [0.0, 0.0, 0.001]}]});
    let arguments = [&MATERIAL[..], &["--least-motion", "--out", "r.json"]].concat();
    let (ok, said) = solve(folder.path(), &lift, &arguments);
    assert!(ok, "{said}");
    let result: Value =
        serde_json::from_slice(&fs::read(folder.path().join("r.json")).unwrap()).unwrap();
    assert!((result["displacements"][0][2].as_f64().unwrap() - 0.001).abs() < 1e-12);
    assert!(result["strain_energy"].as_f64().unwrap().abs() < 1e-15, "it moves as it is");
}

/// Supports are blamed only if they leave the object loose; other errors stay as they are.
#[test]
fn a_least_motion_blames_supports_only_if_they_do_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let node = json!({"node": 5, "displacement": [0.0, 0.0, 0.001]});
    let arguments = [&MATERIAL[..], &["--least-motion"]].concat();
    let hint = "with --least-motion, leave them empty";
    for (supports, expected, has_hint) in [
        (json!([0, 1]), "the supports do not hold the object", true),
        (json!([9999]), "support 9999 is not a node", false),
    ] {
        let touch = json!({"supports": supports, "known": [node]});
        let (ok, said) = solve(folder.path(), &touch, &arguments);
        assert!(!ok && said.contains(expected), "{said}");
        assert_eq!(said.contains(hint), has_hint, "{said}");
    }
}

#[test]
fn unsolvable_touches_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let node = |node: u32| json!({"node": node, "displacement": [0.0, 0.0, 0.001]});
    let cases = [
        (json!({"known": [node(0), node(1)]}), "free to turn about the axis"),
        (json!({"known": [node(0), node(0)]}), "prescribed twice"),
        (json!({"known": [node(4000)]}), "does not exist"),
        (json!({"supports": [0, 1], "known": [node(5)]}), "the supports do not hold the object"),
        (json!({"supports": [9999], "known": [node(5)]}), "support 9999 is not a node"),
        (json!({"supports": [0, 4, 20]}), "no node has a known displacement"),
        (json!({"knwon": []}), "unknown field `knwon`"),
    ];
    for (touch, expected) in cases {
        let (ok, said) = solve(folder.path(), &touch, &MATERIAL);
        assert!(!ok && said.contains(expected), "{touch}: {said}");
    }
    let (ok, said) = solve(folder.path(), &squeeze(), &["--young", "-1", "--poisson", "0.3"]);
    assert!(!ok && said.contains("Young's modulus is -1 Pa"), "{said}");
    let (ok, said) = solve(folder.path(), &squeeze(), &["--young", "25kPa", "--poisson", "0.3"]);
    assert!(
        !ok && said.contains("expected a number of pascals, such as 25000 for 25 kPa"),
        "{said}"
    );
}

/// A result says of which mesh and material it is, and nodes that nothing moves have no answer.
#[test]
fn a_result_says_what_it_is_of() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // A node that no element uses, as between the corners of elements of second order.
    let mesh = write_thesis(&cube(EDGE, 4).unwrap());
    let mesh = mesh.replacen("vertices 125", "vertices 126", 1);
    let mesh = mesh.replacen("elements", "1 1 1\nelements", 1);
    fs::write(at("loose.obj3"), mesh).unwrap();
    let mut touch = squeeze();
    touch["known"][3]["displacement"][2] = json!(-0.02);
    fs::write(at("touch.json"), touch.to_string()).unwrap();
    let run = |out: &str| {
        let mut palpate = ours("palpate");
        let line =
            ["solve", "loose.obj3", "--touch", "touch.json", "--material", "liver", "--out", out];
        let (status, said) =
            Program::start("palpate", palpate.current_dir(folder.path()).args(line)).wait();
        assert!(status.success(), "{said}");
        said
    };
    let said = run("r.json");
    assert!(said.contains("nodes move by 0.3") && said.contains("strains as small"), "{said}");
    assert!(!said.contains("is unusual"), "the stray node counts in the size: {said}");
    let result: Value = serde_json::from_slice(&fs::read(at("r.json")).unwrap()).unwrap();
    assert_eq!(result["object"]["file"], "loose.obj3");
    assert_eq!(
        (&result["object"]["nodes"], &result["object"]["file_unit"]),
        (&json!(126), &json!("m"))
    );
    assert_eq!(
        (&result["material"]["name"], &result["material"]["poisson"]),
        (&json!("liver"), &json!(0.45))
    );
    assert!(result["material"]["young_pa"].as_f64().unwrap() > 1000.0);
    assert_eq!(result["units"]["stresses"], "Pa");
    assert!(result["palpate"].is_string());
    assert_eq!(result["displacements"][125], Value::Null);
    assert!(result["displacements"][124].is_array());
    run("r.vtu");
    let file = fs::read(at("r.vtu")).unwrap();
    let file = String::from_utf8_lossy(&file);
    for words in [
        "von&#32;Mises&#32;stress",
        "Young&#39;s&#32;modulus",
        ">Pa</InformationKey>",
        ">m</InformationKey>",
    ] {
        assert!(file.contains(words), "{words}");
    }
}

/// The touch is a pipe, so the test knows when the program waits for it.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_solve_with_words_and_the_usual_code() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("cube.obj3"), write_thesis(&cube(EDGE, 4).unwrap())).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(at("touch.json")).status().unwrap().success());
    let mut palpate = ours("palpate");
    palpate.current_dir(folder.path()).args([
        "solve",
        "cube.obj3",
        "--touch",
        "touch.json",
        "--out",
        "r.json",
    ]);
    let palpate = Program::start("palpate", palpate.args(MATERIAL));
    let _pipe = fs::OpenOptions::new().write(true).open(at("touch.json")).unwrap();
    palpate.signal("INT");
    let (status, said) = palpate.wait();
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(said.contains("error: interrupted; nothing was written"), "{said}");
    assert!(!at("r.json").exists());
}

/// A result replaces a file only when it is complete, keeps its permissions, follows links, and
/// runs side by side do not meet.
#[cfg(unix)]
#[test]
fn a_result_replaces_what_a_link_points_to_and_leaves_nothing_else_behind() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("target.1"), "old").unwrap();
    fs::set_permissions(at("target.1"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(at("target.json.part"), "mine").unwrap();
    symlink("target.1", at("link.json")).unwrap();
    let arguments = [&MATERIAL[..], &["--out", "link.json"]].concat();
    let (ok, said) = solve(folder.path(), &squeeze(), &arguments);
    assert!(!ok && said.contains("link.json exists already; --replace overwrites it"), "{said}");
    assert_eq!(fs::read_to_string(at("target.1")).unwrap(), "old");
    let (ok, said) = solve(folder.path(), &squeeze(), &[&arguments[..], &["--replace"]].concat());
    assert!(ok && said.contains("wrote link.json"), "{said}");
    assert!(at("link.json").is_symlink());
    assert!(fs::read_to_string(at("target.1")).unwrap().contains("displacements"));
    assert_eq!(fs::metadata(at("target.1")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(at("target.json.part")).unwrap(), "mine");
    for out in [".", "result.csv", "cube.obj3"] {
        let arguments = [&MATERIAL[..], &["--replace", "--out", out]].concat();
        let (ok, said) = solve(folder.path(), &squeeze(), &arguments);
        assert!(!ok && (said.contains("expected .json or .vtu") || out == "cube.obj3"), "{said}");
    }
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["cube.obj3", "link.json", "target.1", "target.json.part", "touch.json"]);
}
