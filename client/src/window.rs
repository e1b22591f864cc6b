//! The window on the desk: shows the newest scene and turns the view with the mouse.

mod canvas;
mod controls;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::error::{EventLoopError, OsError};
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::window::{Window, WindowId};

use self::canvas::{Canvas, Drawing};
use self::controls::{Controls, Wish};
use crate::render::{Camera, RenderError};
use crate::scene::Scene;

/// How a window's life went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowReport {
    /// Pictures that reached the screen.
    pub frames_drawn: u64,
}

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    #[error("no display: neither a Wayland nor an X11 server can be reached")]
    NoDisplay(#[source] EventLoopError),
    #[error("the display opens no window")]
    NoWindow(#[from] OsError),
    #[error("the connection to the display broke")]
    Broken(#[source] EventLoopError),
    #[error("the window cannot show pictures")]
    Graphics(#[from] RenderError),
}

/// From one look for a new scene to the next, and the least time between pictures.
const TICK: Duration = Duration::from_micros(16_600);
const SIZE: LogicalSize<u32> = LogicalSize::new(1280, 720);

/// A display that can be reached.
pub struct Display(EventLoop<()>);

impl Display {
    /// Must be called on the main thread, and only once.
    pub fn connect() -> Result<Self, WindowError> {
        EventLoop::new().map(Self).map_err(WindowError::NoDisplay)
    }
}

/// Shows what `scenes` gives, the newest scene since the last call or nothing new, until the person
/// closes the window or `stop` becomes true. Must be called on the main thread, and only once.
pub fn run(
    Display(event_loop): Display,
    title: &str,
    scenes: impl FnMut() -> Option<Arc<Scene>> + 'static,
    stop: Arc<AtomicBool>,
) -> Result<WindowReport, WindowError> {
    let mut desk = Desk {
        title: title.to_owned(),
        scenes,
        stop,
        stage: Stage::Unopened,
        camera: Camera::default(),
        controls: Controls::default(),
        is_stale: true,
        next_tick: Instant::now(),
        report: WindowReport { frames_drawn: 0 },
    };
    event_loop.run_app(&mut desk).map_err(WindowError::Broken)?;
    match desk.stage {
        Stage::Failed(error) => Err(error),
        Stage::Unopened | Stage::Open(_) | Stage::Closed => Ok(desk.report),
    }
}

/// The window and what it shows.
struct Desk<F> {
    title: String,
    scenes: F,
    stop: Arc<AtomicBool>,
    stage: Stage,
    camera: Camera,
    controls: Controls,
    /// Whether the picture on the screen is older than what it should show.
    is_stale: bool,
    next_tick: Instant,
    report: WindowReport,
}

enum Stage {
    /// The display has not yet said that windows may be opened.
    Unopened,
    Open(Box<Canvas>),
    Closed,
    Failed(WindowError),
}

impl<F: FnMut() -> Option<Arc<Scene>>> ApplicationHandler for Desk<F> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if matches!(self.stage, Stage::Unopened) {
            self.stage = match open(&self.title, event_loop) {
                Ok(canvas) => Stage::Open(Box::new(canvas)),
                Err(error) => failed(error, event_loop),
            };
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Stage::Open(canvas) = &mut self.stage else { return };
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => {
                canvas.resize(size);
                self.is_stale = true;
            }
            WindowEvent::ScaleFactorChanged { .. } => self.is_stale = true,
            WindowEvent::Occluded(is_occluded) => self.is_stale |= !is_occluded,
            WindowEvent::RedrawRequested => match canvas.draw(&self.camera) {
                Ok(Drawing::Shown) => {
                    self.is_stale = false;
                    self.report.frames_drawn += 1;
                }
                // Tried again at the next tick.
                Ok(Drawing::Postponed) => self.is_stale = true,
                Ok(Drawing::Unseen) => self.is_stale = false,
                Err(error) => self.stage = failed(error.into(), event_loop),
            },
            other => match self.controls.wish(&other) {
                Some(Wish::Turn { yaw, pitch }) => {
                    self.camera.orbit(yaw, pitch);
                    self.is_stale = true;
                }
                Some(Wish::Zoom(factor)) => {
                    self.camera.zoom(factor);
                    self.is_stale = true;
                }
                Some(Wish::Move { right, up }) => {
                    let height = canvas.height();
                    self.camera.pan(right / height, up / height);
                    self.is_stale = true;
                }
                Some(Wish::Quit) => event_loop.exit(),
                None => {}
            },
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
            self.next_tick = now + TICK;
            if let Some(scene) = (self.scenes)() {
                canvas.show(scene);
                self.is_stale = true;
            }
            if self.is_stale {
                canvas.request_redraw();
            }
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

fn open(title: &str, event_loop: &ActiveEventLoop) -> Result<Canvas, WindowError> {
    let attributes = Window::default_attributes().with_title(title).with_inner_size(SIZE);
    Ok(Canvas::new(event_loop.create_window(attributes)?)?)
}

fn failed(error: WindowError, event_loop: &ActiveEventLoop) -> Stage {
    event_loop.exit();
    Stage::Failed(error)
}
