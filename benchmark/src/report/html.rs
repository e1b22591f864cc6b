//! HTML of the report: escaped texts, tables, figures and sections.

use super::svg::svg;
use crate::figure::{Figure, Width};

/// Escapes a text for HTML and SVG, between tags and in attributes. Characters that XML forbids are
/// replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            control if control.is_control() => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

/// A table under construction; cells are HTML.
pub(super) struct Table {
    html: String,
    last_group: Option<String>,
    /// Class of each column, for words or for numbers.
    classes: Vec<&'static str>,
}

impl Table {
    /// A table with these headings, which are plain text.
    pub(super) fn new(headings: &[&str]) -> Self {
        const WORDS: [&str; 5] = ["object", "quantity", "algorithm", "how sure", "all samples"];
        let class = |heading: &&str| if WORDS.contains(heading) { "words" } else { "number" };
        let classes: Vec<&str> = headings.iter().map(class).collect();
        let cell = |(heading, class)| format!("<th class=\"{class}\">{}</th>", escaped(heading));
        let cells: String = headings.iter().copied().zip(&classes).map(cell).collect();
        let html = format!("<div class=\"scroll\"><table><thead><tr>{cells}</tr></thead><tbody>\n");
        Self { html, last_group: None, classes }
    }

    /// Adds a row of a group: the first row of each group is set off from the others.
    pub(super) fn row(&mut self, group: &str, cells: &[String]) {
        let is_first = self.last_group.as_deref().is_some_and(|last| last != group);
        self.last_group = Some(group.to_owned());
        let cell = |(cell, class)| format!("<td class=\"{class}\">{cell}</td>");
        let cells: String = cells.iter().zip(&self.classes).map(cell).collect();
        let class = if is_first { " class=\"first\"" } else { "" };
        self.html.push_str(&format!("<tr{class}>{cells}</tr>\n"));
    }

    /// Returns the table; empty if it has no rows.
    pub(super) fn done(self) -> String {
        match self.last_group {
            Some(_) => self.html + "</tbody></table></div>\n",
            None => String::new(),
        }
    }
}

/// A figure with its title and a sentence about it.
pub(super) fn figure(title: &str, about: &str, svg: &str, class: &str) -> String {
    format!(
        "<figure class=\"{class}\"><figcaption><b>{}</b><span>{}</span></figcaption>\n\
         {svg}</figure>\n",
        escaped(title),
        escaped(about)
    )
}

/// A figure as HTML.
pub(super) fn shown(shown: &Figure) -> String {
    let class = match shown.plot.width {
        Width::Half => "",
        Width::Whole => "wide",
    };
    figure(&shown.title, &shown.about, &svg(&shown.plot, &shown.title), class)
}

/// A section with its heading and a paragraph; empty if `content` is empty.
pub(super) fn titled(title: &str, about: &str, content: &str) -> String {
    if content.trim().is_empty() {
        return String::new();
    }
    format!(
        "<section>\n<h2>{}</h2>\n<p class=\"about\">{}</p>\n{content}</section>",
        escaped(title),
        escaped(about)
    )
}

/// Placeholder for a missing number.
pub(super) fn none() -> String {
    "<span class=\"dim\">&#8211;</span>".to_owned()
}
