//! The device's end of a pseudo-terminal in raw mode.
//!
//! A host opens [`Pty::path`] like a serial port. Dropping the pty hangs up on the host, like
//! unplugging the device.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, ioctl_tiocnxcl, tcgetattr, tcsetattr};

pub(crate) struct Pty {
    master: OwnedFd,
    /// The host's end, kept open. If no process has the host's end open, reads from the master fail
    /// and the raw mode is lost. With this handle hosts can open and close the port.
    slave: OwnedFd,
    path: String,
}

impl Pty {
    pub(crate) fn open() -> io::Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let path = ptsname(&master, Vec::new())?
            .into_string()
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = rustix::fs::open(&path, flags, Mode::empty())?;
        let mut settings = tcgetattr(&slave)?;
        settings.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &settings)?;
        rustix::io::ioctl_fionbio(&master, true)?;
        Ok(Self { master, slave, path })
    }

    /// Path that a host opens.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The baud rate that the host has set.
    pub(crate) fn host_baud(&self) -> io::Result<u32> {
        Ok(tcgetattr(&self.slave)?.input_speed())
    }

    /// Waits until the host has sent bytes, until the terminal accepts bytes if `wants_to_write`,
    /// or until `timeout` has passed.
    pub(crate) fn wait(&self, timeout: Duration, wants_to_write: bool) -> io::Result<()> {
        let mut events = PollFlags::IN;
        events.set(PollFlags::OUT, wants_to_write);
        let timeout = Timespec::try_from(timeout)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        match poll(&mut [PollFd::new(&self.master, events)], Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads bytes from the host; 0 if there are none.
    pub(crate) fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        let n_read = now_or_zero(rustix::io::read(&self.master, into))?;
        if n_read > 0 {
            // A host that opens the terminal exclusively marks it. As this handle keeps the
            // terminal open, the mark of a host that has died would stay and lock out the next
            // one, so it is cleared. The file lock of a living host still locks out others. Some
            // systems have no such marks, so an error is ignored.
            if let Err(error) = ioctl_tiocnxcl(&self.slave) {
                tracing::debug!(path = self.path, %error, "cannot clear the exclusive mark");
            }
        }
        Ok(n_read)
    }

    /// Writes as many bytes as the terminal accepts, possibly 0.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        now_or_zero(rustix::io::write(&self.master, bytes))
    }
}

fn now_or_zero(result: rustix::io::Result<usize>) -> io::Result<usize> {
    match result {
        Ok(n_bytes) => Ok(n_bytes),
        Err(Errno::AGAIN | Errno::INTR) => Ok(0),
        Err(error) => Err(error.into()),
    }
}
