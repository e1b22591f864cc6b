//! Section of the report on a given server: its machine, and solve time against its threads.

use super::html::{Table, escaped, none, shown, titled};
use super::scaling_text::exponent_shown;
use crate::algorithm::Algorithm;
use crate::figure::{server_set_up_over_threads, server_touch_over_threads};
use crate::number_format;
use crate::results::{Measure, Results};

/// The section; empty if no server was measured.
pub(super) fn section(results: &Results) -> String {
    let Some(server) = &results.server else { return String::new() };
    let count = |n: usize| if n == 0 { "unknown".to_owned() } else { n.to_string() };
    let or_unknown = |text: &str| if text.is_empty() { "unknown" } else { text }.to_owned();
    let facts = [
        ("Machine", or_unknown(&server.machine)),
        ("Processor", or_unknown(&server.processor)),
        ("Cores", count(server.n_cores)),
        ("Hyper-threads", count(server.n_hyper_threads)),
        ("Threads for a client, at most", count(server.most_threads)),
        ("solver-server", or_unknown(&server.version)),
    ];
    let facts: String = facts
        .iter()
        .map(|(name, fact)| format!("<dt>{name}</dt><dd>{}</dd>\n", escaped(fact)))
        .collect();
    let figures = [server_set_up_over_threads(results), server_touch_over_threads(results)];
    let figures: String = figures.into_iter().flatten().map(|figure| shown(&figure)).collect();
    let figures = match figures.is_empty() {
        true => String::new(),
        false => format!("<div class=\"figures\">\n{figures}</div>\n"),
    };
    titled(
        "The given server",
        "Set-up and touches by the server's own clock, without transfer, on as many of its threads \
         as were asked for. Opening and round trips by the clock of this computer, with transfer.",
        &format!("<dl>\n{facts}</dl>\n{figures}{}", table(results)),
    )
}

fn table(results: &Results) -> String {
    let mut table = Table::new(&[
        "quantity",
        "object",
        "nodes",
        "threads",
        "time",
        "speed-up",
        "efficiency",
        "m",
    ]);
    for measure in Measure::ON_SERVER {
        for place in results.places() {
            let scaling = results.scaling(place, Algorithm::Ours, measure);
            for (threads, summary) in &scaling.places {
                let speedup = scaling.speedup(*threads).map(|it| format!("{it:.2}"));
                let is_last = scaling.places.last().is_some_and(|(most, _)| most == threads);
                let law = scaling.law.as_ref().filter(|_| is_last);
                table.row(
                    &format!("{} {} {}", measure.label(), place.object, place.n_nodes),
                    &[
                        measure.label().to_owned(),
                        escaped(&place.object),
                        number_format::count(place.n_nodes),
                        crate::text_table::threads_shown(results, measure, *threads),
                        number_format::seconds(summary.median),
                        speedup.unwrap_or_else(none),
                        scaling.efficiency(*threads).map_or_else(none, number_format::percent),
                        law.map_or_else(none, exponent_shown),
                    ],
                );
            }
        }
    }
    table.done()
}
