//! Probes all ports at once and prints the device on each.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::bail;
use drivers::cyberglove::Model;
use drivers::opengloves::OpenGloveInfo;
use drivers::ports::{Ports, SystemPorts};
use drivers::probe::{BAUD_RATES, DeviceIdentity, ProbedDevice, Streaming, probe};
use drivers::{Condition, DeviceError, Side};

use super::headset_lines;
use crate::command_line::{GloveModel, ListDevices};

/// A port and the result of its probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPort {
    pub path: String,
    /// The device on it, or the reason why there is no usable one.
    pub words: String,
    pub device: Option<FoundDevice>,
}

/// A device that this program can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundDevice {
    pub kind: FoundKind,
    pub baud: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundKind {
    Glove(GloveModel),
    Tracker,
}

/// Probes all ports of this machine and all running emulators. This takes some seconds.
pub fn search(stop: &AtomicBool) -> std::io::Result<Vec<FoundPort>> {
    let ports = ports(&[]);
    let outcomes = look(&ports, &BAUD_RATES, stop)?;
    let found = |(port, outcome): (ListedPort, ProbeOutcome)| FoundPort {
        path: port.path,
        words: in_words(&outcome),
        device: match &outcome {
            ProbeOutcome::Found(found, _) => device(found),
            ProbeOutcome::Troubled(..)
            | ProbeOutcome::NoAnswer
            | ProbeOutcome::Interrupted
            | ProbeOutcome::Unusable(_) => None,
        },
    };
    Ok(ports.into_iter().zip(outcomes).map(found).collect())
}

fn device(found: &ProbedDevice) -> Option<FoundDevice> {
    let kind = match &found.what {
        DeviceIdentity::CyberGlove(_) => FoundKind::Glove(GloveModel::Cyberglove),
        DeviceIdentity::OpenGlove(_) => FoundKind::Glove(GloveModel::Opengloves),
        DeviceIdentity::Fastrak(_) => FoundKind::Tracker,
        // Only its name is known so far.
        DeviceIdentity::LaterPolhemus(_) => return None,
    };
    Some(FoundDevice { kind, baud: found.baud })
}

/// A port to probe.
struct ListedPort {
    path: String,
    description: String,
}

/// Result of a probe.
enum ProbeOutcome {
    Found(ProbedDevice, Option<Streaming>),
    /// The device answered, but then failed.
    Troubled(ProbedDevice, String),
    NoAnswer,
    Interrupted,
    Unusable(String),
}

pub(super) fn list(options: &ListDevices, stop: &AtomicBool) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    // With ports on the command line, the headset is not listed.
    if options.ports.is_empty() {
        headset_lines::lines().iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    if options.headset {
        return Ok(());
    }
    let ports = ports(&options.ports);
    if ports.is_empty() {
        writeln!(out, "this machine has no serial port, and no emulator is running")?;
        writeln!(out, "`palpate emulate glove` starts one; `palpate squeeze` starts its own")?;
        return Ok(());
    }
    let one = options.baud.map(|baud| [baud]);
    let rates: &[u32] = one.as_ref().map_or(&BAUD_RATES, |one| one);
    let outcomes = showing_progress(&ports, rates, stop)?;
    let width = ports.iter().map(|port| port.path.len()).max().unwrap_or(0);
    let mut n_found = 0;
    for (port, outcome) in ports.iter().zip(&outcomes) {
        let about = match port.description.as_str() {
            "" => String::new(),
            description => format!("  [{description}]"),
        };
        n_found += usize::from(matches!(outcome, ProbeOutcome::Found(..)));
        writeln!(out, "{:<width$}  {}{about}", port.path, in_words(outcome))?;
    }
    if !options.ports.is_empty() && n_found == 0 {
        bail!(why_nothing_was_found(&outcomes));
    }
    Ok(())
}

/// Says why there is no usable device, with what may help.
fn why_nothing_was_found(outcomes: &[ProbeOutcome]) -> &'static str {
    let is_any = |is_it: fn(&ProbeOutcome) -> bool| outcomes.iter().any(is_it);
    if is_any(|outcome| matches!(outcome, ProbeOutcome::Troubled(..))) {
        "a device was found, but it cannot be used now"
    } else if is_any(|outcome| matches!(outcome, ProbeOutcome::NoAnswer)) {
        "no device was found; one that was asked at a wrong line speed may need ten seconds before it \
         answers again, and --baud asks at one speed only"
    } else if is_any(|outcome| matches!(outcome, ProbeOutcome::Interrupted)) {
        "the search was interrupted before a device was found"
    } else {
        "no device was found: no port could be opened"
    }
}

/// Returns the given ports, or all ports and running emulators.
fn ports(asked: &[String]) -> Vec<ListedPort> {
    let plain = |path: &String| ListedPort { path: path.clone(), description: String::new() };
    if !asked.is_empty() {
        return asked.iter().map(plain).collect();
    }
    let system = SystemPorts.list().into_iter();
    let mut ports: Vec<ListedPort> =
        system.map(|port| ListedPort { path: port.path, description: port.description }).collect();
    let emulated = |path| ListedPort { path, description: "emulated".to_owned() };
    ports.extend(emulators::running().into_iter().map(emulated));
    ports
}

/// Line speed that is being tried on each port.
type ProbedRates = Vec<Mutex<Option<u32>>>;

/// Probes the ports and shows a progress line if standard error is a terminal.
fn showing_progress(
    ports: &[ListedPort],
    rates: &[u32],
    stop: &AtomicBool,
) -> std::io::Result<Vec<ProbeOutcome>> {
    if !std::io::stderr().is_terminal() {
        return look(ports, rates, stop);
    }
    let trying = trying(ports);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let show = || show_progress(ports, &trying, &is_done);
        std::thread::Builder::new().name("progress".to_owned()).spawn_scoped(scope, show)?;
        let outcomes = look_at_each(ports, rates, &trying, stop);
        is_done.store(true, Ordering::Relaxed);
        outcomes
    })
}

fn look(
    ports: &[ListedPort],
    rates: &[u32],
    stop: &AtomicBool,
) -> std::io::Result<Vec<ProbeOutcome>> {
    look_at_each(ports, rates, &trying(ports), stop)
}

fn trying(ports: &[ListedPort]) -> ProbedRates {
    ports.iter().map(|_| Mutex::default()).collect()
}

/// Each port on a thread of its own, since most of the time is spent waiting for answers.
fn look_at_each(
    ports: &[ListedPort],
    rates: &[u32],
    trying: &ProbedRates,
    stop: &AtomicBool,
) -> std::io::Result<Vec<ProbeOutcome>> {
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (port, trying) in ports.iter().zip(trying) {
            let work = move || look_at(&port.path, rates, trying, stop);
            threads.push(
                std::thread::Builder::new().name("probe".to_owned()).spawn_scoped(scope, work)?,
            );
        }
        let outcomes = threads.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| ProbeOutcome::Unusable("the probe panicked".to_owned()))
        });
        Ok(outcomes.collect())
    })
}

fn look_at(
    path: &str,
    rates: &[u32],
    trying: &Mutex<Option<u32>>,
    stop: &AtomicBool,
) -> ProbeOutcome {
    let set = |rate| *trying.lock().unwrap_or_else(PoisonError::into_inner) = rate;
    let found = probe(path, rates, &mut |baud| {
        set(Some(baud));
        !stop.load(Ordering::Relaxed)
    });
    let outcome = match found {
        Ok(Some(found)) => match found.streaming(path) {
            Ok(streaming) => ProbeOutcome::Found(found, streaming),
            Err(error) => ProbeOutcome::Troubled(found, with_causes(error)),
        },
        Ok(None) if stop.load(Ordering::Relaxed) => ProbeOutcome::Interrupted,
        Ok(None) => ProbeOutcome::NoAnswer,
        Err(error) => ProbeOutcome::Unusable(with_causes(error)),
    };
    set(None);
    outcome
}

fn show_progress(ports: &[ListedPort], trying: &[Mutex<Option<u32>>], is_done: &AtomicBool) {
    let mut stderr = std::io::stderr();
    while !is_done.load(Ordering::Relaxed) {
        let at = trying.iter().zip(ports).find_map(|(rate, port)| {
            Some((port, (*rate.lock().unwrap_or_else(PoisonError::into_inner))?))
        });
        if let Some((port, baud)) = at {
            // Nothing can be done if standard error is gone.
            let _ = write!(stderr, "\r\x1b[Kasking {} at {baud} baud ...", port.path);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let _ = write!(stderr, "\r\x1b[K");
}

fn in_words(outcome: &ProbeOutcome) -> String {
    match outcome {
        ProbeOutcome::Found(found, streaming) => {
            let mut words = vec![describe(&found.what)];
            let mut faults = Vec::new();
            if let Some(Streaming { hz, tracker, faults: found, left_behind }) = streaming {
                faults.extend(found.iter().map(fault_in_words));
                let earlier = tracker.as_ref().and_then(|tracker| tracker.earlier_fault);
                faults.extend(earlier.map(|why| format!("an earlier fault was cleared: {why}")));
                let not_put_back = |why| format!("its settings could not be put back: {why}");
                faults.extend(left_behind.as_ref().map(not_put_back));
                if let Some(tracker) = tracker {
                    let stations: Vec<_> = tracker.stations.iter().map(u8::to_string).collect();
                    let s = if stations.len() == 1 { "" } else { "s" };
                    words.push(format!("station{s} {}", stations.join(" ")));
                }
                words.push(format!("{hz:.0} records a second"));
            }
            words.push(format!("{} baud", found.baud));
            [words.join(", ")].into_iter().chain(faults).collect::<Vec<_>>().join("; ")
        }
        ProbeOutcome::Troubled(found, why) => {
            format!("{}, {} baud; but {why}", describe(&found.what), found.baud)
        }
        ProbeOutcome::NoAnswer => "no glove or tracker answers".to_owned(),
        ProbeOutcome::Interrupted => "the search was interrupted".to_owned(),
        ProbeOutcome::Unusable(why) => why.clone(),
    }
}

/// Says what is wrong with a station of a tracker.
fn fault_in_words((station, condition): &(u8, Condition)) -> String {
    let why = condition.fault().unwrap_or("unknown");
    match condition {
        Condition::Invalid(_) => format!("FAULTY: station {station} gives no usable pose: {why}"),
        Condition::Good | Condition::Warning(_) | Condition::Degraded(_) => {
            format!("station {station} gives doubtful poses: {why}")
        }
    }
}

/// Describes a device.
pub(super) fn describe(what: &DeviceIdentity) -> String {
    match what {
        DeviceIdentity::CyberGlove(info) => {
            let version = info.version.map_or_else(String::new, |version| {
                let [high, low] = version.firmware.to_be_bytes();
                format!(", firmware {high}.{low}")
            });
            let absent = if info.state.is_plugged_in { "" } else { ", no glove plugged in" };
            let (n, hand) = (info.n_sensors, hand_in_words(Some(info.hand)));
            let model = match info.model() {
                Some(Model::Two) => " II",
                Some(Model::Three) => " III",
                Some(Model::Wired) | None => "",
            };
            format!("CyberGlove{model}, {n} sensors, {hand}{version}{absent}")
        }
        DeviceIdentity::Fastrak(status) => {
            let units = if status.is_in_centimetres { "centimetres" } else { "inches" };
            let name = match status.id.as_str() {
                "" => String::new(),
                id => format!(" \"{id}\""),
            };
            format!("FASTRAK{name}, firmware {}, found in {units}", status.version)
        }
        DeviceIdentity::LaterPolhemus(text) => format!("Polhemus tracker: {text}"),
        DeviceIdentity::OpenGlove(identity) => {
            let OpenGloveInfo { firmware_version, hand, .. } = identity.info;
            let version = firmware_version.map_or_else(String::new, |v| format!(", firmware {v}"));
            format!("OpenGloves glove, {}{version}", hand_in_words(hand))
        }
    }
}

fn hand_in_words(hand: Option<Side>) -> &'static str {
    match hand {
        Some(Side::Left) => "left hand",
        Some(Side::Right) => "right hand",
        None => "hand unknown",
    }
}

fn with_causes(error: DeviceError) -> String {
    format!("{:#}", anyhow::Error::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_fits_what_was_found() {
        let check = |outcomes: &[ProbeOutcome], want: &str| {
            let said = why_nothing_was_found(outcomes);
            assert!(said.contains(want), "{said}");
        };
        let unusable = || ProbeOutcome::Unusable("No such file".to_owned());
        let what = DeviceIdentity::LaterPolhemus("PATRIOT".to_owned());
        let found = ProbedDevice { baud: 115_200, what };
        let troubled = ProbeOutcome::Troubled(found, "it hung up".to_owned());
        check(&[unusable()], "no port could be opened");
        check(&[unusable(), ProbeOutcome::NoAnswer], "line speed");
        check(&[ProbeOutcome::NoAnswer, troubled], "a device was found, but");
    }
}
