//! A pseudo-terminal in raw mode, seen from the device's end.
//!
//! A host opens [`Pty::path`] as it would a serial port. Dropping the pty hangs up on the host, like
//! pulling the plug.

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
    /// The host's end, kept open: a master whose far end nobody has open can only fail to read, and
    /// it forgets its raw mode. With this handle a host may come and go.
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

    /// What a host opens.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The rate that the host has chosen for the device's bytes.
    pub(crate) fn host_baud(&self) -> io::Result<u32> {
        Ok(tcgetattr(&self.slave)?.input_speed())
    }

    /// Waits until the host has sent something, until it takes something if `wants_to_write`, or
    /// until `timeout` has passed.
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

    /// Reads what the host has sent; 0 if nothing.
    pub(crate) fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        let n_read = now_or_zero(rustix::io::read(&self.master, into))?;
        if n_read > 0 {
            // A host that opens for itself alone marks the terminal. As we keep the terminal open,
            // the mark of a host that dies would stay and lock out the next one. While a host lives,
            // its file lock still keeps others out.
            // Not every system has such marks, so a refusal is no failure.
            if let Err(error) = ioctl_tiocnxcl(&self.slave) {
                tracing::debug!(path = self.path, %error, "cannot clear the exclusive mark");
            }
        }
        Ok(n_read)
    }

    /// Writes what fits; 0 if nothing does.
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
