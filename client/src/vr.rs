//! Shows the scene in a headset, through OpenXR.
//!
//! A separate thread ([`Headset`]) finds the runtime, draws the newest scene for both eyes at the
//! runtime's pace, and reconnects after a loss. The window and the hand loop never wait for it.
//! Modules:
//! - `runtime`: loader, runtime and headset, and their capabilities;
//! - `shared_gpu`: a Vulkan device that wgpu and the runtime share; `eye_swapchain`: the runtime's
//!   images as wgpu's textures;
//! - `headset_thread`: the thread; `xr_session`: a session, its states and one frame; `eye_views`:
//!   poses and views of the eyes; `frame_timing`: durations of the stages of a frame;
//! - `room_space`, `table_placement`: position and scale of the world in the room;
//! - `hand_tracking`: hands that the headset tracks; `joints`: their joints as angles of a glove;
//!   `controllers`: hands that hold controllers; `haptic_feedback`: motors and gloves of the
//!   headset;
//! - `menu_board`, `board_pointer`: the menu on a board, and pointing at it; `menu_link`:
//!   connection to the window, which lays out the menu and runs its commands;
//! - `align_link`: shared state of the alignment of headset and tracker;
//! - [`HeadsetLink`]: the interface to the rest of the program, without types of OpenXR.
//!
//! The only `unsafe` of the program is in `runtime`, `shared_gpu`, `eye_swapchain`, `eye_views`,
//! `xr_session` and `haptic_feedback`, where handles cross between libraries that cannot check each
//! other, or where the safe way would allocate for each frame; each block says why it is sound.

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
