//! Figure of the growth of time with the number of nodes.

use super::{Axis, Figure, Joined, Plot, Series, Width, mark};
use crate::algorithm::Algorithm;
use crate::number_format;
use crate::results::{Measure, Results};

/// Measures in the figure, with their labels.
const FOLLOWED: [(Measure, &str); 4] = [
    (Measure::SetUp, "set-up"),
    (Measure::Change, "new contacts"),
    (Measure::RoundTripEmbedded, "round trip"),
    (Measure::Frame, "frame"),
];

/// The figure for `threads` threads; `None` if there are no results.
pub(crate) fn growth(results: &Results, object: &str, threads: usize) -> Option<Figure> {
    let mut values = Vec::new();
    let mut nodes = Vec::new();
    let mut series = Vec::new();
    for (i, (measure, label)) in FOLLOWED.into_iter().enumerate() {
        let sizes = results.sizes(object, Algorithm::Ours, measure, threads);
        if sizes.is_empty() {
            continue;
        }
        let about = |n: f64| format!("{} nodes, {label}", number_format::count(n as usize));
        let marks: Vec<_> = sizes.iter().map(|(n, s)| mark(*n, s, &about(*n))).collect();
        values.extend(marks.iter().map(|mark| mark.at.1));
        nodes.extend(sizes.iter().map(|(n, _)| *n));
        let (mut trend, mut band) = (Vec::new(), Vec::new());
        let mut label = label.to_owned();
        // A round trip is mostly waiting, so it follows no power law.
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
        return None;
    }
    let title = format!("Time against nodes: {object}");
    let plot = Plot {
        x: Axis::logarithmic("nodes", &nodes, |n| number_format::count(n as usize)),
        y: Axis::logarithmic("time", &values, number_format::tick_seconds),
        series,
        rules: Vec::new(),
        width: Width::Half,
    };
    let about = "Set-up is done once for an object, a change of contacts when a finger touches new \
                 nodes, a frame for every sample of the glove.";
    Some(Figure { title, about: about.to_owned(), plot })
}
