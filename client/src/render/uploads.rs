//! What has been sent to the graphics device: counted, so that nothing is sent twice unseen.

/// Since the renderer was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Uploads {
    /// How often a surface was taken apart into vertices: once for each topology.
    pub topologies: u64,
    /// How often positions were sent: once for each new shape of each thing.
    pub shapes: u64,
    /// How often the numbers behind the colours were sent: with a new shape, or when they mean something else.
    pub values: u64,
    /// How often the shadows were drawn: once for each moment, however many eyes look at it.
    pub shadows: u64,
    /// All in all.
    pub bytes: u64,
}
