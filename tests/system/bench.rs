//! `palpate bench` as a person and a script use it: a folder with a report, and comparisons with an
//! exit code.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::{Program, Server, ours};

/// Sizes small enough for a busy machine.
const TINY: [&str; 10] = [
    "bench",
    "--nodes",
    "60,120",
    "--threads",
    "1,2",
    "--repetitions",
    "8",
    "--contacts",
    "6",
    "--out",
];

fn bench(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut palpate = ours("palpate");
    palpate.current_dir(folder).args(arguments);
    let (status, said) = Program::start("palpate", &mut palpate).wait();
    (status.success(), said)
}

fn results(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("results.json")).unwrap()).unwrap()
}

/// One run for everything that needs a whole one.
#[test]
fn a_run_leaves_a_report_that_compares_and_opens() {
    let folder = tempfile::tempdir().unwrap();
    let (ok, said) = bench(folder.path(), &[&TINY[..], &["run"]].concat());
    assert!(ok, "{said}");
    assert!(said.contains("set-up") && said.contains("the report is run/report.html"), "{said}");

    let run = folder.path().join("run");
    let found = results(&run);
    assert_eq!(found["complete"], true);
    let has = |measure: &str| {
        found["points"].as_array().unwrap().iter().any(|point| point["measure"] == measure)
    };
    for measure in ["assembly", "ordering", "symbolic", "numeric", "columns", "change", "frame"] {
        assert!(has(measure), "{measure}");
    }
    // The server program is built beside palpate.
    assert!(has("round_trip_embedded") && has("round_trip_loopback"));
    let csv = fs::read_to_string(run.join("results.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + found["points"].as_array().unwrap().len());
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page.contains("</html>") && !page.contains("was interrupted"));

    check_comparisons(folder.path(), &found);
    check_in_browser(&run.join("report.html"));
}

/// The same file is not slower than itself; one whose frames take twenty times as long is, and the
/// program says so by its exit code. How much the real samples scatter depends on the machine, so
/// frames get samples of their own.
fn check_comparisons(folder: &Path, found: &Value) {
    let with_frames_of = |microseconds: f64| {
        let mut doctored = found.clone();
        for point in doctored["points"].as_array_mut().unwrap() {
            if point["measure"] == "frame" {
                for (i, sample) in point["samples"].as_array_mut().unwrap().iter_mut().enumerate() {
                    *sample = Value::from(1e-6 * microseconds * (1.0 + 0.01 * (i % 5) as f64));
                }
            }
        }
        doctored.to_string()
    };
    fs::write(folder.join("quick.json"), with_frames_of(2.0)).unwrap();
    fs::write(folder.join("slow.json"), with_frames_of(40.0)).unwrap();
    fs::write(folder.join("nonsense.json"), "[1, 2]").unwrap();
    let compare = |before: &str, after: &str| bench(folder, &["bench", "compare", before, after]);
    let (ok, said) = compare("run/results.json", "run/results.json");
    assert!(ok && said.contains("0 slower or larger by more than 10 %"), "{said}");
    let (ok, said) = compare("quick.json", "slow.json");
    assert!(!ok && said.contains("SLOWER") && said.contains("4 quantities are worse"), "{said}");
    let (ok, said) = compare("slow.json", "quick.json");
    assert!(ok && said.contains("faster"), "{said}");
    let (ok, said) = compare("run/results.json", "nonsense.json");
    assert!(!ok && said.contains("cannot use nonsense.json"), "{said}");
    let (ok, said) = compare("run/results.json", "absent.json");
    assert!(!ok && said.contains("cannot read absent.json"), "{said}");
}

/// Opens the page in Chromium, as wide as a laptop: it is drawn, its console stays empty, and it
/// can be printed.
fn check_in_browser(page: &Path) {
    let Some(browser) = browser() else {
        // Past the test harness, which would keep it to itself.
        let told = writeln!(
            std::io::stderr(),
            "\n*** NOT RUN: the report was not opened in a browser, because there is no chromium here. ***\n\
             *** On Debian: apt install chromium ***\n"
        );
        told.unwrap();
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let open = |order: String| {
        let output = Command::new(&browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
            .args(["--enable-logging=stderr", "--window-size=1280,3000"])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .arg(order)
            .arg(format!("file://{}", page.display()))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && !said.contains(":CONSOLE"), "{said}");
    };
    let (picture, paper) = (folder.path().join("page.png"), folder.path().join("page.pdf"));
    open(format!("--screenshot={}", picture.display()));
    let picture = tests::png_frames::picture(&picture);
    let [width, height] = picture.size;
    assert_eq!(width, 1280);
    // Lines and labels of several series: saturated colours, which nothing but plots has.
    let n_coloured = picture.count(|[r, g, b, _]| r.max(g).max(b) - r.min(g).min(b) > 90);
    assert!(n_coloured > 2000, "{n_coloured} coloured pixels");
    // Nothing is cut off at the right: the margin is bare.
    let margin = (0..height).flat_map(|y| (1268..1280).map(move |x| (x, y)));
    let ground = picture.at(1279, 0);
    assert!(margin.into_iter().all(|(x, y)| picture.at(x, y) == ground));

    open(format!("--print-to-pdf={}", paper.display()));
    let paper = fs::read(paper).unwrap();
    assert!(paper.starts_with(b"%PDF"));
    let n_pages = paper.windows(12).filter(|word| word.starts_with(b"/Type /Page\n")).count();
    assert!((2..20).contains(&n_pages), "{n_pages} pages");
}

fn browser() -> Option<PathBuf> {
    ["chromium", "chromium-browser", "google-chrome"].into_iter().map(PathBuf::from).find(|name| {
        let mut version = Command::new(name);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    })
}

/// A server that runs already, on its own numbers of threads, up to its limit.
#[test]
fn a_given_server_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_with(&["--listen", "127.0.0.1:0", "--threads", "2"]);
    let sizes = ["bench", "--nodes", "60,120", "--threads", "1,2,3", "--repetitions", "4"];
    let few = ["--contacts", "6", "--algorithms", "ours", "--out", "run", "--server", &server.url];
    let arguments = [&sizes[..], &few].concat();
    let (ok, said) = bench(folder.path(), &arguments);
    assert!(ok && !said.contains("no other server"), "{said}");
    assert!(said.contains("at most 2 threads, left out there: 3 "), "{said}");
    let found = results(&folder.path().join("run"));
    let median = |measure: &str, nodes: u64, threads: u64| {
        let is_it =
            |p: &&Value| p["measure"] == measure && p["nodes"] == nodes && p["threads"] == threads;
        let mut points = found["points"].as_array().unwrap().iter().filter(is_it);
        let what = format!("{measure} of {nodes} nodes on {threads} threads");
        let point = points.next().unwrap_or_else(|| panic!("no {what}: {said}"));
        assert_eq!(points.next(), None, "{what}: once");
        point["median"].as_f64().unwrap()
    };
    let mut nodes: Vec<u64> =
        found["points"].as_array().unwrap().iter().map(|p| p["nodes"].as_u64().unwrap()).collect();
    nodes.dedup();
    assert_eq!(nodes.len(), 2);
    for nodes in nodes {
        for threads in [1, 2] {
            // By the server's clock: a first touch is a set-up and a solution.
            let [set_up, first, later] =
                ["set_up_server", "first_touch_server", "later_touch_server"]
                    .map(|measure| median(measure, nodes, threads));
            assert!(0.0 < set_up && set_up < first && 0.0 < later);
            assert!(median("opening_server", nodes, threads) > 0.0);
            assert!(median("round_trip_server", nodes, threads) > 0.0);
        }
    }
    let of_server = |p: &&Value| p["measure"].as_str().unwrap().ends_with("_server");
    assert_eq!(found["points"].as_array().unwrap().iter().filter(of_server).count(), 2 * 2 * 5);

    // Both machines, apart.
    let (here, there) = (&found["machine"], &found["server"]);
    assert_eq!((&there["machine"], &there["most_threads"]), (&here["name"], &Value::from(2)));
    assert!(there["hyper_threads"].as_u64() >= there["cores"].as_u64(), "{there}");
    let name = there["machine"].as_str().unwrap();
    assert!(!name.is_empty() && said.contains(&format!("the given server, {name}: ")), "{said}");
    let page = fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    for expected in ["The machine", "The given server", "Set-up against threads of the server"] {
        assert!(page.contains(expected), "{expected}");
    }
    assert!(page.contains(&format!("<dt>Machine</dt><dd>{name}</dd>")), "the server's machine");

    // A missing server is reported before anything is measured or replaced.
    let before = fs::read(folder.path().join("run/results.json")).unwrap();
    server.program.kill();
    let (ok, said) = bench(folder.path(), &arguments);
    assert!(!ok && said.contains("is a solver-server running there?"), "{said}");
    assert_eq!(fs::read(folder.path().join("run/results.json")).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_a_partial_report() {
    let folder = tempfile::tempdir().unwrap();
    let mut palpate = ours("palpate");
    // A very long run; each point is reported as it is found.
    palpate.current_dir(folder.path()).env("RUST_LOG", "client=debug").args([
        "bench",
        "--nodes",
        "60",
        "--seconds",
        "100000",
        "--repetitions",
        "10000",
    ]);
    let palpate = Program::start("palpate", &mut palpate);
    palpate.wait_for("measure: Difference");
    let killed = Command::new("kill").args(["-INT", &palpate.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let (status, said) = palpate.wait();
    assert!(
        status.code() == Some(130) && said.contains("interrupted; the results so far are in"),
        "{said}"
    );
    let out = folder.path().join("palpate-bench");
    assert_eq!(results(&out)["complete"], false);
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("The run was interrupted") && page.contains("</html>"));
}

/// What cannot be measured leaves an older run as it was, and is a failure.
#[test]
fn nothing_measured_is_nothing_written() {
    let folder = tempfile::tempdir().unwrap();
    // Two bodies; the fingers hold the second at two nodes, so that it can still turn.
    let body = |x: i32| format!("{x} 0 0\n{} 0 0\n{x} 1 0\n{x} 0 1\n", x + 1);
    let two = format!("vertices 8\n{}{}elements 2\n0 1 2 3\n4 5 6 7\n", body(0), body(3));
    fs::write(folder.path().join("two.obj3"), two).unwrap();
    let old = folder.path().join("palpate-bench");
    fs::create_dir(&old).unwrap();
    fs::write(old.join("results.json"), "precious").unwrap();
    let (ok, said) = bench(
        folder.path(),
        &["bench", "--object", "two.obj3", "--seconds", "5", "--contacts", "6"],
    );
    assert!(!ok && said.contains("nothing could be measured"), "{said}");
    assert!(!said.contains("Underdetermined("), "{said}");
    assert_eq!(fs::read_to_string(old.join("results.json")).unwrap(), "precious");
}

#[test]
fn files_of_one_name_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    for (place, nodes) in [("a", "64"), ("b", "125")] {
        fs::create_dir(folder.path().join(place)).unwrap();
        let out = format!("{place}/x.obj3");
        let (ok, said) = bench(folder.path(), &["object", "new", "cube", "--nodes", nodes, &out]);
        assert!(ok, "{said}");
    }
    let files = ["--object", "a/x.obj3", "--object", "b/x.obj3", "--threads", "1"];
    let few = ["--repetitions", "2", "--algorithms", "ours", "--contacts", "6"];
    let (ok, said) = bench(folder.path(), &[&["bench"], &files[..], &few[..]].concat());
    assert!(ok && said.contains("\na/x.obj3") && said.contains("\nb/x.obj3"), "{said}");
}

#[test]
fn a_page_that_exists_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.md"), "# Mine\n").unwrap();
    for (out, expected) in [
        ("mine.md", "mine.md exists already; --replace overwrites it"),
        ("nowhere/page.md", "no such folder"),
    ] {
        let (ok, said) = bench(folder.path(), &["bench", "reproduce", "--out", out]);
        assert!(!ok && said.contains(expected), "{said}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("mine.md")).unwrap(), "# Mine\n");
}

#[test]
fn invalid_options_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (&["bench", "--nodes", "3"][..], "50..=150000"),
        (&["bench", "--bodies", "pyramid"], "expected sphere, blob or cube"),
        (&["bench", "--algorithms", "magic"], "expected ours, thesis, direct or gradients"),
        (&["bench", "--contacts", "2"], "3..=256"),
        (&["bench", "--within", "0"], "expected a positive number"),
        (&["bench", "--object", "absent.msh"], "cannot read absent.msh"),
        (&["bench", "--server", "http://192.0.2.1:1"], "loopback"),
    ] {
        let (ok, said) = bench(folder.path(), arguments);
        assert!(!ok && said.contains(expected), "{arguments:?}: {said}");
    }
    assert!(!folder.path().join("palpate-bench").exists(), "nothing was measured");
}
