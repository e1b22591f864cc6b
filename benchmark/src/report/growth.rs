//! Section of the report on the growth of work with the number of nodes, and on the stages of
//! set-up.

use super::html::{Table, escaped, figure, shown, titled};
use super::scaling_text::exponent_shown;
use super::stacked_bars::{Bar, stacked};
use crate::algorithm::Algorithm;
use crate::figure::{growth, name};
use crate::number_format;
use crate::results::{Measure, Results};

const STAGES: [Measure; 4] =
    [Measure::Assembly, Measure::Ordering, Measure::Symbolic, Measure::Numeric];

pub(super) fn section(results: &Results) -> String {
    titled(
        "Size",
        "Growth of time with the number of nodes, on as many threads as there are cores. Shaded: \
         the 95 % confidence band of the trend.",
        &content(results),
    )
}

fn content(results: &Results) -> String {
    let threads = results.most_threads();
    let figures =
        results.objects().into_iter().filter_map(|object| growth(results, object, threads));
    let plots: String = figures.map(|figure| shown(&figure)).collect();
    format!(
        "<div class=\"figures\">\n{plots}{}</div>\n{}",
        stages(results, threads),
        table(results)
    )
}

fn stages(results: &Results, threads: usize) -> String {
    let several = results.objects().len() > 1;
    let bars: Vec<Bar> = results
        .places()
        .into_iter()
        .filter_map(|place| {
            let median = |measure| {
                results.summary(place, Algorithm::Ours, measure, threads).map(|s| s.median)
            };
            let whole = median(Measure::SetUp)?;
            let mut parts: Vec<f64> =
                STAGES.iter().map(|stage| median(*stage).map_or(0.0, |t| t / whole)).collect();
            // Medians of parts need not add up to the median of the whole; the rest is the surface.
            let sum: f64 = parts.iter().sum();
            if sum > 1.0 {
                parts.iter_mut().for_each(|part| *part /= sum);
            }
            let name =
                if several { name(place, true).replace(" nodes", "") } else { name(place, false) };
            Some(Bar { name, total: number_format::seconds(whole), parts })
        })
        .collect();
    if bars.is_empty() {
        return String::new();
    }
    let title = "What set-up is made of";
    let names = ["assembly", "ordering", "symbolic", "numeric factorisation"];
    let about = "Shares of the whole; the rest is the time for the surface and its lever arms.";
    figure(title, about, &stacked(title, &names, &bars), "")
}

fn table(results: &Results) -> String {
    let mut measures = STAGES.to_vec();
    measures.extend([Measure::SetUp, Measure::Columns, Measure::Change, Measure::Frame]);
    let mut table = Table::new(&["quantity", "object", "threads", "from", "to nodes", "exponent"]);
    let mut threads = vec![1, results.most_threads()];
    threads.dedup();
    for measure in measures {
        for object in results.objects() {
            for &threads in &threads {
                let law = results.growth(object, Algorithm::Ours, measure, threads);
                if let Some(law) = law {
                    table.row(
                        measure.label(),
                        &[
                            measure.label().to_owned(),
                            escaped(object),
                            threads.to_string(),
                            number_format::count(law.range.0 as usize),
                            number_format::count(law.range.1 as usize),
                            exponent_shown(&law),
                        ],
                    );
                }
            }
        }
    }
    let table = table.done();
    if table.is_empty() { table } else { format!("<h3>Fitted exponents</h3>\n{table}") }
}
