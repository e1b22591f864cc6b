//! Tests of uploads to the graphics device: positions once for each new shape, and nothing that is
//! already there.

use std::sync::Arc;

use client::render::{Offscreen, Uploads};
use interaction::scene::{Colouring, FingerContact, Scene};
use nalgebra::Isometry3;

use crate::things::{cube, dented, hand};
use crate::{empty, picture};

/// Counts the uploads of a scene after earlier ones.
struct Counted {
    offscreen: Offscreen,
    before: Uploads,
}

impl Counted {
    fn cost(&mut self, scene: &Scene) -> Uploads {
        picture(&mut self.offscreen, scene);
        let (after, before) = (self.offscreen.uploads(), self.before);
        self.before = after;
        Uploads {
            topologies: after.topologies - before.topologies,
            shapes: after.shapes - before.shapes,
            values: after.values - before.values,
            shadows: after.shadows - before.shadows,
            bytes: after.bytes - before.bytes,
        }
    }
}

#[test]
fn only_what_changed_is_sent() {
    let mut counted =
        Counted { offscreen: Offscreen::new(64, 36).unwrap(), before: Uploads::default() };
    let world_from_object = Isometry3::translation(0.0, 0.03, 0.0);
    let hands = vec![hand(FingerContact::Free)];
    let mut scene = Scene { objects: vec![cube(6, world_from_object)], hands, ..empty() };
    // The six faces of the cube meet at creases, so that they share no vertices.
    let n_vertices = 6 * 7 * 7;
    let (vertex, value, place) = (24, 4, 80);

    let first = counted.cost(&scene);
    assert_eq!((first.topologies, first.shapes, first.values), (1, 1, 1));
    assert!(first.bytes > n_vertices * (vertex + value + 12));

    // The same moment again, and a copy of it that shares its surface.
    for again in [scene.clone(), scene.clone()] {
        let cost = counted.cost(&again);
        assert_eq!(cost, Uploads { shadows: 1, ..Uploads::default() });
    }

    // A new shape: positions, normals and the value behind the colour, once.
    scene.objects[0].frame = Arc::new(dented(&scene.objects[0].frame));
    let cost = counted.cost(&scene);
    assert_eq!((cost.topologies, cost.shapes, cost.values), (0, 1, 1));
    assert_eq!(cost.bytes, n_vertices * (vertex + value));

    // An equal copy of the topology, as a server sends it, rebuilds nothing.
    let mut copy = (*scene.objects[0].frame).clone();
    copy.topology = Arc::new((*copy.topology).clone());
    scene.objects[0].frame = Arc::new(copy);
    let cost = counted.cost(&scene);
    assert_eq!((cost.topologies, cost.shapes), (0, 1));

    // Carried: only the place changes.
    scene.objects[0].world_from_object = Isometry3::translation(0.0, 0.05, 0.0);
    let cost = counted.cost(&scene);
    assert_eq!((cost.shapes, cost.values, cost.bytes), (0, 0, place));

    // Other values behind the colours, and then only another range.
    scene.colouring = Colouring::Displacement { full: 0.01 };
    let cost = counted.cost(&scene);
    assert_eq!((cost.shapes, cost.values, cost.bytes), (0, 1, n_vertices * value + place));
    scene.colouring = Colouring::Displacement { full: 0.02 };
    let cost = counted.cost(&scene);
    assert_eq!((cost.shapes, cost.values, cost.bytes), (0, 0, place));

    // Another topology is prepared once.
    scene.objects[0] = cube(4, world_from_object);
    let cost = counted.cost(&scene);
    assert_eq!((cost.topologies, cost.shapes, cost.values), (1, 1, 1));
    // The second thing causes no upload for the first one.
    scene.objects.push(cube(3, Isometry3::translation(0.1, 0.03, 0.0)));
    let cost = counted.cost(&scene);
    assert_eq!((cost.topologies, cost.shapes), (1, 1));
}
