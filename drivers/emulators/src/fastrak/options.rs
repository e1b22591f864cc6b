//! Which tracker is emulated, and how well it behaves.

use std::time::Duration;

/// Which firmware the unit runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Firmware {
    /// Knows the packed items 18 to 20; columns 10 to 15 of its status are blank.
    Legacy,
    /// Of 2012: refuses the packed items, names itself in its status.
    Current,
}

/// How long a data record's error character stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorReport {
    /// A record shows its own error only.
    PerRecord,
    /// All records show the last error of any, until the host clears it with `T`.
    Latched,
}

/// What the emulated tracker is like when it is switched on.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackerOptions {
    /// Up to 32 printable ASCII characters with which the owner named the unit.
    pub id: String,
    /// Solutions per second, shared by all active stations; a FASTRAK has 120.
    pub stream_hz: f64,
    /// Receivers of stations 1 to 4: where each sits in the frame of the wrist's receiver, in
    /// centimetres. A station without a receiver is off at power-up.
    pub receivers_cm: [Option<[f64; 3]>; 4],
    pub firmware: Firmware,
    pub error_report: ErrorReport,
    /// Columns of items 16 and 66; sources say 1, 2 or 3.
    pub stylus_columns: usize,
    /// Silence while the unit starts again.
    pub reinitialise: Duration,
    /// By how much metal shifts a position that is 1 m from the transmitter, in centimetres. Grows
    /// with the cube of the distance; fixed metal compensation takes it away.
    pub metal_cm_at_1_m: f64,
    /// Standard deviation of each coordinate, in centimetres, and of the turn about each axis, in
    /// degrees.
    pub noise_cm: f64,
    pub noise_deg: f64,
    /// The same seed gives the same noise.
    pub seed: u64,
}

impl Default for TrackerOptions {
    /// One receiver, on the wrist, far from any metal.
    fn default() -> Self {
        Self {
            id: "emulated FASTRAK".to_owned(),
            stream_hz: 120.0,
            receivers_cm: [Some([0.0; 3]), None, None, None],
            firmware: Firmware::Current,
            error_report: ErrorReport::PerRecord,
            stylus_columns: 2,
            reinitialise: Duration::from_secs(10),
            metal_cm_at_1_m: 0.0,
            noise_cm: 0.0,
            noise_deg: 0.0,
            seed: 0,
        }
    }
}

impl TrackerOptions {
    /// The same tracker with the noise of a real one within arm's reach.
    pub fn lifelike(self, seed: u64) -> Self {
        Self { noise_cm: 0.01, noise_deg: 0.05, seed, ..self }
    }
}
