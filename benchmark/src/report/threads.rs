//! Strong scaling: the same work on more threads.

use super::Question;
use super::axis::Axis;
use super::overview::plural;
use super::plot::{Joined, Mark, Plot, Series, Width};
use super::text::{Table, escaped, figure, none, titled};
use super::words::{cores_shown, exponent_shown};
use crate::algorithm::Algorithm;
use crate::results::{Measure, Place, Results};
use crate::scaling::{CoresFor, Scaling};
use crate::statistics::Summary;
use crate::units;

/// The slope that the thesis found above 400 vertices.
const THESIS_SLOPE: f64 = -0.9;

/// What is followed over threads.
const FOLLOWED: [(Algorithm, Measure, &str); 4] = [
    (Algorithm::Ours, Measure::SetUp, "set-up"),
    (Algorithm::Ours, Measure::Change, "change of contacts"),
    (Algorithm::Thesis, Measure::FirstTouch, "dense inverse (1998)"),
    (Algorithm::Gradients, Measure::FirstTouch, "conjugate gradients"),
];

/// The same for the ends of lines.
const SHORT: [&str; 4] = ["set-up", "new contacts", "dense (1998)", "gradients"];

pub(super) fn section(results: &Results, question: &Question) -> String {
    let content = format!(
        "{}<h3>How many cores for {}?</h3>\n{}",
        scaling(results),
        units::seconds(question.within),
        cores(results, question)
    );
    titled(
        "Threads",
        "The same work on more threads. T = k N^m is a straight line in logarithms; m = -1 would be perfect, \
         0 no gain at all.",
        &content,
    )
}

fn scaling(results: &Results) -> String {
    if results.threads().iter().filter(|n| **n > 0).count() < 2 {
        return "<p>Only one number of threads was measured.</p>\n".to_owned();
    }
    let set_up = over_threads(
        results,
        (Algorithm::Ours, Measure::SetUp),
        "Set-up against threads",
        "From the mesh to a factorised stiffness. Dotted: what as many threads could do at best.",
    );
    let thesis = over_threads(
        results,
        (Algorithm::Thesis, Measure::FirstTouch),
        "The dense inverse of 1998 against threads",
        "The thesis' own algorithm on this machine, as in its figure 6.15.",
    );
    format!(
        "<div class=\"figures\">\n{set_up}{thesis}{}</div>\n<h3>Efficiency, exponent and serial share</h3>\n{}",
        slopes(results),
        table(results)
    )
}

fn over_threads(
    results: &Results,
    (algorithm, measure): (Algorithm, Measure),
    title: &str,
    about: &str,
) -> String {
    let scalings: Vec<(&Place, Scaling)> = results
        .places()
        .into_iter()
        .map(|place| (place, results.scaling(place, algorithm, measure)))
        .filter(|(_, scaling)| scaling.places.len() > 1)
        .collect();
    if scalings.is_empty() {
        return String::new();
    }
    let several = results.objects().len() > 1;
    let mut values = Vec::new();
    let series = scalings.iter().enumerate().map(|(i, (place, scaling))| {
        let marks: Vec<Mark> = scaling
            .places
            .iter()
            .map(|(threads, summary)| {
                let about =
                    if scaling.is_oversubscribed(*threads) { " (oversubscribed)" } else { "" };
                let about = format!("{}{about}", plural(*threads, "thread"));
                mark(*threads as f64, summary, &format!("{}, {about}", name(place, true)))
            })
            .collect();
        let first = &scaling.places[0];
        let ideal = scaling
            .places
            .iter()
            .filter(|(threads, _)| !scaling.is_oversubscribed(*threads))
            .map(|(n, _)| (*n as f64, first.1.median * first.0 as f64 / *n as f64))
            .collect::<Vec<_>>();
        values.extend(marks.iter().map(|mark| mark.at.1));
        values.extend(ideal.iter().map(|(_, y)| *y));
        Series { label: name(place, several), colour: i % 7, marks, ideal, ..Series::default() }
    });
    let series: Vec<Series> = series.collect();
    let threads: Vec<f64> =
        results.threads().into_iter().filter(|n| *n > 0).map(|n| n as f64).collect();
    let n_cores = results.machine.n_cores as f64;
    let shown = |n: f64| if n > n_cores { format!("{n}*") } else { n.to_string() };
    let label = if threads.iter().any(|n| *n > n_cores) {
        "threads (* more than cores)"
    } else {
        "threads"
    };
    let plot = Plot {
        x: Axis::at(label, &threads, shown),
        y: Axis::logarithmic("time", &values, units::tick_seconds),
        series,
        rules: Vec::new(),
        width: Width::Half,
    };
    figure(title, about, &plot.svg(title), "")
}

/// The exponent against the number of nodes: the thesis' figure 6.16.
fn slopes(results: &Results) -> String {
    let mut values = vec![THESIS_SLOPE, 0.0];
    let mut series: Vec<Series> = Vec::new();
    for (i, (algorithm, measure, label)) in FOLLOWED.into_iter().enumerate() {
        let marks: Vec<Mark> = results
            .places()
            .into_iter()
            .filter_map(|place| {
                let law = results.scaling(place, algorithm, measure).law?;
                let ends = Some((law.m_interval.low, law.m_interval.high));
                // A little apart, so that bars do not hide each other.
                let aside = 1.0 + 0.015 * (i as f64 - 1.5);
                Some(Mark {
                    at: (aside * place.n_nodes as f64, law.m),
                    ends: ends.filter(|_| law.m_interval.confidence > 0.0),
                    outliers: Vec::new(),
                    about: format!("{}, {label}: m = {}", name(place, true), exponent_shown(&law)),
                })
            })
            .collect();
        // An interval that says nothing must not flatten everything else.
        let within = |m: f64| m.clamp(-1.6, 0.8);
        let ends = marks.iter().filter_map(|mark| mark.ends);
        values.extend(ends.flat_map(|(low, high)| [within(low), within(high)]));
        values.extend(marks.iter().map(|mark| mark.at.1));
        if !marks.is_empty() {
            let joined = if results.objects().len() > 1 { Joined::Apart } else { Joined::Lines };
            series.push(Series {
                label: SHORT[i].to_owned(),
                colour: i,
                marks,
                joined,
                ..Series::default()
            });
        }
    }
    if series.is_empty() {
        return String::new();
    }
    let nodes: Vec<f64> = results.places().iter().map(|place| place.n_nodes as f64).collect();
    let title = "Slope m of T = k N^m against the number of nodes";
    let plot = Plot {
        x: Axis::logarithmic("nodes", &nodes, |n| units::count(n as usize)),
        y: Axis::linear("m", &values, |m| format!("{m:.1}")),
        series,
        rules: vec![(THESIS_SLOPE, "1998: about -0.9 above 400 vertices".to_owned())],
        width: Width::Whole,
    };
    let about = "The thesis' figure 6.16: near 0 more threads do not help, at -1 they all do. Bars are 95 % \
                 intervals.";
    figure(title, about, &plot.svg(title), "wide")
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
                    units::count(place.n_nodes),
                    most.to_string(),
                    units::seconds(alone.median),
                    units::seconds(together.median),
                    number(scaling.speedup(most)),
                    scaling.efficiency(most).map_or_else(none, units::percent),
                    scaling.law.as_ref().map_or_else(none, exponent_shown),
                    scaling.amdahl.map_or_else(none, |amdahl| match amdahl.serial_half_width {
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
            "<p class=\"dim\">With two numbers of threads the line has no choice but to go through both: m and \
             the serial share say by how much the second thread helped, not that a law holds beyond.</p>\n"
        }
        _ => "",
    };
    table.done() + two
}

fn cores(results: &Results, question: &Question) -> String {
    let mut table = Table::new(&["quantity", "object", "nodes", "cores", "how sure"]);
    let asked = [FOLLOWED[0], FOLLOWED[2]];
    for (algorithm, measure, label) in asked {
        for place in results.places() {
            let scaling = results.scaling(place, algorithm, measure);
            if scaling.places.is_empty() {
                continue;
            }
            let answer = scaling.cores_for(question.within);
            let is_guess = matches!(answer, CoresFor::Extrapolated { .. });
            let (cores, how_sure) = cores_shown(&answer, results);
            let class = if is_guess { "mark" } else { "" };
            let how_sure = format!("<span class=\"{class}\">{}</span>", escaped(&how_sure));
            let nodes = units::count(place.n_nodes);
            let object = escaped(&place.object);
            table.row(label, &[label.to_owned(), object, nodes, cores, how_sure]);
        }
    }
    table.done()
}

/// The name of a series.
pub(super) fn name(place: &Place, with_object: bool) -> String {
    let nodes = units::count(place.n_nodes);
    if with_object { format!("{} {nodes} nodes", place.object) } else { format!("{nodes} nodes") }
}

/// A measured time with its interval.
pub(super) fn mark(x: f64, summary: &Summary, about: &str) -> Mark {
    let interval = summary.interval;
    Mark {
        at: (x, summary.median),
        ends: Some((interval.low, interval.high)),
        outliers: Vec::new(),
        about: format!(
            "{about}: {} ({} to {}, {} samples)",
            units::seconds(summary.median),
            units::seconds(interval.low),
            units::seconds(interval.high),
            summary.n
        ),
    }
}
