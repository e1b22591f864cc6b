//! Key moments of a run, for pictures.

use std::sync::Arc;

use interaction::grasp::GraspState;
use interaction::scene::Scene;
use interaction::thing::is_pressed;

/// A moment of a grasp, or of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The last scene before a finger touches.
    Approach,
    /// All fingers hold on, or a push begins.
    Grasp,
    /// The deepest squeeze.
    Squeeze,
    /// The thing was released and has sprung back, or is no longer pushed.
    Release,
}

impl Moment {
    pub const ALL: [Self; 4] = [Self::Approach, Self::Grasp, Self::Squeeze, Self::Release];

    /// Name for files and captions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approach => "approach",
            Self::Grasp => "grasp",
            Self::Squeeze => "squeeze",
            Self::Release => "release",
        }
    }
}

/// Scenes of the key moments of the first grasps. Scenes share their surfaces, so storing them is
/// cheap.
#[derive(Debug, Default)]
pub struct KeyMoments {
    grasps: Vec<OneGrasp>,
    last_state: Option<GraspState>,
}

#[derive(Debug, Default)]
struct OneGrasp {
    scenes: [Option<Arc<Scene>>; 4],
    deepest: f64,
    /// True for a push without a hold.
    is_push: bool,
}

/// Number of grasps whose scenes are stored.
const MOST_GRASPS: usize = 4;

impl KeyMoments {
    /// Takes a scene, and stores it if it is a key moment.
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
        grasp.is_push |= matches!(state, GraspState::Pushed | GraspState::Lifted);
        let is_felt = || scene.objects.iter().any(|object| is_pressed(&object.frame));
        let keep = match state {
            GraspState::Approach if !is_taken => Some(Moment::Approach),
            GraspState::Approach if grasp.is_push => Some(Moment::Release),
            // While the thing returns, each scene replaces the one before: the last one stays.
            GraspState::Releasing => Some(Moment::Release),
            GraspState::Deforming if is_new && !is_taken => Some(Moment::Grasp),
            GraspState::Pushed | GraspState::Lifted if !is_taken => Some(Moment::Grasp),
            // A push lasts slightly longer than its forces: the last scene stays.
            GraspState::Pushed | GraspState::Lifted if !is_felt() => Some(Moment::Release),
            GraspState::Deforming | GraspState::Pushed | GraspState::Lifted
                if squeeze > grasp.deepest =>
            {
                grasp.deepest = squeeze;
                Some(Moment::Squeeze)
            }
            GraspState::Approach
            | GraspState::Touching
            | GraspState::Attached
            | GraspState::Deforming
            | GraspState::Pushed
            | GraspState::Lifted => None,
        };
        if let Some(moment) = keep {
            grasp.scenes[moment as usize] = Some(Arc::clone(scene));
        }
    }

    /// The stored moments in order. An approach without a grasp is left out, unless it is the only
    /// one.
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

#[cfg(test)]
mod tests {
    use interaction::scene::ObjectView;
    use nalgebra::Isometry3;
    use physics::{Grip, ProxyId, SurfaceFrame, Topology};

    use super::*;

    /// A scene with matter that a finger pushes with this force, in newtons.
    fn scene(force: f32) -> Arc<Scene> {
        let topology = Topology::of_points(Grip::Contact, vec![[0.0; 3]], Vec::new());
        let frame = SurfaceFrame::at_rest(Arc::new(topology), Arc::new(vec![[0.0; 3]]));
        let id = ProxyId { hand: 1, finger: 1, segment: ProxyId::TIP };
        let frame = SurfaceFrame { contact_forces: vec![(id, [force, 0.0, 0.0])], ..frame };
        let (frame, world_from_object) = (Arc::new(frame), Isometry3::identity());
        let object = ObjectView { thing: 0, frame, world_from_object, colours: None };
        Arc::new(Scene { objects: vec![object], ..Scene::default() })
    }

    /// Offers the scenes in turn, and compares the stored moments and their scenes with `expected`.
    fn check(offered: &[(GraspState, f32, f64)], expected: &[(Moment, usize)]) {
        let mut moments = KeyMoments::default();
        let scenes: Vec<_> = offered.iter().map(|(_, force, _)| scene(*force)).collect();
        for ((state, _, squeeze), scene) in offered.iter().zip(&scenes) {
            moments.offer(scene, *state, *squeeze);
        }
        let place = |kept: &Arc<Scene>| scenes.iter().position(|scene| Arc::ptr_eq(scene, kept));
        let found: Vec<_> = moments.iter().map(|(m, kept)| (m, place(kept).unwrap())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_push_has_four_moments() {
        use GraspState::{Approach, Pushed};
        let pushes = [
            (Approach, 0.0, 0.0),
            (Approach, 0.0, 0.001),
            (Pushed, 0.2, 0.002),
            (Pushed, 0.5, 0.006),
            (Pushed, 0.6, 0.009),
            (Pushed, 0.3, 0.005),
            // The thing bounces and is pushed again.
            (Pushed, 0.0, 0.004),
            (Pushed, 0.1, 0.004),
            (Pushed, 0.0, 0.003),
            (Pushed, 0.0, 0.002),
        ];
        let all = Moment::ALL;
        let expected = [(all[0], 1), (all[1], 2), (all[2], 4), (all[3], 9)];
        check(&pushes, &expected);
        // The loss of the hand ends the push at once.
        let lost = [&pushes[..6], &[(Approach, 0.0, 0.0), (Approach, 0.0, 0.0)]].concat();
        check(&lost, &[(all[0], 1), (all[1], 2), (all[2], 4), (all[3], 6)]);
    }

    #[test]
    fn a_grasp_has_its_moments_as_before() {
        use GraspState::{Approach, Attached, Deforming, Releasing, Touching};
        let states = [
            (Approach, 0.0),
            (Touching, 0.0),
            (Attached, 0.0),
            (Deforming, 0.001),
            (Deforming, 0.004),
            (Deforming, 0.003),
            (Releasing, 0.002),
            (Releasing, 0.0),
            (Approach, 0.0),
        ];
        let offered = states.map(|(state, squeeze)| (state, 0.0, squeeze));
        let all = Moment::ALL;
        check(&offered, &[(all[0], 0), (all[1], 3), (all[2], 4), (all[3], 7)]);
    }
}
