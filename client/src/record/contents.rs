//! Contents of a recording, as `palpate replay --summary` and the end of `palpate record` print
//! them.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use drivers::recording::{DeviceSummary, Ending, RecordingReader, RecordingSummary};

use super::verdict::{Verdict, in_words};
use crate::input::{DeviceCoverage, HandCoverage, covered_hands};
use crate::session::JOURNAL;

/// A recording with what its bytes gave.
pub(super) struct Contents {
    summary: RecordingSummary,
    hands: Vec<HandCoverage>,
    pub(super) verdict: Verdict,
}

impl Contents {
    pub(super) fn read(file: &Path) -> anyhow::Result<Self> {
        let context = || format!("cannot read {}", file.display());
        let reader = RecordingReader::open(file).with_context(context)?;
        let summary = reader.summary().with_context(context)?;
        let hands = covered_hands(file, &summary).with_context(context)?;
        let has_journal = summary.devices.iter().any(|device| device.kind == JOURNAL);
        let verdict = Verdict::of(&summary, &hands, has_journal);
        Ok(Self { summary, hands, verdict })
    }

    pub(super) fn print(&self) -> anyhow::Result<()> {
        let Self { summary, verdict, .. } = self;
        let mut out = std::io::stdout();
        writeln!(out, "verdict   {verdict}")?;
        writeln!(
            out,
            "recorded  {:.1} s by {}",
            summary.duration.as_secs_f64(),
            summary.header.program
        )?;
        for device in &summary.devices {
            if device.kind == JOURNAL {
                writeln!(
                    out,
                    "journal   {} bytes: poses, orders and results",
                    device.n_received_bytes
                )?;
                continue;
            }
            writeln!(out, "{}", of_line(device))?;
            let covered = self.hands.iter().flat_map(|hand| &hand.devices);
            for covered in covered.filter(|covered| covered.device == device.device) {
                self.print_coverage(&mut out, covered)?;
            }
        }
        if summary.n_marks > 0 {
            writeln!(out, "marks     {}", summary.n_marks)?;
        }
        if let Some(first) = summary.first_damage_at_byte {
            let n_bytes = summary.n_damaged_bytes;
            let place = match summary.n_damaged_places {
                1 => format!("from byte {first} on"),
                n => format!("in {n} places, the first at byte {first}"),
            };
            writeln!(out, "damage    {n_bytes} bytes cannot be read, {place}")?;
        }
        match summary.ending {
            Ending::Clean => writeln!(out, "ended     in good order")?,
            Ending::CleanThenMore { at_byte } => {
                writeln!(out, "ended     in good order, but something follows at byte {at_byte}")?;
            }
            Ending::Cut { at_byte } => {
                writeln!(out, "ended     cut at byte {at_byte}; all before that can be replayed")?;
            }
        }
        Ok(())
    }

    /// Samples, damage and gaps of a device.
    fn print_coverage(
        &self,
        out: &mut impl Write,
        covered: &DeviceCoverage,
    ) -> std::io::Result<()> {
        let seconds = self.summary.duration.as_secs_f64();
        let rate = covered.n_samples as f64 / seconds.max(f64::MIN_POSITIVE);
        write!(out, "            {}: {} samples", covered.name, covered.n_samples)?;
        write!(out, ", {rate:.0} a second")?;
        if covered.n_doubtful > 0 {
            write!(out, ", {} of them doubtful", covered.n_doubtful)?;
        }
        if covered.n_damaged > 0 {
            let percent = 100.0 * covered.damaged_share();
            write!(out, "; {} records lost to damage, {percent:.1} %", covered.n_damaged)?;
        }
        writeln!(out)?;
        let Some(longest) = covered.gaps.iter().max_by_key(|gap| gap.length()) else {
            return Ok(());
        };
        let [from, to] = [longest.from, longest.to].map(|at| at.as_secs_f64());
        let (n, without) = (covered.gaps.len(), covered.time_without().as_secs_f64());
        let gaps = if n == 1 { "gap" } else { "gaps" };
        write!(out, "            {n} {gaps}, {without:.1} of {seconds:.1} s; ")?;
        let longest_is = if n == 1 { "" } else { "the longest " };
        writeln!(out, "{longest_is}from {from:.1} to {to:.1} s: {}", in_words(longest.cause))
    }
}

/// Line of a device: its bytes, and how often it was connected.
fn of_line(device: &DeviceSummary) -> String {
    let kind = if device.kind.is_empty() { "never ready" } else { &device.kind };
    let woken = match device.n_wakes {
        0 => String::new(),
        n => format!(", woken {}", times(n)),
    };
    let port = if device.name.is_empty() { "no port" } else { &device.name };
    format!(
        "{kind:<12}{} bytes received, {} sent, opened {}, lost {}{woken}  ({port})",
        device.n_received_bytes,
        device.n_sent_bytes,
        times(device.n_openings),
        times(device.n_losses),
    )
}

fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
}
