//! The window on the desk: a picture of the newest scene, and panels that take mouse and keys.
//!
//! What a window is for is said by a [`Show`]; this module opens it, turns the view, hands events to the
//! panels and draws when something has changed.

mod canvas;
mod controls;
mod desk;
mod keepsake;
mod mouse;
mod passes;

use std::env;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use interaction::scene::Scene;
use winit::error::{EventLoopError, OsError};
use winit::event_loop::EventLoop;

pub use self::controls::VIEW_KEYS;
use self::desk::Desk;
pub use self::mouse::{Mouse, MouseDoes, Ray, Sight};
use crate::render::{Camera, RenderError, Viewpoint};

/// What a window shows, and what it does with what the person asks for. Nothing in it may wait: loops that
/// do are joined by mailboxes.
pub trait Show {
    /// The newest scene since the last call, or nothing new. `camera` is where the person looks from.
    fn scene(&mut self, camera: &Camera) -> Option<Arc<Scene>>;

    /// Lays out the panels and takes what the person does with them. The picture fills what they leave free.
    fn panels(&mut self, ui: &mut egui::Ui) -> Going;

    /// The newest scene and the panels are on the screen.
    fn drawn(&mut self) {}

    /// Whether the panels would look different now from when they were last laid out. Asked at every tick.
    fn has_news(&mut self) -> bool {
        false
    }

    /// Whether it is over without anything in the window having been touched. Asked at every tick, whether or not the
    /// window can be seen.
    fn is_over(&self) -> bool {
        false
    }

    /// Where the person looks from at first.
    fn camera(&self) -> Camera {
        Camera::default()
    }

    /// Where a picture of this aspect (width over height) is taken from while the person looks from
    /// `camera`: the same place, unless a show turns its things instead of the eye.
    fn eye(&self, camera: &Camera, _aspect: f64) -> Camera {
        *camera
    }

    /// What a picture of this aspect shows: what [`Show::eye`] sees, unless a show has eyes of its own.
    fn viewpoint(&self, camera: &Camera, aspect: f64) -> Viewpoint {
        self.eye(camera, aspect).viewpoint(aspect)
    }

    /// The mouse does something over the picture, where no panel is; says whether that was meant for the show.
    /// What is not turns and moves the view.
    fn mouse(&mut self, _mouse: &Mouse, _sight: &Sight) -> Meant {
        Meant::ForView
    }

    /// The person wants to close the window. A show that would lose work stays and asks first.
    fn close(&mut self) -> Going {
        Going::Over
    }

    /// A file was dropped on the window.
    fn dropped(&mut self, file: &Path) {
        tracing::info!("{} was dropped, but is of no use here", file.display());
    }
}

/// What something that the mouse did was meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meant {
    ForShow,
    ForView,
}

/// Whether a window stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Going {
    On,
    Over,
}

/// How a window's life went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowReport {
    /// Pictures that reached the screen.
    pub frames_drawn: u64,
    /// Scenes that were handed to the graphics card for them.
    pub scenes_uploaded: u64,
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

/// A display that can be reached.
pub struct Display(EventLoop<()>);

impl Display {
    /// Must be called on the main thread, and only once.
    pub fn connect() -> Result<Self, WindowError> {
        EventLoop::new().map(Self).map_err(WindowError::NoDisplay)
    }

    /// Whether the surroundings name a display at all.
    pub fn is_named() -> bool {
        ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
    }
}

/// Shows `show` until it is over or `stop` becomes true. Must be called on the main thread, and only once.
pub fn run(
    Display(event_loop): Display,
    title: &str,
    show: &mut dyn Show,
    stop: &AtomicBool,
) -> Result<WindowReport, WindowError> {
    let mut desk = Desk::new(title, show, stop);
    event_loop.run_app(&mut desk).map_err(WindowError::Broken)?;
    desk.outcome()
}
