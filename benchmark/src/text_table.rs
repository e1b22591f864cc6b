//! Results as text for a terminal: aligned columns with the main figures of every object.

use std::fmt::Write;

use crate::algorithm::Algorithm;
use crate::number_format;
use crate::results::{Measure, Place, Results};

/// Lines of cells, aligned: the first column to the left, the others to the right.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..n_columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (i, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let space = " ".repeat(width - cell.chars().count());
            if i == 0 {
                line = format!("{cell}{space}");
            } else {
                line = format!("{line}  {space}{cell}");
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// All tables and notes, for a terminal.
pub fn terminal(results: &Results) -> String {
    let mut text = String::new();
    let machine = &results.machine;
    let triad: Vec<String> = machine
        .triad
        .iter()
        .map(|(threads, rate)| {
            format!(
                "{} on {}",
                number_format::rate(*rate),
                number_format::plural(*threads, "thread")
            )
        })
        .collect();
    let name = match machine.name.as_str() {
        "" => String::new(),
        name => format!("this machine, {name}: "),
    };
    let facts = writeln!(
        text,
        "{name}{}, {} cores, {}; memory {}\n",
        machine.processor,
        machine.n_cores,
        machine.caches.join(", "),
        triad.join(", ")
    );
    facts.expect("a string takes any text");
    text.push_str(&aligned(&figures(results)));
    text.push_str(
        "(Medians; ± is half of the 95 % interval of the median; n=2 means that two samples are \
         too few for an interval.)\n\n",
    );
    if let Some(server) = &results.server {
        text.push_str(&format!("the given server, {}\n\n", server.in_words()));
        text.push_str(&aligned(&server_figures(results)));
        text.push_str(
            "(Opening and round trip with transfer; the others by the server's clock.)\n\n",
        );
    }
    text.push_str(&aligned(&answers(results)));
    text.push_str(
        "(After its first touch, Palpate solves other nodes in the time of new contacts, and the \
         same nodes in the time of a frame.)\n",
    );
    for note in &results.notes {
        text.push_str("note: ");
        text.push_str(note);
        text.push('\n');
    }
    // Terminals differ in how they show narrow spaces.
    text.replace(['\u{a0}', '\u{202f}'], " ")
}

/// Number of threads of a measure as text; 0 stands for those of a given server.
pub(crate) fn threads_shown(results: &Results, measure: Measure, threads: usize) -> String {
    match threads {
        0 => "its own".to_owned(),
        n if n > results.n_cores_for(measure) => format!("{n} (oversubscribed)"),
        n => n.to_string(),
    }
}

fn figures(results: &Results) -> Vec<Vec<String>> {
    const MEASURES: [Measure; 5] = [
        Measure::SetUp,
        Measure::Change,
        Measure::Frame,
        Measure::RoundTripEmbedded,
        Measure::RoundTripLoopback,
    ];
    let names =
        ["object", "nodes", "threads", "set-up", "new contacts", "frame", "embedded", "gRPC"];
    rows(results, &names, &results.threads(), &MEASURES)
}

/// Figures of the given server.
fn server_figures(results: &Results) -> Vec<Vec<String>> {
    let names = [
        "on the server",
        "nodes",
        "threads",
        "set-up",
        "first touch",
        "later touch",
        "opening",
        "round trip",
    ];
    rows(results, &names, &results.server_threads(), &Measure::ON_SERVER)
}

/// A row for each object and number of threads, if there is any figure.
fn rows(
    results: &Results,
    names: &[&str],
    threads: &[usize],
    measures: &[Measure],
) -> Vec<Vec<String>> {
    let mut rows = vec![names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>()];
    for place in results.places() {
        for &threads in threads {
            let figures: Vec<String> =
                measures.iter().map(|m| shown(results, place, *m, threads)).collect();
            if figures.iter().all(|figure| figure == "-") {
                continue;
            }
            let mut row = vec![
                place.object.clone(),
                number_format::count(place.n_nodes),
                threads_shown(results, measures[0], threads),
            ];
            row.extend(figures);
            rows.push(row);
        }
    }
    rows
}

fn answers(results: &Results) -> Vec<Vec<String>> {
    let threads = results.most_threads();
    let about = format!("first touch, {}", number_format::plural(threads, "thread"));
    let mut rows = vec![vec![about, "nodes".to_owned()]];
    rows[0].extend(Algorithm::ALL.map(|algorithm| algorithm.label().to_owned()));
    for place in results.places() {
        let mut row = vec![place.object.clone(), number_format::count(place.n_nodes)];
        row.extend(Algorithm::ALL.map(|algorithm| {
            let summary = results.summary(place, algorithm, Measure::FirstTouch, threads);
            summary.map_or("-".to_owned(), |summary| number_format::seconds(summary.median))
        }));
        rows.push(row);
    }
    rows
}

/// Median with the half width of its interval in percent, or with the number of samples if there
/// are too few.
fn shown(results: &Results, place: &Place, measure: Measure, threads: usize) -> String {
    match results.summary(place, Algorithm::Ours, measure, threads) {
        None => "-".to_owned(),
        Some(summary) => match summary.relative_half_width() {
            _ if !summary.is_sure() => format!("{} n={}", measure.shown(summary.median), summary.n),
            half if half < 0.005 => format!("{} ±<1%", measure.shown(summary.median)),
            half => format!("{} ±{:.0}%", measure.shown(summary.median), 100.0 * half),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::synthetic_results::sample_results;

    #[test]
    fn columns_are_aligned() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect();
        let rows = [row(&["a", "long one", "c"]), row(&["µµ", "b", "longer"])];
        assert_eq!(aligned(&rows), "a   long one       c\nµµ         b  longer\n");
    }

    #[test]
    fn every_object_has_its_lines() {
        let text = terminal(&sample_results());
        assert_eq!(text.lines().filter(|line| line.starts_with("sphere")).count(), 3 * 4 + 3);
        assert!(text.contains("8 (oversubscribed)") && text.contains("note: "), "{text}");
    }
}
