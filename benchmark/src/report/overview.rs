//! First and last sections of the report: the main figures, the machine, and notes.

use super::html::{escaped, titled};
use crate::algorithm::Algorithm;
use crate::number_format::{self, plural};
use crate::results::{Measure, Place, Results};
use crate::run::{BUSY, DEVELOPMENT};
use crate::statistics::Summary;

/// The main figures of the largest object on as many threads as there are cores.
pub(super) fn tiles(results: &Results) -> String {
    let threads = results.most_threads();
    let Some(place) = results.places().into_iter().max_by_key(|place| place.n_nodes) else {
        return String::new();
    };
    let about =
        format!("{} nodes, {}", number_format::count(place.n_nodes), plural(threads, "thread"));
    let mut tiles = Vec::new();
    let mut add = |figure: String, meaning: String| {
        tiles.push(format!(
            "<div class=\"tile\"><b>{}</b><span>{}</span></div>",
            escaped(&figure),
            escaped(&meaning)
        ));
    };
    let median = |place: &Place, algorithm, measure, threads| {
        results.summary(place, algorithm, measure, threads).map(|summary| summary.median)
    };
    let ours = |measure| results.summary(place, Algorithm::Ours, measure, threads);
    if let Some(time) = ours(Measure::SetUp) {
        add(
            number_format::seconds(time.median),
            format!("from mesh to ready; {about}{}", doubt(&time)),
        );
    }
    if let Some(time) = ours(Measure::Change) {
        let held = plural(place.n_contacts, "new contact");
        let meaning = format!("for {held}, without cached columns{}", doubt(&time));
        add(number_format::seconds(time.median), meaning);
    }
    if let Some(time) = ours(Measure::Frame) {
        let rate = number_format::hertz(1.0 / time.median);
        let meaning = format!("for each later frame: {rate}{}", doubt(&time));
        add(number_format::seconds(time.median), meaning);
    }
    let round_trip = ours(Measure::RoundTripLoopback).map(|time| (time, "gRPC on loopback"));
    let round_trip = round_trip
        .or_else(|| ours(Measure::RoundTripEmbedded).map(|time| (time, "the solver in process")));
    if let Some((time, through)) = round_trip {
        let meaning = format!("from touch to shape through {through}{}", doubt(&time));
        add(number_format::seconds(time.median), meaning);
    }
    let thesis = results
        .places()
        .into_iter()
        .filter_map(|place| {
            let theirs = median(place, Algorithm::Thesis, Measure::FirstTouch, threads)?;
            let ours = median(place, Algorithm::Ours, Measure::FirstTouch, threads)?;
            Some((place.n_nodes, theirs / ours))
        })
        .max_by_key(|(n_nodes, _)| *n_nodes);
    if let Some((n_nodes, ratio)) = thesis {
        let nodes = number_format::count(n_nodes);
        add(
            format!("{} \u{d7}", number_format::digits(ratio)),
            format!("faster than the dense inverse of 1998, first touch of {nodes} nodes"),
        );
    }
    format!("<div class=\"tiles\">\n{}\n</div>", tiles.join("\n"))
}

/// Remark after a figure with a wide interval.
fn doubt(summary: &Summary) -> String {
    /// Half width of the interval from which it is shown, as a share of the median.
    const WIDE: f64 = 0.1;
    match summary.relative_half_width() {
        _ if !summary.is_sure() => format!(" ({} only)", plural(summary.n, "sample")),
        half if half > WIDE => format!(" (\u{b1}{:.0} %)", 100.0 * half),
        _ => String::new(),
    }
}

/// Warnings above the figures.
pub(super) fn caveats(results: &Results) -> String {
    let machine = &results.machine;
    let is_development = results.notes.iter().any(|note| note == DEVELOPMENT);
    let development = is_development
        .then(|| "A development build was measured; a release build is faster.".to_owned());
    let busy = machine.others.filter(|busy| *busy > BUSY * machine.n_cores as f64);
    let busy = busy.map(|busy| {
        let cores = machine.n_cores;
        format!(
            "Other programs kept {busy:.1} of {cores} cores busy during the run, so times are too \
             long."
        )
    });
    let words: Vec<String> = development.into_iter().chain(busy).collect();
    match words.is_empty() {
        true => String::new(),
        false => {
            format!("<p class=\"partial\"><strong>Note.</strong> {}</p>", escaped(&words.join(" ")))
        }
    }
}

/// Section on the machine of the run.
pub(super) fn machine(results: &Results) -> String {
    let machine = &results.machine;
    let mut facts =
        vec![("Processor", machine.processor.clone()), ("Cores", machine.n_cores.to_string())];
    if !machine.name.is_empty() {
        facts.insert(0, ("Name", machine.name.clone()));
    }
    if !machine.caches.is_empty() {
        facts.push(("Caches", machine.caches.join(", ")));
    }
    if !machine.vectors.is_empty() {
        facts.push(("Vector instructions", machine.vectors.join(", ")));
    }
    if machine.memory > 0 {
        facts.push(("Memory", number_format::bytes(machine.memory as f64)));
    }
    let triad: Vec<String> = machine
        .triad
        .iter()
        .map(|(threads, rate)| {
            format!("{} on {}", number_format::rate(*rate), plural(*threads, "thread"))
        })
        .collect();
    facts.push(("Memory bandwidth (triad)", triad.join(", ")));
    let load: Vec<String> = machine.load.iter().map(|load| format!("{load:.2}")).collect();
    facts.push(("Load before and after", load.join(", ")));
    if let Some(busy) = machine.others {
        let words = format!("kept {busy:.1} cores busy during the run, on average");
        facts.push(("Other programs", words));
    }
    facts.push(("System", machine.system.clone()));
    let facts: String = facts
        .iter()
        .map(|(name, fact)| format!("<dt>{name}</dt><dd>{}</dd>\n", escaped(fact)))
        .collect();
    titled(
        "The machine",
        "All figures below were measured on this computer, except those of a given server, which \
         has a section of its own. The triad moves arrays that no cache can hold, as in the STREAM \
         benchmark.",
        &format!("<dl>\n{facts}</dl>\n"),
    )
}

/// Section with notes on the run and on the method.
pub(super) fn notes(results: &Results) -> String {
    const METHOD: [&str; 5] = [
        "Times are wall-clock. The first sample of each quantity is dropped; then the quantity is \
         measured again until its median is known to 2 % or its time is used up. Intervals of a \
         median come from the ranks of its samples and assume no distribution; with fewer than six \
         samples, they are the whole range, with less confidence, which the table of all times \
         states.",
        "An outlier is farther from the quartiles than three times their distance. Outliers are \
         not removed.",
        "Algorithms solve the same touch in turn, round by round. An algorithm whose solution \
         differs from ours by more than a millionth of the largest displacement shows no times.",
        "Intervals cover the scatter of samples that were measured together. Different numbers of \
         threads are measured one after the other, so a machine that is busy for a while can shift \
         a whole point: trust slopes only if the load before the run was low.",
        "Exponents are slopes of straight lines in logarithms, through medians. Their 95 % \
         intervals cover the scatter of the samples and, from three points on, the distances of \
         the medians from the line. Points with more threads than cores are excluded.",
    ];
    let list = |items: &mut dyn Iterator<Item = &str>| -> String {
        items.map(|item| format!("<li>{}</li>\n", escaped(item))).collect()
    };
    let notes = list(&mut results.notes.iter().map(String::as_str));
    let left_out = if notes.is_empty() { String::new() } else { format!("<ul>\n{notes}</ul>\n") };
    let method = list(&mut METHOD.into_iter());
    titled(
        "Notes",
        "What was left out, what may have disturbed the measurement, and how it was made.",
        &format!("{left_out}<h3>Method</h3>\n<ul>\n{method}</ul>\n"),
    )
}
