//! Draws a [`interaction::scene::Scene`]: buffers, passes, shaders. It draws surfaces and does not
//! depend on any family.
//!
//! Modules:
//! - [`gpu`]: adapter and device, with or without a window's surface;
//! - [`viewpoint`]: position and lens of a picture; [`camera`]: the orbit camera that chooses them;
//! - [`scene_renderer`]: draws a scene into any colour target; [`offscreen`]: into an image;
//!   `read_back`: copies an image from the device;
//! - `surface_vertices`: vertices of the object's surface, split along its creases;
//! - `hand_shapes`: the glove as placed copies of a few `unit_shapes`;
//! - [`board`]: panels within the scene; `lines`: thin lines over everything; [`colour_ramp`]:
//!   colours for numbers;
//! - [`light`]: the key light and the surroundings;
//! - `object_buffers`, `hand_buffers`, `growing_buffer`: buffers on the device; [`uploads`]: counts
//!   of data sent to the device;
//! - `bindings`, `targets`, `pipelines`: parts of render passes; `shaders/`: code for the graphics
//!   processor.

mod bindings;
pub mod board;
pub mod camera;
pub mod colour_ramp;
pub mod gpu;
mod growing_buffer;
mod hand_buffers;
mod hand_shapes;
pub mod light;
mod lines;
mod object_buffers;
pub mod offscreen;
pub mod picture;
mod pipelines;
mod read_back;
pub mod scene_renderer;
mod surface_vertices;
mod targets;
mod unit_shapes;
pub mod uploads;
pub mod viewpoint;

pub use board::BoardView;
pub use camera::Camera;
pub use gpu::{Gpu, RenderError, layer};
pub use light::Surroundings;
pub use offscreen::{Offscreen, StatusPanel};
pub use picture::{Picture, Pixel};
pub use read_back::ReadBack;
pub use scene_renderer::{SceneRenderer, Target};
pub use targets::{Antialiasing, Viewport};
pub use uploads::Uploads;
pub use viewpoint::{Backdrop, Lens, Viewpoint};
