//! The loop of a window: events go to panels and camera, and changes go to the screen.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::{Window, WindowId};

use super::canvas::{Canvas, Drawing};
use super::controls::{Claim, Controls, Wish};
use super::mouse::MouseWatch;
use super::{Going, Meant, MouseDoes, Show, Sight, WindowError, WindowReport};
use crate::render::{Camera, Part};

/// From one look for something new to the next, and the least time between pictures, unless the environment says
/// otherwise.
const TICK: Duration = Duration::from_micros(16_600);
/// The variable with the most pictures in a second. Where the processor draws, fewer leave more time to hand and solver.
const PICTURES_PER_SECOND: &str = "PALPATE_PICTURES_PER_SECOND";
/// The same in a window in which nothing has changed for a while: a hand that begins to move is seen a moment later.
const IDLE_TICK: Duration = Duration::from_millis(66);
const IDLE_AFTER: Duration = Duration::from_secs(1);
const SIZE: LogicalSize<u32> = LogicalSize::new(1280, 720);
/// Below this, panels would cover each other.
const SMALLEST: LogicalSize<u32> = LogicalSize::new(900, 540);

/// The window and what it shows.
pub(super) struct Desk<'a> {
    title: &'a str,
    show: &'a mut dyn Show,
    stop: &'a AtomicBool,
    stage: Stage,
    camera: Camera,
    controls: Controls,
    mouse: MouseWatch,
    /// What the left button was pressed for, while it is.
    pressed_for: Option<Meant>,
    /// When the picture has to be drawn anew, if it has to.
    redraw: Option<Instant>,
    tick: Duration,
    next_tick: Instant,
    /// When something last happened or changed.
    stirred: Instant,
    report: WindowReport,
}

enum Stage {
    /// The display has not yet said that windows may be opened.
    Unopened,
    Open(Box<Canvas>),
    Closed,
    Failed(WindowError),
}

impl<'a> Desk<'a> {
    pub(super) fn new(title: &'a str, show: &'a mut dyn Show, stop: &'a AtomicBool) -> Self {
        let camera = show.camera();
        let now = Instant::now();
        Self {
            title,
            show,
            stop,
            stage: Stage::Unopened,
            camera,
            controls: Controls::default(),
            mouse: MouseWatch::default(),
            pressed_for: None,
            redraw: Some(now),
            tick: wanted_tick(),
            next_tick: now,
            stirred: now,
            report: WindowReport { frames_drawn: 0, scenes_uploaded: 0 },
        }
    }

    pub(super) fn outcome(self) -> Result<WindowReport, WindowError> {
        match self.stage {
            Stage::Failed(error) => Err(error),
            Stage::Unopened | Stage::Open(_) | Stage::Closed => Ok(self.report),
        }
    }

    fn redraw_soon(&mut self) {
        self.redraw = Some(Instant::now());
    }

    fn follow(&mut self, wish: Wish, height: f64) -> Going {
        match wish {
            Wish::Turn { yaw, pitch } => self.camera.orbit(yaw, pitch),
            Wish::Zoom(factor) => self.camera.zoom(factor),
            Wish::Move { right, up } => self.camera.pan(right / height, up / height),
            Wish::LookAsAtFirst => self.camera = self.show.camera(),
            Wish::Quit => return self.show.close(),
        }
        Going::On
    }

    /// Whether the show takes what the mouse does. What the left button began is the show's until it is let go,
    /// and the view's if the view took it.
    fn is_for_show(&mut self, event: &WindowEvent, claim: Claim, part: Part) -> bool {
        let Some(mouse) = self.mouse.hear(event, part) else { return false };
        let is_begun = self.pressed_for == Some(Meant::ForShow);
        if (claim.pointer && !is_begun) || self.controls.is_dragging() {
            return false;
        }
        let sight = Sight { camera: self.camera, aspect: part.aspect() };
        let meant = self.show.mouse(&mouse, &sight);
        match mouse.does {
            MouseDoes::Presses => self.pressed_for = Some(meant),
            MouseDoes::LetsGo => self.pressed_for = None,
            MouseDoes::Moves | MouseDoes::Rolls(_) => {}
        }
        // The view has to know where the pointer is.
        meant == Meant::ForShow && mouse.does != MouseDoes::Moves
    }

    fn draw(&mut self, event_loop: &ActiveEventLoop) {
        let Stage::Open(canvas) = &mut self.stage else { return };
        match canvas.draw(&self.camera, self.show) {
            Ok(Drawing::Shown { going, again_after }) => {
                self.report.frames_drawn += 1;
                self.show.drawn();
                self.redraw = Instant::now().checked_add(again_after);
                if going == Going::Over {
                    event_loop.exit();
                }
            }
            // Tried again at the next tick.
            Ok(Drawing::Postponed) => self.redraw_soon(),
            Ok(Drawing::Unseen) => self.redraw = None,
            Err(error) => self.stage = failed(error.into(), event_loop),
        }
    }
}

impl ApplicationHandler for Desk<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if matches!(self.stage, Stage::Unopened) {
            self.stage = match open(self.title, event_loop) {
                Ok(canvas) => Stage::Open(Box::new(canvas)),
                Err(error) => failed(error, event_loop),
            };
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Stage::Open(canvas) = &mut self.stage else { return };
        if matches!(event, WindowEvent::RedrawRequested) {
            self.draw(event_loop);
            return;
        }
        self.stirred = Instant::now();
        self.next_tick = self.next_tick.min(self.stirred + self.tick);
        let panels = canvas.hear(&event);
        let part = canvas.picture_part();
        if panels.want_picture {
            self.redraw_soon();
        }
        if self.is_for_show(&event, panels.claim, part) {
            self.redraw_soon();
            return;
        }
        let going = match &event {
            WindowEvent::CloseRequested => self.show.close(),
            WindowEvent::Resized(size) => {
                if let Stage::Open(canvas) = &mut self.stage {
                    canvas.resize(*size);
                }
                Going::On
            }
            WindowEvent::DroppedFile(file) => {
                self.show.dropped(file);
                Going::On
            }
            other => match self.controls.wish(other, panels.claim) {
                Some(wish) => {
                    self.redraw_soon();
                    self.follow(wish, f64::from(part.height))
                }
                None => Going::On,
            },
        };
        if going == Going::Over {
            event_loop.exit();
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if self.stop.load(Ordering::Relaxed) {
            event_loop.exit();
            return;
        }
        let now = Instant::now();
        if let Stage::Open(canvas) = &mut self.stage
            && now >= self.next_tick
        {
            let scene = self.show.scene(&self.camera);
            let is_new = scene.is_some();
            if let Some(scene) = scene {
                canvas.show(&scene);
                self.report.scenes_uploaded += 1;
            }
            let is_due = self.redraw.is_some_and(|at| at <= now);
            // Whatever is new is asked for first, so that nothing new is left for later.
            if self.show.has_news() || is_new || is_due {
                canvas.request_redraw();
                self.stirred = now;
            }
            if self.show.is_over() {
                event_loop.exit();
                return;
            }
            let is_still = now.saturating_duration_since(self.stirred) >= IDLE_AFTER;
            self.next_tick = now + if is_still { self.tick.max(IDLE_TICK) } else { self.tick };
        }
        event_loop.set_control_flow(ControlFlow::WaitUntil(self.next_tick));
    }

    /// Graphics end while the display is still connected.
    fn exiting(&mut self, _: &ActiveEventLoop) {
        if matches!(self.stage, Stage::Open(_)) {
            self.stage = Stage::Closed;
        }
    }
}

/// The tick that the environment asks for.
fn wanted_tick() -> Duration {
    let Some(text) = std::env::var_os(PICTURES_PER_SECOND) else { return TICK };
    tick(&text.to_string_lossy()).unwrap_or_else(|| {
        tracing::warn!("{PICTURES_PER_SECOND} is {text:?}; expected a number from 1 to 60");
        TICK
    })
}

/// The time between pictures of which there are this many in a second.
fn tick(pictures_per_second: &str) -> Option<Duration> {
    let rate = pictures_per_second.parse::<u32>().ok().filter(|rate| (1..=60).contains(rate))?;
    Some(TICK.max(Duration::from_secs(1) / rate))
}

fn open(title: &str, event_loop: &ActiveEventLoop) -> Result<Canvas, WindowError> {
    let attributes = Window::default_attributes()
        .with_title(title)
        .with_inner_size(SIZE)
        .with_min_inner_size(SMALLEST);
    Ok(Canvas::new(event_loop.create_window(attributes)?)?)
}

fn failed(error: WindowError, event_loop: &ActiveEventLoop) -> Stage {
    event_loop.exit();
    Stage::Failed(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_in_a_second_are_a_number_that_a_screen_can_show() {
        assert_eq!(tick("20"), Some(Duration::from_millis(50)));
        assert_eq!(tick("60"), Some(Duration::from_secs(1) / 60));
        for wrong in ["", "0", "61", "-1", "fast"] {
            assert_eq!(tick(wrong), None, "{wrong}");
        }
    }
}
