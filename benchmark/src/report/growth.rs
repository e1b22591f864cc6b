//! How work grows with the number of nodes, and what it is made of.

use super::axis::Axis;
use super::bars::{Bar, stacked};
use super::plot::{Joined, Plot, Series, Width};
use super::text::{Table, escaped, figure, titled};
use super::threads::{mark, name};
use super::words::exponent_shown;
use crate::algorithm::Algorithm;
use crate::results::{Measure, Results};
use crate::units;

/// What is followed over sizes.
const FOLLOWED: [(Measure, &str); 4] = [
    (Measure::SetUp, "set-up"),
    (Measure::Change, "new contacts"),
    (Measure::RoundTripEmbedded, "round trip"),
    (Measure::Frame, "frame"),
];

const STAGES: [Measure; 4] =
    [Measure::Assembly, Measure::Ordering, Measure::Symbolic, Measure::Numeric];

pub(super) fn section(results: &Results) -> String {
    titled(
        "Size",
        "How time grows with the number of nodes, on as many threads as there are cores. Shaded: where the trend \
         lies with 95 % confidence.",
        &content(results),
    )
}

fn content(results: &Results) -> String {
    let threads = results.most_threads();
    let plots: String =
        results.objects().into_iter().map(|object| growth_plot(results, object, threads)).collect();
    format!(
        "<div class=\"figures\">\n{plots}{}</div>\n{}",
        stages(results, threads),
        table(results)
    )
}

fn growth_plot(results: &Results, object: &str, threads: usize) -> String {
    let mut values = Vec::new();
    let mut nodes = Vec::new();
    let mut series = Vec::new();
    for (i, (measure, label)) in FOLLOWED.into_iter().enumerate() {
        let sizes = results.sizes(object, Algorithm::Ours, measure, threads);
        if sizes.is_empty() {
            continue;
        }
        let about = |n: f64| format!("{} nodes, {label}", units::count(n as usize));
        let marks: Vec<_> = sizes.iter().map(|(n, s)| mark(*n, s, &about(*n))).collect();
        values.extend(marks.iter().map(|mark| mark.at.1));
        nodes.extend(sizes.iter().map(|(n, _)| *n));
        let (mut trend, mut band) = (Vec::new(), Vec::new());
        let mut label = label.to_owned();
        // A round trip is mostly waiting and follows no power.
        let law = results.growth(object, Algorithm::Ours, measure, threads);
        if let Some(law) = law.filter(|_| sizes.len() > 2 && measure != Measure::RoundTripEmbedded)
        {
            let (low, high) = law.range;
            for step in 0..=24 {
                let n = low * (high / low).powf(f64::from(step) / 24.0);
                let interval = law.band(n);
                trend.push((n, law.at(n)));
                band.push((n, interval.low, interval.high));
            }
            label = format!("{label} n^{:.2}", law.m);
        }
        let joined = if trend.is_empty() { Joined::Lines } else { Joined::Apart };
        series.push(Series { label, colour: i, marks, joined, trend, band, ..Series::default() });
    }
    if series.is_empty() {
        return String::new();
    }
    let title = format!("Time against nodes: {object}");
    let plot = Plot {
        x: Axis::logarithmic("nodes", &nodes, |n| units::count(n as usize)),
        y: Axis::logarithmic("time", &values, units::tick_seconds),
        series,
        rules: Vec::new(),
        width: Width::Half,
    };
    let about = "Set-up once for an object, a change of contacts when a finger finds new nodes, a frame for every \
                 sample of the glove.";
    figure(&title, about, &plot.svg(&title), "")
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
            // Medians of parts need not add up to the median of the whole; what is left is the surface.
            let sum: f64 = parts.iter().sum();
            if sum > 1.0 {
                parts.iter_mut().for_each(|part| *part /= sum);
            }
            let name =
                if several { name(place, true).replace(" nodes", "") } else { name(place, false) };
            Some(Bar { name, total: units::seconds(whole), parts })
        })
        .collect();
    if bars.is_empty() {
        return String::new();
    }
    let title = "What set-up is made of";
    let names = ["assembly", "ordering", "symbolic", "numeric factorisation"];
    let about = "Shares of the whole; what is missing to the right edge finds the surface and its lever arms.";
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
                            units::count(law.range.0 as usize),
                            units::count(law.range.1 as usize),
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
