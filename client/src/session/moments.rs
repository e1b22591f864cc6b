//! The moments of a run that are worth a picture.

use std::sync::Arc;

use crate::grasp::GraspState;
use crate::scene::Scene;

/// A moment of a grasp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The last scene before a finger touches.
    Approach,
    /// All fingers hold on.
    Grasp,
    /// The deepest squeeze.
    Squeeze,
    /// Let go and sprung back.
    Release,
}

impl Moment {
    pub const ALL: [Self; 4] = [Self::Approach, Self::Grasp, Self::Squeeze, Self::Release];

    /// For files and captions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approach => "approach",
            Self::Grasp => "grasp",
            Self::Squeeze => "squeeze",
            Self::Release => "release",
        }
    }
}

/// The scenes of the first grasp's key moments. Scenes share their surfaces, so keeping them is cheap.
#[derive(Debug, Default)]
pub struct KeyMoments {
    scenes: [Option<Arc<Scene>>; 4],
    deepest: f64,
    last_state: Option<GraspState>,
}

impl KeyMoments {
    /// Looks at a scene and keeps it if it is one.
    pub fn offer(&mut self, scene: &Arc<Scene>, state: GraspState, squeeze: f64) {
        let is_new = self.last_state.replace(state) != Some(state);
        let keep = match state {
            GraspState::Approach if self.scene(Moment::Grasp).is_none() => Some(Moment::Approach),
            // On the way to the ground after letting go: the last scene of it is the one.
            GraspState::Releasing => Some(Moment::Release),
            GraspState::Deforming if is_new && self.scene(Moment::Grasp).is_none() => {
                Some(Moment::Grasp)
            }
            GraspState::Deforming if squeeze > self.deepest => {
                self.deepest = squeeze;
                Some(Moment::Squeeze)
            }
            GraspState::Approach
            | GraspState::Touching
            | GraspState::Attached
            | GraspState::Deforming => None,
        };
        if let Some(moment) = keep {
            self.scenes[moment as usize] = Some(Arc::clone(scene));
        }
    }

    /// The scene of a moment, if it came.
    pub fn scene(&self, moment: Moment) -> Option<&Arc<Scene>> {
        self.scenes[moment as usize].as_ref()
    }

    /// The moments that came, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Moment, &Arc<Scene>)> {
        Moment::ALL.into_iter().filter_map(|moment| Some((moment, self.scene(moment)?)))
    }
}
