//! The scene in the window: as it came, and as it is shown with signs and words.

use std::sync::Arc;
use std::time::Instant;

use interaction::scene::{Scene, ShownField, StatusLine};

use super::channels::NewScene;
use super::history::History;
use super::latency;
use super::signs::Signs;
use super::stillness::{Stillness, Worth};
use crate::render::Camera;
use crate::session::Recent;
use crate::settings::{Colours, Views};

/// The newest scene, what is shown of it, and from where.
#[derive(Default)]
pub(super) struct Picture {
    /// As it came.
    pub(super) scene: Arc<Scene>,
    /// As it is shown.
    pub(super) shown: Arc<Scene>,
    /// What it is shown with.
    shown_with: Option<Views>,
    pub(super) camera: Camera,
    signs: Signs,
    pub(super) history: History,
    /// Times from a scene to the screen.
    to_picture: Recent,
    stillness: Stillness,
    /// When the newest scene was made, if it has not been on the screen yet.
    unseen: Option<Instant>,
}

/// What has to be made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anew {
    Nothing,
    /// Only the words beside the picture.
    Words,
    Picture,
}

impl Picture {
    /// What the things' solvers can tell about each point.
    pub(super) fn fields(&self) -> Vec<ShownField> {
        self.scene.fields()
    }

    /// Takes a new scene, if it differs from the one before; says how.
    pub(super) fn take(&mut self, new: NewScene) -> Worth {
        let NewScene { scene, made } = new;
        let worth = self.stillness.worth(&self.scene, &scene, Instant::now());
        if worth == Worth::Picture {
            self.unseen = Some(made);
        }
        // What was measured at another place of a recording says nothing here.
        if scene.sought.is_some() {
            self.forget_squeezes();
        }
        if worth != Worth::Nothing {
            self.scene = scene;
        }
        worth
    }

    /// What has to be made anew after a scene of this worth, to be shown with these views.
    pub(super) fn anew(&self, worth: Worth, views: &Views) -> Anew {
        let is_other_view = self.shown_with.as_ref() != Some(views);
        match worth {
            Worth::Picture => Anew::Picture,
            // The scale of the colours goes with the numbers.
            Worth::Words if views.colours != Colours::Natural => Anew::Picture,
            Worth::Words | Worth::Nothing if is_other_view => Anew::Picture,
            Worth::Words => Anew::Words,
            Worth::Nothing => Anew::Nothing,
        }
    }

    /// Shows the scene with what the person wants to see of it, and one more line of status.
    pub(super) fn explain(&mut self, views: &Views, line: Option<StatusLine>) -> Arc<Scene> {
        let mut shown = self.signs.add(&self.scene, views, &self.history);
        shown.status.extend(latency::line(&shown, self.to_picture.median(Instant::now())));
        shown.status.extend(line);
        self.shown = Arc::new(shown);
        self.shown_with = Some(views.clone());
        Arc::clone(&self.shown)
    }

    /// Only the words beside the picture are new.
    pub(super) fn explain_status(&mut self, line: Option<StatusLine>) {
        let mut shown = (*self.shown).clone();
        shown.status.clone_from(&self.scene.status);
        shown.chosen.clone_from(&self.scene.chosen);
        shown.status.extend(latency::line(&self.scene, self.to_picture.median(Instant::now())));
        shown.status.extend(line);
        self.shown = Arc::new(shown);
    }

    /// The newest scene is on the screen.
    pub(super) fn drawn(&mut self) {
        if let Some(made) = self.unseen.take() {
            let now = Instant::now();
            self.to_picture.add(now, now.saturating_duration_since(made).as_secs_f64());
        }
    }

    /// Nothing that was measured before is about what is seen now.
    pub(super) fn forget_squeezes(&mut self) {
        self.history = History::default();
    }
}
