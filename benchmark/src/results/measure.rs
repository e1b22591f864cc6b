//! The measured quantities.

use crate::number_format;

/// A measured quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Measure {
    /// Time of assembling the stiffness matrix.
    Assembly,
    /// Time of finding an order of elimination.
    Ordering,
    /// Time of finding the pattern of the factor.
    Symbolic,
    /// Time of computing the factor.
    Numeric,
    /// Time from the mesh to an object that can be squeezed: all of the above, and the surface.
    SetUp,
    /// Time of computing the surface displacements for unit forces at the touched nodes.
    Columns,
    /// Time of the first frame with new nodes under the fingers, without cached columns.
    Change,
    /// Time of a frame with the same nodes under the fingers.
    Frame,
    /// Time from the mesh to the displacement of every node under one touch.
    FirstTouch,
    /// Time of the displacement of every node under a later touch of other nodes.
    LaterTouch,
    /// Time from submitting a touch to receiving its frame, through a solver thread of the same
    /// process.
    RoundTripEmbedded,
    /// Time of a round trip through gRPC and a server process on this machine.
    RoundTripLoopback,
    /// Time of a round trip through the given server.
    RoundTripServer,
    /// Time until the object is ready in the given server, including its transfer.
    OpeningServer,
    /// Time from the mesh to a ready object on the given server, by the server's clock.
    SetUpServer,
    /// Time from the mesh to the displacement of every node, by the server's clock.
    FirstTouchServer,
    /// Time of the displacement of every node under a later touch of other nodes, by the server's
    /// clock.
    LaterTouchServer,
    /// Memory of the factor.
    FactorBytes,
    /// Memory of the columns of the touched nodes.
    ColumnBytes,
    /// Largest force at a free degree of freedom, as a share of the largest reaction.
    Residual,
    /// Largest difference from our solution, as a share of the largest displacement.
    Difference,
    /// Largest difference of a frame, which has `f32` positions, from the exact solution, as a
    /// share of the largest displacement.
    FrameError,
    /// Bytes that a frame reads, as a share of the bytes that a plain loop reads in the same time.
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
    /// True if a sample is possible: shares may be zero, time and memory may not.
    pub(crate) fn can_be(self, sample: f64) -> bool {
        match self {
            Self::Share => sample.is_finite() && sample >= 0.0,
            Self::Seconds | Self::Bytes => sample.is_finite() && sample > 0.0,
        }
    }
}

impl Measure {
    /// All measures, in the order of reports.
    pub const ALL: [Self; 23] = [
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
        Self::SetUpServer,
        Self::FirstTouchServer,
        Self::LaterTouchServer,
        Self::FactorBytes,
        Self::ColumnBytes,
        Self::Residual,
        Self::Difference,
        Self::FrameError,
        Self::BandwidthShare,
    ];

    /// Measures of a given server, in the order of reports.
    pub const ON_SERVER: [Self; 5] = [
        Self::SetUpServer,
        Self::FirstTouchServer,
        Self::LaterTouchServer,
        Self::OpeningServer,
        Self::RoundTripServer,
    ];

    /// True if a given server is measured, with its threads.
    pub fn is_on_server(self) -> bool {
        Self::ON_SERVER.contains(&self)
    }

    /// Name in files.
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
            Self::SetUpServer => "set_up_server",
            Self::FirstTouchServer => "first_touch_server",
            Self::LaterTouchServer => "later_touch_server",
            Self::FactorBytes => "factor_bytes",
            Self::ColumnBytes => "column_bytes",
            Self::Residual => "residual",
            Self::Difference => "difference",
            Self::FrameError => "frame_error",
            Self::BandwidthShare => "bandwidth_share",
        }
    }

    /// Name in reports.
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
            Self::SetUpServer => "set-up on given server",
            Self::FirstTouchServer => "first touch on given server",
            Self::LaterTouchServer => "later touch on given server",
            Self::FactorBytes => "memory of the factor",
            Self::ColumnBytes => "memory of the columns",
            Self::Residual => "residual",
            Self::Difference => "difference from ours",
            Self::FrameError => "rounding of a frame",
            Self::BandwidthShare => "share of memory bandwidth",
        }
    }

    /// Unit of the measure.
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
            | Self::OpeningServer
            | Self::SetUpServer
            | Self::FirstTouchServer
            | Self::LaterTouchServer => Unit::Seconds,
            Self::FactorBytes | Self::ColumnBytes => Unit::Bytes,
            Self::Residual | Self::Difference | Self::FrameError | Self::BandwidthShare => {
                Unit::Share
            }
        }
    }

    /// A value of the measure as text.
    pub fn shown(self, value: f64) -> String {
        match (self.unit(), self) {
            (Unit::Seconds, _) => number_format::seconds(value),
            (Unit::Bytes, _) => number_format::bytes(value),
            (Unit::Share, Self::BandwidthShare) => number_format::percent(value),
            (Unit::Share, _) => format!("{value:.1e}"),
        }
    }

    /// The measure with this name in files.
    pub fn with_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|measure| measure.key() == key)
    }
}

impl Unit {
    /// Name in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Bytes => "B",
            Self::Share => "1",
        }
    }
}
