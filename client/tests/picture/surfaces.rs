//! Tests of surfaces that are not the skin of a solid: open ones, tubes, and surfaces that change.

use client::render::{Offscreen, Picture};
use interaction::scene::{ObjectView, Scene};
use nalgebra::Isometry3;

use crate::colour::{Hue, difference, n_pixels};
use crate::things::{THREAD_RADIUS, cube, page, surface, thread, thread_line};
use crate::{HEIGHT, WIDTH, check_seen, empty, picture};

fn only(object: ObjectView) -> Scene {
    Scene { objects: vec![object], ..empty() }
}

/// The same surface with its triangles turned round.
fn inside_out(object: &ObjectView) -> ObjectView {
    let topology = &object.frame.topology;
    let turned = topology.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    surface(object.frame.positions.to_vec(), turned, object.world_from_object)
}

#[test]
fn a_page_is_lit_alike_from_both_sides() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let front = picture(&mut offscreen, &only(page()));
    let back = picture(&mut offscreen, &only(inside_out(&page())));
    assert!(n_pixels(&front, Hue::Object) > 5000, "the page is not seen");
    let worst = worst_difference(&front, &back);
    assert!(worst <= 3.0, "a pixel differs by {worst}");
}

#[test]
fn a_page_is_seen_from_behind() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let mut turned = page();
    turned.world_from_object *= Isometry3::rotation(nalgebra::Vector3::y() * std::f64::consts::PI);
    let behind = picture(&mut offscreen, &only(turned));
    assert!(n_pixels(&behind, Hue::Object) > 5000, "the back is not seen");
}

#[test]
fn a_thread_is_seen_where_it_is() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let picture = picture(&mut offscreen, &only(thread()));
    let line = thread_line();
    // The ends of the thread are open and its coils have corners, which the rays do not take into
    // account.
    check_seen(&picture, Hue::Object, |ray| ray.hits_line(&line, THREAD_RADIUS.into()), 0.93);
}

#[test]
fn a_surface_may_become_another_one() {
    let world_from_object = Isometry3::translation(0.0, 0.03, 0.0);
    let stages = [cube(5, world_from_object), page(), thread(), cube(9, world_from_object)];
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    for (i, stage) in stages.into_iter().enumerate() {
        let scene = only(stage);
        let changed = picture(&mut offscreen, &scene);
        let fresh = picture(&mut Offscreen::new(WIDTH, HEIGHT).unwrap(), &scene);
        assert_eq!(worst_difference(&changed, &fresh), 0.0, "something is left after change {i}");
    }
    assert_eq!(offscreen.uploads().topologies, 4);
}

fn worst_difference(a: &Picture, b: &Picture) -> f64 {
    a.pixels().iter().zip(b.pixels()).map(|(a, b)| difference(*a, *b)).fold(0.0, f64::max)
}
