//! The menu in the headset: opening, position and input from the hands.

use std::time::{Duration, Instant};

use interaction::scene::Scene;
use nalgebra::{Isometry3, Point3, Vector3};

use super::board_pointer::{self, BoardPoint, FingertipBall, SIZE};
use super::headset_link::HeadsetLink;
use super::menu_link::PointerState;
use crate::render::SceneRenderer;

/// State of the menu in the headset's thread.
#[derive(Default)]
pub(super) struct MenuBoard {
    world_from_board: Option<Isometry3<f64>>,
    /// Hand beside whose palm the board stands (0 is left); `None` if it stands before the gaze.
    host: Option<usize>,
    /// The palm that is turned to the eyes, and the time when that began.
    turned: Option<(usize, Instant)>,
    /// True if this palm has opened the menu already. It must turn away before it can open the menu
    /// again.
    is_served: bool,
    was_button: bool,
    last: Option<PointerState>,
    /// Last positions of thumb and index of both hands.
    tips: Vec<[FingertipBall; 2]>,
}

/// Input of the wearer, in the world frame.
pub(super) struct WearerInput {
    pub(super) world_from_head: Isometry3<f64>,
    /// Wrists of open bare hands, left first.
    pub(super) wrists: [Option<Isometry3<f64>>; 2],
    /// Aim poses of the controllers, along -z, and whether their triggers are pulled.
    pub(super) aims: [Option<(Isometry3<f64>, bool)>; 2],
    /// True if a menu button of a controller is pressed.
    pub(super) button: bool,
    pub(super) scale: f64,
}

/// Time for which a palm must be turned to the eyes to open the menu.
const LOOK: Duration = Duration::from_millis(400);

impl MenuBoard {
    /// Stores the positions of the fingertips.
    pub(super) fn see(&mut self, scene: &Scene) {
        self.tips.clear();
        let tip = |tip: &interaction::scene::FingertipView| FingertipBall {
            centre: tip.centre,
            radius: tip.radius,
        };
        self.tips.extend(scene.hands.iter().map(|hand| {
            let [thumb, index, ..] = &hand.fingertips;
            [tip(thumb), tip(index)]
        }));
    }

    /// Processes the wearer's input, passes it to the window, and shows the window's newest
    /// picture.
    pub(super) fn update(
        &mut self,
        input: &WearerInput,
        link: &HeadsetLink,
        renderer: &mut SceneRenderer,
        now: Instant,
    ) {
        self.open_or_close(input, link, now);
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
        let world_from_board = self.place(input);
        let pointed = self.pointed(&world_from_board, input);
        let pointing = self.goes_on(pointed.as_ref());
        if self.last.replace(pointing) != Some(pointing) {
            tracing::debug!(at = ?pointing.at, is_pressed = pointing.is_pressed, "the wearer points");
            link.menu.point(pointing);
        }
        let board = renderer.board();
        if let Some(painted) = link.menu.take_painted() {
            board.paint(painted);
        }
        board.place(&world_from_board, SIZE.map(|metres| metres / input.scale));
    }

    /// Opens or closes the menu by a controller's button or a palm turned to the eyes.
    fn open_or_close(&mut self, input: &WearerInput, link: &HeadsetLink, now: Instant) {
        if input.button && !self.was_button {
            self.host = None;
            link.menu.switch();
        }
        self.was_button = input.button;
        let eyes = Point3::from(input.world_from_head.translation.vector);
        let is_turned = |hand: &usize| {
            input.wrists[*hand].is_some_and(|wrist| board_pointer::is_turned_to(&wrist, &eyes))
        };
        let hand = [0, 1].into_iter().find(is_turned);
        self.turned = hand.map(|hand| match self.turned {
            Some((before, since)) if before == hand => (hand, since),
            _ => (hand, now),
        });
        self.is_served = self.turned.is_some() && (self.is_served || link.menu.is_open());
        if let Some((hand, since)) = self.turned
            && !self.is_served
            && now.saturating_duration_since(since) > LOOK
        {
            (self.host, self.is_served) = (Some(hand), true);
            link.menu.open();
        }
    }

    /// Releases a press at its last position: by now the finger may be gone, or the ray may point
    /// elsewhere.
    fn goes_on(&self, pointed: Option<&BoardPoint>) -> PointerState {
        let is_pressed = pointed.is_some_and(|pointed| pointed.is_pressed);
        match self.last {
            Some(last) if last.is_pressed && !is_pressed => PointerState { is_pressed, ..last },
            _ => PointerState { at: pointed.map(shares), is_pressed },
        }
    }

    /// Places the board: beside the palm while it is turned to the eyes, fixed after that; or
    /// before the gaze.
    fn place(&mut self, input: &WearerInput) -> Isometry3<f64> {
        let WearerInput { world_from_head, scale, .. } = input;
        let hosted = self.host.filter(|host| self.turned.is_some_and(|(hand, _)| hand == *host));
        let placed = match hosted.and_then(|host| input.wrists[host]) {
            Some(wrist) => {
                let palm = Point3::from(wrist.translation.vector);
                board_pointer::beside_palm(world_from_head, &palm, *scale)
            }
            None => match self.world_from_board {
                Some(board) if !board_pointer::is_left_behind(&board, world_from_head, *scale) => {
                    board
                }
                _ => board_pointer::before_gaze(world_from_head, *scale),
            },
        };
        *self.world_from_board.insert(placed)
    }

    /// Returns the pointed position: of a finger at the board, else of a controller's ray, else of
    /// a hand in the line of sight. A runtime may offer a ray for a bare hand as well, so a touch
    /// comes first.
    fn pointed(&self, board: &Isometry3<f64>, input: &WearerInput) -> Option<BoardPoint> {
        let WearerInput { world_from_head, aims, scale, .. } = input;
        let was_pressed = self.last.is_some_and(|last| last.is_pressed);
        let poked = |[_, index]: &[FingertipBall; 2]| {
            board_pointer::by_poke(board, index, was_pressed, *scale)
        };
        let aimed = |(aim, is_pressed): &(Isometry3<f64>, bool)| {
            let from = Point3::from(aim.translation.vector);
            let at = board_pointer::by_ray(board, &from, &(aim * -Vector3::z()), *scale)?;
            Some(BoardPoint { at, is_pressed: *is_pressed })
        };
        let eyes = Point3::from(world_from_head.translation.vector);
        let pinched = |tips: &[FingertipBall; 2]| {
            board_pointer::by_pinch(board, &eyes, tips, was_pressed, *scale)
        };
        (self.tips.iter().find_map(poked))
            .or_else(|| aims.iter().flatten().find_map(aimed))
            .or_else(|| self.tips.iter().find_map(pinched))
    }
}

/// Converts a point to shares of width and height, from the upper left corner.
fn shares(pointed: &BoardPoint) -> [f32; 2] {
    let [x, y] = pointed.at;
    let [width, height] = SIZE;
    [(x / width + 0.5) as f32, (0.5 - y / height) as f32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Bell;
    use nalgebra::UnitQuaternion;
    use std::sync::Arc;

    use super::super::headset_link::{Stance, WorldPlacement};

    /// An open right hand whose inner side is turned to the eyes, or away from them.
    fn palm(towards_eyes: f64) -> WearerInput {
        let turn = UnitQuaternion::face_towards(&-Vector3::y(), &(-Vector3::z() * towards_eyes));
        let wrist = Isometry3::from_parts(Vector3::new(0.0, 0.0, -0.4).into(), turn);
        WearerInput {
            world_from_head: Isometry3::identity(),
            wrists: [None, Some(wrist)],
            aims: [None; 2],
            button: false,
            scale: 1.0,
        }
    }

    #[test]
    fn a_palm_opens_the_menu_once_each_time_it_is_turned_to_the_eyes() {
        let placement = WorldPlacement { stance: Stance::Seated, scale: 1.0 };
        let link = HeadsetLink::new(&Arc::new(Bell::default()), placement);
        let (mut menu, start) = (MenuBoard::default(), Instant::now());
        let mut look = |towards_eyes: f64, after_ms: u64| {
            let now = start + Duration::from_millis(after_ms);
            menu.open_or_close(&palm(towards_eyes), &link, now);
            link.menu.is_open()
        };
        assert!(!look(1.0, 0) && !look(1.0, 300) && look(1.0, 500));
        // Closed by a click, it stays closed while the palm stays.
        link.menu.switch();
        assert!(!look(1.0, 550) && !look(1.0, 5000));
        assert!(!look(-1.0, 5100) && !look(1.0, 5200) && look(1.0, 5700));
    }

    #[test]
    fn a_press_ends_where_it_was() {
        let pressed = PointerState { at: Some([0.5, 0.8]), is_pressed: true };
        let menu = MenuBoard { last: Some(pressed), ..MenuBoard::default() };
        let released = PointerState { is_pressed: false, ..pressed };
        let elsewhere = BoardPoint { at: [0.1, 0.1], is_pressed: false };
        assert_eq!(menu.goes_on(None), released);
        assert_eq!(menu.goes_on(Some(&elsewhere)), released);
        let after = MenuBoard { last: Some(released), ..MenuBoard::default() };
        assert_eq!(after.goes_on(Some(&elsewhere)).at, Some([0.75, 0.277_777_8]));
    }
}
