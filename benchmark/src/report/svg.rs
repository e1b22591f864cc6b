//! Draws a plot as SVG, with labels at the end of each line.

use std::fmt::Write;

use super::html::escaped;
use crate::figure::{Joined, Mark, Plot, Series, Width, apart};

const HEIGHT: f64 = 360.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 48.0;

/// A plot as SVG; `title` is its text for screen readers.
pub(super) fn svg(plot: &Plot, title: &str) -> String {
    Drawing(plot).svg(title)
}

struct Drawing<'a>(&'a Plot);

impl Drawing<'_> {
    fn svg(&self, title: &str) -> String {
        let width = self.pixels();
        let mut svg = format!(
            "<svg class=\"plot\" viewBox=\"0 0 {width} {HEIGHT}\" role=\"img\" \
             aria-label=\"{}\">\n",
            escaped(title)
        );
        self.axes(&mut svg);
        for series in &self.0.series {
            let _ = writeln!(svg, "<g class=\"c{}\">", series.colour);
            self.curves(&mut svg, series);
            series.marks.iter().for_each(|mark| self.mark(&mut svg, mark));
            svg.push_str("</g>\n");
        }
        self.labels(&mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    fn pixels(&self) -> f64 {
        match self.0.width {
            Width::Half => 600.0,
            Width::Whole => 1234.0,
        }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + (self.pixels() - LEFT - RIGHT) * self.0.x.place(value)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * self.0.y.place(value).clamp(-0.02, 1.02)
    }

    fn axes(&self, svg: &mut String) {
        let (right, floor) = (self.pixels() - RIGHT, HEIGHT - BOTTOM);
        for (value, shown) in &self.0.y.ticks {
            let y = self.y(*value);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                y + 4.0,
                escaped(shown)
            );
        }
        for (value, shown) in &self.0.x.ticks {
            let x = self.x(*value);
            let _ = writeln!(
                svg,
                "<line class=\"frame\" x1=\"{x:.1}\" y1=\"{floor}\" x2=\"{x:.1}\" y2=\"{:.1}\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                floor + 5.0,
                floor + 19.0,
                escaped(shown)
            );
        }
        let _ = writeln!(
            svg,
            "<line class=\"frame\" x1=\"{LEFT}\" y1=\"{floor}\" x2=\"{right}\" y2=\"{floor}\"/>\
             <text class=\"axis-label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text class=\"axis-label\" transform=\"translate(12 {:.1}) rotate(-90)\" \
             text-anchor=\"middle\">{}</text>",
            0.5 * (LEFT + right),
            HEIGHT - 8.0,
            escaped(&self.0.x.label),
            0.5 * (TOP + floor),
            escaped(&self.0.y.label)
        );
        for (value, shown) in &self.0.rules {
            let y = self.y(*value);
            let _ = writeln!(
                svg,
                "<line class=\"rule\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                LEFT + 6.0,
                y - 5.0,
                escaped(shown)
            );
        }
    }

    fn curves(&self, svg: &mut String, series: &Series) {
        let path = |points: &[(f64, f64)]| -> String {
            let point = |p: &(f64, f64)| format!("{:.1},{:.1} ", self.x(p.0), self.y(p.1));
            points.iter().map(point).collect()
        };
        if series.band.len() > 1 {
            let upper = series.band.iter().map(|(x, _, high)| (*x, *high));
            let lower = series.band.iter().rev().map(|(x, low, _)| (*x, *low));
            let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
            let _ = writeln!(svg, "<polygon class=\"band\" points=\"{}\"/>", path(&outline).trim());
        }
        let marks: Vec<(f64, f64)> = series.marks.iter().map(|mark| mark.at).collect();
        let joined = if series.joined == Joined::Lines { &marks[..] } else { &[] };
        for (class, points) in
            [("ideal", &series.ideal[..]), ("trend", &series.trend), ("line", joined)]
        {
            if points.len() > 1 {
                let path = path(points);
                let _ = writeln!(svg, "<polyline class=\"{class}\" points=\"{}\"/>", path.trim());
            }
        }
    }

    fn mark(&self, svg: &mut String, mark: &Mark) {
        let (x, y) = (self.x(mark.at.0), self.y(mark.at.1));
        for outlier in &mark.outliers {
            let y = self.y(*outlier);
            let _ = write!(svg, "<circle class=\"outlier\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\"/>");
        }
        if let Some((low, high)) = mark.ends {
            let (low, high) = (self.y(low), self.y(high));
            let _ = write!(
                svg,
                "<line class=\"whisker\" x1=\"{x:.1}\" y1=\"{low:.1}\" x2=\"{x:.1}\" \
                 y2=\"{high:.1}\"/>"
            );
        }
        let _ = writeln!(
            svg,
            "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}</title></circle>",
            escaped(&mark.about)
        );
    }

    /// Draws the label of each series at its right end, moved apart where labels would cover each
    /// other.
    fn labels(&self, svg: &mut String) {
        const LINE: f64 = 15.0;
        let end = |series: &Series| {
            let last = series.marks.last().map(|mark| mark.at).or(series.trend.last().copied())?;
            Some((self.x(last.0), self.y(last.1)))
        };
        let mut labels: Vec<(f64, f64, &Series)> = self
            .0
            .series
            .iter()
            .filter(|series| !series.label.is_empty())
            .filter_map(|series| end(series).map(|(x, y)| (x, y, series)))
            .collect();
        labels.sort_by(|a, b| a.1.total_cmp(&b.1));
        let wanted: Vec<f64> = labels.iter().map(|label| label.1).collect();
        let places = apart(&wanted, LINE, HEIGHT - BOTTOM);
        for ((x, y, series), place) in labels.iter().zip(places) {
            // Beside the plot, so that no line crosses a label; a thin line leads to series that
            // end earlier.
            let column = self.pixels() - RIGHT + 14.0;
            if (y - place).abs() > 3.0 || column - x > 40.0 {
                let _ = write!(
                    svg,
                    "<line class=\"ideal c{}\" x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" \
                     y2=\"{place:.1}\"/>",
                    series.colour,
                    x + 7.0,
                    column - 3.0
                );
            }
            let _ = writeln!(
                svg,
                "<text class=\"series-label c{}\" x=\"{column:.1}\" y=\"{:.1}\">{}</text>",
                series.colour,
                place + 4.0,
                escaped(&series.label)
            );
        }
    }
}
