//! Frames and round trips: how soon a shape follows a finger, and what the memory could deliver.

use super::axis::Axis;
use super::plot::{Mark, Plot, Series, Width};
use super::text::{Table, escaped, figure, none, titled};
use crate::algorithm::Algorithm;
use crate::results::{Measure, Results};
use crate::units;

const LINES: [(Measure, &str, usize); 4] = [
    (Measure::RoundTripServer, "given server", 5),
    (Measure::RoundTripLoopback, "gRPC, loopback", 1),
    (Measure::RoundTripEmbedded, "embedded", 0),
    (Measure::Frame, "frame alone", 2),
];

pub(super) fn section(results: &Results) -> String {
    let threads = results.most_threads();
    let plots: String =
        results.objects().into_iter().map(|object| plot(results, object, threads)).collect();
    let content = if plots.is_empty() {
        String::new()
    } else {
        format!(
            "<div class=\"figures\">\n{plots}</div>\n<h3>Frames beside what the memory could deliver, memory and \
             accuracy</h3>\n{}",
            table(results)
        )
    };
    titled(
        "Frames",
        "From handing over a touch to holding the new shape. A frame reads three columns for each touched node; a \
         plain sum over as many bytes, in the same run, says what the memory or the cache could deliver.",
        &content,
    )
}

fn plot(results: &Results, object: &str, threads: usize) -> String {
    let (mut values, mut nodes, mut series) = (Vec::new(), Vec::new(), Vec::new());
    for (measure, label, colour) in LINES {
        // A server that was given has threads of its own.
        let threads = if measure == Measure::RoundTripServer { 0 } else { threads };
        let marks: Vec<Mark> = results
            .sizes(object, Algorithm::Ours, measure, threads)
            .into_iter()
            .map(|(n, summary)| {
                nodes.push(n);
                values.extend([summary.least, summary.percentile_99]);
                Mark {
                    at: (n, summary.median),
                    ends: Some((summary.least, summary.percentile_99)),
                    about: format!(
                        "{} nodes, {label}: {}, 99 of 100 within {}, at most {}",
                        units::count(n as usize),
                        units::seconds(summary.median),
                        units::seconds(summary.percentile_99),
                        units::seconds(summary.most)
                    ),
                    outliers: summary.outliers,
                }
            })
            .collect();
        if !marks.is_empty() {
            series.push(Series { label: label.to_owned(), colour, marks, ..Series::default() });
        }
    }
    if series.is_empty() {
        return String::new();
    }
    let title = format!("From touch to shape: {object}");
    let plot = Plot {
        x: Axis::logarithmic("nodes", &nodes, |n| units::count(n as usize)),
        y: Axis::logarithmic("time", &values, units::tick_seconds),
        series,
        rules: vec![(1e-3, "1 kHz".to_owned())],
        width: Width::Whole,
    };
    let about = "Medians; bars from the least to the 99th percentile, rings are outliers.";
    figure(&title, about, &plot.svg(&title), "wide")
}

fn table(results: &Results) -> String {
    let mut table = Table::new(&[
        "object",
        "nodes",
        "on the surface",
        "touched",
        "threads",
        "frame",
        "of memory bandwidth",
        "rounding",
        "factor",
        "columns",
    ]);
    for place in results.places() {
        for threads in results.threads() {
            let shown = |measure: Measure| {
                let summary = results.summary(place, Algorithm::Ours, measure, threads);
                summary.map(|summary| measure.shown(summary.median))
            };
            let Some(frame) = shown(Measure::Frame) else { continue };
            let or_none = |measure| shown(measure).unwrap_or_else(none);
            table.row(
                &format!("{} {}", place.object, place.n_nodes),
                &[
                    escaped(&place.object),
                    units::count(place.n_nodes),
                    units::count(place.n_surface),
                    units::count(place.n_contacts),
                    crate::table::threads_shown(results, threads),
                    frame,
                    or_none(Measure::BandwidthShare),
                    or_none(Measure::FrameError),
                    or_none(Measure::FactorBytes),
                    or_none(Measure::ColumnBytes),
                ],
            );
        }
    }
    table.done()
}
