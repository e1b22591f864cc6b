//! Scenes for a headset, with the user's choice of colours and overlays.

use std::sync::Arc;
use std::time::Instant;

use interaction::scene::Scene;

use super::workbench::{Annotations, SqueezeHistory, SqueezeMoment};
use crate::settings::ViewOptions;
use crate::vr::HeadsetLink;

/// Adds annotations and colours to a headset's scenes. Runs on the hand's thread, so that the
/// headset waits for no window.
pub(super) struct HeadsetScenes {
    headset: Arc<HeadsetLink>,
    annotations: Annotations,
    history: SqueezeHistory,
}

impl HeadsetScenes {
    pub(super) fn new(headset: &Arc<HeadsetLink>) -> Self {
        let headset = Arc::clone(headset);
        Self { headset, annotations: Annotations::default(), history: SqueezeHistory::default() }
    }

    pub(super) fn show(&mut self, scene: &Scene, made: Instant, views: &ViewOptions) {
        if let Some(squeeze) = SqueezeMoment::of(scene, made) {
            self.history.add(squeeze);
        }
        self.headset.scenes.put(Arc::new(self.annotations.add(scene, views, &self.history)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ColourMode;
    use crate::vr::{Stance, WorldPlacement};
    use interaction::scene::Colouring;

    #[test]
    fn a_headset_shows_what_the_person_wants_to_see() {
        let placement = WorldPlacement { stance: Stance::Seated, scale: 1.0 };
        let headset = Arc::new(HeadsetLink::new(&Arc::default(), placement));
        let mut headset_scenes = HeadsetScenes::new(&headset);
        let mut shown = |colours| {
            headset_scenes.show(
                &Scene::default(),
                Instant::now(),
                &ViewOptions::with_colours(colours),
            );
            headset.scenes.take().unwrap().colouring.clone()
        };
        assert_eq!(shown(ColourMode::Natural), Colouring::Natural);
        assert!(matches!(shown(ColourMode::Strain), Colouring::Strain { .. }));
    }
}
