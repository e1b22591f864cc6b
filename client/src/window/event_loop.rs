//! The loop of a window: passes events to panels and camera, and draws changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::{Window, WindowId};

use super::canvas::{Canvas, DrawOutcome};
use super::mouse::MouseTracker;
use super::view_controls::{PanelClaim, ViewCommand, ViewControls};
use super::{
    EventUse, MouseAction, PictureCamera, WindowContent, WindowError, WindowFlow, WindowReport,
};
use crate::render::{Camera, Viewport};

/// Time between two checks for changes, and the shortest time between two pictures, unless the
/// environment variable sets another limit.
const TICK: Duration = Duration::from_micros(16_600);
/// Environment variable with the largest number of pictures per second. Where the processor draws,
/// fewer pictures leave more time to hand and solver.
const PICTURES_PER_SECOND: &str = "PALPATE_PICTURES_PER_SECOND";
/// Time between two checks after `IDLE_AFTER` without a change. A hand that begins to move then
/// shows a moment later.
const IDLE_TICK: Duration = Duration::from_millis(66);
/// Time without a change after which the window counts as idle.
const IDLE_AFTER: Duration = Duration::from_secs(1);
/// Size of a new window.
const SIZE: LogicalSize<u32> = LogicalSize::new(1280, 720);
/// Smallest size of the window. In a smaller one, panels would cover each other.
const SMALLEST: LogicalSize<u32> = LogicalSize::new(900, 540);

/// The window and its contents.
pub(super) struct WindowHandler<'a> {
    title: &'a str,
    content: &'a mut dyn WindowContent,
    stop: &'a AtomicBool,
    state: WindowState,
    camera: Camera,
    controls: ViewControls,
    mouse: MouseTracker,
    /// The user of the last press of the left button, while the button is down.
    pressed_for: Option<EventUse>,
    /// Time of the next drawing, if one is due.
    redraw: Option<Instant>,
    tick: Duration,
    next_tick: Instant,
    /// Time of the last event or change.
    stirred: Instant,
    report: WindowReport,
}

enum WindowState {
    /// The display has not yet allowed windows.
    Unopened,
    Open(Box<Canvas>),
    Closed,
    Failed(WindowError),
}

impl<'a> WindowHandler<'a> {
    pub(super) fn new(
        title: &'a str,
        content: &'a mut dyn WindowContent,
        stop: &'a AtomicBool,
    ) -> Self {
        let camera = content.camera();
        let now = Instant::now();
        Self {
            title,
            content,
            stop,
            state: WindowState::Unopened,
            camera,
            controls: ViewControls::default(),
            mouse: MouseTracker::default(),
            pressed_for: None,
            redraw: Some(now),
            tick: wanted_tick(),
            next_tick: now,
            stirred: now,
            report: WindowReport { frames_drawn: 0, scenes_uploaded: 0 },
        }
    }

    pub(super) fn outcome(self) -> Result<WindowReport, WindowError> {
        match self.state {
            WindowState::Failed(error) => Err(error),
            WindowState::Unopened | WindowState::Open(_) | WindowState::Closed => Ok(self.report),
        }
    }

    fn redraw_soon(&mut self) {
        self.redraw = Some(Instant::now());
    }

    fn follow(&mut self, command: ViewCommand, height: f64) -> WindowFlow {
        match command {
            ViewCommand::Turn { yaw, pitch } => self.camera.orbit(yaw, pitch),
            ViewCommand::Zoom(factor) => self.camera.zoom(factor),
            ViewCommand::Move { right, up } => self.camera.pan(right / height, up / height),
            ViewCommand::LookAsAtFirst => self.camera = self.content.camera(),
            ViewCommand::Quit => return self.content.close(),
        }
        WindowFlow::Continue
    }

    /// Offers a mouse event to the content; returns true if the content used it. The user of a
    /// press of the left button also gets the events until its release.
    fn is_for_content(
        &mut self,
        event: &WindowEvent,
        claim: PanelClaim,
        viewport: Viewport,
    ) -> bool {
        let Some(mouse) = self.mouse.take_event(event, viewport) else { return false };
        let is_begun = self.pressed_for == Some(EventUse::ForContent);
        if (claim.pointer && !is_begun) || self.controls.is_dragging() {
            return false;
        }
        let picture_camera = PictureCamera { camera: self.camera, aspect: viewport.aspect() };
        let meant = self.content.mouse(&mouse, &picture_camera);
        match mouse.action {
            MouseAction::Press => self.pressed_for = Some(meant),
            MouseAction::Release => self.pressed_for = None,
            MouseAction::Move | MouseAction::Scroll(_) => {}
        }
        // The view also needs all moves, to know the pointer's position.
        meant == EventUse::ForContent && mouse.action != MouseAction::Move
    }

    fn draw(&mut self, event_loop: &ActiveEventLoop) {
        let WindowState::Open(canvas) = &mut self.state else { return };
        match canvas.draw(&self.camera, self.content) {
            Ok(DrawOutcome::Shown { flow, again_after }) => {
                self.report.frames_drawn += 1;
                self.content.drawn();
                self.redraw = Instant::now().checked_add(again_after);
                if flow == WindowFlow::Close {
                    event_loop.exit();
                }
            }
            // The next tick tries again.
            Ok(DrawOutcome::Postponed) => self.redraw_soon(),
            Ok(DrawOutcome::Unseen) => self.redraw = None,
            Err(error) => self.state = failed(error.into(), event_loop),
        }
    }
}

impl ApplicationHandler for WindowHandler<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if matches!(self.state, WindowState::Unopened) {
            self.state = match open(self.title, event_loop) {
                Ok(canvas) => WindowState::Open(Box::new(canvas)),
                Err(error) => failed(error, event_loop),
            };
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let WindowState::Open(canvas) = &mut self.state else { return };
        if matches!(event, WindowEvent::RedrawRequested) {
            self.draw(event_loop);
            return;
        }
        self.stirred = Instant::now();
        self.next_tick = self.next_tick.min(self.stirred + self.tick);
        let panels = canvas.take_event(&event);
        let viewport = canvas.picture_viewport();
        if panels.want_picture {
            self.redraw_soon();
        }
        if self.is_for_content(&event, panels.claim, viewport) {
            self.redraw_soon();
            return;
        }
        let flow = match &event {
            WindowEvent::CloseRequested => self.content.close(),
            WindowEvent::Resized(size) => {
                if let WindowState::Open(canvas) = &mut self.state {
                    canvas.resize(*size);
                }
                WindowFlow::Continue
            }
            WindowEvent::DroppedFile(file) => {
                self.content.dropped(file);
                WindowFlow::Continue
            }
            other => match self.controls.command(other, panels.claim) {
                Some(command) => {
                    self.redraw_soon();
                    self.follow(command, f64::from(viewport.height))
                }
                None => WindowFlow::Continue,
            },
        };
        if flow == WindowFlow::Close {
            event_loop.exit();
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if self.stop.load(Ordering::Relaxed) {
            event_loop.exit();
            return;
        }
        let now = Instant::now();
        if let WindowState::Open(canvas) = &mut self.state
            && now >= self.next_tick
        {
            let scene = self.content.scene(&self.camera);
            let is_new = scene.is_some();
            if let Some(scene) = scene {
                canvas.show(&scene);
                self.report.scenes_uploaded += 1;
            }
            let is_due = self.redraw.is_some_and(|at| at <= now);
            // `has_news` comes first, so that it always runs and clears its flag.
            if self.content.has_news() || is_new || is_due {
                canvas.request_redraw();
                self.stirred = now;
            }
            if self.content.is_over() {
                event_loop.exit();
                return;
            }
            let is_still = now.saturating_duration_since(self.stirred) >= IDLE_AFTER;
            self.next_tick = now + if is_still { self.tick.max(IDLE_TICK) } else { self.tick };
        }
        event_loop.set_control_flow(ControlFlow::WaitUntil(self.next_tick));
    }

    /// Closes the graphics while the display is still connected.
    fn exiting(&mut self, _: &ActiveEventLoop) {
        if matches!(self.state, WindowState::Open(_)) {
            self.state = WindowState::Closed;
        }
    }
}

/// Returns the tick of the environment variable, or the default.
fn wanted_tick() -> Duration {
    let Some(text) = std::env::var_os(PICTURES_PER_SECOND) else { return TICK };
    tick(&text.to_string_lossy()).unwrap_or_else(|| {
        tracing::warn!("{PICTURES_PER_SECOND} is {text:?}; expected a number from 1 to 60");
        TICK
    })
}

/// Time between two pictures at this rate.
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

fn failed(error: WindowError, event_loop: &ActiveEventLoop) -> WindowState {
    event_loop.exit();
    WindowState::Failed(error)
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
