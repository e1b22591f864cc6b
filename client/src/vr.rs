//! The scene through a headset, by OpenXR.
//!
//! A thread of its own ([`Headset`]) finds the runtime, draws the newest scene for both eyes at the runtime's pace,
//! and comes back after a loss; the window and the hand loop never wait for it. Where to look:
//! - `runtime`: loader, runtime and headset; what they offer;
//! - `shared_gpu`: a Vulkan device that wgpu and the runtime share; `eye_swapchain`: the runtime's
//!   images as wgpu's textures;
//! - `headset_thread`: the thread; `xr_session`: a session, its states and one frame; `eye_views`:
//!   where the eyes are and what they see; `frame_timing`: how long the stages of a frame take;
//! - `room_space`, `table_placement`: where the world is in the room, and how large;
//! - `hand_tracking`: bare hands that the headset sees, `joints`: as angles of a glove;
//!   `controllers`: hands that hold them; `haptic_feedback`: what hands feel;
//! - `menu_board`, `board_pointer`: the menu on a board and what hands do with it; `menu_link`: the
//!   window, which lays the menu out and does what it asks;
//! - `align_link`: how headset and tracker come to agree;
//! - [`HeadsetLink`]: what others see of it, without a type of OpenXR.
//!
//! The only `unsafe` of the program is in `runtime`, `shared_gpu`, `eye_swapchain`, `eye_views`,
//! `xr_session` and `haptic_feedback`, where handles cross between libraries that cannot check each
//! other, or where the safe way would allocate for each frame; each block says why it holds.

mod align_link;
mod board_pointer;
mod controllers;
mod error;
mod eye_swapchain;
mod eye_views;
mod frame_timing;
mod hand_tracking;
mod haptic_feedback;
mod headset_link;
mod headset_thread;
mod joints;
mod menu_board;
mod menu_link;
mod room_space;
mod runtime;
mod shared_gpu;
mod table_placement;
mod xr_session;

pub use align_link::{AlignLink, RoomId, RoomLifetime, RoomObservation};
pub use error::HeadsetError;
pub use frame_timing::{FrameStage, FrameTiming};
pub use hand_tracking::{SeenBy, SeenHand};
pub use headset_link::{HeadsetLink, HeadsetState, MirrorView, Stance, WorldPlacement};
pub use headset_thread::{Headset, HeadsetOptions, HeadsetReport, run_headset};
pub use menu_link::{MenuLink, PointerState};
pub use runtime::{HeadsetInfo, RuntimeInfo, runtime_info};
