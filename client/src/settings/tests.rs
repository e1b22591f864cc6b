use clap::Parser;
use drivers::Side;

use super::*;
use crate::command_line::{CommandLine, DeviceSource, GripChoice};
use crate::wiring::RecordingChoice;

/// Settings that all differ from the defaults.
fn changed() -> Settings {
    let (mut devices, mut second) =
        <(crate::command_line::DeviceOptions, crate::command_line::SecondHand)>::default();
    devices.glove = Some(DeviceSource::Port("/dev/ttyUSB0".to_owned()));
    devices.tracker = Some(DeviceSource::Emulated);
    second.second_glove = Some(DeviceSource::Port("/dev/ttyUSB2".to_owned()));
    Settings {
        theme: ThemeChoice::Light,
        views: ViewOptions {
            wireframe: true,
            measures: false,
            ..ViewOptions::with_colours(ColourMode::field("speed \"of the page\""))
        },
        read_options: ReadOptions { unit: Some(Unit::Millimetre), n_nodes: 1234 },
        recent: RecentFiles {
            things: vec!["/tmp/liver.msh".into()],
            recordings: vec!["/tmp/a \"run\".palpate".into()],
        },
        hand: Some(HandChoice::Ports { devices, second }),
        profile: Some("anna".to_owned()),
        rules: [("patch", "disc"), ("linger-s", "0.5")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        material: Some(MaterialSetting {
            name: "liver".to_owned(),
            young: 6000.5,
            poisson: 0.45,
            density: 1060.0,
        }),
        contact: ContactChoice {
            grip: Some(GripChoice::Thesis),
            friction: Some(0.25),
            skin_softness: Some(0.05),
            is_kept: false,
        },
        solver: SolverChoice {
            server: Some("http://127.0.0.1:50551".to_owned()),
            threads: Some(3),
            memory_mb: Some(512),
        },
    }
}

#[test]
fn what_is_written_comes_back() {
    let hands = [
        None,
        Some(HandChoice::Mouse(Side::Left)),
        Some(HandChoice::Headset),
        Some(HandChoice::Emulated(EmulatedPerformance {
            script: Some("pinch".to_owned()),
            ..EmulatedPerformance::default()
        })),
        changed().hand,
    ];
    for hand in hands {
        let settings = Settings { hand, ..changed() };
        assert_eq!(file::read(&file::write(&settings)), Ok(settings));
    }
    assert_eq!(file::read(&file::write(&Settings::default())), Ok(Settings::default()));
    assert_eq!(file::read("version = 1"), Ok(Settings::default()));
    // Recordings are not kept.
    let played = HandChoice::Recording(RecordingChoice::anew("a".into(), 1.0));
    let settings = Settings { hand: Some(played), ..Settings::default() };
    assert_eq!(file::read(&file::write(&settings)), Ok(Settings::default()));
}

#[test]
fn invalid_settings_are_named() {
    let check = |text: &str, want: &str| {
        let why = file::read(&format!("version = 1\n{text}")).unwrap_err();
        assert!(why.contains(want) && !why.contains('\n'), "{text}: {why}");
    };
    check("[view]\ntheme = \"pink\"", "expected one of system, light, dark");
    check("[view]\ncolour = 1", "colour");
    check("[view]\ncolours = \"pink\"", "expected one of natural, displacement, strain, field");
    check("[view]\ncolours = \"field\"", "expected the name of a field");
    check("[rules]\npatch = \"square\"", "patch cannot be \"square\"");
    check("[solver]\nthreads = 0", "from 1 to 1024");
    check("[material]\nname = \"x\"\nyoung_pa = -1\npoisson = 0.3", "material");
    check("[hand]\nfrom = \"ports\"", "expected the ports");
    check("[hand]\nfrom = \"elsewhere\"", "elsewhere");
    check("[files]\nsurfaces_get_nodes = 3", "from 50");
    check("[view", "line 2");
    assert!(file::read("version = 9").unwrap_err().contains("version 9"));
}

#[test]
fn colours_of_earlier_versions_are_read() {
    let check = |written: &str, expected: ColourMode| {
        let text = format!("version = 1\n[view]\ncolours = \"{written}\"");
        assert_eq!(file::read(&text).unwrap().views.colours, expected, "{written}");
    };
    check("strain", ColourMode::Strain);
    check("stress", ColourMode::field("von Mises stress"));
    check("field 1", ColourMode::field("von Mises stress"));
    // No thing had a third field.
    check("field 3", ColourMode::Natural);
}

#[test]
fn a_broken_file_is_set_aside_and_never_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.toml");
    assert_eq!(Settings::load_from(&path), (Settings::default(), None));
    for (i, bytes) in [&b"nonsense"[..], b"\xff\xfe"].into_iter().enumerate() {
        fs::write(&path, bytes).unwrap();
        let (settings, words) = Settings::load_from(&path);
        let words = words.unwrap();
        assert_eq!(settings, Settings::default());
        let aside = ["settings.broken.toml", "settings.broken-2.toml"][i];
        assert!(words.contains(aside) && words.contains("cannot be used"), "{words}");
        assert_eq!(fs::read(folder.path().join(aside)).unwrap(), bytes);
        assert!(!path.exists());
    }
}

#[test]
fn a_file_that_cannot_be_read_is_set_aside_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.toml");
    // A folder cannot be read as text by any user.
    fs::create_dir(&path).unwrap();
    let (settings, words) = Settings::load_from(&path);
    assert_eq!(settings, Settings::default());
    assert!(words.unwrap().contains("settings.broken.toml"));
    assert!(folder.path().join("settings.broken.toml").is_dir() && !path.exists());
}

#[cfg(unix)]
#[test]
fn a_path_that_is_no_text_is_left_out() {
    use std::os::unix::ffi::OsStringExt;
    let mut settings = changed();
    let odd = PathBuf::from(std::ffi::OsString::from_vec(b"/tmp/\xff.msh".to_vec()));
    RecentFiles::remember(&mut settings.recent.things, odd.clone());
    RecentFiles::remember(&mut settings.recent.recordings, odd);
    assert_eq!(file::read(&file::write(&settings)), Ok(changed()));
}

fn squeeze(line: &str) -> SqueezeOptions {
    let words = line.split_ascii_whitespace();
    let mut squeeze =
        CommandLine::try_parse_from(std::iter::once("palpate").chain(words)).unwrap().squeeze;
    changed().fill_squeeze(&mut squeeze).unwrap();
    squeeze
}

#[test]
fn the_command_line_wins() {
    let plain = squeeze("");
    assert_eq!(
        HandChoice::of(crate::wiring::WorkstationOptions::Squeeze(&plain)),
        changed().hand.unwrap()
    );
    assert_eq!(plain.run.rules, ["linger-s=0.5", "patch=disc"]);
    assert_eq!(plain.run.material.young, Some(6000.5));
    assert_eq!((plain.run.threads, plain.run.memory_mb), (Some(3), Some(512)));
    assert_eq!(
        (plain.run.server.unwrap().to_string(), plain.run.profile.as_deref()),
        (changed().solver.server.unwrap(), Some("anna"))
    );

    let placed = squeeze("--glove /dev/ttyUSB7 --hand-position headset");
    let hand = HandChoice::of(crate::wiring::WorkstationOptions::Squeeze(&placed));
    assert!(hand.needs_headset(), "{hand:?}");
    let written = file::write(&Settings { hand: Some(hand.clone()), ..changed() });
    assert!(written.contains("position = \"headset\""), "{written}");
    assert_eq!(file::read(&written).unwrap().hand, Some(hand));

    let said = squeeze(
        "--hand mouse --rule patch=node --material kiwi --threads 2 --profile bob --memory-mb 7",
    );
    let hand = HandChoice::of(crate::wiring::WorkstationOptions::Squeeze(&said));
    assert_eq!(hand, HandChoice::Mouse(Side::Right));
    assert_eq!(said.run.rules.last().unwrap(), "patch=node");
    assert_eq!((said.run.material.young, said.run.threads), (None, Some(2)));
    assert_eq!((said.run.server, said.run.memory_mb), (None, Some(7)));
    assert_eq!(said.run.profile.as_deref(), Some("bob"));

    for (line, name) in [
        ("--glove-model opengloves", "model"),
        ("--glove-baud 9600", "glove's line"),
        ("--tracker-baud 9600", "tracker's line"),
        ("--second-tracker /dev/ttyUSB9", "second tracker"),
    ] {
        let devices = squeeze(line).devices;
        assert_eq!((devices.glove, devices.tracker), (None, None), "the {name} was said");
    }
}

#[test]
fn an_invalid_server_is_reported_and_other_settings_apply() {
    let mut settings = changed();
    for server in ["http://192.0.2.1:1", "/nowhere/pass"] {
        settings.solver.server = Some(server.to_owned());
        let mut squeeze = CommandLine::try_parse_from(["palpate"]).unwrap().squeeze;
        let why = settings.fill_squeeze(&mut squeeze).unwrap_err();
        assert!(why.contains(server) && why.contains("in this process"), "{why}");
        assert_eq!((squeeze.run.server, squeeze.run.threads), (None, Some(3)));
        assert_eq!(squeeze.run.profile.as_deref(), Some("anna"));
    }
}
