//! The moments of a run that are worth a picture.

use std::sync::Arc;

use interaction::grasp::GraspState;
use interaction::scene::Scene;

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

/// The scenes of the first grasps' key moments. Scenes share their surfaces, so keeping them is cheap.
#[derive(Debug, Default)]
pub struct KeyMoments {
    grasps: Vec<OneGrasp>,
    last_state: Option<GraspState>,
}

#[derive(Debug, Default)]
struct OneGrasp {
    scenes: [Option<Arc<Scene>>; 4],
    deepest: f64,
}

/// Of more grasps nobody looks at pictures.
const MOST_GRASPS: usize = 4;

impl KeyMoments {
    /// Looks at a scene and keeps it if it is one.
    pub fn offer(&mut self, scene: &Arc<Scene>, state: GraspState, squeeze: f64) {
        let is_new = self.last_state.replace(state) != Some(state);
        let is_over = |grasp: &OneGrasp| grasp.scenes[Moment::Release as usize].is_some();
        if state == GraspState::Approach && self.grasps.last().is_none_or(is_over) {
            self.grasps.push(OneGrasp::default());
        }
        let n_grasps = self.grasps.len();
        let Some(grasp) = self.grasps.last_mut().filter(|_| n_grasps <= MOST_GRASPS) else {
            return;
        };
        let is_taken = grasp.scenes[Moment::Grasp as usize].is_some();
        let keep = match state {
            GraspState::Approach if !is_taken => Some(Moment::Approach),
            // On the way to the ground after letting go: the last scene of it is the one.
            GraspState::Releasing => Some(Moment::Release),
            GraspState::Deforming if is_new && !is_taken => Some(Moment::Grasp),
            GraspState::Deforming if squeeze > grasp.deepest => {
                grasp.deepest = squeeze;
                Some(Moment::Squeeze)
            }
            GraspState::Approach
            | GraspState::Touching
            | GraspState::Attached
            | GraspState::Deforming => None,
        };
        if let Some(moment) = keep {
            grasp.scenes[moment as usize] = Some(Arc::clone(scene));
        }
    }

    /// The moments that came, in order. An approach that nothing came of is left out, unless it is the
    /// only one.
    pub fn iter(&self) -> impl Iterator<Item = (Moment, &Arc<Scene>)> {
        let is_one = |(i, grasp): &(usize, &OneGrasp)| {
            *i == 0 || grasp.scenes[Moment::Grasp as usize].is_some()
        };
        let grasps = self.grasps.iter().enumerate().filter(is_one).take(MOST_GRASPS);
        grasps.flat_map(|(_, grasp)| {
            let scene = |moment: Moment| grasp.scenes[moment as usize].as_ref();
            Moment::ALL.into_iter().filter_map(move |moment| Some((moment, scene(moment)?)))
        })
    }
}
