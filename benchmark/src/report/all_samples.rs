//! Section of the report with every measured time, with all its samples in a strip.

use super::html::{Table, escaped, titled};
use super::strip_plot::strip;
use crate::number_format;
use crate::results::{Results, Unit};

pub(super) fn section(results: &Results) -> String {
    let mut table = Table::new(&[
        "object",
        "nodes",
        "algorithm",
        "quantity",
        "threads",
        "median",
        "interval",
        "confidence",
        "samples",
        "outliers",
        "all samples",
    ]);
    for point in results.points.iter().filter(|point| point.measure.unit() == Unit::Seconds) {
        let summary = point.summary();
        let interval = summary.interval;
        table.row(
            &format!("{} {} {}", point.place.object, point.place.n_nodes, point.threads),
            &[
                escaped(&point.place.object),
                number_format::count(point.place.n_nodes),
                point.algorithm.label().to_owned(),
                point.measure.label().to_owned(),
                crate::text_table::threads_shown(results, point.measure, point.threads),
                number_format::seconds(summary.median),
                format!(
                    "{} &#8211; {}",
                    number_format::seconds(interval.low),
                    number_format::seconds(interval.high)
                ),
                number_format::percent(interval.confidence),
                summary.n.to_string(),
                summary.outliers.len().to_string(),
                strip(&point.samples, &summary),
            ],
        );
    }
    titled(
        "All times",
        "The median of each quantity, the confidence interval of the median, and the samples: grey \
         ticks (about sixty of hundreds), the median in blue, outliers as rings. The same figures \
         are in results.csv and results.json beside this file.",
        &table.done(),
    )
}
