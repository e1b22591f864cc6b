//! Tests of panels on a board that stands in the scene.

use client::render::Offscreen;
use client::ui::Board;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::colour::difference;
use crate::eyes::{FACE, eye, scene};
use crate::{HEIGHT, WIDTH};

#[test]
fn panels_are_seen_where_their_board_stands_and_nothing_is_where_it_is_free() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let viewpoint = eye(0.0);
    let without = offscreen.picture_from(&scene(), &viewpoint).unwrap();
    let green = [20, 200, 60];
    let painted = Board::new().lay_out(Vec::new(), |ui| {
        let [width, height] = Board::POINTS;
        let left = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width / 2.0, height));
        let [r, g, b] = green;
        let painter = ui.ctx().layer_painter(egui::LayerId::background());
        painter.rect_filled(left, 0.0, egui::Color32::from_rgb(r, g, b));
    });
    // Before the cube, which is 45 cm from the eye, and turned to it.
    let place = Point3::new(0.0, 0.12, 0.12);
    let world_from_board = Isometry3::face_towards(&place, &Point3::from(FACE), &Vector3::y());
    let [width, height] = [0.12, 0.08];
    let board = offscreen.board();
    board.paint(painted);
    board.place(&world_from_board, [width, height]);
    let with = offscreen.look_again(&viewpoint).unwrap();

    let green = [green[0], green[1], green[2], 255];
    let mut n_seen = [0, 0];
    for (i, j) in (0..20).flat_map(|i| (0..20).map(move |j| (i, j))) {
        let [across, down] = [i, j].map(|k| (f64::from(k) + 0.5) / 20.0);
        let at = Point3::new((across - 0.5) * width, (0.5 - down) * height, 0.0);
        let clip = viewpoint.clip_from_world.transform_point(&(world_from_board * at).cast());
        let x = (clip.x + 1.0) / 2.0 * WIDTH as f32;
        let y = (1.0 - clip.y) / 2.0 * HEIGHT as f32;
        let (x, y) = (x as u32, y as u32);
        let pixel = with.at(x, y);
        let (expected, half) = if i < 10 { (green, 0) } else { (without.at(x, y), 1) };
        assert!(difference(pixel, expected) < 12.0, "{pixel:?} at {x} {y}, not {expected:?}");
        n_seen[half] += 1;
    }
    assert_eq!(n_seen, [200, 200]);
    offscreen.board().hide();
    let hidden = offscreen.look_again(&viewpoint).unwrap();
    assert_eq!(hidden, without);
}
