//! The menu in the headset: when it opens, where it stands, and what the hands do with it.

use std::time::{Duration, Instant};

use nalgebra::{Isometry3, Point3, Vector3};

use super::link::HeadsetLink;
use super::menu_link::Pointing;
use super::pointing::{self, Pointed, SIZE, Tip};
use crate::render::SceneRenderer;
use crate::scene::Scene;

/// The menu as the headset's thread knows it.
#[derive(Default)]
pub(super) struct Menu {
    world_from_board: Option<Isometry3<f64>>,
    /// Which hand's palm it stands beside, left first; none for the gaze.
    host: Option<usize>,
    /// Since when which palm has been turned to the eyes.
    turned: Option<(usize, Instant)>,
    was_button: bool,
    last: Option<Pointing>,
    /// Thumb and index of the hands as they were last seen.
    tips: Vec<[Tip; 2]>,
}

/// What the wearer does, in the world.
pub(super) struct Doing {
    pub(super) world_from_head: Isometry3<f64>,
    /// Wrists of open bare hands, left first.
    pub(super) wrists: [Option<Isometry3<f64>>; 2],
    /// Where controllers point, along -z, and whether their triggers are pulled.
    pub(super) aims: [Option<(Isometry3<f64>, bool)>; 2],
    /// Whether a controller's button for it is pressed.
    pub(super) button: bool,
    pub(super) scale: f64,
}

/// A palm that is turned to the eyes for longer wants the menu; one that only passes does not.
const LOOK: Duration = Duration::from_millis(400);

impl Menu {
    /// Remembers where fingertips are.
    pub(super) fn see(&mut self, scene: &Scene) {
        self.tips.clear();
        let tip =
            |tip: &crate::scene::FingertipView| Tip { centre: tip.centre, radius: tip.radius };
        self.tips.extend(scene.hands.iter().map(|hand| {
            let [thumb, index, ..] = &hand.fingertips;
            [tip(thumb), tip(index)]
        }));
    }

    /// Takes what the wearer does, tells the window, and shows what that has painted.
    pub(super) fn update(
        &mut self,
        doing: &Doing,
        link: &HeadsetLink,
        renderer: &mut SceneRenderer,
        now: Instant,
    ) {
        self.open_or_close(doing, link, now);
        if !link.menu.is_open() {
            if self.world_from_board.take().is_some() {
                tracing::info!("the menu is closed in the headset");
            }
            self.last = None;
            renderer.hide_board();
            return;
        }
        if self.world_from_board.is_none() {
            tracing::info!("the menu is open in the headset");
        }
        let world_from_board = self.place(doing);
        let pointed = self.pointed(&world_from_board, doing);
        let pointing = Pointing {
            at: pointed.map(|pointed| on_board(&pointed)),
            is_pressed: pointed.is_some_and(|pointed| pointed.is_pressed),
        };
        if self.last.replace(pointing) != Some(pointing) {
            link.menu.point(pointing);
        }
        let board = renderer.board();
        if let Some(painted) = link.menu.take_painted() {
            board.paint(painted);
        }
        board.place(&world_from_board, SIZE.map(|metres| metres / doing.scale));
    }

    /// By a controller's button, or by a palm that is looked at.
    fn open_or_close(&mut self, doing: &Doing, link: &HeadsetLink, now: Instant) {
        if doing.button && !self.was_button {
            self.host = None;
            link.menu.switch();
        }
        self.was_button = doing.button;
        let eyes = Point3::from(doing.world_from_head.translation.vector);
        let is_turned = |hand: &usize| {
            doing.wrists[*hand].is_some_and(|wrist| pointing::is_turned_to(&wrist, &eyes))
        };
        let hand = [0, 1].into_iter().find(is_turned);
        self.turned = hand.map(|hand| match self.turned {
            Some((before, since)) if before == hand => (hand, since),
            _ => (hand, now),
        });
        if let Some((hand, since)) = self.turned
            && !link.menu.is_open()
            && now.saturating_duration_since(since) > LOOK
        {
            self.host = Some(hand);
            link.menu.open(true);
        }
    }

    /// Beside the palm as long as that is turned to the eyes, and then where it was left; or before the gaze.
    fn place(&mut self, doing: &Doing) -> Isometry3<f64> {
        let Doing { world_from_head, scale, .. } = doing;
        let hosted = self.host.filter(|host| self.turned.is_some_and(|(hand, _)| hand == *host));
        let placed = match hosted.and_then(|host| doing.wrists[host]) {
            Some(wrist) => {
                let palm = Point3::from(wrist.translation.vector);
                pointing::beside_palm(world_from_head, &palm, *scale)
            }
            None => match self.world_from_board {
                Some(board) if !pointing::is_left_behind(&board, world_from_head, *scale) => board,
                _ => pointing::before_gaze(world_from_head, *scale),
            },
        };
        *self.world_from_board.insert(placed)
    }

    /// By a controller, else by a hand: whichever points at the board first.
    fn pointed(&self, board: &Isometry3<f64>, doing: &Doing) -> Option<Pointed> {
        let by_controller = doing.aims.iter().flatten().find_map(|(aim, is_pressed)| {
            let from = Point3::from(aim.translation.vector);
            let at = pointing::by_ray(board, &from, &(aim * -Vector3::z()), doing.scale)?;
            Some(Pointed { at, is_pressed: *is_pressed })
        });
        let eyes = Point3::from(doing.world_from_head.translation.vector);
        let was_pressed = self.last.is_some_and(|last| last.is_pressed);
        by_controller.or_else(|| {
            let by_hand =
                |tips: &[Tip; 2]| pointing::by_hand(board, &eyes, *tips, was_pressed, doing.scale);
            self.tips.iter().find_map(by_hand)
        })
    }
}

/// As shares from the upper left corner.
fn on_board(pointed: &Pointed) -> [f32; 2] {
    let [x, y] = pointed.at;
    let [width, height] = SIZE;
    [(x / width + 0.5) as f32, (0.5 - y / height) as f32]
}
