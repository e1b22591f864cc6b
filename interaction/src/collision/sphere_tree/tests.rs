//! Comparison of the tree with a test of every triangle.

use super::super::triangle::nearest_point;
use super::*;
use proptest::prelude::*;

fn found(tree: &SphereTree, shape: &Shape) -> Vec<usize> {
    let mut triangles = Vec::new();
    tree.near(shape, &mut |triangle| triangles.push(triangle));
    triangles.sort_unstable();
    triangles
}

fn everything() -> Shape {
    Shape::Sphere { centre: Point3::origin(), radius: 1e3 }
}

fn points(n: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Point3<f64>>> {
    let point = prop::array::uniform3(-1.0..1.0f64).prop_map(Point3::from);
    prop::collection::vec(point, n)
}

fn triangles_among(corners: &[[usize; 3]], n_points: usize) -> Vec<[u32; 3]> {
    corners.iter().map(|t| t.map(|i| (i % n_points) as u32)).collect()
}

fn corners() -> impl Strategy<Value = Vec<[usize; 3]>> {
    prop::collection::vec(prop::array::uniform3(0usize..1000), 0..200)
}

/// Checks that a search finds every triangle that a ball touches, each once, and the nearest.
fn check(
    tree: &SphereTree,
    points: &[Point3<f64>],
    triangles: &[[u32; 3]],
    ball: (Point3<f64>, f64),
) {
    assert_eq!(found(tree, &everything()), (0..triangles.len()).collect::<Vec<_>>());
    let (centre, radius) = ball;
    let near = found(tree, &Shape::Sphere { centre, radius });
    let distance = |triangle: usize| {
        let corners = triangles[triangle].map(|i| points[i as usize]);
        (centre - nearest_point(&centre, &corners)).norm()
    };
    for triangle in 0..triangles.len() {
        assert!(distance(triangle) > radius || near.contains(&triangle));
    }
    let mut least = radius;
    tree.nearest(&|x| (x - centre).norm(), radius, &mut |triangle| {
        least = least.min(distance(triangle));
        distance(triangle)
    });
    assert_eq!(least, (0..triangles.len()).map(distance).fold(radius, f64::min));
}

proptest! {
    #[test]
    fn no_triangle_that_a_ball_touches_is_missed_and_each_is_found_once(
        points in points(3..60),
        corners in corners(),
        centre in points(1..2),
        radius in 0.0..0.6f64,
    ) {
        let triangles = triangles_among(&corners, points.len());
        let mut tree = SphereTree::default();
        tree.rebuild(&points, &triangles);
        check(&tree, &points, &triangles, (centre[0], radius));
    }

    /// Refits after any motion of the points, however large.
    #[test]
    fn a_refitted_tree_misses_nothing_either(
        before in points(60..61),
        after in points(60..61),
        corners in corners(),
        part in 0.0..1.0f64,
        centre in points(1..2),
        radius in 0.0..0.6f64,
    ) {
        let triangles = triangles_among(&corners, before.len());
        let mut tree = SphereTree::default();
        tree.rebuild(&before, &triangles);
        let moved: Vec<Point3<f64>> =
            before.iter().zip(&after).map(|(x, y)| x + (y - x) * part).collect();
        tree.refit(&moved);
        check(&tree, &moved, &triangles, (centre[0], radius));
        tree.renew(&after, &triangles);
        check(&tree, &after, &triangles, (centre[0], radius));
    }
}

/// A strip of triangles along x, its points moved.
fn strip(moved: impl Fn(f64) -> Point3<f64>) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let points = (0..200).map(|i| moved(f64::from(i))).collect();
    (points, (0..198).map(|i| [i, i + 1, i + 2]).collect())
}

#[test]
fn a_tree_is_built_again_only_when_its_spheres_have_become_loose() {
    let (straight, triangles) = strip(|i| Point3::new(i, i % 2.0, 0.0));
    let (bent, _) = strip(|i| Point3::new(i, i % 2.0, (i / 30.0).sin() * 5.0));
    // Far ends swap with the middle: neighbours in the tree are far apart.
    let (scattered, _) = strip(|i| Point3::new((i * 67.0) % 200.0, i % 2.0, 0.0));
    let mut tree = SphereTree::default();
    tree.rebuild(&straight, &triangles);
    assert_eq!(tree.renew(&straight, &triangles), Renewal::Refitted);
    assert_eq!(tree.renew(&bent, &triangles), Renewal::Refitted);
    assert_eq!(tree.renew(&scattered, &triangles), Renewal::Rebuilt);
    // The rebuilt tree fits this shape as well as possible.
    assert_eq!(tree.renew(&scattered, &triangles), Renewal::Refitted);
}

#[test]
fn triangles_in_the_same_place_share_a_leaf() {
    let points = [Point3::new(0.1, 0.2, 0.3), Point3::new(0.2, 0.2, 0.3), Point3::origin()];
    let mut tree = SphereTree::default();
    tree.rebuild(&points, &[[0, 1, 2]; 20]);
    assert_eq!(found(&tree, &everything()), (0..20).collect::<Vec<_>>());
}

#[test]
fn a_tree_forgets_its_last_shape() {
    let points = [Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
    let mut tree = SphereTree::default();
    tree.rebuild(&points, &[[0, 1, 2]; 9]);
    tree.rebuild(&points, &[[0, 1, 2]]);
    assert_eq!(found(&tree, &everything()), [0]);
    tree.rebuild(&[], &[]);
    assert!(found(&tree, &everything()).is_empty());
}
