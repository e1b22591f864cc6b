//! `palpate object` and `palpate materials` as a person types them: files in, files and words out.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{Program, ours};

/// Runs it in a folder; says whether it went well, and what it said.
fn palpate(folder: &Path, line: &str) -> (bool, String) {
    let mut palpate = ours("palpate");
    palpate
        .current_dir(folder)
        .args(line.split(' '))
        .env("XDG_CONFIG_HOME", folder.join("config"))
        // Without it, graphics libraries would complain.
        .env_remove("XDG_RUNTIME_DIR")
        .env_remove("WAYLAND_DISPLAY");
    let (status, said) = Program::start("palpate", &mut palpate).wait();
    assert!(!said.contains("XDG_RUNTIME_DIR"), "{line}: {said}");
    (status.success(), said)
}

#[track_caller]
fn check(folder: &Path, line: &str, expected: &[&str]) -> String {
    let (ok, said) = palpate(folder, line);
    assert!(ok, "{line}: {said}");
    expected.iter().for_each(|words| assert!(said.contains(words), "{line}: {said}"));
    said
}

#[track_caller]
fn check_refused(folder: &Path, line: &str, expected: &[&str]) {
    let before = names(folder);
    let (ok, said) = palpate(folder, line);
    assert!(!ok, "{line}: {said}");
    expected.iter().for_each(|words| assert!(said.contains(words), "{line}: {said}"));
    assert_eq!(names(folder), before, "{line} left something behind");
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_thing_is_made_looked_at_converted_and_its_skin_filled_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    check(folder, "object new strawberry --nodes 400", &["wrote strawberry.obj3: a strawberry of"]);
    check_refused(folder, "object new strawberry", &["exists already; --replace overwrites it"]);
    check(folder, "object new strawberry --nodes 300 --replace", &["wrote strawberry.obj3"]);
    let said = check(folder, "object info strawberry.obj3", &["the thesis' three lists: 3"]);
    for words in ["- volume", "other values in the file: colour", "radius ratio (1 in", "#"] {
        assert!(said.contains(words), "{said}");
    }
    let said = check(folder, "object info strawberry.obj3 --json --picture berry.png", &[]);
    check_refused(
        folder,
        "object info strawberry.obj3 --picture berry.png",
        &["berry.png exists already; --replace overwrites it"],
    );
    let info: Value = serde_json::from_str(said.trim()).unwrap();
    assert_eq!(
        (&info["usable"], &info["holds"], &info["unit"]),
        (&json!(true), &json!("solid"), &json!("m"))
    );
    assert!(info["quality"]["smallest_angle_deg"].as_f64().unwrap() > 5.0, "{info}");
    let picture = tests::png_frames::picture(&folder.join("berry.png"));
    let red = picture.count(|[r, g, b, _]| r > 120 && g < 60 && b < 70);
    assert!(red > 20_000, "only {red} pixels are as red as a strawberry");

    check(folder, "object convert strawberry.obj3 berry.glb", &["wrote berry.glb: its skin of"]);
    check(
        folder,
        "object convert strawberry.obj3 berry.msh",
        &["left out, because the format has no place for it: colour"],
    );
    check(folder, "object convert berry.msh berry.stl --to-unit mm", &["wrote berry.stl"]);
    let said =
        check(folder, "object info berry.stl", &["numbers taken as millimetres, as the file says"]);
    assert!(said.contains("binary: ") && said.contains(" mm by 7"), "{said}");
    check_refused(folder, "object convert berry.msh b.glb --to-unit mm", &["always in metres"]);
    check_refused(
        folder,
        "object info berry.msh --picture berry.msh",
        &["is not the name of a picture"],
    );
    check_refused(
        folder,
        "object convert berry.glb berry.vtu",
        &["holds a surface of triangles", "`palpate object solid berry.glb berry.vtu` fills it"],
    );
    let filled = [
        "filled with",
        "dihedral angles",
        "the skin deviates from the surface by",
        "wrote solid.vtu",
    ];
    check(folder, "object solid berry.glb solid.vtu --nodes 500", &filled);
    check(folder, "object info solid.vtu", &["other values in the file: colour", "VTK"]);
    check_refused(folder, "object solid solid.vtu other.msh", &["holds a solid already"]);
    check_refused(folder, "object solid berry.glb skin.stl", &["would hold only the skin"]);
    check_refused(folder, "object convert berry.glb berry.ply", &[".ply files are only read"]);
    check_refused(
        folder,
        "object new sphere --nodes 20",
        &["cannot make 20 nodes for a sphere, expected 50 to 200000"],
    );
    check_refused(folder, "object new cube --nodes 7", &["expected 8 to 200000"]);
    check_refused(folder, "object new banana", &["unknown object \"banana\""]);
    check_refused(folder, "object info nothing.msh", &["cannot use nothing.msh", "No such file"]);
}

/// Each with words that tell what is wrong and where.
#[test]
fn broken_files_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    check(folder, "object new cube --nodes 27 good.obj3", &[]);
    let good = fs::read_to_string(folder.join("good.obj3")).unwrap();
    check(folder, "object convert good.obj3 good.vtu", &[]);
    let vtu = fs::read(folder.join("good.vtu")).unwrap();
    let write = |name: &str, text: &[u8]| fs::write(folder.join(name), text).unwrap();
    write("cut.obj3", &good.as_bytes()[..good.len() / 3]);
    write("far.obj3", good.replace("0.03 ", "3e7 ").as_bytes());
    write("nan.obj3", good.replacen("-0.03", "nan", 1).as_bytes());
    write("words.obj3", b"the quick brown fox");
    write("other.obj3", &vtu);
    write("cut.vtu", &vtu[..vtu.len() - 400]);
    write("empty.stl", b"");
    check(folder, "object convert good.obj3 good.stl", &["its skin of 48 triangles"]);
    let stl = fs::read(folder.join("good.stl")).unwrap();
    write("cut.stl", &stl[..stl.len() - 30]);
    write("flat.off", b"OFF\n");
    write("open.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write("wild.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    write("old.gltf", br#"{"asset": {"version": "1.0"}}"#);
    write("alone.node", b"1 3 0 0\n1 0 0 0\n");
    for (name, expected) in [
        ("cut.obj3", "expected"),
        ("far.obj3", "across cannot be right: is the unit right?"),
        ("nan.obj3", "has no valid position: coordinates are NaN, infinite or beyond 1e38 m"),
        (
            "words.obj3",
            "line 1: expected `vertices` and their number, found \"the quick brown fox\"",
        ),
        ("other.obj3", "line 1: expected `vertices` and their number, found \"<?xml"),
        ("cut.vtu", "the file ends where the data of the array \"offsets\" should follow"),
        ("empty.stl", "the file is empty"),
        ("cut.stl", "its header announces 48 triangles, which take 2484 bytes, but it has 2454"),
        ("flat.off", "unknown kind of file \"flat.off\", expected one of .obj3, .msh,"),
        ("wild.obj", "1 triangle (0) names nodes that do not exist, first 9"),
        ("old.gltf", "this is glTF 1.0, expected 2.0"),
        ("alone.node", "\"alone.ele\", which belongs to this file, is missing"),
    ] {
        check_refused(folder, &format!("object info {name}"), &["error: cannot use", expected]);
        let mut json = ours("palpate");
        json.current_dir(folder).args(["object", "info", name, "--json"]);
        let said = json.output().unwrap();
        let info: Value = serde_json::from_slice(&said.stdout).unwrap();
        assert!(!said.status.success() && info["usable"] == json!(false), "{info}");
        assert!(info["error"].as_str().unwrap().contains(expected), "{info}");
    }
    check(folder, "object info open.obj", &["3 open edges: the surface has holes"]);
    check_refused(
        folder,
        "object solid open.obj open.obj3",
        &["no inside that 2000 nodes could show"],
    );
}

/// Data that a format cannot hold are reported, and so are data whose type changes.
#[test]
fn fields_that_a_format_cannot_hold_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let vtk = "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 0.1 0 0 \
               0 0.1 0 0 0 0.1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nPOINT_DATA 4\n\
               SCALARS id vtktypeint64\nLOOKUP_TABLE default\n9007199254740993 2 3 4\n\
               SCALARS heat double\nLOOKUP_TABLE default\n1 2 3 4\n";
    fs::write(folder.join("old.vtk"), vtk).unwrap();
    check(
        folder,
        "object convert old.vtk new.vtu",
        &[
            "1 whole number among the values cannot be held exactly",
            "whole numbers that become floating-point numbers of double precision: id\n",
        ],
    );
    check(folder, "object info new.vtu", &["other values in the file: id, heat"]);
    let msh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"liver\"\n3 2 \"tumour\"\n\
               $EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 0.1 0 0\n3 0 0.1 0\n4 0 0 0.1\n$EndNodes\n\
               $Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n";
    fs::write(folder.join("liver.msh"), msh).unwrap();
    let groups = ["2 physical groups left out: liver, tumour"];
    check(folder, "object convert liver.msh liver.vtu", &groups);
    let said = check(folder, "object info liver.msh --json", &[]);
    let info: Value = serde_json::from_str(said.trim()).unwrap();
    assert_eq!(info["groups_left_out"], json!(["liver", "tumour"]));
}

/// A limit of the shell on the length of files ends in words and leaves nothing behind.
#[cfg(unix)]
#[test]
fn a_file_beyond_the_users_limit_is_an_error_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let program = ours("palpate").get_program().to_owned();
    let mut shell = std::process::Command::new("sh");
    shell
        .current_dir(folder)
        .args(["-c", "ulimit -f 20; exec \"$0\" object new cube --nodes 8000 large.vtu"])
        .arg(program)
        .env("XDG_CONFIG_HOME", folder.join("config"));
    let (status, said) = Program::start("palpate", &mut shell).wait();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("error: cannot write large.vtu: File too large"), "{said}");
    assert!(!said.contains(".palpate-"), "{said}");
    assert_eq!(names(folder), [""; 0], "something was left behind");
}

/// An output that cannot be written is refused before the work, and work is not lost.
#[test]
fn a_place_that_takes_no_file_is_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    check(folder, "object new cube --nodes 27 cube.obj3", &[]);
    check(folder, "object convert cube.obj3 skin.stl", &[]);
    fs::write(folder.join("touch.json"), "{}").unwrap();
    // Whatever else is wrong would be said only later.
    for line in [
        "object solid skin.stl nowhere/x.vtu --nodes 100000",
        "object convert missing.msh nowhere/x.msh",
        "object new cube --nodes 100000 nowhere/x.obj3",
        "solve missing.msh --material liver --touch touch.json --out nowhere/x.json",
        "object info missing.msh --picture nowhere/x.png",
    ] {
        check_refused(folder, line, &["cannot write nowhere/x.", "No such file or directory"]);
    }
}

/// What a solver refuses is not called usable, and what bounds a volume is said.
#[test]
fn a_look_tells_what_can_be_solved_and_what_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let hinge = "vertices 7\n0 0 0\n0.1 0 0\n0 0.1 0\n0 0 0.1\n-0.1 0 0\n0 -0.1 0\n0 0 -0.1\n\
                 elements 2\n0 1 2 3\n0 5 4 6\n";
    fs::write(folder.join("hinge.obj3"), hinge).unwrap();
    let words = "elements 0 and 1 meet in node 0";
    check_refused(folder, "object info hinge.obj3", &["error: cannot use hinge.obj3", words]);
    let (ok, said) = palpate(folder, "object info hinge.obj3 --json");
    assert!(!ok && said.contains("\"usable\": false") && said.contains(words), "{said}");
    check(folder, "object convert hinge.obj3 hinge.msh", &["wrote hinge.msh"]);
    check(folder, "object new cube --nodes 27 cube.obj3", &[]);
    check(folder, "object convert cube.obj3 skin.obj", &[]);
    check(folder, "object info skin.obj", &["- closed, volume 216.0 cm³, area 216.0 cm²"]);
    let said = check(folder, "object info skin.obj --json", &[]);
    let info: Value = serde_json::from_str(said.trim()).unwrap();
    assert_eq!(info["closed"], json!(true));
    assert!((info["volume_m3"].as_f64().unwrap() - 2.16e-4).abs() < 1e-10, "{info}");
    let skin = fs::read_to_string(folder.join("skin.obj")).unwrap();
    fs::write(folder.join("open.obj"), skin.rsplit_once("f ").unwrap().0).unwrap();
    check(folder, "object info open.obj", &["- not closed, area"]);
}

/// Nodes and elements in files of their own are read wherever one file would be.
#[test]
fn a_pair_of_files_can_be_measured() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../objects/tests/files");
    for name in ["tetgen.node", "tetgen.ele"] {
        fs::copy(files.join(name), folder.join(name)).unwrap();
    }
    for name in ["tetgen.node", "tetgen.ele"] {
        let few = "--threads 1 --repetitions 2 --algorithms ours --contacts 6";
        check(folder, &format!("bench --object {name} --out {name}.bench {few}"), &[name]);
    }
    let surface = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    fs::write(folder.join("flat.obj"), surface).unwrap();
    check_refused(folder, "bench --object flat.obj", &["cannot use flat.obj: it holds a surface"]);
}

#[test]
fn materials_are_listed_with_sources_and_used_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    check(folder, "materials", &["liver", "5.4 kPa", "sylgard 184", "quoted from other sources"]);
    check(folder, "materials Liver", &["Poisson's ratio  0.49", "source", "Palmeri"]);
    check_refused(
        folder,
        "materials livver",
        &["there is no material \"livver\"; there is \"liver\""],
    );
    fs::create_dir_all(folder.join("config/palpate")).unwrap();
    let own =
        "[[material]]\nname = \"jelly\"\nyoung_pa = 2e4\npoisson = 0.3\ndensity_kg_m3 = 1e3\n";
    fs::write(folder.join("config/palpate/materials.toml"), own).unwrap();
    check(folder, "materials jelly", &["20 kPa"]);
    check(folder, "object new cube --nodes 27 cube.obj3", &[]);
    let touch = json!({"known": [
        {"node": 0, "displacement": [0.0, 0.0, 0.0]}, {"node": 2, "displacement": [0.0, 0.0, 0.0]},
        {"node": 8, "displacement": [0.0, 0.0, 0.0]}, {"node": 24, "displacement": [0.0, 0.0, -0.002]},
    ]});
    fs::write(folder.join("touch.json"), touch.to_string()).unwrap();
    check(folder, "solve cube.obj3 --material jelly --touch touch.json --out named.json", &[]);
    check(
        folder,
        "solve cube.obj3 --young 2e4 --poisson 0.3 --touch touch.json --out told.json",
        &[],
    );
    let result = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap()
    };
    assert_eq!(result("named.json")["reactions"], result("told.json")["reactions"]);
    check(folder, "solve cube.obj3 --material jelly --touch touch.json --out found.vtu", &[]);
    check(folder, "object info found.vtu", &["displacement, reaction, stress"]);
    // Other than in JSON, so the file says which is which.
    let found = fs::read(folder.join("found.vtu")).unwrap();
    let found = String::from_utf8_lossy(&found);
    assert!(found.contains("ComponentName3=\"xy\" ComponentName4=\"yz\" ComponentName5=\"xz\""));
    check_refused(folder, "solve cube.obj3 --touch touch.json", &["expected --material NAME"]);
    check(folder, "object convert cube.obj3 cube.vtu", &[]);
    check_refused(
        folder,
        "solve cube.vtu --material jelly --touch touch.json --out ./cube.vtu",
        &["would overwrite cube.vtu"],
    );
}
