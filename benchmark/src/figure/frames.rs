//! Figure of the time from a touch to a frame: frames alone and through the solver's ports.

use super::{Axis, Figure, Mark, Plot, Series, Width};
use crate::algorithm::Algorithm;
use crate::number_format;
use crate::results::{Measure, Results};

/// Lines of the figure: measure, label and colour.
const LINES: [(Measure, &str, usize); 4] = [
    (Measure::RoundTripServer, "given server", 5),
    (Measure::RoundTripLoopback, "gRPC, loopback", 1),
    (Measure::RoundTripEmbedded, "embedded", 0),
    (Measure::Frame, "frame alone", 2),
];

/// The figure for `threads` threads; `None` if there are no results.
pub(crate) fn frames(results: &Results, object: &str, threads: usize) -> Option<Figure> {
    let (mut values, mut nodes, mut series) = (Vec::new(), Vec::new(), Vec::new());
    let most_server_threads = results.server_threads().last().copied().unwrap_or(0);
    for (measure, label, colour) in LINES {
        let threads = match measure.is_on_server() {
            true => most_server_threads,
            false => threads,
        };
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
                        number_format::count(n as usize),
                        number_format::seconds(summary.median),
                        number_format::seconds(summary.percentile_99),
                        number_format::seconds(summary.most)
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
        return None;
    }
    let title = format!("From touch to shape: {object}");
    let plot = Plot {
        x: Axis::logarithmic("nodes", &nodes, |n| number_format::count(n as usize)),
        y: Axis::logarithmic("time", &values, number_format::tick_seconds),
        series,
        rules: vec![(1e-3, "1 kHz".to_owned())],
        width: Width::Whole,
    };
    let about = "Medians; bars from the least to the 99th percentile; rings are outliers.";
    Some(Figure { title, about: about.to_owned(), plot })
}
