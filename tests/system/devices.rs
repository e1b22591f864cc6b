//! The commands about devices, as a person types them.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use emulators::{
    Emulator, GloveEmulator, GloveOptions, LucidGloveEmulator, LucidGloveOptions, LucidKeys,
    Motion, ScriptClock, TrackerEmulator, TrackerOptions,
};

use crate::program::{PATIENCE, Program, SMALL_PICTURES, emulated_devices, ours, until};

/// Runs `palpate` to its end; says whether it succeeded and what it said.
fn palpate(arguments: &[&str]) -> (bool, String) {
    let (status, said) = Program::start("palpate", ours("palpate").args(arguments)).wait();
    (status.success(), said)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_port_is_asked_what_is_on_it() {
    let (glove, tracker) = emulated_devices();
    let (is_good, said) = palpate(&["devices", glove.path(), tracker.path()]);
    assert!(is_good, "{said}");
    let line = |path: &str| said.lines().find(|line| line.starts_with(path)).unwrap().to_owned();
    let about_glove = line(glove.path());
    for expected in ["CyberGlove, 22 sensors, right hand, firmware 1.1", "115200 baud"] {
        assert!(about_glove.contains(expected), "{about_glove}");
    }
    let about_tracker = line(tracker.path());
    for expected in ["FASTRAK", "found in inches", "station 1", "115200 baud"] {
        assert!(about_tracker.contains(expected), "{about_tracker}");
    }
}

#[test]
fn a_port_that_is_not_there_is_an_error() {
    let (is_good, said) = palpate(&["devices", "/dev/no-such-port"]);
    assert!(!is_good && said.contains("No such file"), "{said}");
    assert!(!said.contains("line speed"), "its speed does not matter: {said}");
}

#[test]
fn a_port_that_cannot_be_used_says_why_in_every_command() {
    let (glove, tracker) = emulated_devices();
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("notes.txt"), folder.path().join("run.palpate"));
    std::fs::write(&file, "not a port").unwrap();
    let owner = drivers::serial::SerialLine::open(tracker.path(), 115_200).unwrap();
    let record = ["record", "--seconds", "1", "--glove"];
    for (port, want) in [
        (text(&file), "it is a file, not a serial port"),
        (text(folder.path()), "it is a folder, not a serial port"),
        (tracker.path(), "another program has it open"),
    ] {
        let squeeze = ["squeeze", "--headless", "--seconds", "1", "--glove"];
        let pair = [glove.path(), "--tracker", port];
        let recorded = [&record, &pair[..], &[text(&out), "--replace"]].concat();
        for arguments in [vec!["devices", port], [&squeeze, &pair[..]].concat(), recorded] {
            let (is_good, said) = palpate(&arguments);
            assert!(!is_good && said.contains(want), "{arguments:?}: {said}");
            assert!(!said.contains("typewriter"), "{said}");
        }
    }
    drop(owner);
}

/// Another program's look at the emulated tracker: its status, its list, and a position as text.
fn looked_at(tracker: &Emulator) -> Vec<Vec<u8>> {
    let line = std::cell::RefCell::new(None);
    until("the port is free", || {
        line.replace(drivers::serial::SerialLine::open(tracker.path(), 115_200).ok());
        line.borrow().is_some()
    });
    let mut line = line.into_inner().unwrap();
    let ask = |question: &[u8]| {
        line.write_all(question).unwrap();
        let mut answer = Vec::new();
        let deadline = Instant::now() + PATIENCE;
        while !answer.ends_with(b"\r\n") && Instant::now() < deadline {
            line.read_available(&mut answer, Duration::from_millis(100)).unwrap();
        }
        answer
    };
    [b"S".as_slice(), b"O1\r", b"l1\r", b"e1\r", b"P"].map(ask).to_vec()
}

#[test]
fn every_command_leaves_a_tracker_as_it_found_it_also_when_it_is_interrupted() {
    const COMMANDS: [(&str, &[&str], Option<&str>); 6] = [
        ("devices", &[], None),
        ("devices watch", &["--kind", "fastrak"], Some("TERM")),
        ("record", &[], Some("INT")),
        ("record", &[], Some("TERM")),
        ("squeeze", &["--headless"], Some("INT")),
        ("squeeze", &["--headless"], Some("TERM")),
    ];
    std::thread::scope(|scope| {
        for (command, more, signal) in COMMANDS {
            let check = move || {
                let folder = tempfile::tempdir().unwrap();
                // The receiver keeps still.
                let clock = ScriptClock::since(Instant::now());
                let still = || Motion::held(Motion::grasp_and_squeeze().state_at(0.0));
                let tracker =
                    TrackerEmulator::start(TrackerOptions::default(), still(), clock).unwrap();
                let glove = GloveEmulator::start(GloveOptions::default(), still(), clock).unwrap();
                let found = looked_at(&tracker);
                let mut program = ours("palpate");
                program.args(command.split(' ')).args(more).current_dir(folder.path());
                match command {
                    "record" => program.arg("run.palpate"),
                    _ => &mut program,
                };
                match command {
                    "devices" | "devices watch" => program.arg(tracker.path()),
                    _ => program.args(["--glove", glove.path(), "--tracker", tracker.path()]),
                };
                let n_before = tracker.report().n_sent();
                let program = Program::start("palpate", &mut program);
                if let Some(signal) = signal {
                    until("it streams", || tracker.report().n_sent() > n_before + 20);
                    program.signal(signal);
                }
                let (_, said) = program.wait();
                assert_eq!(looked_at(&tracker), found, "{command} {signal:?}: {said}");
                assert!(!said.contains("put back"), "{said}");
            };
            std::thread::Builder::new()
                .name(format!("{command} {signal:?}"))
                .spawn_scoped(scope, check)
                .unwrap();
        }
    });
}

#[test]
fn a_tracker_that_cannot_be_put_back_is_named_with_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let (glove, tracker) = emulated_devices();
    let mut record = ours("palpate");
    record.args(["record", "run.palpate", "--glove", glove.path(), "--tracker", tracker.path()]);
    let palpate = Program::start("palpate", record.current_dir(folder.path()));
    until("both stream", || [&glove, &tracker].iter().all(|one| one.report().n_sent() > 20));
    tracker.unplug();
    palpate.wait_for("tracker lost");
    palpate.signal("INT");
    let (_, said) = palpate.wait();
    let line = said.lines().find(|line| line.contains("could not be put back"));
    let line = line.unwrap_or_else(|| panic!("no word in:\n{said}"));
    assert!(line.contains(tracker.path()), "{line}");
    let left = "centimetres instead of inches, binary records instead of text, another output list";
    assert!(line.contains(left), "{line}");
}

#[test]
fn watching_prints_values_and_raw_bytes() {
    let (glove, tracker) = emulated_devices();
    let (is_good, said) = palpate(&["devices", "watch", glove.path(), "--seconds", "3"]);
    assert!(is_good && said.contains("live") && said.contains("index MPJ"), "{said}");
    let raw = ["devices", "watch", tracker.path(), "--kind", "fastrak", "--raw", "--seconds", "3"];
    let (is_good, said) = palpate(&raw);
    assert!(is_good, "{said}");
    for expected in
        ["-> \"S\"", "ready: fastrak stations=1 form=binary items=2,11,1", "<- 30 31 20"]
    {
        assert!(said.contains(expected), "{expected:?} is missing in:\n{said}");
    }
}

#[test]
fn an_emulator_counts_its_records_and_can_be_watched_through_its_faults() {
    let mut emulate = ours("palpate");
    emulate.args([
        "emulate",
        "glove",
        "--script",
        "fist",
        "--sensors",
        "18",
        "--fault",
        "drop:0.5",
    ]);
    let emulator = Program::start("emulator", &mut emulate);
    let path = emulator.wait_for("/glove").trim().to_owned();
    let (is_good, said) = palpate(&["devices", "watch", &path, "--seconds", "4"]);
    assert!(is_good && said.contains("live"), "{said}");
    let last = said.lines().rev().find(|line| line.contains(" lost (")).unwrap();
    assert!(!last.contains(" 0 lost"), "half of the records are damaged: {last}");
    emulator.signal("INT");
    let (status, said) = emulator.wait();
    assert!(status.success() && said.contains("of them damaged"), "{said}");
}

#[test]
fn a_fault_that_is_none_is_explained() {
    let (is_good, said) = palpate(&["emulate", "glove", "--fault", "nonsense:1"]);
    assert!(!is_good && said.contains("nonsense"), "{said}");
    let (is_good, said) = palpate(&["emulate", "glove", "--script", "/no/such/script"]);
    assert!(!is_good && said.contains("flat") && said.contains("/no/such/script"), "{said}");
}

#[test]
fn a_glove_lets_go_when_the_terminal_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let (glove, _tracker, palpate) = squeeze_that_is_felt(folder.path());
    palpate.signal("HUP");
    let (status, said) = palpate.wait();
    assert!(status.success() && said.contains("stopped after"), "{said}");
    wait_for_forces(&glove, |force| force == 0);
}

#[test]
fn a_recorded_hand_squeezes_again() {
    let folder = tempfile::tempdir().unwrap();
    let (recording, pictures) = (folder.path().join("run.palpate"), folder.path().join("pictures"));
    let (recording, pictures) = (text(&recording), text(&pictures));
    let (glove, tracker) = emulated_devices();
    let devices = ["--glove", glove.path(), "--tracker", tracker.path()];
    let squeeze = ["squeeze", "--headless", "--record", recording, "--pictures", pictures];
    let (is_good, live) = palpate(&[&squeeze[..], &SMALL_PICTURES, &devices].concat());
    assert!(is_good && live.contains("1 taken, 1 let go"), "{live}");
    // The devices are gone; only their bytes are left.
    drop((glove, tracker));
    let (is_good, said) = palpate(&["replay", recording, "--summary"]);
    assert!(is_good && said.contains("cyberglove") && said.contains("in good order"), "{said}");
    let replay = ["replay", recording, "--headless", "--speed", "2", "--pictures", pictures];
    let (is_good, said) = palpate(&replay);
    assert!(!is_good && said.contains(".png exists already; --replace"), "{said}");
    let (is_good, replayed) = palpate(&[&replay[..], &SMALL_PICTURES, &["--replace"]].concat());
    assert!(is_good && replayed.contains("1 taken, 1 let go"), "{replayed}");
    // Which sample meets which is a matter of microseconds, so the squeeze is the same to a tenth.
    let depth = |said: &str| -> f64 {
        let line = said.lines().find(|line| line.starts_with("squeeze ")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    assert!((depth(&live) - depth(&replayed)).abs() < 0.5, "{live}\n{replayed}");
    // A recording that exists is not written over.
    let (is_good, said) = palpate(&["record", recording, "--seconds", "1"]);
    assert!(!is_good && said.contains("run.palpate"), "{said}");
}

#[test]
fn a_cut_recording_replays_up_to_the_cut_and_reports_it() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.palpate");
    let (is_good, said) = palpate(&["record", text(&whole), "--seconds", "3"]);
    assert!(is_good && said.contains("in good order"), "{said}");
    let bytes = std::fs::read(&whole).unwrap();
    let cut = folder.path().join("cut.palpate");
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let (is_good, said) = palpate(&["replay", text(&cut), "--summary"]);
    assert!(is_good && said.contains("cut at byte"), "{said}");
    let pictures = folder.path().join("pictures");
    let replay = ["replay", text(&cut), "--headless", "--speed", "4", "--pictures"];
    let (is_good, said) = palpate(&[&replay[..], &[text(&pictures)], &SMALL_PICTURES].concat());
    assert!(is_good && said.contains("replayed after"), "{said}");
    assert!(said.contains("cut at byte"), "{said}");
}

#[test]
fn a_file_that_is_no_recording_is_refused() {
    let (is_good, said) = palpate(&["replay", "Cargo.toml", "--headless"]);
    assert!(!is_good && (said.contains("not a recording")), "{said}");
}

#[test]
fn an_opengloves_hand_squeezes_and_feels_it() {
    let folder = tempfile::tempdir().unwrap();
    let (glove, _tracker, palpate) = squeeze_that_is_felt(folder.path());
    let (status, said) = palpate.wait();
    assert!(status.success() && said.contains("1 taken, 1 let go"), "{said}");
    assert!(said.contains("OpenGloves glove, right hand"), "{said}");
    wait_for_forces(&glove, |force| force == 0);
}

#[test]
fn an_emulated_person_is_calibrated_and_squeezes_with_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    let profiles = folder.path().join("profiles");
    let kept = ["--name", "anna", "--profiles", text(&profiles)];
    let calibrate = [&["calibrate", "--plan", "quick"][..], &kept].concat();
    let (is_good, said) = palpate(&calibrate);
    assert!(is_good && said.contains("4/4") && said.contains("anna.right.toml"), "{said}");
    let (is_good, said) = palpate(&["calibrate", "show", "anna", "--profiles", text(&profiles)]);
    assert!(is_good && said.contains("index MPJ"), "{said}");
    // A second one keeps the first.
    let (is_good, said) = palpate(&calibrate);
    assert!(is_good && said.contains("is kept"), "{said}");
    let check = [&["calibrate", "check", "--plan", "quick"][..], &kept].concat();
    let (is_good, said) = palpate(&check);
    assert!(is_good && said.contains("all joints are within"), "{said}");
    let cal = folder.path().join("anna.cal");
    let export = ["calibrate", "export", "anna", text(&cal), "--profiles", text(&profiles)];
    assert!(palpate(&export).0);
    let import = ["calibrate", "import", text(&cal), "--name", "bea"];
    let (is_good, said) = palpate(&[&import[..], &["--profiles", text(&profiles)]].concat());
    assert!(is_good && said.contains("bea.right.toml"), "{said}");
    let pictures = folder.path().join("pictures");
    let squeeze = ["squeeze", "--headless", "--profile", "bea", "--profiles", text(&profiles)];
    let (is_good, said) =
        palpate(&[&squeeze[..], &SMALL_PICTURES, &["--pictures", text(&pictures)]].concat());
    assert!(is_good && said.contains("1 taken, 1 let go"), "{said}");
    let (is_good, said) = palpate(&["squeeze", "--headless", "--profile", "unknown"]);
    assert!(!is_good && said.contains("unknown"), "{said}");
}

/// A glove that takes forces, and a tracker in step with it.
fn devices_that_feel() -> (Emulator, Emulator) {
    let clock = ScriptClock::since(Instant::now());
    let motion = Motion::grasp_and_squeeze;
    let options = LucidGloveOptions { keys: LucidKeys::Joints, ..LucidGloveOptions::default() };
    let glove = LucidGloveEmulator::start(options, motion(), clock).unwrap();
    let tracker = TrackerEmulator::start(TrackerOptions::default(), motion(), clock).unwrap();
    (glove, tracker)
}

/// A squeeze by a hand that feels it.
fn feeling(glove: &Emulator, tracker: &Emulator, pictures: &Path) -> Command {
    let mut squeeze = ours("palpate");
    squeeze.args(["squeeze", "--headless", "--glove-model", "opengloves"]);
    squeeze.args(["--glove", glove.path(), "--tracker", tracker.path()]).args(SMALL_PICTURES);
    squeeze.arg("--pictures").arg(pictures);
    squeeze
}

/// A squeeze in which all five fingers press, so that all five are held.
///
/// A program that is slow to start meets a hand that has closed already, and holds the object with
/// too few fingers. Such a run ends without a force, and another one begins.
fn squeeze_that_is_felt(folder: &Path) -> (Emulator, Emulator, Program) {
    const TRIES: usize = 5;
    let mut said = Vec::new();
    for i in 0..TRIES {
        let (glove, tracker) = devices_that_feel();
        let pictures = folder.join(i.to_string());
        let palpate = Program::start("palpate", &mut feeling(&glove, &tracker, &pictures));
        while !palpate.has_ended() {
            if feels(&glove, |force| force > 0) {
                return (glove, tracker, palpate);
            }
            // All five fingers press only for a part of the squeeze, so it looks often.
            std::thread::park_timeout(Duration::from_millis(2));
        }
        said.push(palpate.wait().1);
    }
    panic!("five fingers never felt a force:\n{}", said.join("\n"));
}

fn feels(glove: &Emulator, is_so: impl Fn(u16) -> bool) -> bool {
    glove.last_forces().is_some_and(|forces| forces.into_iter().all(is_so))
}

fn wait_for_forces(glove: &Emulator, is_so: impl Fn(u16) -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !feels(glove, &is_so) {
        assert!(Instant::now() < deadline, "the fingers feel {:?}", glove.last_forces());
        std::thread::park_timeout(Duration::from_millis(2));
    }
}
