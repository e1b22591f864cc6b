//! Draws a [`crate::scene::Scene`]: buffers, passes, shaders. Knows surfaces, never a family.
//!
//! Where to look:
//! - [`gpu`]: adapter and device, with or without a window's surface;
//! - [`camera`]: where the picture is taken from;
//! - [`scene_renderer`]: one scene into any colour target; [`offscreen`]: into an image;
//! - `skin`: vertices of the object's surface, split along its creases;
//! - `hand`: the glove as placed copies of a few `shapes`;
//! - `lines`: thin lines over everything; [`ramp`]: colours that stand for numbers;
//! - `light`: the key light;
//! - `buffers`: both of these on the device; `bindings`, `targets`, `pipelines`: what passes are made
//!   of; `shaders/`: what runs on the graphics processor.

mod bindings;
mod buffers;
pub mod camera;
pub mod gpu;
mod hand;
mod light;
mod lines;
pub mod offscreen;
mod pipelines;
pub mod ramp;
pub mod scene_renderer;
mod shapes;
mod skin;
mod targets;

pub use camera::{Camera, Viewpoint};
pub use gpu::{Gpu, RenderError};
pub use offscreen::{Offscreen, Panel};
pub use scene_renderer::{SceneRenderer, Target};
pub use targets::Part;
