//! Algorithms side by side: the same touch, the same answer, other times.

use super::axis::Axis;
use super::plot::{Plot, Series, Width};
use super::text::{Table, escaped, figure, none, titled};
use super::threads::mark;
use crate::algorithm::Algorithm;
use crate::results::{Measure, Results};
use crate::units;

pub(super) fn section(results: &Results) -> String {
    let threads = results.most_threads();
    let plots: String =
        results.objects().into_iter().map(|object| plot(results, object, threads)).collect();
    let content = format!("<div class=\"figures\">\n{plots}</div>\n{}", table(results, threads));
    titled(
        "Algorithms",
        "One touch of the same object answered in several ways, from the mesh to the displacement of every node, \
         on as many threads as there are cores. A later touch at other nodes costs the others as much again; ours \
         has its factorisation ready.",
        if plots.is_empty() { "" } else { &content },
    )
}

fn plot(results: &Results, object: &str, threads: usize) -> String {
    let (mut values, mut nodes, mut series) = (Vec::new(), Vec::new(), Vec::new());
    let lines = [
        (Algorithm::Thesis, Measure::FirstTouch, "dense (1998)", 1),
        (Algorithm::Gradients, Measure::FirstTouch, "gradients", 2),
        (Algorithm::Direct, Measure::FirstTouch, "sparse direct", 3),
        (Algorithm::Ours, Measure::FirstTouch, "ours, first touch", 0),
        (Algorithm::Ours, Measure::LaterTouch, "ours, later touch", 6),
        (Algorithm::Ours, Measure::Frame, "ours, frame", 4),
    ];
    for (algorithm, measure, label, colour) in lines {
        let sizes = results.sizes(object, algorithm, measure, threads);
        let about = |n: f64| format!("{} nodes, {label}", units::count(n as usize));
        let marks: Vec<_> = sizes.iter().map(|(n, s)| mark(*n, s, &about(*n))).collect();
        values.extend(marks.iter().map(|mark| mark.at.1));
        nodes.extend(sizes.iter().map(|(n, _)| *n));
        if !marks.is_empty() {
            series.push(Series { label: label.to_owned(), colour, marks, ..Series::default() });
        }
    }
    if series.is_empty() {
        return String::new();
    }
    let title = format!("One touch, several ways: {object}");
    let plot = Plot {
        x: Axis::logarithmic("nodes", &nodes, |n| units::count(n as usize)),
        y: Axis::logarithmic("time", &values, units::tick_seconds),
        series,
        rules: Vec::new(),
        width: Width::Whole,
    };
    figure(
        &title,
        "Time to the answer at every node; a frame answers at the surface.",
        &plot.svg(&title),
        "wide",
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
                    format!("{} &#215;", units::digits(time.median / ours.median))
                }
                _ => none(),
            };
            let shown =
                |measure: Measure| of(measure).map_or_else(none, |s| measure.shown(s.median));
            table.row(
                &format!("{} {}", place.object, place.n_nodes),
                &[
                    escaped(&place.object),
                    units::count(place.n_nodes),
                    algorithm.label().to_owned(),
                    match &time {
                        Some(time) => units::seconds(time.median),
                        None => "<span class=\"mark\">withheld</span>".to_owned(),
                    },
                    over(Measure::FirstTouch),
                    over(Measure::LaterTouch),
                    shown(Measure::Residual),
                    shown(Measure::Difference),
                ],
            );
        }
    }
    table.done()
}
