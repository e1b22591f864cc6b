//! Section of the report on strong scaling: the same work on more threads.

use super::ReportOptions;
use super::html::{Table, escaped, none, shown, titled};
use super::scaling_text::{cores_shown, exponent_shown};
use crate::figure::{FOLLOWED, set_up_over_threads, slopes, thesis_over_threads};
use crate::number_format;
use crate::results::Results;
use crate::scaling::CoresFor;

pub(super) fn section(results: &Results, options: &ReportOptions) -> String {
    let content = format!(
        "{}<h3>How many cores for {}?</h3>\n{}",
        scaling(results),
        number_format::seconds(options.within),
        cores(results, options)
    );
    titled(
        "Threads",
        "The same work on more threads. T = k N^m is a straight line in logarithms; m = -1 is \
         perfect scaling, 0 is no gain.",
        &content,
    )
}

fn scaling(results: &Results) -> String {
    if results.threads().iter().filter(|n| **n > 0).count() < 2 {
        return "<p>Only one number of threads was measured.</p>\n".to_owned();
    }
    let figures = [set_up_over_threads(results), thesis_over_threads(results), slopes(results)];
    let figures: String = figures.into_iter().flatten().map(|figure| shown(&figure)).collect();
    format!(
        "<div class=\"figures\">\n{figures}</div>\n\
         <h3>Efficiency, exponent and serial share</h3>\n{}",
        table(results)
    )
}

fn table(results: &Results) -> String {
    let mut table = Table::new(&[
        "quantity",
        "object",
        "nodes",
        "threads",
        "time on 1",
        "time",
        "speed-up",
        "efficiency",
        "m",
        "serial share",
    ]);
    let most = results.most_threads();
    for (algorithm, measure, label) in FOLLOWED {
        for place in results.places() {
            let scaling = results.scaling(place, algorithm, measure);
            let [Some(alone), Some(together)] = [1, most].map(|threads| {
                scaling.places.iter().find(|(n, _)| *n == threads).map(|(_, summary)| summary)
            }) else {
                continue;
            };
            let number = |value: Option<f64>| value.map_or_else(none, |v| format!("{v:.2}"));
            table.row(
                label,
                &[
                    label.to_owned(),
                    escaped(&place.object),
                    number_format::count(place.n_nodes),
                    most.to_string(),
                    number_format::seconds(alone.median),
                    number_format::seconds(together.median),
                    number(scaling.speedup(most)),
                    scaling.efficiency(most).map_or_else(none, number_format::percent),
                    scaling.law.as_ref().map_or_else(none, exponent_shown),
                    scaling.amdahl.map_or_else(none, |amdahl| match amdahl.serial_half_width {
                        // A share lies between 0 and 1, so such an interval is meaningless.
                        wide if wide >= 0.5 => "not known".to_owned(),
                        known if known.is_finite() => {
                            format!("{:.2} &#177; {known:.2}", amdahl.serial)
                        }
                        _ => format!("{:.2}", amdahl.serial),
                    }),
                ],
            );
        }
    }
    let two = match results
        .threads()
        .iter()
        .filter(|n| (1..=results.machine.n_cores).contains(*n))
        .count()
    {
        2 => {
            "<p class=\"dim\">A line through two points always fits: with two numbers of threads, \
             m and the serial share only show how much the second thread helped.</p>\n"
        }
        _ => "",
    };
    table.done() + two
}

fn cores(results: &Results, options: &ReportOptions) -> String {
    let mut table = Table::new(&["quantity", "object", "nodes", "cores", "how sure"]);
    let asked = [FOLLOWED[0], FOLLOWED[2]];
    for (algorithm, measure, label) in asked {
        for place in results.places() {
            let scaling = results.scaling(place, algorithm, measure);
            if scaling.places.is_empty() {
                continue;
            }
            let answer = scaling.cores_for(options.within);
            let is_guess = matches!(answer, CoresFor::Extrapolated { .. });
            let (cores, how_sure) = cores_shown(&answer, results);
            let class = if is_guess { "mark" } else { "" };
            let how_sure = format!("<span class=\"{class}\">{}</span>", escaped(&how_sure));
            let nodes = number_format::count(place.n_nodes);
            let object = escaped(&place.object);
            table.row(label, &[label.to_owned(), object, nodes, cores, how_sure]);
        }
    }
    table.done()
}
