//! Figure of one touch of the same object, solved by several algorithms.

use super::{Axis, Figure, Plot, Series, Width, mark};
use crate::algorithm::Algorithm;
use crate::number_format;
use crate::results::{Measure, Results};

/// The figure for `threads` threads; `None` if there are no results.
pub(crate) fn answers(results: &Results, object: &str, threads: usize) -> Option<Figure> {
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
        let about = |n: f64| format!("{} nodes, {label}", number_format::count(n as usize));
        let marks: Vec<_> = sizes.iter().map(|(n, s)| mark(*n, s, &about(*n))).collect();
        values.extend(marks.iter().map(|mark| mark.at.1));
        nodes.extend(sizes.iter().map(|(n, _)| *n));
        if !marks.is_empty() {
            series.push(Series { label: label.to_owned(), colour, marks, ..Series::default() });
        }
    }
    if series.is_empty() {
        return None;
    }
    let title = format!("One touch, several ways: {object}");
    let plot = Plot {
        x: Axis::logarithmic("nodes", &nodes, |n| number_format::count(n as usize)),
        y: Axis::logarithmic("time", &values, number_format::tick_seconds),
        series,
        rules: Vec::new(),
        width: Width::Whole,
    };
    let about =
        "Time to the displacements of all nodes; a frame has those of the surface only.".to_owned();
    Some(Figure { title, about, plot })
}
