//! What a hand does to things on a table, as plain functions of plain data.
//!
//! Modules know those above them in this list, never those below:
//!
//! - [`collision`]: what a ball or a finger's segment meets on a surface;
//! - [`hand`]: a pose as shapes in the world; [`posture`]: how a hand closes, by one number for
//!   each finger;
//! - [`grasp`]: when a hand takes a thing, what it does to it, and by which rules;
//! - [`shown_hand`]: the hand as it is drawn, with fingers that stop at the skin;
//! - [`scene`]: one moment as plain data, for views;
//! - [`shapes`] and `blend`: the rest shapes that a thing has had, and how a change of shape is
//!   shown;
//! - [`profiles`]: the calibration of both hands;
//! - [`thing`]: one thing, its surface and the grasp of it;
//! - [`tabletop`]: things and hands together, all that a run decides.
//!
//! Nothing here reads a clock, starts a thread, opens a device or draws. Time comes in with each
//! call, so the same calls give the same touches, states and shapes, bit for bit.

mod blend;
pub mod collision;
pub mod grasp;
pub mod hand;
pub mod posture;
pub mod profiles;
pub mod scene;
pub mod shapes;
pub mod shown_hand;
pub mod tabletop;
pub mod thing;
