//! Things to be seen: a cube, a dented one, a hand.

use std::collections::HashMap;
use std::sync::Arc;

use client::scene::{FingerContact, FingertipView, HandRole, HandView, ObjectView, Palm};
use nalgebra::{Isometry3, Point3};
use physics::{Grip, NodeId, Outcome, SampleId, Shape, StepReport, SurfaceFrame, Topology};

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
    let nodes = (0..positions.len() as u32).map(NodeId).collect();
    let frame = SurfaceFrame {
        sample: SampleId(1),
        topology: Arc::new(Topology {
            version: 1,
            grip: Grip::Nodes,
            nodes,
            rest_positions: positions.clone(),
            triangles,
        }),
        positions: Arc::new(positions),
        reactions: Vec::new(),
        report: StepReport::without_solve(Outcome::AtRest),
    };
    ObjectView { frame: Arc::new(frame), world_from_object, colours: None }
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
    let outline = [
        [0.04, 0.12, 0.05],
        [0.04, 0.12, -0.03],
        [0.07, 0.13, -0.035],
        [0.10, 0.14, -0.02],
        [0.10, 0.14, 0.04],
        [0.07, 0.13, 0.055],
    ];
    HandView {
        shapes,
        palm: Palm { outline: outline.map(Point3::from), radius: 0.01 },
        fingertips,
        role: HandRole::Own,
    }
}
