//! Starts the programs under test, reads what they say, and ends them.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use emulators::{
    Emulator, GloveEmulator, GloveOptions, Motion, ScriptClock, TrackerEmulator, TrackerOptions,
};

/// Generous: these machines may be busy. Nothing waits longer than it must.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Arguments for small pictures of the key moments, in runs whose pictures no test looks at.
/// Without a graphics card, large ones take longer than the run.
pub(crate) const SMALL_PICTURES: [&str; 2] = ["--size", "320x180"];

/// A running program whose output is collected. Killed when dropped.
pub(crate) struct Program {
    name: &'static str,
    child: Child,
    output: Arc<Output>,
}

/// Output of a program so far, from both streams.
#[derive(Default)]
struct Output {
    said: Mutex<Said>,
    changed: Condvar,
}

#[derive(Default)]
struct Said {
    text: String,
    n_open_streams: usize,
}

impl Program {
    pub(crate) fn start(name: &'static str, command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("cannot start {name} ({command:?}): {e}"));
        let output = Arc::new(Output::default());
        output.said.lock().unwrap().n_open_streams = 2;
        collect(child.stdout.take().unwrap(), &output);
        collect(child.stderr.take().unwrap(), &output);
        Self { name, child, output }
    }

    /// Waits until the output contains `text`; returns the whole output.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        let said = self.wait_while(|said| !said.text.contains(text) && said.n_open_streams > 0);
        assert!(said.contains(text), "{} never said {text:?}, but:\n{said}", self.name);
        said
    }

    /// Waits until the whole output meets a condition.
    pub(crate) fn wait_until(&self, is_so: impl Fn(&str) -> bool) {
        let said = self.wait_while(|said| !is_so(&said.text) && said.n_open_streams > 0);
        assert!(is_so(&said), "{} said only\n{said}", self.name);
    }

    /// Waits for a line that `is_it`, and returns it.
    pub(crate) fn wait_for_line(&self, is_it: impl Fn(&str) -> bool) -> String {
        let has_it = |said: &Said| said.text.lines().any(&is_it);
        let said = self.wait_while(|said| !has_it(said) && said.n_open_streams > 0);
        let line = said.lines().find(|line| is_it(line));
        line.unwrap_or_else(|| panic!("{} said only\n{said}", self.name)).to_owned()
    }

    /// Waits for the program's end; returns its status and its whole output.
    pub(crate) fn wait(mut self) -> (ExitStatus, String) {
        // A program that ends closes its streams.
        let said = self.wait_while(|said| said.n_open_streams > 0);
        let status = self.child.wait().unwrap();
        assert!(!said.contains("panicked"), "{} panicked:\n{said}", self.name);
        (status, said)
    }

    fn wait_while(&self, condition: impl Fn(&Said) -> bool) -> String {
        let said = self.output.said.lock().unwrap();
        let (said, timeout) =
            self.output.changed.wait_timeout_while(said, PATIENCE, |said| condition(said)).unwrap();
        assert!(!timeout.timed_out(), "{} takes too long; it said:\n{}", self.name, said.text);
        said.text.clone()
    }

    /// Returns the output so far.
    pub(crate) fn output(&self) -> String {
        self.output.said.lock().unwrap().text.clone()
    }

    /// True if the program has closed its streams, as a program that ends does.
    pub(crate) fn has_ended(&self) -> bool {
        self.output.said.lock().unwrap().n_open_streams == 0
    }

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns its processor time on all cores so far, in seconds.
    pub(crate) fn seconds_of_cpu(&self) -> f64 {
        /// Clock ticks per second, which is 100 in this interface on every machine.
        const TICKS_PER_SECOND: f64 = 100.0;
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap();
        // After the name, which may have spaces: the state, ten other numbers, then time for itself
        // and in the kernel.
        let numbers = stat.rsplit(')').next().unwrap().split_whitespace().skip(11).take(2);
        numbers.map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / TICKS_PER_SECOND
    }

    /// Sends a signal, by its name.
    pub(crate) fn signal(&self, name: &str) {
        let (option, id) = (format!("-{name}"), self.id().to_string());
        let sent = Command::new("kill").args([option, id]).status().unwrap();
        assert!(sent.success(), "{} does not take {name}", self.name);
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect(stream: impl Read + Send + 'static, output: &Arc<Output>) {
    let output = Arc::clone(output);
    std::thread::Builder::new()
        .name("collect".to_owned())
        .spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                let mut said = output.said.lock().unwrap();
                said.text.push_str(&line);
                said.text.push('\n');
                output.changed.notify_all();
            }
            output.said.lock().unwrap().n_open_streams -= 1;
            output.changed.notify_all();
        })
        .unwrap();
}

/// One of our programs, built beside this test binary.
pub(crate) fn ours(name: &str) -> Command {
    let this = env::current_exe().unwrap();
    let path: PathBuf = this.ancestors().nth(2).unwrap().join(name);
    assert!(
        path.exists(),
        "{} is not built; `cargo xtask test` or `cargo build --workspace --bins --examples` builds it",
        path.display()
    );
    let mut command = Command::new(path);
    // A display, a log filter or settings of the person who runs the tests must not matter.
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("RUST_LOG");
    command.env("XDG_CONFIG_HOME", new_temporary_path());
    // Without a graphics card, four fifths of the processor's time go into pictures, and no test
    // needs more of them.
    command.env("PALPATE_PICTURES_PER_SECOND", "6");
    command
}

/// Adds one of our programs, and its environment, to a command that runs another command.
pub(crate) fn become_ours(command: &mut Command, name: &str) {
    let program = ours(name);
    command.arg(program.get_program());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// Waits until `is_so`, which another thread or program makes true.
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "never: {what}");
        until_next_look();
    }
}

/// Pauses between two looks at what another program does. A look that follows the last one at once
/// takes a core from that program, and two of three tests wait for one that draws.
pub(crate) fn until_next_look() {
    std::thread::park_timeout(Duration::from_millis(50));
}

/// Waits until this time has passed.
pub(crate) fn let_pass(time: Duration) {
    let end = Instant::now() + time;
    while let left = end.saturating_duration_since(Instant::now())
        && !left.is_zero()
    {
        std::thread::park_timeout(left);
    }
}

/// Folder for the settings of a new user; created when the program saves something there.
fn new_temporary_path() -> PathBuf {
    static N_BEFORE: AtomicU32 = AtomicU32::new(0);
    let n = N_BEFORE.fetch_add(1, Ordering::Relaxed);
    env::temp_dir().join(format!("palpate-tests-{}-{n}", std::process::id()))
}

/// A solver server on a free port, or on the port of an earlier one.
pub(crate) struct Server {
    pub(crate) program: Program,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start(address: &str) -> Self {
        Self::start_with(&["--listen", address])
    }

    /// Starts a server that requires the pass in this file, and creates the file if it is missing.
    pub(crate) fn start_with_pass(address: &str, pass: &Path) -> Self {
        let pass = pass.to_str().unwrap();
        Self::start_with(&["--listen", address, "--pass", pass, "--known-as", "127.0.0.1"])
    }

    pub(crate) fn start_with(arguments: &[&str]) -> Self {
        let program = Program::start("solver-server", ours("solver-server").args(arguments));
        let said = program.wait_for("listens on");
        let url = said
            .split_whitespace()
            .find(|word| word.starts_with("http"))
            .unwrap()
            .trim_end_matches(',')
            .to_owned();
        Self { program, url }
    }

    pub(crate) fn address(&self) -> &str {
        self.url.split_once("://").unwrap().1
    }
}

/// Both emulated devices in step, on real pseudo-terminals of this process.
pub(crate) fn emulated_devices() -> (Emulator, Emulator) {
    devices_that_play(Motion::grasp_and_squeeze())
}

/// Emulated devices of a hand that is closed on the object and stays so.
pub(crate) fn devices_that_hold_on() -> (Emulator, Emulator) {
    const CLOSED_AT_THE_OBJECT: f64 = 2.4;
    devices_that_play(Motion::held(Motion::grasp_and_squeeze().state_at(CLOSED_AT_THE_OBJECT)))
}

fn devices_that_play(motion: Motion) -> (Emulator, Emulator) {
    let clock = ScriptClock::since(Instant::now());
    (
        GloveEmulator::start(GloveOptions::default(), motion.clone(), clock).unwrap(),
        TrackerEmulator::start(TrackerOptions::default(), motion, clock).unwrap(),
    )
}

/// `palpate squeeze` on these devices.
pub(crate) fn squeeze(glove: &Emulator, tracker: &Emulator) -> Command {
    let mut command = ours("palpate");
    command.args(["squeeze", "--glove", glove.path(), "--tracker", tracker.path()]);
    command
}
