//! Counts of data sent to the graphics device, so that tests detect unnecessary uploads.

/// Counts since the renderer was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Uploads {
    /// Number of times that a surface was split into vertices: once for each topology.
    pub topologies: u64,
    /// Number of uploads of positions: one for each new shape of each object.
    pub shapes: u64,
    /// Number of uploads of the numbers behind the colours: with each new shape and each change of
    /// quantity.
    pub values: u64,
    /// Number of times that the shadows were drawn: once for each moment, for any number of eyes.
    pub shadows: u64,
    /// Number of bytes sent in total.
    pub bytes: u64,
}
