//! Fills difficult surfaces with tetrahedra; the checks share no code with the crate.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]
#![allow(clippy::print_stdout, reason = "a test that fails says what it saw")]

#[path = "meshing/judge.rs"]
mod judge;
#[path = "meshing/shapes.rs"]
mod shapes;

use std::f64::consts::PI;

use judge::check_filled;
use nalgebra::Point3;
use objects::TriangleSurface;
use objects::filling::{FillError, Filled, Progress, Stage, fill};
use proptest::prelude::*;
use shapes::{Soup, ball, block, cubes, knot, slivers, star_shaped, torus};

/// Fills a surface and asserts that the mesh is sound, with a volume within 1 %.
fn check(name: &str, surface: Soup, n_nodes: usize, n_bodies: usize, exact: Option<f64>) {
    check_filled(name, &surface.surface(), n_nodes, n_bodies, exact.map(|volume| (volume, 0.01)));
}

#[test]
fn blocks() {
    check("cube", cubes(&[[0; 3]]), 5000, 1, Some(1.0));
    check("thin plate", block([1.0, 1.0, 0.05]), 20_000, 1, Some(0.05));
    // The needle is so thin that each edge rounds off a tenth of a side, which the volume shows.
    let needle = block([1.0, 0.02, 0.02]).surface();
    check_filled("needle", &needle, 5000, 1, Some((0.0004, 0.08)));
    check("inside out", cubes(&[[0; 3]]).inside_out(), 5000, 1, Some(1.0));
}

#[test]
fn round_bodies() {
    let sphere = ball(1.0, 40);
    check("ball", sphere.clone(), 5000, 1, Some(sphere.volume()));
    let ring = torus(1.0, 0.3, 96, 32);
    check("torus", ring.clone(), 6000, 1, Some(ring.volume()));
    let trefoil = knot(0.4, 400, 24);
    check("knot", trefoil.clone(), 20_000, 1, Some(trefoil.volume()));
}

#[test]
fn several_bodies() {
    let (outer, inner) = (ball(1.0, 40), ball(0.5, 20));
    let shell = outer.clone().and(inner.clone().inside_out());
    check("hollow ball", shell, 8000, 1, Some(outer.volume() - inner.volume()));
    check("ball in a ball", outer.clone().and(inner), 5000, 1, Some(outer.volume()));
    let ring = torus(1.0, 0.25, 96, 24);
    let other = ring.clone().mapped(|x| Point3::new(x.x + 1.0, x.z, x.y)).inside_out();
    check("links of a chain", ring.clone().and(other), 14_000, 2, Some(2.0 * ring.volume()));
}

/// Two balls whose centres are a radius apart: the volume is that of two balls minus the common
/// lens.
#[test]
fn two_balls_through_each_other() {
    let both = ball(1.0, 48).and(ball(1.0, 48).moved([1.0, 0.1, 0.0]));
    let apart: f64 = (1.0_f64 + 0.01).sqrt();
    let lens = PI * (2.0 - apart).powi(2) * (apart * apart + 4.0 * apart) / (12.0 * apart);
    check("two balls", both, 8000, 1, Some(8.0 / 3.0 * PI - lens));
}

#[test]
fn holes_and_turned_triangles() {
    let sphere = ball(1.0, 40);
    let exact = Some(sphere.volume());
    let torn = |i: usize| matches!(i, 100..104 | 2000 | 3000..3003 | 5555);
    check("torn ball", sphere.clone().without(torn), 5000, 1, exact);
    check("turned patches", sphere.clone().with_flipped(|i| i % 700 < 90), 5000, 1, exact);
    check("loose triangles", sphere.clone().unwelded(), 5000, 1, exact);
    let open = sphere.clone().without(|i| i % 80 == 0);
    check("eighty holes", open, 5000, 1, exact);
}

#[test]
fn awkward_shapes() {
    let spikes = star_shaped(90, |d| 0.4 + 0.8 * (d.x * d.y * d.z).abs().powf(1.5) * 5.0);
    check("star", spikes.clone(), 15_000, 1, Some(spikes.volume()));
    check("slivers", slivers(400), 5000, 1, Some(slivers(400).volume()));
    let holes: Vec<[i32; 3]> = (0..7)
        .flat_map(|x| (0..3).map(move |y| [x, y, 0]))
        .filter(|at| !(at[1] == 1 && at[0] % 2 == 1))
        .collect();
    check("three holes", cubes(&holes), 16_000, 1, Some(holes.len() as f64));
    let pinched = [[0, 0, 0], [1, 1, 0], [2, 0, 0], [3, 0, 1]];
    check("cubes that meet at edges", cubes(&pinched), 18_000, 0, Some(4.0));
    let tetrahedron = Soup {
        points: [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
            .map(Point3::from)
            .to_vec(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
    };
    check("tetrahedron", tetrahedron, 10_000, 1, Some(1.0 / 6.0));
}

#[test]
fn any_unit_and_any_place() {
    let ring = torus(1.0, 0.4, 64, 32);
    let exact = ring.volume();
    check("micrometres", ring.clone().scaled(1e-6), 4000, 1, Some(exact * 1e-18));
    check("kilometres", ring.clone().scaled(1e3), 4000, 1, Some(exact * 1e9));
    check("far away", ring.clone().moved([1e5, -3e5, 2e4]), 4000, 1, Some(exact));
}

/// The same surface gives the same mesh with any number of threads.
#[test]
fn threads_make_no_difference() {
    let surface = torus(1.0, 0.4, 64, 32).without(|i| i % 500 == 0).surface();
    let [one, three] = [1, 3].map(|n_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| fill(&surface, 3000, &Progress::default())).unwrap()
    });
    assert_eq!(one, three);
}

/// Every mesh from the coarsest to the finest is sound, with the requested number of nodes.
#[test]
fn any_number_of_nodes() {
    let sphere = ball(1.0, 30);
    for n_nodes in [60, 100, 250, 700, 2000, 30_000] {
        let tolerance = 8.0 / (n_nodes as f64).powf(2.0 / 3.0);
        let exact = Some((sphere.volume(), tolerance));
        check_filled("ball", &sphere.clone().surface(), n_nodes, 1, exact);
    }
}

/// Twice as fine a lattice leaves a quarter of the deviation on smooth bodies.
#[test]
fn deviation_falls_with_the_square_of_the_spacing() {
    let surface = ball(1.0, 120).surface();
    let [coarse, fine] = [700, 8000].map(|n| fill(&surface, n, &Progress::default()).unwrap());
    let finer = (coarse.spacing / fine.spacing).powi(2);
    let [coarse, fine] = [coarse, fine].map(|filled| filled.deviation.solid_to_surface.mean);
    println!("{finer} and {}", coarse / fine);
    assert!(coarse / fine > 0.6 * finer);
}

/// A corner of a cube is cut off by about half a spacing, and the deviation shows it.
#[test]
fn deviation_sees_rounded_corners() {
    let filled = fill(&cubes(&[[0; 3]]).surface(), 2000, &Progress::default()).unwrap();
    let most = filled.deviation.surface_to_solid.most / filled.spacing;
    assert!((0.2..1.0).contains(&most), "{most} spacings");
    assert_eq!(filled.deviation.most(), filled.deviation.surface_to_solid.most);
}

#[test]
fn stages_come_in_order_and_work_can_be_ended() {
    use std::sync::{Arc, Mutex};
    let stages = Arc::new(Mutex::new(Vec::new()));
    let seen = stages.clone();
    let progress = Progress::watched(move |stage| seen.lock().unwrap().push(stage));
    let surface = ball(1.0, 20).surface();
    assert_eq!(progress.share(), 0.0);
    fill(&surface, 500, &progress).unwrap();
    assert_eq!(*stages.lock().unwrap(), [Stage::Sorting, Stage::Filling, Stage::Measuring]);
    assert_eq!(progress.share(), 1.0);
    progress.cancel();
    assert_eq!(fill(&surface, 500, &progress), Err(FillError::Cancelled));
}

/// A request for too few nodes is answered with a number of nodes that is sufficient.
#[test]
fn thin_objects_are_refused_with_the_nodes_that_they_need() {
    let needle = block([1.0, 0.01, 0.01]).surface();
    let filled = |n_nodes: usize| fill(&needle, n_nodes, &Progress::default());
    let Err(FillError::TooFew { wanted: 50, enough }) = filled(50) else {
        panic!("50 nodes are too few for a needle")
    };
    let words = filled(enough).unwrap().to_string();
    assert!(words.contains("% of the volume is lost"), "{words}");
    let words = filled(200).unwrap().to_string();
    let expected = "; 200 nodes were requested, but larger cells would lose the thinnest parts; \
                    LARGE DEVIATION";
    assert!(words.contains(expected), "{words}");
    assert!(!filled(1000).unwrap().to_string().contains("were requested"));
}

/// A coarse filling of a thick body is reported because of its corners and its volume, a fine one
/// is not.
#[test]
fn fillings_that_are_far_off_are_called_so() {
    let far = |surface: &Soup, n_nodes: usize| {
        let filled = fill(&surface.clone().surface(), n_nodes, &Progress::default()).unwrap();
        (filled.to_string().contains("LARGE DEVIATION"), filled.volume_share)
    };
    let (is_far, share) = far(&cubes(&[[0; 3]]), 60);
    assert!(is_far && share.unwrap() < 0.9, "{share:?}");
    let (is_far, share) = far(&cubes(&[[0; 3]]), 5000);
    assert!(!is_far && (share.unwrap() - 1.0).abs() < 0.01, "{share:?}");
    let (is_far, share) = far(&ball(1.0, 40).without(|i| i % 700 == 0), 5000);
    assert!(!is_far && (share.unwrap() - 1.0).abs() < 0.05, "{share:?}");
    // The common volume of intersecting balls counts once.
    let both = ball(1.0, 40).and(ball(0.9, 40).moved([0.5, 0.0, 0.0]));
    let (is_far, share) = far(&both, 5000);
    assert!(!is_far && (share.unwrap() - 1.0).abs() < 0.03, "{share:?}");
    let (is_far, share) = far(&both, 60);
    assert!(is_far && share.unwrap() < 0.95, "{share:?}");
}

/// Words about a filling.
fn words(surface: &Soup, n_nodes: usize) -> String {
    fill(&surface.clone().surface(), n_nodes, &Progress::default()).unwrap().to_string()
}

#[test]
fn a_filling_that_falls_apart_is_called_so() {
    let ring = torus(1.0, 0.15, 96, 24);
    let filled = fill(&ring.surface(), 100, &Progress::default()).unwrap();
    let (said, n_bodies) = (filled.to_string(), filled.mesh.n_bodies());
    assert!(n_bodies > 1, "{said}");
    assert!(said.contains(&format!("the solid fell apart into {n_bodies} parts")), "{said}");
    let two = ball(1.0, 30).and(ball(1.0, 30).moved([3.0, 0.0, 0.0]));
    let said = words(&two, 3000);
    assert!(said.contains("; 2 parts that are not connected, as in the surface"), "{said}");
    assert!(!said.contains("fell apart"), "{said}");
    // The wall of the hollow is thinner than a cell.
    let thin = ball(1.0, 40).and(ball(0.93, 40).inside_out());
    let why = fill(&thin.surface(), 400, &Progress::default()).unwrap_err().to_string();
    assert!(why.contains("too thin for 400 nodes"), "{why}");
}

#[test]
fn a_shell_inside_a_shell_is_not_filled_without_a_word() {
    let (outer, inner) = (ball(1.0, 40), ball(0.5, 20));
    let said = words(&outer.clone().and(inner.clone()), 5000);
    let expected = "1 shell inside the solid was filled over: an inner shell makes a hollow only if \
                    its triangles face inward";
    assert!(said.contains(expected), "{said}");
    let said = words(&outer.clone().and(inner.inside_out()), 8000);
    assert!(!said.contains("filled over") && !said.contains("fell apart"), "{said}");
    let both = outer.clone().and(outer.moved([1.0, 0.0, 0.0]));
    let said = words(&both, 5000);
    assert!(
        said.contains("of the surface lies inside the solid: parts that overlap were united"),
        "{said}"
    );
}

/// A plate becomes as thick as it is, or it is refused with a number of nodes that is sufficient.
#[test]
fn plates_keep_their_thickness_or_say_how_many_nodes_do() {
    for thickness in [0.02, 0.04] {
        let plate = block([1.0, 1.0, thickness]).surface();
        let filled = |n_nodes: usize| fill(&plate, n_nodes, &Progress::default());
        let check = |n_nodes: usize, filled: Filled| {
            let mut heights: Vec<f64> = filled.mesh.rest_positions().iter().map(|x| x.z).collect();
            heights.sort_by(f64::total_cmp);
            // The thickness between most of the nodes of both faces.
            let at = |share: f64| heights[(share * heights.len() as f64) as usize];
            let found = (at(0.95) - at(0.05)) / thickness;
            assert!((found - 1.0).abs() < 0.05, "{found} times as thick with {n_nodes} nodes");
        };
        for n_nodes in [300, 1500, 3000, 5000, 17_000] {
            match filled(n_nodes) {
                Ok(filled) => check(n_nodes, filled),
                Err(
                    FillError::TooFew { enough, .. }
                    | FillError::Thickness { enough: Some(enough), .. },
                ) => check(enough, filled(enough).unwrap()),
                Err(error) => panic!("{n_nodes}: {error}"),
            }
        }
    }
}

#[test]
fn a_refused_plate_is_told_what_would_serve() {
    let refused =
        |enough| FillError::Thickness { wanted: 500, thickness: 0.001, share: 1.19, enough };
    let other = "a mesh of tetrahedra from another program, such as Gmsh";
    let walls = "walls 1.0 mm thick would become 19 % thicker with 500 nodes, expected";
    let expected = format!("{walls} at least about 4500 nodes, or {other}");
    assert_eq!(refused(Some(4500)).to_string(), expected);
    assert_eq!(refused(None).to_string(), format!("{walls} {other}"));
}

/// Ordinary bodies are filled also with few nodes.
#[test]
fn rounded_bodies_are_never_refused_for_their_thickness() {
    let flat = ball(1.0, 30).mapped(|x| Point3::new(x.x, x.y, 0.3 * x.z));
    for surface in [ball(1.0, 30), torus(1.0, 0.25, 64, 20), knot(0.4, 200, 12), flat] {
        for n_nodes in [60, 200, 1000] {
            let filled = fill(&surface.clone().surface(), n_nodes, &Progress::default());
            assert!(!matches!(filled, Err(FillError::Thickness { .. })), "{filled:?}");
        }
    }
}

#[test]
fn what_has_no_inside_is_refused() {
    let none = TriangleSurface::default();
    let sheet = Soup {
        points: vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)],
        triangles: vec![[0, 1, 2]],
    };
    let line = Soup { triangles: vec![[0, 1, 1]], ..sheet.clone() };
    let refused =
        |surface: &TriangleSurface, n: usize| fill(surface, n, &Progress::default()).unwrap_err();
    assert_eq!(refused(&none, 500), FillError::Empty);
    assert_eq!(refused(&line.surface(), 500), FillError::Empty);
    assert_eq!(refused(&sheet.surface(), 500), FillError::NoInside(500));
    assert_eq!(refused(&ball(1.0, 9).surface(), 49), FillError::Nodes(49));
    let small = refused(&ball(1e-120, 9).surface(), 500);
    assert!(matches!(small, FillError::Mesh(_)), "{small}");
}

fn soups() -> impl Strategy<Value = Soup> {
    let corner = prop::array::uniform3(-1.0..1.0).prop_map(Point3::from);
    let points = prop::collection::vec(corner, 4..9);
    let scale = prop_oneof![Just(1.0), Just(1e-7), Just(1e5)];
    (points, scale).prop_flat_map(|(points, scale)| {
        let n = points.len() as u32;
        let triangles = prop::collection::vec(prop::array::uniform3(0..n), 1..24);
        triangles
            .prop_map(move |triangles| Soup { points: points.clone(), triangles }.scaled(scale))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Random triangles have an inside or not; every filling of them is sound.
    #[test]
    fn any_triangles_give_a_sound_mesh_or_none(soup in soups(), n_nodes in 50_usize..600) {
        match fill(&soup.surface(), n_nodes, &Progress::default()) {
            Ok(filled) => judge::check_sound("soup", &filled),
            Err(error) => prop_assert!(
                matches!(
                    error,
                    FillError::Empty
                        | FillError::NoInside(_)
                        | FillError::TooFew { .. }
                        | FillError::Thickness { .. }
                ),
                "{}",
                error
            ),
        }
    }
}
