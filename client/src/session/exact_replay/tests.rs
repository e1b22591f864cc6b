//! Tests with journals written by hand: valid ones are replayed, changed ones are refused with a
//! reason.

use std::sync::Arc;

use engine::{MemoryBudget, SolverResources, Stepper};
use interaction::grasp::GraspRules;
use interaction::thing::ThingParts;
use nalgebra::Isometry3;
use physics::material::IsotropicElastic;
use physics::{MemoryLimits, Model, ObjectSpec, Progress, SolidSpec};

use super::*;
use crate::session::ProfilesInUse;
use crate::session::journal::OrderFile;

fn cube() -> ThingParts {
    let mesh = objects::generate::cube(0.06, 2).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    let spec = ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap());
    let home = Isometry3::translation(0.0, 0.03, 0.0);
    ThingParts { name: "cube".to_owned(), spec: Arc::new(spec), home, colours: None }
}

fn rest_digest() -> String {
    let thing = cube();
    let model = Model::prepare(&thing.spec, MemoryLimits::default(), &Progress::default()).unwrap();
    journal::digest(&Stepper::new(model.object()).rest_frame())
}

/// Journal of an open hand in the air, with every kind of order.
fn whole() -> Vec<String> {
    let rules = GraspRules::default().in_words();
    let settings =
        JournalLine::Settings { version: 2, rules, person: (&ProfilesInUse::anonymous()).into() };
    let mut lines = vec![
        serde_json::to_string(&settings).unwrap(),
        serde_json::to_string(&JournalLine::Thing((&cube()).into())).unwrap(),
        format!(
            r#"{{"kind":"frame","thing":0,"shape":0,"sample":0,"digest":"{}"}}"#,
            rest_digest()
        ),
    ];
    for sample in 1..4 {
        let (angles, wrist) = ([0.1; 23], [0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0]);
        lines.push(format!(
            r#"{{"kind":"hand","hand":"right","sample":{sample},"time":{},"angles":{angles:?},"wrist":{wrist:?}}}"#,
            0.01 * f64::from(sample)
        ));
        lines.push(format!(
            r#"{{"kind":"frame","thing":0,"shape":0,"sample":{sample},"digest":"{}"}}"#,
            rest_digest()
        ));
    }
    for order in [OrderFile::KeepShape, OrderFile::Undo, OrderFile::Redo, OrderFile::Reset] {
        lines.push(serde_json::to_string(&JournalLine::Order(order)).unwrap());
    }
    let home = [0.1, 0.03, 0.0, 0.0, 0.0, 0.0, 1.0];
    for order in [
        OrderFile::Add((&cube()).into()),
        OrderFile::Select(1),
        OrderFile::Place { thing: 1, home },
    ] {
        lines.push(serde_json::to_string(&JournalLine::Order(order)).unwrap());
    }
    lines.push(format!(
        r#"{{"kind":"frame","thing":1,"shape":0,"sample":0,"digest":"{}"}}"#,
        rest_digest()
    ));
    let rules = OrderFile::Rules(vec!["patch=disc".to_owned()]);
    lines.push(serde_json::to_string(&JournalLine::Order(rules)).unwrap());
    let liver = OrderFile::Material {
        name: "liver".to_owned(),
        young: 5e3,
        poisson: 0.45,
        density: 1060.0,
        contact: Default::default(),
    };
    lines.push(serde_json::to_string(&JournalLine::Order(liver)).unwrap());
    // Another material has the same rest shape.
    let digest = rest_digest();
    lines.push(format!(r#"{{"kind":"frame","thing":1,"shape":1,"sample":0,"digest":"{digest}"}}"#));
    lines
}

fn run(lines: &[String]) -> Result<ReplayReport, ExactReplayError> {
    let resources = SolverResources::new(Some(1), MemoryBudget::default()).unwrap();
    let journal: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let devices = DecodedDevices::default();
    replay_exactly(journal.as_bytes(), devices, &SolverLocation::Embedded(resources), &mut |_| {})
}

#[test]
fn a_whole_journal_runs_again() {
    let again = run(&whole()).unwrap();
    assert_eq!((again.n_samples, again.n_frames, again.n_orders), (3, 6, 9));
}

#[test]
fn a_frame_that_a_returned_server_repeats_is_no_difference() {
    let mut lines = whole();
    let (rest, last) = (lines[2].clone(), lines[8].clone());
    lines.splice(9..9, [rest, last]);
    assert_eq!(run(&lines).unwrap().n_frames, 8);
}

fn check_refused(doctor: impl Fn(&mut Vec<String>), expected: &str) {
    let mut lines = whole();
    doctor(&mut lines);
    let error = run(&lines).err().map_or_else(String::new, |error| error.to_string());
    assert!(error.contains(expected), "{error:?} does not say {expected:?}");
}

#[test]
fn a_doctored_journal_is_refused_in_words() {
    let replaced = |i: usize, from: &'static str, to: &'static str| {
        move |lines: &mut Vec<String>| {
            assert!(lines[i].contains(from), "{}", lines[i]);
            lines[i] = lines[i].replacen(from, to, 1);
        }
    };
    check_refused(
        |lines| lines[4] = lines[4].replace(&rest_digest(), "0123456789abcdef"),
        "sample 1",
    );
    check_refused(replaced(2, r#""thing":0"#, r#""thing":7"#), "thing 7");
    check_refused(replaced(4, r#""sample":1"#, r#""sample":99"#), "sample 99");
    check_refused(replaced(0, r#""version":2"#, r#""version":9"#), "version 9");
    // The settings of an older version have a different form.
    check_refused(
        |lines| lines[0] = r#"{"kind":"settings","version":1,"left":{}}"#.to_owned(),
        "version 1, expected 2",
    );
    check_refused(
        replaced(3, r#""time""#, r#""from":{"glove":[0,1],"tracker":[1,1]},"time""#),
        "sample 1 cannot be decoded again",
    );
    check_refused(
        replaced(3, r#""time""#, r#""from":{"glove":[77,1],"tracker":[1,1]},"time""#),
        "device 77",
    );
    check_refused(replaced(0, r#""length":0.185"#, r#""length":0.0"#), "size");
    check_refused(replaced(3, "0.5,", "1e999,"), "line 4");
    check_refused(replaced(3, "1.0]", "3.0]"), "pose");
    check_refused(replaced(1, "vertices 27", "vortices 27"), "cube");
    check_refused(replaced(18, "0.45", "0.55"), "Poisson's ratio is 0.55");
    check_refused(|lines| lines[3] = "{".to_owned(), "line 4");
    check_refused(|lines| lines.clear(), "does not begin with its settings");
    check_refused(|lines| drop(lines.remove(0)), "settings");
}
