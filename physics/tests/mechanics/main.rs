//! Tests of the mechanics against independent references: closed forms, a dense algorithm, physical
//! laws.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

mod bad_input;
mod contact;
mod contract;
mod convergence;
// Included, because a dependency on `tests`, which knows `physics`, would compile `physics` twice
// after each change.
#[allow(dead_code, unreachable_pub, reason = "tests of other packages use the rest")]
#[path = "../../../tests/src/damped_mass.rs"]
mod damped_mass;
mod dense_inverse;
mod dense_reference;
mod determinism;
mod factor;
mod invariance;
mod least_motion;
mod reference;
mod several_bodies;
mod solid;
mod spec;
mod streamed_frames;
mod stress;
mod test_bodies;
