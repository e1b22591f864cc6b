//! `arrows`: allowed dependencies between packages, and outside libraries that stay in their
//! packages.

use cargo_metadata::{DependencyKind, Package};

use super::Findings;

/// Packages that a package may know.
#[derive(Clone, Copy, Debug)]
pub(super) enum May {
    Know(&'static [&'static str]),
    KnowAll,
}

/// All packages with their allowed dependencies, in builds and in tests; [`IN_TESTS`] adds to them.
/// A new arrow is a design decision: it needs a separate commit, which changes this table and the
/// map in ARCHITECTURE.md.
pub(super) const ARROWS: [(&str, May); 16] = [
    ("physics", May::Know(&[])),
    ("drivers", May::Know(&[])),
    ("emulators", May::Know(&[])),
    ("calibration", May::Know(&["drivers"])),
    ("haptics", May::Know(&["physics", "drivers"])),
    ("interaction", May::Know(&["physics", "calibration", "drivers"])),
    ("objects", May::Know(&["physics"])),
    ("proto", May::Know(&["physics"])),
    ("engine", May::Know(&["physics", "proto"])),
    ("solver-server", May::Know(&["engine", "proto"])),
    ("benchmark", May::Know(&["engine", "objects", "physics"])),
    (
        "client",
        May::Know(&[
            "drivers",
            "calibration",
            "objects",
            "engine",
            "physics",
            "emulators",
            "benchmark",
            "haptics",
            "interaction",
        ]),
    ),
    ("tests", May::KnowAll),
    ("examples", May::Know(&["drivers", "objects", "physics", "proto"])),
    (
        "peer-bench",
        May::Know(&[
            "benchmark",
            "drivers",
            "calibration",
            "emulators",
            "engine",
            "objects",
            "physics",
        ]),
    ),
    ("xtask", May::Know(&[])),
];

/// Additional dependencies of a package's tests. `haptics` needs objects to touch; `interaction`
/// needs hands that move, objects and a solver; `client` needs moving matter and a server of it.
/// `physics` needs nothing: a package that it tested with and that knows it would be compiled with
/// `physics` a second time.
pub(super) const IN_TESTS: [(&str, &[&str]); 3] = [
    ("haptics", &["objects"]),
    ("interaction", &["emulators", "engine", "objects"]),
    ("client", &["solver-server", "tests"]),
];

/// Outside libraries and the only packages that may name them. Names with a suffix count too:
/// `tokio` includes `tokio-stream`.
const LIBRARIES: [(&str, &[&str]); 5] = [
    ("tokio", &["engine", "solver-server", "examples"]),
    ("wgpu", &["client"]),
    ("egui", &["client"]),
    ("winit", &["client"]),
    ("openxr", &["client"]),
];

/// Checks the arrows between our packages, including dev-dependencies.
pub(super) fn check(packages: &[&Package]) -> Findings {
    let ours = |name: &str| packages.iter().any(|package| package.name.as_str() == name);
    let mut edges: Vec<(&str, &str)> = packages
        .iter()
        .flat_map(|package| package.dependencies.iter().map(|d| (package.name.as_str(), d)))
        .filter(|(_, dependency)| dependency.path.is_some() && ours(&dependency.name))
        .filter(|(from, dependency)| !is_for_tests(from, dependency.kind, &dependency.name))
        .map(|(from, dependency)| (from, dependency.name.as_str()))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let names: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    Findings {
        checked: format!("arrows: {} packages, {} edges", names.len(), edges.len()),
        violations: forbidden_arrows(&names, &edges),
    }
}

/// Checks which packages use the restricted libraries. Dev-dependencies of `tests` are exempt.
pub(super) fn check_libraries(packages: &[&Package]) -> Findings {
    let edges: Vec<(&str, &str)> = packages
        .iter()
        .flat_map(|package| package.dependencies.iter().map(|d| (package.name.as_str(), d)))
        .filter(|(from, d)| !(*from == "tests" && d.kind == DependencyKind::Development))
        .map(|(from, dependency)| (from, dependency.name.as_str()))
        .collect();
    Findings {
        checked: format!("libraries: {} with a home, {} edges", LIBRARIES.len(), edges.len()),
        violations: homeless_libraries(&edges),
    }
}

/// True if an arrow is a dev-dependency that only tests may have.
fn is_for_tests(from: &str, kind: DependencyKind, to: &str) -> bool {
    let is_allowed = |(name, may): &(&str, &[&str])| *name == from && may.contains(&to);
    kind == DependencyKind::Development && IN_TESTS.iter().any(is_allowed)
}

fn forbidden_arrows(packages: &[&str], edges: &[(&str, &str)]) -> Vec<String> {
    let rule = |name: &str| ARROWS.iter().find(|(from, _)| *from == name).map(|(_, may)| *may);
    let unknown = packages.iter().filter(|name| rule(name).is_none()).map(|name| {
        format!("{name} is not in the table of arrows; add it in xtask/src/tidy/arrows.rs")
    });
    let forbidden = edges.iter().filter_map(|(from, to)| match rule(from)? {
        May::KnowAll => None,
        May::Know(allowed) if allowed.contains(to) => None,
        May::Know([]) => {
            Some(format!("{from} -> {to}: {from} may depend on no other package of ours"))
        }
        May::Know(allowed) => {
            Some(format!("{from} -> {to}: {from} may depend on {} only", allowed.join(", ")))
        }
    });
    unknown.chain(forbidden).collect()
}

fn homeless_libraries(edges: &[(&str, &str)]) -> Vec<String> {
    let mut violations = Vec::new();
    for (from, to) in edges {
        for (library, homes) in LIBRARIES {
            let is_relative = to.strip_prefix(library).is_some_and(|rest| rest.starts_with('-'));
            if (*to == library || is_relative) && !homes.contains(from) {
                let homes = homes.join(" and ");
                violations.push(format!("{from} -> {to}: {library} stays in {homes}"));
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_arrows_pass() {
        check_arrows(
            &["physics", "engine", "client", "tests", "xtask"],
            &[("engine", "physics"), ("client", "engine"), ("tests", "client"), ("tests", "xtask")],
            &[],
        );
    }

    #[test]
    fn every_forbidden_arrow_is_listed() {
        check_arrows(
            &["physics", "drivers", "calibration"],
            &[("physics", "drivers"), ("calibration", "drivers"), ("calibration", "physics")],
            &[
                "physics -> drivers: physics may depend on no other package of ours",
                "calibration -> physics: calibration may depend on drivers only",
            ],
        );
    }

    #[test]
    fn arrows_have_a_direction() {
        check_arrows(
            &["physics", "proto"],
            &[("physics", "proto")],
            &["physics -> proto: physics may depend on no other package of ours"],
        );
    }

    #[test]
    fn interaction_knows_solver_and_emulators_in_its_tests_only() {
        check_arrows(
            &["interaction", "engine", "client"],
            &[("interaction", "physics"), ("interaction", "engine"), ("interaction", "client")],
            &[
                "interaction -> engine: interaction may depend on physics, calibration, drivers \
                 only",
                "interaction -> client: interaction may depend on physics, calibration, drivers \
                 only",
            ],
        );
        assert!(is_for_tests("interaction", DependencyKind::Development, "engine"));
        assert!(!is_for_tests("interaction", DependencyKind::Normal, "engine"));
        assert!(!is_for_tests("interaction", DependencyKind::Development, "client"));
        assert!(!is_for_tests("physics", DependencyKind::Development, "engine"));
    }

    #[test]
    fn package_outside_the_table_is_listed_once() {
        check_arrows(
            &["physics", "sound"],
            &[("sound", "physics")],
            &["sound is not in the table of arrows; add it in xtask/src/tidy/arrows.rs"],
        );
    }

    #[test]
    fn table_names_only_its_own_packages() {
        for (from, may) in ARROWS {
            let May::Know(allowed) = may else { continue };
            for to in allowed {
                assert!(ARROWS.iter().any(|(name, _)| name == to), "{from} -> {to}");
            }
        }
    }

    #[test]
    fn libraries_stay_at_home() {
        check_library(&[("engine", "tokio"), ("proto", "tonic"), ("client", "egui-wgpu")], &[]);
        check_library(
            &[("client", "tokio-stream"), ("physics", "wgpu"), ("physics", "tokiox")],
            &[
                "client -> tokio-stream: tokio stays in engine and solver-server and examples",
                "physics -> wgpu: wgpu stays in client",
            ],
        );
    }

    fn check_arrows(packages: &[&str], edges: &[(&str, &str)], expected: &[&str]) {
        assert_eq!(forbidden_arrows(packages, edges), expected);
    }

    fn check_library(edges: &[(&str, &str)], expected: &[&str]) {
        assert_eq!(homeless_libraries(edges), expected);
    }
}
