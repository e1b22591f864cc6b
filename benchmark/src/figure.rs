//! Figures: the results as plots, in a form independent of the drawing. The report converts them to
//! SVG, a window paints them during a run.

mod algorithms;
mod axis;
mod frames;
mod growth;
mod plot;
mod threads;

use crate::number_format;
use crate::results::{Place, Results};
use crate::statistics::Summary;

pub use axis::Axis;
pub use plot::{Joined, Mark, Plot, Series, Width, apart};

pub(crate) use algorithms::answers;
pub(crate) use frames::frames;
pub(crate) use growth::growth;
pub(crate) use threads::{
    FOLLOWED, server_set_up_over_threads, server_touch_over_threads, set_up_over_threads, slopes,
    thesis_over_threads,
};

/// A plot with its texts.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Title.
    pub title: String,
    /// Explanation of the plot.
    pub about: String,
    /// The plot itself.
    pub plot: Plot,
}

/// All figures for which there are results, in a sensible order for watching a run.
pub fn figures(results: &Results) -> Vec<Figure> {
    let threads = results.most_threads();
    let mut figures: Vec<Figure> = set_up_over_threads(results).into_iter().collect();
    figures.extend(server_set_up_over_threads(results));
    for object in results.objects() {
        figures.extend(growth(results, object, threads));
    }
    for object in results.objects() {
        figures.extend(answers(results, object, threads));
        figures.extend(frames(results, object, threads));
    }
    figures.extend(thesis_over_threads(results));
    figures.extend(slopes(results));
    figures
}

/// Name of a series.
pub(crate) fn name(place: &Place, with_object: bool) -> String {
    let nodes = number_format::count(place.n_nodes);
    if with_object { format!("{} {nodes} nodes", place.object) } else { format!("{nodes} nodes") }
}

/// Mark for a measured time, with its interval.
fn mark(x: f64, summary: &Summary, about: &str) -> Mark {
    let interval = summary.interval;
    Mark {
        at: (x, summary.median),
        ends: Some((interval.low, interval.high)),
        outliers: Vec::new(),
        about: format!(
            "{about}: {} ({} to {}, {} samples)",
            number_format::seconds(summary.median),
            number_format::seconds(interval.low),
            number_format::seconds(interval.high),
            summary.n
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::synthetic_results::sample_results;

    /// Draws the figures at many stages of a run.
    #[test]
    fn figures_can_be_drawn_at_any_moment() {
        let mut results = sample_results();
        let whole = figures(&results);
        assert_eq!(whole.len(), 6, "{:?}", whole.iter().map(|f| &f.title).collect::<Vec<_>>());
        while !results.points.is_empty() {
            let figures = figures(&results);
            figures.iter().for_each(|figure| check_drawable(&figure.plot));
            results.points.truncate(results.points.len().saturating_sub(7));
        }
        assert!(figures(&results).is_empty());
    }

    fn check_drawable(plot: &Plot) {
        for mark in plot.series.iter().flat_map(|series| &series.marks) {
            let place = (plot.x.place(mark.at.0), plot.y.place(mark.at.1));
            assert!((-0.01..=1.01).contains(&place.0), "{mark:?}");
            assert!((-0.01..=1.01).contains(&place.1), "{mark:?}");
        }
    }
}
