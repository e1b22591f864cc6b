//! The window on the desk: a picture of the newest scene, and panels that take mouse and keys.
//!
//! The contents of a window are a [`WindowContent`]. This module opens the window, turns the view,
//! passes events to the panels and draws when something has changed.

mod canvas;
mod egui_passes;
mod event_loop;
mod mouse;
mod picture_cache;
mod view_controls;

use std::env;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use interaction::scene::Scene;
use winit::error::{EventLoopError, OsError};
use winit::event_loop::EventLoop;

use self::event_loop::WindowHandler;
pub use self::mouse::{MouseAction, MouseEvent, PictureCamera, Ray};
pub use self::view_controls::VIEW_KEYS;
use crate::render::{Camera, RenderError, Viewpoint};

/// The contents of a window and their reactions to the user. No method may block: loops that wait
/// are connected by mailboxes.
pub trait WindowContent {
    /// Returns the newest scene since the last call, if there is a new one. `camera` is the user's
    /// view.
    fn scene(&mut self, camera: &Camera) -> Option<Arc<Scene>>;

    /// Lays out the panels and applies the user's input to them. The picture fills the free space.
    fn panels(&mut self, ui: &mut egui::Ui) -> WindowFlow;

    /// Called when the newest scene and the panels are on the screen.
    fn drawn(&mut self) {}

    /// True if the panels have changed since the last layout. Called at every tick.
    fn has_news(&mut self) -> bool {
        false
    }

    /// True if the content has ended without input to the window. Called at every tick, even while
    /// the window is hidden.
    fn is_over(&self) -> bool {
        false
    }

    /// The view at the beginning.
    fn camera(&self) -> Camera {
        Camera::default()
    }

    /// The camera for a picture of this aspect (width over height), given the user's camera. Both
    /// are the same unless the content turns its things instead of the camera.
    fn eye(&self, camera: &Camera, _aspect: f64) -> Camera {
        *camera
    }

    /// The viewpoint of a picture of this aspect: that of [`WindowContent::eye`], unless the
    /// content has its own, such as a mirrored headset.
    fn viewpoint(&self, camera: &Camera, aspect: f64) -> Viewpoint {
        self.eye(camera, aspect).viewpoint(aspect)
    }

    /// Handles a mouse event over the picture, outside the panels. Returns whether the content used
    /// the event. The other events turn and move the view.
    fn mouse(&mut self, _mouse: &MouseEvent, _picture_camera: &PictureCamera) -> EventUse {
        EventUse::ForView
    }

    /// Called when the user closes the window. Content with unsaved work stays open and asks first.
    fn close(&mut self) -> WindowFlow {
        WindowFlow::Close
    }

    /// Called when a file is dropped on the window.
    fn dropped(&mut self, file: &Path) {
        tracing::info!("ignored the file {} that was dropped on the window", file.display());
    }
}

/// The user of a mouse event: the content or the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventUse {
    ForContent,
    ForView,
}

/// The window's next state: open or closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowFlow {
    Continue,
    Close,
}

/// Summary of a window's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowReport {
    /// Number of pictures that reached the screen.
    pub frames_drawn: u64,
    /// Number of scenes that were uploaded to the graphics card.
    pub scenes_uploaded: u64,
}

/// Errors of opening or running a window.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    #[error("no display: neither a Wayland nor an X11 server can be reached")]
    NoDisplay(#[source] EventLoopError),
    #[error("cannot open a window on the display")]
    NoWindow(#[from] OsError),
    #[error("lost the connection to the display")]
    Broken(#[source] EventLoopError),
    #[error("cannot draw in the window")]
    Graphics(#[from] RenderError),
}

/// An open connection to the display.
pub struct Display(EventLoop<()>);

impl Display {
    /// Connects to the display. Must be called on the main thread, and only once.
    pub fn connect() -> Result<Self, WindowError> {
        EventLoop::new().map(Self).map_err(WindowError::NoDisplay)
    }

    /// True if an environment variable names a display.
    pub fn is_named() -> bool {
        ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
    }
}

/// Shows `content` until it ends or `stop` becomes true. Must be called on the main thread, and
/// only once.
pub fn run(
    Display(event_loop): Display,
    title: &str,
    content: &mut dyn WindowContent,
    stop: &AtomicBool,
) -> Result<WindowReport, WindowError> {
    let mut handler = WindowHandler::new(title, content, stop);
    event_loop.run_app(&mut handler).map_err(WindowError::Broken)?;
    handler.outcome()
}
