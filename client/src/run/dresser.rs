//! Scenes for a headset, with what the person wants to see of them.

use std::sync::Arc;
use std::time::Instant;

use interaction::scene::Scene;

use super::workbench::{History, Signs, Squeeze};
use crate::settings::Views;
use crate::vr::HeadsetLink;

/// Adds signs and colours to what a headset shows, on the hand's thread: the headset waits for no window.
pub(super) struct Dresser {
    headset: Arc<HeadsetLink>,
    signs: Signs,
    history: History,
}

impl Dresser {
    pub(super) fn new(headset: &Arc<HeadsetLink>) -> Self {
        let headset = Arc::clone(headset);
        Self { headset, signs: Signs::default(), history: History::default() }
    }

    pub(super) fn show(&mut self, scene: &Scene, made: Instant, views: &Views) {
        if let Some(squeeze) = Squeeze::of(scene, made) {
            self.history.add(squeeze);
        }
        self.headset.scenes.put(Arc::new(self.signs.add(scene, views, &self.history)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Colours;
    use crate::vr::{Placing, Stance};
    use interaction::scene::Colouring;

    #[test]
    fn a_headset_shows_what_the_person_wants_to_see() {
        let placing = Placing { stance: Stance::Seated, scale: 1.0 };
        let headset = Arc::new(HeadsetLink::new(&Arc::default(), placing));
        let mut dresser = Dresser::new(&headset);
        let mut shown = |colours| {
            dresser.show(&Scene::default(), Instant::now(), &Views::with_colours(colours));
            headset.scenes.take().unwrap().colouring.clone()
        };
        assert_eq!(shown(Colours::Natural), Colouring::Natural);
        assert!(matches!(shown(Colours::Strain), Colouring::Strain { .. }));
    }
}
