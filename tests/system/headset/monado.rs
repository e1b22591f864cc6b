//! Monado, unprivileged and in a network of its own, and hands for its remote driver.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::Instant;

use drivers::Side;
use tempfile::TempDir;

use crate::program::{PATIENCE, Program, become_ours, until_next_look};

/// Where `cargo xtask setup --headset` makes the root, below the cache folder;
/// `xtask/src/headset.rs` has it too.
const FOLDER: &str = "palpate/monado-trixie-1";

/// A root with the runtime, and a folder in which program and service meet.
pub(crate) struct Monado {
    root: PathBuf,
    folder: Rc<TempDir>,
    service: Option<Program>,
}

/// Connection to the remote driver of a service.
pub(crate) struct Feed {
    bridge: Child,
    to_service: std::cell::RefCell<std::process::ChildStdin>,
}

impl Monado {
    /// Returns the root without a running service; `None`, with a message, if there is none.
    #[allow(clippy::print_stderr, reason = "skipped tests must be reported")]
    pub(crate) fn without_service() -> Option<Self> {
        let not_run = |why: &str| {
            eprintln!("NOT RUN: {why}, so nothing was tried against a real OpenXR runtime");
            None
        };
        let named =
            |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?;
        let root = cache.join(FOLDER);
        if !root.exists() {
            return not_run("there is no Monado (`cargo xtask setup --headset` makes one)");
        }
        let apart =
            Command::new("unshare").args(["--user", "--map-root-user", "--net", "true"]).status();
        if !apart.is_ok_and(|status| status.success()) {
            return not_run("this system allows no network namespace of one's own");
        }
        let folder = tempfile::tempdir().unwrap();
        let libraries = root.join("usr/lib/x86_64-linux-gnu");
        let manifest =
            |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
        let library = |name: &str| libraries.join(name).display().to_string();
        manifest(
            "runtime.json",
            format!(
                r#"{{"file_format_version": "1.0.0", "runtime": {{"library_path": "{}"}}}}"#,
                library("libopenxr_monado.so")
            ),
        );
        manifest(
            "driver.json",
            format!(
                r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{}", "api_version": "1.4.305"}}}}"#,
                library("libvulkan_lvp.so")
            ),
        );
        Some(Self { root, folder: Rc::new(folder), service: None })
    }

    /// A headset that is fed through [`Monado::feed`], with hands.
    pub(crate) fn with_hands(&self) -> Self {
        self.serving("P_OVERRIDE_ACTIVE_CONFIG", "remote")
    }

    /// A headset that moves by itself, without hand tracking.
    pub(crate) fn with_simulated_headset(&self) -> Self {
        self.serving("SIMULATED_ENABLE", "1")
    }

    fn serving(&self, variable: &str, value: &str) -> Self {
        let socket = self.folder.path().join("monado_comp_ipc");
        // What a killed service leaves behind.
        let _ = std::fs::remove_file(&socket);
        let [loader, path] = self.loader();
        let mut command = Command::new("unshare");
        // Only the rights of the user who tests: root has none outside of its own namespace.
        command.args(["--user", "--map-root-user", "--net", "sh", "-c"]);
        command.arg(
            r#""$0" --library-path "$1" "$2" link set lo up && exec "$0" --library-path "$1" "$3""#,
        );
        command.args([
            &loader,
            &path,
            &self.root.join("usr/bin/ip"),
            &self.root.join("usr/bin/monado-service"),
        ]);
        self.surround(&mut command)
            .env(variable, value)
            .env("XRT_NO_STDIN", "1")
            .env("XRT_COMPOSITOR_NULL", "1");
        let service = Program::start("monado-service", &mut command);
        let deadline = Instant::now() + PATIENCE;
        while !socket.exists() {
            assert!(Instant::now() < deadline, "monado-service does not start");
            until_next_look();
        }
        let (root, folder) = (self.root.clone(), Rc::clone(&self.folder));
        Self { root, folder, service: Some(service) }
    }

    /// The same after its service was killed.
    pub(crate) fn killed(mut self) -> Self {
        self.service.take().expect("a service runs").kill();
        self
    }

    /// Its service answers nothing any more, though it is there.
    pub(crate) fn hang(&self) {
        self.service.as_ref().expect("a service runs").signal("STOP");
    }

    /// Asks the runtime to recentre the room at the head.
    pub(crate) fn recentre(&self) {
        let [loader, path] = self.loader();
        let mut command = Command::new(loader);
        command.arg("--library-path").arg(path).arg(self.root.join("usr/bin/monado-ctl")).arg("-c");
        let done = self.surround(&mut command).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    /// Our program, with the root's libraries, so that it can load the runtime.
    pub(crate) fn palpate(&self) -> Command {
        self.program("palpate")
    }

    /// The same with another of our programs.
    pub(crate) fn program(&self, name: &str) -> Command {
        let [loader, path] = self.loader();
        let mut command = Command::new(loader);
        command.arg("--library-path").arg(path);
        become_ours(&mut command, name);
        self.surround(&mut command);
        command
    }

    /// A way to the remote driver, into the service's network.
    pub(crate) fn feed(&self) -> Feed {
        let id = self.service.as_ref().expect("a service runs").id().to_string();
        let mut bridge = Command::new("nsenter")
            .args(["--target", &id, "--user", "--net", "--preserve-credentials", "bash", "-c"])
            .arg("until exec 3>/dev/tcp/127.0.0.1/4242; do sleep 0.02; done 2>/dev/null; exec cat >&3")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let to_service = std::cell::RefCell::new(bridge.stdin.take().unwrap());
        Feed { bridge, to_service }
    }

    /// The root's program loader, and where it finds libraries.
    fn loader(&self) -> [PathBuf; 2] {
        let libraries = self.root.join("usr/lib/x86_64-linux-gnu");
        let within = |name: &str| libraries.join(name);
        let folders = [
            libraries.clone(),
            within("blas"),
            within("lapack"),
            within("pulseaudio"),
            self.root.join("usr/lib"),
        ];
        let path = env::join_paths(folders).unwrap();
        [self.root.join("usr/lib64/ld-linux-x86-64.so.2"), path.into()]
    }

    fn surround<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let folder: &Path = self.folder.path();
        command
            .env("XDG_RUNTIME_DIR", folder)
            .env("XR_RUNTIME_JSON", folder.join("runtime.json"))
            .env("VK_ICD_FILENAMES", folder.join("driver.json"))
    }
}

impl Feed {
    pub(crate) fn send(&self, packet: &[u8]) {
        let mut to_service = self.to_service.borrow_mut();
        to_service.write_all(packet).unwrap();
        to_service.flush().unwrap();
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        let _ = self.bridge.kill();
        let _ = self.bridge.wait();
    }
}

/// Input of the remote driver: poses of head, eyes and hands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// Metres.
    pub(crate) between_eyes: f64,
    /// From straight ahead to each edge of a picture, in radians.
    pub(crate) half_angle: f64,
    pub(crate) head: [f32; 3],
    /// True if the head is turned round from its first direction.
    pub(crate) is_turned: bool,
    /// The hand that may be in sight.
    pub(crate) side: Side,
    /// Closing of its fingers, or of the trigger in it, if it is tracked.
    pub(crate) curl: Option<f32>,
    /// Position of its wrist, or of the controller, in metres from the middle of the table, and its
    /// rotation (x y z w).
    pub(crate) wrist: ([f32; 3], [f32; 4]),
    /// True if only the controller in it is tracked.
    pub(crate) holds_controller: bool,
    /// True if its menu button is pressed.
    pub(crate) presses_menu: bool,
}

/// Eyes that are farther apart than a driver would guess.
impl Default for View {
    fn default() -> Self {
        Self {
            between_eyes: 0.09,
            half_angle: 0.8,
            head: [0.1, 1.5, -0.2],
            is_turned: false,
            side: Side::Right,
            curl: None,
            wrist: (AT_THE_CUBE, HELD_DOWN),
            holds_controller: false,
            presses_menu: false,
        }
    }
}

const TAG: &[u8; 8] = b"mndrmt3\0";
const PACKET_LENGTH: usize = 376;
const HAND_LENGTH: usize = 120;
/// Distances of the table below the eyes and ahead of them, in metres.
const BELOW: f32 = 0.34;
const AHEAD: f32 = 0.42;
/// A wrist above the cube, in metres from the middle of the table, and the hand that reaches down
/// from there.
const AT_THE_CUBE: [f32; 3] = [0.0417, 0.1428, 0.0061];
const HELD_DOWN: [f32; 4] = [-0.2212, 0.6716, 0.2212, 0.6716];

impl View {
    /// As Monado 25 reads it: tag, two views (angles, pose relative to the head, padding), the head
    /// (pose, whether the views count), and two hands.
    pub(crate) fn packet(&self) -> Vec<u8> {
        let mut packet = TAG.to_vec();
        let mut floats = |numbers: &[f32]| {
            numbers.iter().for_each(|number| packet.extend(number.to_le_bytes()));
        };
        let (angle, half) = (self.half_angle as f32, self.between_eyes as f32 / 2.0);
        for side in [-1.0, 1.0] {
            floats(&[-angle, angle, angle, -angle]);
            floats(&[0.0, 0.0, 0.0, 1.0, side * half, 0.0, 0.0]);
            floats(&[0.0]);
        }
        // Half a turn about y, or none.
        let turned = f32::from(u8::from(self.is_turned));
        floats(&[0.0, turned, 0.0, 1.0 - turned]);
        floats(&self.head);
        packet.extend([1, 0, 0, 0]);
        // Left hand, right hand: pose, velocities, curls, inputs, flags.
        if self.side == Side::Right {
            packet.resize(PACKET_LENGTH - HAND_LENGTH, 0);
        }
        if let Some(curl) = self.curl {
            let mut floats = |numbers: &[f32]| {
                numbers.iter().for_each(|number| packet.extend(number.to_le_bytes()));
            };
            let [x, y, z] = self.head;
            let ([right, up, back], turn) = self.wrist;
            floats(&turn);
            floats(&[x + right, y - BELOW + up, z - AHEAD + back]);
            floats(&[0.0; 6]);
            // Curls; the trigger and other inputs; whether joints are seen, and whether the
            // controller is.
            let [joints, trigger] = match self.holds_controller {
                true => [0.0, curl],
                false => [curl, 0.0],
            };
            floats(&[joints; 5]);
            floats(&[trigger, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
            packet.extend([u8::from(!self.holds_controller), 1]);
            // Click and touch of the buttons: system, A, B.
            packet.extend([0, 0, 0, 0, u8::from(self.presses_menu), u8::from(self.presses_menu)]);
        }
        packet.resize(PACKET_LENGTH, 0);
        packet
    }
}
