//! Tests generated objects: sizes, colours, and requests that are refused.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]
#![allow(clippy::print_stdout, reason = "a test that fails says what it saw")]

use objects::generate::{BodyError, GenerateError, Generated, GeneratedKind, generate};

#[test]
fn names_lead_to_kinds_and_back() {
    for kind in GeneratedKind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(kind));
    }
    assert_eq!(
        "banana".parse::<GeneratedKind>().unwrap_err().to_string(),
        "unknown object \"banana\", expected cube, sphere, strawberry or toothpaste"
    );
}

#[test]
fn things_have_the_sizes_of_real_ones() {
    for kind in GeneratedKind::ALL {
        let Generated { mesh, colours } = generate(kind, 1000).unwrap();
        assert!(mesh.n_nodes().abs_diff(1000) < 50, "{kind} has {} nodes", mesh.n_nodes());
        assert_eq!(colours.len(), mesh.n_nodes());
        let extent = |axis: usize| {
            let along = mesh.rest_positions().iter().map(|x| x[axis]);
            let (low, high) = along.fold((f64::MAX, f64::MIN), |(l, h), c| (l.min(c), h.max(c)));
            high - low
        };
        let longest = (0..3).map(extent).fold(0.0, f64::max);
        assert!((longest / kind.size() - 1.0).abs() < 0.05, "{kind} is {longest} m long");
    }
}

/// Share of the nodes on the skin whose colours satisfy `is_such`.
fn share_of_skin(kind: GeneratedKind, is_such: impl Fn([f32; 3]) -> bool) -> f64 {
    let Generated { mesh, colours } = generate(kind, 5000).unwrap();
    let nodes = &mesh.surface().topology.nodes;
    let such = nodes.iter().filter(|node| is_such(colours[node.index()])).count();
    such as f64 / nodes.len() as f64
}

#[test]
fn strawberry_is_mostly_red_with_yellow_seeds_and_green_leaves() {
    let red = share_of_skin(GeneratedKind::Strawberry, |[r, g, b]| r > 3.0 * g && r > 3.0 * b);
    let yellow = share_of_skin(GeneratedKind::Strawberry, |[r, g, b]| r > g && g > 3.0 * b);
    let green = share_of_skin(GeneratedKind::Strawberry, |[r, g, b]| g > 1.5 * r && g > 3.0 * b);
    println!("red {red:.3}, yellow {yellow:.3}, green {green:.3}");
    assert!(red > 0.6 && (0.03..0.25).contains(&yellow) && (0.04..0.25).contains(&green));
    let Generated { mesh, colours } = generate(GeneratedKind::Strawberry, 5000).unwrap();
    for (x, [r, g, _]) in mesh.rest_positions().iter().zip(&colours) {
        assert!(
            r > g || x.y > 0.3 * GeneratedKind::Strawberry.size(),
            "leaves are on top, not at {x}"
        );
    }
}

#[test]
fn tube_is_mostly_white_with_a_blue_band_and_cap() {
    let white = share_of_skin(GeneratedKind::Toothpaste, |[r, g, b]| r > 0.5 && g > 0.5 && b > 0.5);
    let blue = share_of_skin(GeneratedKind::Toothpaste, |[r, g, b]| b > 1.5 * g && b > 3.0 * r);
    let red = share_of_skin(GeneratedKind::Toothpaste, |[r, g, b]| r > 3.0 * g && r > 3.0 * b);
    println!("white {white:.3}, blue {blue:.3}, red {red:.3}");
    assert!((0.4..0.7).contains(&white) && blue > 0.25 && (0.01..0.1).contains(&red));
}

#[test]
fn the_same_request_gives_the_same_object() {
    for kind in GeneratedKind::ALL {
        assert_eq!(generate(kind, 400), generate(kind, 400));
    }
}

#[test]
fn impossible_things_are_refused() {
    for kind in [GeneratedKind::Sphere, GeneratedKind::Strawberry, GeneratedKind::Toothpaste] {
        assert_eq!(generate(kind, 3), Err(GenerateError::Body(BodyError::Nodes(3))));
    }
    let [few, many] = [1, 100_000_000].map(|n| generate(GeneratedKind::Cube, n));
    assert_eq!(few.unwrap().mesh.n_nodes(), 8);
    assert!(matches!(many, Err(GenerateError::Cube(_))));
}
