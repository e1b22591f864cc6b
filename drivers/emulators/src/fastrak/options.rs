//! Options of the emulated tracker: its firmware and its imperfections.

use std::time::Duration;

/// Firmware of the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Firmware {
    /// Has the packed items 18 to 20; columns 10 to 15 of its status are blank.
    Legacy,
    /// Firmware of 2012: refuses the packed items, and identifies itself in its status.
    Current,
}

/// Duration for which a data record's error character stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorReport {
    /// A record shows only its own error.
    PerRecord,
    /// All records show the last error of any record, until the host clears it with `T`.
    Latched,
}

/// Options of the emulated tracker when it is switched on.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackerOptions {
    /// Name that the owner gave the unit: up to 32 printable ASCII characters.
    pub id: String,
    /// Records per second of all active stations together; a FASTRAK has 120.
    pub stream_hz: f64,
    /// Positions of the receivers of stations 1 to 4 in the frame of the wrist's receiver, in
    /// centimetres. A station without a receiver is off at power-up.
    pub receivers_cm: [Option<[f64; 3]>; 4],
    pub firmware: Firmware,
    pub error_report: ErrorReport,
    /// Columns of items 16 and 66; the sources say 1, 2 or 3.
    pub stylus_columns: usize,
    /// Duration of a restart, in which the unit is silent.
    pub reinitialise: Duration,
    /// Shift by metal of a position at 1 m from the transmitter, in centimetres. It grows with the
    /// cube of the distance; fixed metal compensation removes it.
    pub metal_cm_at_1_m: f64,
    /// Standard deviation of each coordinate, in centimetres.
    pub noise_cm: f64,
    /// Standard deviation of the rotation about each axis, in degrees.
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
    /// The same tracker with the noise of a real tracker within arm's reach.
    pub fn lifelike(self, seed: u64) -> Self {
        Self { noise_cm: 0.01, noise_deg: 0.05, seed, ..self }
    }
}
