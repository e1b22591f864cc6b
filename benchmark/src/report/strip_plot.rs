//! All samples of one quantity in a narrow strip: a tick for each, the median, and outliers.

use std::fmt::Write;

use crate::statistics::Summary;

const WIDTH: f64 = 150.0;
const HEIGHT: f64 = 14.0;

/// Draws a strip from the least to the most, but at most ten times the distance of the quartiles
/// from the median: samples beyond are drawn at the edge.
pub(super) fn strip(samples: &[f64], summary: &Summary) -> String {
    let reach = 10.0 * (summary.upper_quartile - summary.lower_quartile);
    let low = summary.least.max(summary.median - reach);
    let high = summary.most.min(summary.median + reach);
    let width = if high > low { high - low } else { 1.0 };
    let place = |sample: f64| 4.0 + (WIDTH - 8.0) * ((sample - low) / width).clamp(0.0, 1.0);
    let mut svg = format!(
        "<svg class=\"strip\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{} samples\">",
        summary.n
    );
    // About sixty ticks are enough; hundreds would cover each other.
    let stride = samples.len().div_ceil(60).max(1);
    for sample in samples.iter().step_by(stride) {
        let x = place(*sample);
        let _ =
            write!(svg, "<line class=\"sample\" x1=\"{x:.1}\" y1=\"3\" x2=\"{x:.1}\" y2=\"11\"/>");
    }
    for outlier in summary.outliers.iter().take(20) {
        let x = place(*outlier);
        let _ = write!(svg, "<circle class=\"outlier\" cx=\"{x:.1}\" cy=\"7\" r=\"2.5\"/>");
    }
    let x = place(summary.median);
    let _ = write!(
        svg,
        "<line class=\"middle\" x1=\"{x:.1}\" y1=\"1\" x2=\"{x:.1}\" y2=\"13\"/></svg>"
    );
    svg
}
