//! Interaction of hands with things on a table, as plain functions of plain data.
//!
//! Modules in the order of their dependencies: each one uses only modules above it in this list.
//!
//! - [`collision`]: contacts of balls and finger segments with a surface;
//! - [`hand`]: the shapes of a posed hand in the world;
//! - [`posture`]: hand poses between open and closed, with one number for each finger;
//! - [`grasp`]: the rules and the state machine of taking, deforming and releasing a thing;
//! - [`shown_hand`]: the drawn hand, whose fingers stop at the skin;
//! - [`scene`]: one moment as plain data, for views;
//! - [`shape_history`]: the rest shapes of a thing, for undo, redo and reset;
//! - `shown_shape`: the drawn shape of a thing, which fades over after a sudden change;
//! - [`profiles`]: the calibration of both hands;
//! - [`thing`]: one thing with its surface and its grasp;
//! - [`tabletop`]: all things and both hands: every decision of a run.
//!
//! Nothing here reads a clock, starts a thread, opens a device or draws. Time comes in with each
//! call, so the same calls give the same touches, states and shapes, bit for bit.

pub mod collision;
pub mod grasp;
pub mod hand;
pub mod posture;
pub mod profiles;
pub mod scene;
pub mod shape_history;
pub mod shown_hand;
mod shown_shape;
pub mod tabletop;
pub mod thing;
