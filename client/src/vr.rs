//! The scene through a headset, by OpenXR.
//!
//! A thread of its own ([`Headset`]) finds the runtime, draws the newest scene for both eyes at the runtime's pace,
//! and comes back after a loss; the window and the hand loop never wait for it. Where to look:
//! - `runtime`: loader, runtime and headset; what they offer;
//! - `gpu`: a Vulkan device that wgpu and the runtime share; `eyes`: the runtime's images as wgpu's textures;
//! - `frames`: a session, its states and one frame; `sight`: what an eye sees; `worker`: the thread;
//! - `room`, `table`: where the world is in the room, and how large; `hands`: bare hands that it sees, `joints`: as
//!   angles of a glove; `controllers`: hands that hold them; `feedback`: what hands feel;
//! - `menu`, `pointing`: the menu on a board and what hands do with it, which the window lays out and obeys (`menu_link`);
//! - `align_link`: how headset and tracker come to agree;
//! - [`HeadsetLink`]: what others see of it, without a type of OpenXR.
//!
//! The only `unsafe` of the program is in `runtime`, `gpu`, `eyes`, `sight`, `frames` and `feedback`, where handles cross between
//! libraries that cannot check each other, or where the safe way would allocate for each frame; each block says why it holds.

mod align_link;
mod controllers;
mod error;
mod eyes;
mod feedback;
mod frames;
mod gpu;
mod hands;
mod joints;
mod link;
mod menu;
mod menu_link;
mod pointing;
mod room;
mod runtime;
mod sight;
mod table;
mod timing;
mod worker;

pub use align_link::{AlignLink, Lasts, RoomId, RoomSight};
pub use error::HeadsetError;
pub use hands::{SeenBy, SeenHand};
pub use link::{HeadsetLink, HeadsetState, Mirror, Placing, Stance};
pub use menu_link::{MenuLink, Pointing};
pub use runtime::{HeadsetOffer, Offer, offer};
pub use timing::{Stage, Timing};
pub use worker::{Headset, HeadsetReport, Wishes, show};
