//! The report: one self-contained HTML file with plots as inline SVG, for screens in light and dark
//! and for paper.

mod algorithms;
mod all_samples;
mod frames;
mod given_server;
mod growth;
mod html;
mod overview;
mod scaling_text;
mod stacked_bars;
mod strip_plot;
mod svg;
mod threads;

use crate::results::{Completeness, Results};
use html::escaped;

pub(crate) use scaling_text::{cores_shown, exponent_shown};

/// Options of the report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReportOptions {
    /// Time in seconds for the question how many cores are needed to finish within it.
    pub within: f64,
}

impl Default for ReportOptions {
    /// A tenth of a second, which feels immediate.
    fn default() -> Self {
        Self { within: 0.1 }
    }
}

/// Returns the whole page.
pub fn html(results: &Results, options: &ReportOptions) -> String {
    let sections = [
        overview::machine(results),
        given_server::section(results),
        threads::section(results, options),
        growth::section(results),
        algorithms::section(results),
        frames::section(results),
        all_samples::section(results),
        overview::notes(results),
    ];
    let partial = match results.completeness {
        Completeness::Whole => "",
        Completeness::Partial => {
            "<p class=\"partial\"><strong>Partial.</strong> The run was interrupted; all points \
             shown were measured completely.</p>"
        }
    };
    let caveats = overview::caveats(results);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <title>Palpate: solve time against core count</title>\n<style>\n{style}</style>\n\
         </head>\n<body>\n\
         <header>\n<p class=\"brand\">Palpate {version} &#183; benchmark</p>\n\
         <h1>Solve time against core count</h1>\n\
         <p class=\"lead\">{processor}, {cores} cores &#183; {made}</p>\n\
         {server}{partial}\n{caveats}\n{tiles}\n</header>\n\
         <main>\n{body}\n</main>\n</body>\n</html>\n",
        style = include_str!("report/style.css"),
        version = escaped(&results.version),
        processor = escaped(&results.machine.processor),
        cores = results.machine.n_cores,
        made = escaped(&results.made),
        server = results.server.as_ref().map_or_else(String::new, |server| {
            format!("<p class=\"lead\">Given server: {}</p>\n", escaped(&server.in_words()))
        }),
        tiles = overview::tiles(results),
        body = sections.join("\n"),
    )
}

#[cfg(test)]
mod tests;
