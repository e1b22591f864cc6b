//! Frames and round trips: how soon a shape follows a finger, and what the memory could deliver.

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
                    crate::text_table::threads_shown(results, threads),
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
