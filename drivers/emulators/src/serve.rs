//! Runs one emulated device on its pseudo-terminal, in one named thread.

mod control;

use std::io;
use std::time::{Duration, Instant};

pub(crate) use control::EmulatorControl;

use crate::device_on_line::{DeviceOnLine, EmulatedDevice};
use crate::emulator::EmulatorError;
use crate::line_options::{LineOptions, WrongBaud};
use crate::port_name::PortName;
use crate::pty::Pty;
use crate::send_queue::Listener;

/// Longest sleep of the thread before it checks for new requests.
const LOOK_UP: Duration = Duration::from_millis(10);

/// The terminal and its name; only the name while unplugged.
pub(crate) struct Terminal {
    pty: Option<Pty>,
    name: PortName,
    /// Number of the present name, from 1.
    name_number: u32,
    wrong_baud: WrongBaud,
}

impl Terminal {
    pub(crate) fn new(pty: Pty, name: PortName, options: &LineOptions) -> Self {
        Self { pty: Some(pty), name, name_number: 1, wrong_baud: options.wrong_baud }
    }

    fn unplug(&mut self) {
        // The name is removed first, so that no host opens a terminal that is about to end.
        self.name.remove();
        self.pty = None;
    }

    fn plug_in(&mut self, name_number: u32) -> Result<(), EmulatorError> {
        if name_number != self.name_number {
            self.name.rename(name_number).map_err(EmulatorError::Name)?;
            self.name_number = name_number;
        }
        let pty = Pty::open().map_err(EmulatorError::Pty)?;
        self.name.point_to(pty.path()).map_err(EmulatorError::Name)?;
        self.pty = Some(pty);
        Ok(())
    }

    /// The other end of the line of a device with this baud rate.
    fn listener(&self, device_baud: Option<u32>) -> io::Result<Listener> {
        match (&self.pty, self.wrong_baud, device_baud) {
            (None, ..) => Ok(Listener::Absent),
            (Some(pty), WrongBaud::Garbage, Some(baud)) if pty.host_baud()? != baud => {
                Ok(Listener::HostAtOtherBaud)
            }
            (Some(_), ..) => Ok(Listener::Host),
        }
    }
}

/// Carries bytes between the device and the host until `control` ends it.
pub(crate) fn serve<D: EmulatedDevice>(
    mut terminal: Terminal,
    mut peer: DeviceOnLine<D>,
    control: &EmulatorControl,
) {
    if let Err(error) = run(&mut terminal, &mut peer, control) {
        tracing::error!(path = terminal.name.path(), %error, "emulator lost its terminal");
    }
    control.unplug_by(|| terminal.unplug());
    control.has_ended();
}

fn run<D: EmulatedDevice>(
    terminal: &mut Terminal,
    peer: &mut DeviceOnLine<D>,
    control: &EmulatorControl,
) -> io::Result<()> {
    let mut received = [0; 256];
    // Time at which a port that hung up because of a fault comes back.
    let mut back_at: Option<Instant> = None;
    while !control.should_end() {
        let now = Instant::now();
        follow_control(terminal, peer, control, &mut back_at, now);
        peer.set_listener(terminal.listener(peer.queue.baud())?);
        let until_due = match peer.next_due() {
            Some(due) => due.saturating_duration_since(now).min(LOOK_UP),
            None => LOOK_UP,
        };
        let Some(pty) = &terminal.pty else {
            control.wait(until_due);
            peer.step(Instant::now());
            continue;
        };
        pty.wait(until_due, !peer.queue.sendable().is_empty())?;
        let n_read = pty.read(&mut received)?;
        // A host that has just opened the port wrote these bytes at its own rate.
        peer.set_listener(terminal.listener(peer.queue.baud())?);
        let now = Instant::now();
        if n_read > 0 {
            peer.receive(&received[..n_read], now);
        }
        if let Some(lasts) = peer.step(now) {
            control.unplug_by(|| terminal.unplug());
            back_at = Some(now + lasts);
            continue;
        }
        // Published before the answer is sent, so that a host with the answer finds the feedback.
        control.publish(peer.device.feedback());
        send(pty, peer)?;
    }
    Ok(())
}

/// Writes and counts under one lock, so that a record is counted when the host has read it.
fn send<D: EmulatedDevice>(pty: &Pty, peer: &mut DeviceOnLine<D>) -> io::Result<()> {
    if peer.queue.sendable().is_empty() {
        return Ok(());
    }
    let log = peer.queue.shared_log();
    let mut log = log.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let at = Instant::now();
    let n_written = pty.write(peer.queue.sendable())?;
    peer.queue.remove(n_written, at, &mut log);
    Ok(())
}

/// Carries out the requests of the handle, and plugs in again after a hang-up.
fn follow_control<D: EmulatedDevice>(
    terminal: &mut Terminal,
    peer: &mut DeviceOnLine<D>,
    control: &EmulatorControl,
    back_at: &mut Option<Instant>,
    now: Instant,
) {
    while let Some(event) = control.next_event() {
        peer.happen(event, now);
        control.publish(peer.device.feedback());
        control.event_is_done();
    }
    let wanted = control.wanted();
    if !wanted.is_plugged {
        *back_at = None;
        if terminal.pty.is_some() {
            control.unplug_by(|| terminal.unplug());
            peer.set_listener(Listener::Absent);
        }
    } else if terminal.pty.is_none() && back_at.is_none_or(|back_at| back_at <= now) {
        *back_at = None;
        let outcome = terminal.plug_in(wanted.name_number);
        if let Err(error) = &outcome {
            tracing::warn!(path = terminal.name.path(), %error, "cannot plug in");
        }
        let plugged = outcome.map(|()| terminal.pty.as_ref().map_or("", Pty::path));
        control.is_plugged_in(plugged, terminal.name.path());
    }
}
