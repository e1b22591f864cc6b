//! Stacked bars that show the parts of a whole.

use std::fmt::Write;

use super::html::escaped;

/// One bar: its name, the text after it, and its parts as shares of the whole.
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) total: String,
    pub(super) parts: Vec<f64>,
}

const WIDTH: f64 = 600.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = 84.0;
const STEP: f64 = 34.0;
const THICKNESS: f64 = 22.0;
const LEGEND: f64 = 34.0;

/// Draws bars below each other, with a legend of the parts' names above them.
pub(super) fn stacked(title: &str, names: &[&str], bars: &[Bar]) -> String {
    let height = LEGEND + STEP * bars.len() as f64 + 4.0;
    let mut svg = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n",
        escaped(title)
    );
    let mut x = LEFT;
    for (i, name) in names.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<rect class=\"bar c{i}\" x=\"{x:.1}\" y=\"4\" width=\"11\" height=\"11\" rx=\"2\"/>\
             <text x=\"{:.1}\" y=\"14\">{}</text>",
            x + 16.0,
            escaped(name)
        );
        // The average letter is about half as wide as it is high.
        x += 34.0 + 6.4 * name.chars().count() as f64;
    }
    for (row, bar) in bars.iter().enumerate() {
        let y = LEGEND + STEP * row as f64;
        let middle = y + 0.5 * THICKNESS + 4.0;
        let _ = writeln!(
            svg,
            "<text class=\"axis-label\" x=\"{:.1}\" y=\"{middle:.1}\" text-anchor=\"end\">{}</text>\
             <text x=\"{:.1}\" y=\"{middle:.1}\">{}</text>",
            LEFT - 10.0,
            escaped(&bar.name),
            WIDTH - RIGHT + 10.0,
            escaped(&bar.total)
        );
        let mut x = LEFT;
        for (i, share) in bar.parts.iter().enumerate() {
            let width = (WIDTH - LEFT - RIGHT) * share.clamp(0.0, 1.0);
            // A gap of one unit between the parts.
            let _ = writeln!(
                svg,
                "<rect class=\"bar c{i}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" \
                 height=\"{THICKNESS}\"><title>{}: {:.0} %</title></rect>",
                (width - 1.0).max(0.0),
                escaped(names[i]),
                100.0 * share
            );
            if width > 34.0 {
                let _ = writeln!(
                    svg,
                    "<text class=\"on-bar\" x=\"{:.1}\" y=\"{middle:.1}\" \
                     text-anchor=\"middle\">{:.0} %</text>",
                    x + 0.5 * width,
                    100.0 * share
                );
            }
            x += width;
        }
    }
    svg.push_str("</svg>\n");
    svg
}
