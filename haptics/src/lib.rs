//! Force feedback: what the loop of a device computes from one period to the next.
//!
//! A period allocates nothing and waits for no lock, and for no line but that of its own device.
//! Time comes as the length of a period and as the age of what is known: only [`pacer`] and
//! [`loop_thread`] have a clock and a thread, and only [`device_loop`] a device.
//!
//! - [`linear_contact`]: linear model of what a fingertip feels near a place;
//! - [`renderer`]: force by that model: friction cone, and the blend from one model to the next;
//! - [`coupling`]: the stiffness that a sampled and delayed loop may have;
//! - [`limiter`]: limits of force and of its change;
//! - [`energy`]: energy that the loop has given to the device, and the damping against it;
//! - [`watchdog`]: share of the force that an old model, or a loop that has just started, may have;
//! - [`finger_loop`]: all of them for one fingertip;
//! - [`servo_stop`]: the curl at which a servo glove stops a finger;
//! - [`vibration`]: strength of a vibration by slip and at the first touch;
//! - [`hand_loop`]: both for all fingers of a hand;
//! - [`device_loop`]: a kinaesthetic device with the loop of its fingertip;
//! - [`pacer`]: wakes a loop in every period; [`loop_thread`]: the thread of a loop.
//!
//! Symbols, SI units: `x` place of the fingertip, `x0` and `f0` place and force of a model, `K` its
//! stiffness, `n` its normal, `b` damping of device and finger, `T` period, `t_d` delay.

pub mod coupling;
pub mod device_loop;
pub mod energy;
pub mod finger_loop;
pub mod hand_loop;
pub mod limiter;
pub mod linear_contact;
pub mod loop_thread;
pub mod pacer;
pub mod renderer;
pub mod servo_stop;
pub mod vibration;
pub mod watchdog;

pub use coupling::CouplingRule;
pub use device_loop::{DeviceAxes, DeviceLoop, DevicePlacement};
pub use energy::EnergyAccount;
pub use finger_loop::{FingerLoop, FingerOutput, LoopSettings, Position};
pub use hand_loop::{FingerFelt, HandFelt, HandLoop, HandOutput};
pub use limiter::{ForceLimiter, ForceLimits};
pub use linear_contact::{CoupledContact, LinearContact};
pub use loop_thread::LoopThread;
pub use pacer::{Lateness, Pacer, Wake};
pub use renderer::Renderer;
pub use servo_stop::{FingerWay, ServoStop};
pub use vibration::Vibration;
