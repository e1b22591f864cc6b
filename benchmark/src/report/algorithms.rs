//! Section of the report that compares algorithms: the same touch, the same solution, different
//! times.

use super::html::{Table, escaped, none, shown, titled};
use crate::algorithm::Algorithm;
use crate::figure::answers;
use crate::number_format;
use crate::results::{Measure, Results};

pub(super) fn section(results: &Results) -> String {
    let threads = results.most_threads();
    let figures =
        results.objects().into_iter().filter_map(|object| answers(results, object, threads));
    let plots: String = figures.map(|figure| shown(&figure)).collect();
    let content = format!("<div class=\"figures\">\n{plots}</div>\n{}", table(results, threads));
    titled(
        "Algorithms",
        "One touch of the same object solved by several algorithms, from the mesh to the \
         displacement of every node, on as many threads as there are cores. A later touch at other \
         nodes costs the other algorithms the same again; ours reuses its factorisation.",
        if plots.is_empty() { "" } else { &content },
    )
}

fn table(results: &Results, threads: usize) -> String {
    let mut table = Table::new(&[
        "object",
        "nodes",
        "algorithm",
        "first touch",
        "over ours",
        "over ours, later touch",
        "residual",
        "differs from ours",
    ]);
    for place in results.places() {
        let ours = |measure| results.summary(place, Algorithm::Ours, measure, threads);
        for algorithm in Algorithm::ALL {
            let of = |measure| results.summary(place, algorithm, measure, threads);
            let time = of(Measure::FirstTouch);
            if time.is_none() && of(Measure::Difference).is_none() {
                continue;
            }
            let over = |measure| match (&time, ours(measure)) {
                (Some(time), Some(ours)) if algorithm != Algorithm::Ours => {
                    format!("{} &#215;", number_format::digits(time.median / ours.median))
                }
                _ => none(),
            };
            let median =
                |measure: Measure| of(measure).map_or_else(none, |s| measure.shown(s.median));
            table.row(
                &format!("{} {}", place.object, place.n_nodes),
                &[
                    escaped(&place.object),
                    number_format::count(place.n_nodes),
                    algorithm.label().to_owned(),
                    match &time {
                        Some(time) => number_format::seconds(time.median),
                        None => "<span class=\"mark\">withheld</span>".to_owned(),
                    },
                    over(Measure::FirstTouch),
                    over(Measure::LaterTouch),
                    median(Measure::Residual),
                    median(Measure::Difference),
                ],
            );
        }
    }
    table.done()
}
