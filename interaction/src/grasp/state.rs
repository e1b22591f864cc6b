//! States of a grasp, and the reasons for their changes.

/// State of the grasp of one object by one hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraspState {
    /// Nothing touches; the object is rigid and stands at its home.
    Approach,
    /// Some fingertips touch, too few to take the object.
    Touching,
    /// The object follows the palm, undeformed.
    Attached,
    /// The fingertips move the nodes that they hold.
    Deforming,
    /// The object was released. It springs back, returns to its home, and cannot be taken until the
    /// fingers are clear of it.
    Releasing,
    /// Hands push the object with their shapes; it finds its own contacts and follows no palm.
    Pushed,
    /// Hands carry the object by friction, above the table.
    Lifted,
}

impl GraspState {
    /// Name of the state in files, logs and on screens.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approach => "approach",
            Self::Touching => "touching",
            Self::Attached => "attached",
            Self::Deforming => "deforming",
            Self::Releasing => "releasing",
            Self::Pushed => "pushed",
            Self::Lifted => "lifted",
        }
    }
}

/// Contact of one fingertip with the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FingerContact {
    /// The fingertip is in the air.
    Free,
    /// The fingertip touches the skin.
    Touching,
    /// The fingertip holds nodes and moves them.
    Pressing,
}

/// A change of state with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    pub from: GraspState,
    pub to: GraspState,
    pub reason: String,
}

/// What hands do to an object that finds its own contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Push {
    /// No shape of a hand presses it.
    None,
    /// Shapes of hands press it, and it stands or lies on the table.
    OnTable,
    /// Shapes of hands press it, and it is above the table.
    Above,
}

/// Reason why a hand cannot do everything that its rules allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hindrance {
    /// The hand can do everything.
    None,
    /// The hand holds another object and can only touch this one.
    HandsFull,
    /// A new rest shape is being prepared: the object is taken and carried, but not deformed yet.
    Preparing,
}
