//! The quantities that are measured.

use crate::number_format;

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Measure {
    /// The stiffness matrix is put together.
    Assembly,
    /// An order of elimination is found.
    Ordering,
    /// The pattern of the factor is found.
    Symbolic,
    /// The factor is computed.
    Numeric,
    /// From the mesh to an object that can be squeezed: all of the above, and the surface.
    SetUp,
    /// What unit forces at the touched nodes do to the surface.
    Columns,
    /// The first frame with other nodes under the fingers, none of their columns known.
    Change,
    /// A frame with the same nodes under the fingers.
    Frame,
    /// From the mesh to the displacement of every node under one touch.
    FirstTouch,
    /// The displacement of every node under a touch of other nodes, any time later.
    LaterTouch,
    /// From handing over a touch to holding its frame, through a solver thread of the same process.
    RoundTripEmbedded,
    /// The same through gRPC and a server process on this machine.
    RoundTripLoopback,
    /// The same through the server that was asked for.
    RoundTripServer,
    /// Until the object is ready in that server, with its transfer.
    OpeningServer,
    /// Memory of the factor.
    FactorBytes,
    /// Memory of the columns of the touched nodes.
    ColumnBytes,
    /// The largest force at a free degree of freedom, as a share of the largest reaction.
    Residual,
    /// The largest difference from our answer, as a share of the largest displacement.
    Difference,
    /// The largest difference of a frame, which has `f32` positions, from the exact answer, likewise.
    FrameError,
    /// The share of what a plain loop reads in the same time that a frame reads.
    BandwidthShare,
}

/// The unit of a measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Time.
    Seconds,
    /// Memory.
    Bytes,
    /// A dimensionless share.
    Share,
}

impl Unit {
    /// Whether this can have been measured: what is left over may be nothing at all, time and memory are not.
    pub(crate) fn can_be(self, sample: f64) -> bool {
        match self {
            Self::Share => sample.is_finite() && sample >= 0.0,
            Self::Seconds | Self::Bytes => sample.is_finite() && sample > 0.0,
        }
    }
}

impl Measure {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 20] = [
        Self::Assembly,
        Self::Ordering,
        Self::Symbolic,
        Self::Numeric,
        Self::SetUp,
        Self::Columns,
        Self::Change,
        Self::Frame,
        Self::FirstTouch,
        Self::LaterTouch,
        Self::RoundTripEmbedded,
        Self::RoundTripLoopback,
        Self::RoundTripServer,
        Self::OpeningServer,
        Self::FactorBytes,
        Self::ColumnBytes,
        Self::Residual,
        Self::Difference,
        Self::FrameError,
        Self::BandwidthShare,
    ];

    /// Its name in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Assembly => "assembly",
            Self::Ordering => "ordering",
            Self::Symbolic => "symbolic",
            Self::Numeric => "numeric",
            Self::SetUp => "set_up",
            Self::Columns => "columns",
            Self::Change => "change",
            Self::Frame => "frame",
            Self::FirstTouch => "first_touch",
            Self::LaterTouch => "later_touch",
            Self::RoundTripEmbedded => "round_trip_embedded",
            Self::RoundTripLoopback => "round_trip_loopback",
            Self::RoundTripServer => "round_trip_server",
            Self::OpeningServer => "opening_server",
            Self::FactorBytes => "factor_bytes",
            Self::ColumnBytes => "column_bytes",
            Self::Residual => "residual",
            Self::Difference => "difference",
            Self::FrameError => "frame_error",
            Self::BandwidthShare => "bandwidth_share",
        }
    }

    /// Its name in reports.
    pub fn label(self) -> &'static str {
        match self {
            Self::Assembly => "assembly",
            Self::Ordering => "ordering",
            Self::Symbolic => "symbolic factorisation",
            Self::Numeric => "numeric factorisation",
            Self::SetUp => "set-up",
            Self::Columns => "columns",
            Self::Change => "change of contacts",
            Self::Frame => "frame",
            Self::FirstTouch => "first touch",
            Self::LaterTouch => "later touch",
            Self::RoundTripEmbedded => "round trip, embedded",
            Self::RoundTripLoopback => "round trip, gRPC on loopback",
            Self::RoundTripServer => "round trip, given server",
            Self::OpeningServer => "opening on given server",
            Self::FactorBytes => "memory of the factor",
            Self::ColumnBytes => "memory of the columns",
            Self::Residual => "residual",
            Self::Difference => "difference from ours",
            Self::FrameError => "rounding of a frame",
            Self::BandwidthShare => "share of memory bandwidth",
        }
    }

    /// Its unit.
    pub fn unit(self) -> Unit {
        match self {
            Self::Assembly
            | Self::Ordering
            | Self::Symbolic
            | Self::Numeric
            | Self::SetUp
            | Self::Columns
            | Self::Change
            | Self::Frame
            | Self::FirstTouch
            | Self::LaterTouch
            | Self::RoundTripEmbedded
            | Self::RoundTripLoopback
            | Self::RoundTripServer
            | Self::OpeningServer => Unit::Seconds,
            Self::FactorBytes | Self::ColumnBytes => Unit::Bytes,
            Self::Residual | Self::Difference | Self::FrameError | Self::BandwidthShare => {
                Unit::Share
            }
        }
    }

    /// A value of it, for people.
    pub fn shown(self, value: f64) -> String {
        match (self.unit(), self) {
            (Unit::Seconds, _) => number_format::seconds(value),
            (Unit::Bytes, _) => number_format::bytes(value),
            (Unit::Share, Self::BandwidthShare) => number_format::percent(value),
            (Unit::Share, _) => format!("{value:.1e}"),
        }
    }

    /// The measure with that name in files.
    pub fn with_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|measure| measure.key() == key)
    }
}

impl Unit {
    /// Its name in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Bytes => "B",
            Self::Share => "1",
        }
    }
}
