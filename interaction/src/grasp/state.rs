//! What a hand and an object are to each other, and why that changes.

/// What the hand and the object are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraspState {
    /// Nothing touches; the object is rigid and stands where it belongs.
    Approach,
    /// Some fingertips touch, not enough to take it.
    Touching,
    /// The object follows the palm, undeformed.
    Attached,
    /// The fingertips move the nodes that they hold.
    Deforming,
    /// Let go; the object springs back and returns to its place, and cannot be taken until the fingers
    /// are clear of it.
    Releasing,
    /// Hands push it with their shapes; it finds its own contacts and follows no palm.
    Pushed,
}

impl GraspState {
    /// For files, logs and screens.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approach => "approach",
            Self::Touching => "touching",
            Self::Attached => "attached",
            Self::Deforming => "deforming",
            Self::Releasing => "releasing",
            Self::Pushed => "pushed",
        }
    }
}

/// What a fingertip does to the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FingerContact {
    /// It is in the air.
    Free,
    /// It touches the skin.
    Touching,
    /// It holds a node and moves it.
    Pressing,
}

/// A change of state, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    pub from: GraspState,
    pub to: GraspState,
    pub reason: String,
}

/// What keeps a hand from doing all that its rules allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hindrance {
    /// Nothing does.
    None,
    /// It holds another object; this one is only touched.
    HandsFull,
    /// A new rest shape is being prepared: the object is taken and carried, but not deformed yet.
    Preparing,
}
