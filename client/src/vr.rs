//! The scene through a headset, by OpenXR.
//!
//! A thread of its own ([`Headset`]) finds the runtime, draws the newest scene for both eyes at the runtime's pace,
//! and comes back after a loss; the window and the hand loop never wait for it. Where to look:
//! - `runtime`: loader, runtime and headset; what they offer;
//! - `gpu`: a Vulkan device that wgpu and the runtime share; `eyes`: the runtime's images as wgpu's textures;
//! - `frames`: a session, its states and one frame; `worker`: the thread;
//! - `table`: where the world is in the room; `hands`: bare hands that it sees, `joints`: as angles of a glove;
//! - [`HeadsetLink`]: what others see of it, without a type of OpenXR.
//!
//! The only `unsafe` of the program is in `runtime`, `gpu`, `eyes` and `frames`, where handles cross between
//! libraries that cannot check each other; each block says why it holds.

mod error;
mod eyes;
mod frames;
mod gpu;
mod hands;
mod joints;
mod link;
mod runtime;
mod table;
mod timing;
mod worker;

pub use error::HeadsetError;
pub use hands::SeenHand;
pub use link::{HeadsetLink, HeadsetState, Mirror};
pub use runtime::{HeadsetOffer, Offer, offer};
pub use timing::{Stage, Timing};
pub use worker::{Headset, HeadsetReport, Wishes};
