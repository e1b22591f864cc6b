//! A peer on a pseudo-terminal that expects and answers the bytes of a script.

use std::io::{ErrorKind, Read, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serialport::{SerialPort, TTYPort};

/// Longest wait for the driver's bytes: longer than any driver waits, even on a busy machine.
const DEADLINE: Duration = Duration::from_secs(20);

/// One turn of a script: the bytes that the peer expects, and its answer.
pub(crate) type Turn = (&'static [u8], Vec<u8>);

pub(crate) struct ScriptedPeer {
    pub(crate) path: String,
    /// The peer hangs up when this is dropped.
    hold: SyncSender<()>,
    thread: JoinHandle<()>,
}

impl ScriptedPeer {
    /// Plays `script` and then keeps the line open until [`Self::finish`].
    pub(crate) fn start(script: Vec<Turn>) -> Self {
        let (mut master, slave) = TTYPort::pair().expect("a pseudo-terminal can be made");
        master.set_timeout(Duration::from_millis(50)).expect("a time-out can be set");
        let path = slave.name().expect("the far end has a path");
        let (hold, until_released) = sync_channel(0);
        let play = move || {
            // Keeps the terminal alive until the driver has opened it.
            let _slave = slave;
            for (want, answer) in script {
                expect(&mut master, want);
                master.write_all(&answer).expect("the driver's end is open");
            }
            // No value is ever sent: this waits until the sender is dropped.
            let _ = until_released.recv();
        };
        let thread = std::thread::Builder::new().name("scripted-peer".to_owned()).spawn(play);
        Self { path, hold, thread: thread.expect("a thread can be started") }
    }

    /// Waits for the end of the script, then hangs up.
    ///
    /// Fails if the driver did not follow the script.
    pub(crate) fn finish(self) {
        drop(self.hold);
        self.thread.join().expect("the driver follows the script");
    }
}

/// Reads exactly `want`, which may come in pieces.
fn expect(master: &mut TTYPort, want: &[u8]) {
    let deadline = Instant::now() + DEADLINE;
    for (place, byte) in want.iter().enumerate() {
        let mut got = [0];
        loop {
            match master.read(&mut got) {
                Ok(1) => break,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::TimedOut => {}
                Err(error) => panic!("waiting for {}: {error}", want.escape_ascii()),
            }
            assert!(Instant::now() < deadline, "no byte {place} of {}", want.escape_ascii());
        }
        assert_eq!(got[0], *byte, "byte {place} of {}", want.escape_ascii());
    }
}
