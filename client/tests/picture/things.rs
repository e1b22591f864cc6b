//! Things for the pictures: a cube, a dented cube, a hand.

use std::collections::HashMap;
use std::sync::Arc;

use interaction::scene::{FingerContact, FingertipView, HandRole, HandView, ObjectView, Palm};
use nalgebra::{Isometry3, Point3, Vector3};
use physics::{FieldKind, Grip, NodeId, Shape, SurfaceFrame, Topology};

/// Half the edge of the cube.
pub(crate) const HALF: f32 = 0.03;

/// A cube of `n` by `n` squares a side, its corners shared.
pub(crate) fn cube(n: i32, world_from_object: Isometry3<f64>) -> ObjectView {
    let mut positions = Vec::new();
    let mut point_at = HashMap::new();
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for (side, a, b) in (0..2).flat_map(|s| (0..n * n).map(move |i| (s, i / n, i % n))) {
            let [p, q, r, s] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(da, db)| {
                let mut grid = [side * n; 3];
                grid[(axis + 1) % 3] = a + da;
                grid[(axis + 2) % 3] = b + db;
                *point_at.entry(grid).or_insert_with(|| {
                    positions.push(grid.map(|i| (2.0 * i as f32 / n as f32 - 1.0) * HALF));
                    positions.len() as u32 - 1
                })
            });
            let outward = |[a, b, c]: [u32; 3]| if side == 1 { [a, b, c] } else { [a, c, b] };
            triangles.extend([outward([p, q, r]), outward([p, r, s])]);
        }
    }
    surface(positions, triangles, world_from_object)
}

/// An object with any surface, at rest.
pub(crate) fn surface(
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    world_from_object: Isometry3<f64>,
) -> ObjectView {
    let nodes = (0..positions.len() as u32).map(NodeId).collect();
    let topology = Topology {
        version: 1,
        grip: Grip::Nodes,
        nodes,
        rest_positions: positions.clone(),
        triangles,
        fields: vec![FieldKind::VON_MISES],
    };
    let frame = SurfaceFrame::at_rest(Arc::new(topology), Arc::new(positions));
    ObjectView { thing: 0, frame: Arc::new(frame), world_from_object, colours: None }
}

/// An open page of 8 by 6 cm that stands on the ground, slightly bowed towards the viewer.
pub(crate) fn page() -> ObjectView {
    const N: u32 = 12;
    let share = |i: u32| i as f32 / N as f32;
    let point = |i: u32| {
        let (u, v) = (share(i % (N + 1)), share(i / (N + 1)));
        [0.08 * (u - 0.5), 0.06 * v, 0.012 * (std::f32::consts::PI * u).sin()]
    };
    let positions = (0..(N + 1) * (N + 1)).map(point).collect();
    surface(positions, strip([N, N], N + 1), Isometry3::translation(0.0, 0.02, 0.0))
}

/// Radius of the thread, in metres.
pub(crate) const THREAD_RADIUS: f32 = 0.004;
/// Middle line of the thread.
pub(crate) fn thread_line() -> Vec<Point3<f64>> {
    let point = |i: u32| {
        let t = f64::from(i) / 80.0;
        let (sin, cos) = (2.5 * std::f64::consts::TAU * t).sin_cos();
        Point3::new(0.04 * cos, 0.02 + 0.1 * t, 0.04 * sin)
    };
    (0..=80).map(point).collect()
}

/// A coiled thread: a tube that is open at both ends.
pub(crate) fn thread() -> ObjectView {
    const AROUND: u32 = 12;
    let line = thread_line();
    let mut positions = Vec::new();
    for (i, at) in line.iter().enumerate() {
        let along = line[(i + 1).min(line.len() - 1)] - line[i.saturating_sub(1)];
        let unit = |v: Vector3<f64>| v.try_normalize(0.0).expect("the coil never points up");
        let side = unit(along.cross(&Vector3::y()));
        let up = unit(side.cross(&along));
        for k in 0..AROUND {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
            let on_skin = at + (side * cos + up * sin) * f64::from(THREAD_RADIUS);
            positions.push([on_skin.x as f32, on_skin.y as f32, on_skin.z as f32]);
        }
    }
    let rings = line.len() as u32 - 1;
    let round = |p: u32| p / (AROUND + 1) * AROUND + p % (AROUND + 1) % AROUND;
    let triangles = strip([AROUND, rings], AROUND + 1).into_iter();
    surface(positions, triangles.map(|t| t.map(round)).collect(), Isometry3::identity())
}

/// Two triangles for each cell of a grid with rows of `row` points.
fn strip([across, along]: [u32; 2], row: u32) -> Vec<[u32; 3]> {
    let cells = (0..along).flat_map(|v| (0..across).map(move |u| v * row + u));
    cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]).collect()
}

/// The same cube with a dent of 9 mm in the middle of its front.
pub(crate) fn dented(frame: &SurfaceFrame) -> SurfaceFrame {
    let mut frame = frame.clone();
    for [x, y, z] in Arc::make_mut(&mut frame.positions) {
        let away = (*x * *x + *y * *y).sqrt() / 0.02;
        if *z == HALF && away < 1.0 {
            *z -= 0.009 * (1.0 - away * away).powi(2);
        }
    }
    frame
}

/// Five fingers that hang from a flat palm at the right, with all tips in one kind of contact.
pub(crate) fn hand(contact: FingerContact) -> HandView {
    let mut shapes = Vec::new();
    let fingertips = std::array::from_fn(|i| {
        let across = 0.02 * i as f64;
        let radius = 0.008;
        let knuckle = Point3::new(0.04, 0.12, 0.05 - across);
        let joint = Point3::new(0.01, 0.11, 0.05 - across);
        let centre = Point3::new(-0.01, 0.07, 0.05 - across);
        shapes.push(Shape::Cylinder { start: knuckle, end: joint, radius });
        shapes.push(Shape::Cylinder { start: joint, end: centre, radius });
        shapes.push(Shape::Sphere { centre, radius });
        FingertipView { centre, radius, contact }
    });
    // The thumb's base, four knuckles, the outer wrist.
    let outline = [
        [0.10, 0.14, 0.04],
        [0.04, 0.12, 0.05],
        [0.035, 0.118, 0.02],
        [0.035, 0.118, 0.0],
        [0.04, 0.12, -0.03],
        [0.10, 0.14, -0.02],
    ];
    HandView {
        shapes,
        palm: Palm { outline: outline.map(Point3::from), radius: 0.01 },
        fingertips,
        role: HandRole::Own,
    }
}
