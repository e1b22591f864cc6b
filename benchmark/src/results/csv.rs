//! Results as a table for spreadsheets: one line for each point.

use std::fmt::Write;

use super::Results;

/// The results as comma-separated values, after a line of names. Times in seconds, memory in bytes.
pub fn write_csv(results: &Results) -> String {
    let mut text =
        "object,nodes,surface_nodes,contacts,algorithm,measure,unit,threads,oversubscribed,\
                    repetitions,median,low,high,confidence,least,most,outliers,machine\r\n"
            .to_owned();
    for point in &results.points {
        let (place, summary) = (&point.place, point.summary());
        let is_oversubscribed = point.threads > results.n_cores_for(point.measure);
        let machine = match &results.server {
            Some(server) if point.measure.is_on_server() => &server.machine,
            _ => &results.machine.name,
        };
        let line = write!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{:e},{:e},{:e},{:.4},{:e},{:e},{},{}\r\n",
            quoted(&place.object),
            place.n_nodes,
            place.n_surface,
            place.n_contacts,
            point.algorithm.key(),
            point.measure.key(),
            point.measure.unit().key(),
            point.threads,
            if is_oversubscribed { "yes" } else { "no" },
            summary.n,
            summary.median,
            summary.interval.low,
            summary.interval.high,
            summary.interval.confidence,
            summary.least,
            summary.most,
            summary.outliers.len(),
            quoted(machine),
        );
        line.expect("a string takes any text");
    }
    text
}

/// Quotes a text as in RFC 4180, and so that no spreadsheet treats it as a formula.
fn quoted(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::synthetic_results::sample_results;

    #[test]
    fn every_line_has_every_field() {
        let results = sample_results();
        let text = write_csv(&results);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), results.points.len() + 1);
        for line in &lines {
            assert_eq!(line.split(',').count(), 18, "{line}");
        }
        assert!(lines[1].starts_with("sphere,"), "{}", lines[1]);
    }

    #[test]
    fn names_cannot_break_out() {
        for (name, expected) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("=cmd()", "'=cmd()"),
        ] {
            assert_eq!(quoted(name), expected);
        }
    }
}
