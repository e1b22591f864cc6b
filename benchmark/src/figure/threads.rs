//! Figures of strong scaling: the same work on more threads, and its slope against the number of
//! nodes.

use super::{Axis, Figure, Joined, Mark, Plot, Series, Width, mark, name};
use crate::algorithm::Algorithm;
use crate::number_format::{self, plural};
use crate::report::exponent_shown;
use crate::results::{Measure, Place, Results};
use crate::scaling::Scaling;

/// Slope in the thesis, for more than 400 vertices.
const THESIS_SLOPE: f64 = -0.9;

/// Measures in the figures over threads, with their labels.
pub(crate) const FOLLOWED: [(Algorithm, Measure, &str); 4] = [
    (Algorithm::Ours, Measure::SetUp, "set-up"),
    (Algorithm::Ours, Measure::Change, "change of contacts"),
    (Algorithm::Thesis, Measure::FirstTouch, "dense inverse (1998)"),
    (Algorithm::Gradients, Measure::FirstTouch, "conjugate gradients"),
];

/// Short labels of `FOLLOWED`, for the ends of lines.
const SHORT: [&str; 4] = ["set-up", "new contacts", "dense (1998)", "gradients"];

/// Figure of the set-up time over threads.
pub(crate) fn set_up_over_threads(results: &Results) -> Option<Figure> {
    over_threads(
        results,
        (Algorithm::Ours, Measure::SetUp),
        "Set-up against threads",
        "From the mesh to a factorised stiffness. Dotted: perfect scaling.",
    )
}

/// Figure of the thesis' algorithm over threads, as in its figure 6.15.
pub(crate) fn thesis_over_threads(results: &Results) -> Option<Figure> {
    over_threads(
        results,
        (Algorithm::Thesis, Measure::FirstTouch),
        "The dense inverse of 1998 against threads",
        "The thesis' own algorithm on this machine, as in its figure 6.15.",
    )
}

/// Figure of the set-up time over the threads of a given server.
pub(crate) fn server_set_up_over_threads(results: &Results) -> Option<Figure> {
    over_server_threads(results, Measure::SetUpServer, "Set-up against threads of the server")
}

/// Figure of the time of a later touch over the threads of a given server.
pub(crate) fn server_touch_over_threads(results: &Results) -> Option<Figure> {
    let title = "New touch, all nodes, against threads of the server";
    over_server_threads(results, Measure::LaterTouchServer, title)
}

fn over_server_threads(results: &Results, measure: Measure, title: &str) -> Option<Figure> {
    let machine = results.server.as_ref().map(|server| server.in_words()).unwrap_or_default();
    over_threads(results, (Algorithm::Ours, measure), title, &machine)
}

fn over_threads(
    results: &Results,
    (algorithm, measure): (Algorithm, Measure),
    title: &str,
    about: &str,
) -> Option<Figure> {
    let scalings: Vec<(&Place, Scaling)> = results
        .places()
        .into_iter()
        .map(|place| (place, results.scaling(place, algorithm, measure)))
        .filter(|(_, scaling)| scaling.places.len() > 1)
        .collect();
    if scalings.is_empty() {
        return None;
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
    let threads = match measure.is_on_server() {
        true => results.server_threads(),
        false => results.threads(),
    };
    let threads: Vec<f64> = threads.into_iter().filter(|n| *n > 0).map(|n| n as f64).collect();
    let n_cores = results.n_cores_for(measure) as f64;
    let shown = |n: f64| if n > n_cores { format!("{n}*") } else { n.to_string() };
    let label = if threads.iter().any(|n| *n > n_cores) {
        "threads (* more than cores)"
    } else {
        "threads"
    };
    let plot = Plot {
        x: Axis::at(label, &threads, shown),
        y: Axis::logarithmic("time", &values, number_format::tick_seconds),
        series,
        rules: Vec::new(),
        width: Width::Half,
    };
    Some(Figure { title: title.to_owned(), about: about.to_owned(), plot })
}

/// Figure of the exponent against the number of nodes, as in the thesis' figure 6.16.
pub(crate) fn slopes(results: &Results) -> Option<Figure> {
    let mut values = vec![THESIS_SLOPE, 0.0];
    let mut series: Vec<Series> = Vec::new();
    for (i, (algorithm, measure, label)) in FOLLOWED.into_iter().enumerate() {
        let marks: Vec<Mark> = results
            .places()
            .into_iter()
            .filter_map(|place| {
                let law = results.scaling(place, algorithm, measure).law?;
                let ends = Some((law.m_interval.low, law.m_interval.high));
                // Slightly shifted, so that bars do not hide each other.
                let aside = 1.0 + 0.015 * (i as f64 - 1.5);
                Some(Mark {
                    at: (aside * place.n_nodes as f64, law.m),
                    ends: ends.filter(|_| law.m_interval.confidence > 0.0),
                    outliers: Vec::new(),
                    about: format!("{}, {label}: m = {}", name(place, true), exponent_shown(&law)),
                })
            })
            .collect();
        // A very wide interval must not compress the rest of the plot.
        let within = |m: f64| m.clamp(-2.0, 1.5);
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
        return None;
    }
    let nodes: Vec<f64> = results.places().iter().map(|place| place.n_nodes as f64).collect();
    let title = "Slope m of T = k N^m against the number of nodes";
    let plot = Plot {
        x: Axis::logarithmic("nodes", &nodes, |n| number_format::count(n as usize)),
        y: Axis::linear("m", &values, |m| format!("{m:.1}")),
        series,
        rules: vec![(THESIS_SLOPE, "1998: about -0.9 above 400 vertices".to_owned())],
        width: Width::Whole,
    };
    let about = "The thesis' figure 6.16: near 0 more threads do not help, at -1 they help fully. \
                 Bars are 95 % intervals; a bar at the edge continues beyond it.";
    Some(Figure { title: title.to_owned(), about: about.to_owned(), plot })
}
