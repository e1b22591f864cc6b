//! Section of the report on frames and round trips: their times, and the bandwidth of the memory.

use super::html::{Table, escaped, none, shown, titled};
use crate::algorithm::Algorithm;
use crate::figure::frames;
use crate::number_format;
use crate::results::{Measure, Results};

pub(super) fn section(results: &Results) -> String {
    let threads = results.most_threads();
    let figures =
        results.objects().into_iter().filter_map(|object| frames(results, object, threads));
    let plots: String = figures.map(|figure| shown(&figure)).collect();
    let content = if plots.is_empty() {
        String::new()
    } else {
        format!(
            "<div class=\"figures\">\n{plots}</div>\n<h3>Frames compared with the bandwidth of the \
             memory, memory and accuracy</h3>\n{}",
            table(results)
        )
    };
    titled(
        "Frames",
        "From submitting a touch to receiving the new shape. A frame reads three columns for each \
         touched node; a plain sum over as many bytes, in the same run, shows the bandwidth of the \
         memory or the cache.",
        &content,
    )
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
            let median = |measure: Measure| {
                let summary = results.summary(place, Algorithm::Ours, measure, threads);
                summary.map(|summary| measure.shown(summary.median))
            };
            let Some(frame) = median(Measure::Frame) else { continue };
            let or_none = |measure| median(measure).unwrap_or_else(none);
            table.row(
                &format!("{} {}", place.object, place.n_nodes),
                &[
                    escaped(&place.object),
                    number_format::count(place.n_nodes),
                    number_format::count(place.n_surface),
                    number_format::count(place.n_contacts),
                    crate::text_table::threads_shown(results, Measure::Frame, threads),
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
