//! A person at a screen with a workstation in front of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use emulators::Emulator;

use crate::program::{PATIENCE, Program, emulated_devices, ours, squeeze, until_next_look};
use crate::screen::{Picture, Screen};

/// A person at a screen with a workstation in front of them.
pub(crate) struct Person {
    pub(crate) screen: Screen,
    pub(crate) palpate: Program,
    /// Where the program was started; its pictures and files go there.
    pub(crate) folder: tempfile::TempDir,
    _devices: Option<(Emulator, Emulator)>,
}

impl Person {
    pub(crate) fn sits_down(prepare: impl FnOnce(&mut Command, &Path)) -> Self {
        let devices = emulated_devices();
        let command = squeeze(&devices.0, &devices.1);
        Self::starts(command, Some(devices), prepare)
    }

    /// Without a glove: the mouse moves the hand.
    pub(crate) fn has_no_glove(prepare: impl FnOnce(&mut Command, &Path)) -> Self {
        let mut command = ours("palpate");
        command.args(["squeeze", "--hand", "mouse"]);
        Self::starts(command, None, prepare)
    }

    pub(crate) fn starts(
        mut command: Command,
        devices: Option<(Emulator, Emulator)>,
        prepare: impl FnOnce(&mut Command, &Path),
    ) -> Self {
        let screen = Screen::start();
        let folder = tempfile::tempdir().unwrap();
        command
            .env("DISPLAY", &screen.name)
            .env("XDG_RUNTIME_DIR", folder.path())
            .env("XDG_CONFIG_HOME", folder.path().join("config"))
            .current_dir(folder.path());
        prepare(&mut command, folder.path());
        let palpate = Program::start("palpate", &mut command);
        let window = screen.window("Palpate");
        screen.focus(window);
        screen.wait_to_see("hand and object", |picture| {
            picture.object() > 0.01 && picture.hand() > 0.01
        });
        Self { screen, palpate, folder, _devices: devices }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Waits for the next time that the program says this.
    pub(crate) fn waits_for_another(&self, text: &str) {
        let n_before = self.palpate.wait_for(text).matches(text).count();
        self.palpate.wait_until(|said| said.matches(text).count() > n_before);
    }

    /// Presses the key during each squeeze until one comes in time.
    pub(crate) fn keeps_a_shape(&self) {
        let kept = "this is the rest shape now";
        loop {
            self.waits_for_another("attached -> deforming");
            // The fingers press only after they have taken hold: then there are bars of force.
            let amber = |picture: &Picture| picture.share(|colour| colour == [236, 180, 76]);
            self.screen.wait_to_see("forces", |picture| amber(picture) > 5e-4);
            self.screen.press(u32::from(b'k'));
            let opened = "deforming -> releasing";
            let n_before = self.palpate.wait_for("deforming").matches(opened).count();
            // A slow window receives the key in the next squeeze; a second key press would keep two
            // shapes.
            let is_over = |said: &str| said.matches(opened).count() > n_before + 1;
            self.palpate.wait_until(|said| said.contains(kept) || is_over(said));
            if self.palpate.wait_for("deforming").contains(kept) {
                return;
            }
        }
    }

    pub(crate) fn waits_for_file(&self, name: &str) -> Vec<u8> {
        let deadline = Instant::now() + PATIENCE;
        while !self.file(name).exists() {
            assert!(Instant::now() < deadline, "{name} is not there");
            until_next_look();
        }
        fs::read(self.file(name)).unwrap()
    }
}

/// A page over the picture darkens it.
pub(crate) fn is_dimmed(picture: &Picture, before: &Picture) -> bool {
    picture.brightness() < 0.8 * before.brightness()
}
