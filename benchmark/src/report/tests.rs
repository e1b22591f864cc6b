use super::*;
use crate::results::synthetic_results::{check_read_back, sample_results, sample_with_server};
use crate::results::write_csv;

fn page() -> String {
    html(&sample_results(), &ReportOptions::default())
}

#[test]
fn the_page_is_well_formed() {
    well_formed(&page());
}

#[test]
fn an_interrupted_run_has_a_page_too() {
    let mut results = sample_results();
    results.completeness = Completeness::Partial;
    for n_points in [0, 1, 5, 30, 80] {
        results.points.truncate(results.points.len().min(100 - n_points));
        let page = html(&results, &ReportOptions::default());
        well_formed(&page);
        assert!(page.contains("The run was interrupted"));
    }
    results.points.clear();
    well_formed(&html(&results, &ReportOptions::default()));
}

#[test]
fn all_plots_are_there_and_show_something() {
    let page = page();
    for title in [
        "Set-up against threads",
        "The dense inverse of 1998 against threads",
        "Slope m of T = k N^m against the number of nodes",
        "Time against nodes: sphere",
        "What set-up is made of",
        "One touch, several ways: sphere",
        "From touch to shape: sphere",
    ] {
        let start =
            page.find(&format!("aria-label=\"{title}\"")).unwrap_or_else(|| panic!("{title}"));
        let svg = &page[start..start + page[start..].find("</svg>").unwrap()];
        let n_marks = svg.matches("class=\"dot\"").count() + svg.matches("class=\"bar").count();
        assert!(n_marks >= 3, "{title}: {n_marks} marks");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{title}");
    }
    // One strip for each time in the last table.
    assert_eq!(page.matches("class=\"strip\"").count(), 3 * 4 * 10 + 2 * 4);
}

#[test]
fn known_laws_are_found_again() {
    let page = page();
    assert!(page.contains("n^1.5") || page.contains("n^1.49"), "set-up grows as n^1.5");
    assert!(page.contains("8 (oversubscribed)"));
    assert!(page.contains("extrapolated"), "1600 nodes in 0.1 s are out of reach");
}

#[test]
fn a_given_server_is_shown_apart_from_this_machine() {
    let results = sample_with_server();
    check_read_back(&results);
    let page = html(&results, &ReportOptions::default());
    well_formed(&page);
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}"));
    let (here, there) = (at("<h2>The machine</h2>"), at("<h2>The given server</h2>"));
    let (desk, rack) = (at("<dd>desk</dd>"), at("<dd>rack &lt;1&gt;</dd>"));
    assert!(here < desk && desk < there && there < rack);
    let section = &page[there..there + page[there..].find("</section>").unwrap()];
    assert!(section.contains("12 threads for a client") || section.contains("<dd>12</dd>"));
    // 12 threads are more than this machine's cores, and fewer than the server's.
    assert!(!section.contains("12 (oversubscribed)") && page.contains("8 (oversubscribed)"));
    // 1 / sqrt(4) on four threads.
    assert!(section.contains("-0.50") || section.contains("-0.49"), "{section}");
    assert!(section.contains("aria-label=\"Set-up against threads of the server\""));
    // The figures of this machine are as without a server.
    assert_eq!(results.threads(), sample_results().threads());
    assert_eq!((results.most_threads(), results.server_threads()), (4, vec![1, 4, 12]));

    let text = crate::text_table::terminal(&results);
    let line = text.lines().find(|line| line.starts_with("the given server, rack <1>: "));
    assert!(line.is_some_and(|line| line.contains("8 cores, 16 hyper-threads")), "{text}");
    let csv = write_csv(&results);
    let lines = |machine: &str| csv.lines().filter(|line| line.ends_with(machine)).count();
    assert_eq!(lines(",rack <1>"), 3 * 3 * 5);
    assert_eq!(lines(",desk"), sample_results().points.len());
}

/// Nothing is fetched from anywhere, and nothing runs.
#[test]
fn the_page_needs_nothing_else() {
    let page = page();
    for forbidden in ["http:", "https:", "src=", "href=", "@import", "url(", "<script", "<link"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn what_comes_from_elsewhere_cannot_break_out() {
    let mut results = sample_results();
    let evil = "\"><script>alert('x')</script>&\u{1}";
    results.machine.processor = evil.to_owned();
    results.machine.system = evil.to_owned();
    results.machine.caches = vec![evil.to_owned()];
    results.made = evil.to_owned();
    results.notes.push(evil.to_owned());
    results.points.iter_mut().for_each(|point| point.place.object = evil.to_owned());
    let page = html(&results, &ReportOptions::default());
    well_formed(&page);
    assert!(!page.contains("<script"));
}

/// Checks that tags are closed in order, attributes are quoted and ampersands belong to entities.
fn well_formed(page: &str) {
    let mut rest = page.strip_prefix("<!DOCTYPE html>").expect("a doctype");
    let mut open: Vec<&str> = Vec::new();
    while let Some(start) = rest.find('<') {
        check_text(&rest[..start]);
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "near {}", &rest[..end.min(200)]);
        } else {
            let inner = tag.strip_suffix('/').unwrap_or(tag);
            let name = inner.split(' ').next().unwrap();
            assert!(name.chars().all(char::is_alphanumeric), "{tag}");
            let quotes = inner.matches('"').count();
            let equals = inner.matches("=\"").count();
            assert_eq!(quotes, 2 * equals, "{tag}");
            if inner.len() == tag.len() {
                open.push(name);
            }
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
}

fn check_text(text: &str) {
    assert!(!text.contains('>') && !text.contains(|c: char| c.is_control() && c != '\n'), "{text}");
    for (at, _) in text.match_indices('&') {
        let entity = text[at..].find(';').map(|end| &text[at + 1..at + end]);
        let is_entity = entity.is_some_and(|e| e.chars().all(|c| c.is_alphanumeric() || c == '#'));
        assert!(is_entity, "{text}");
    }
}
