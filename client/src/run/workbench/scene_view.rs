//! The scene in the window: as received, and as shown with annotations and words.

use std::sync::Arc;
use std::time::Instant;

use interaction::scene::{OfferedField, Scene, StatusLine};

use super::annotations::Annotations;
use super::latency_line;
use super::redraw::{Redraw, RedrawCheck};
use super::session_channels::NewScene;
use super::squeeze_history::SqueezeHistory;
use crate::render::Camera;
use crate::session::RecentDurations;
use crate::settings::{ColourMode, ViewOptions};

/// The newest scene, its annotated copy, and the camera.
#[derive(Default)]
pub(super) struct SceneView {
    /// The scene as received.
    pub(super) scene: Arc<Scene>,
    /// The scene as shown, with annotations.
    pub(super) shown: Arc<Scene>,
    /// The view options of the shown scene.
    shown_with: Option<ViewOptions>,
    pub(super) camera: Camera,
    annotations: Annotations,
    pub(super) history: SqueezeHistory,
    /// Times from a scene to the screen.
    to_picture: RecentDurations,
    redraw_check: RedrawCheck,
    /// Time at which the newest scene was made, if the scene has not been on the screen yet.
    unseen: Option<Instant>,
}

impl SceneView {
    /// The fields that the things' solvers offer.
    pub(super) fn fields(&self) -> Vec<OfferedField> {
        self.scene.fields()
    }

    /// Takes a new scene if it differs from the last one. Returns the parts to draw.
    pub(super) fn take(&mut self, new: NewScene) -> Redraw {
        let NewScene { scene, made } = new;
        let redraw = self.redraw_check.after(&self.scene, &scene, Instant::now());
        if redraw == Redraw::Picture {
            self.unseen = Some(made);
        }
        // Measures from another place of a recording do not belong to this scene.
        if scene.seek_progress.is_some() {
            self.forget_squeezes();
        }
        if redraw != Redraw::None {
            self.scene = scene;
        }
        redraw
    }

    /// Returns the parts to draw when a scene that needs `redraw` is shown with these views.
    pub(super) fn redraw_with_views(&self, redraw: Redraw, views: &ViewOptions) -> Redraw {
        let is_other_view = self.shown_with.as_ref() != Some(views);
        match redraw {
            Redraw::Picture => Redraw::Picture,
            // The scale of the colours changes with the numbers.
            Redraw::Panels if views.colours != ColourMode::Natural => Redraw::Picture,
            Redraw::Panels | Redraw::None if is_other_view => Redraw::Picture,
            Redraw::Panels => Redraw::Panels,
            Redraw::None => Redraw::None,
        }
    }

    /// Annotates the scene for these views, and adds the line `line` to the status.
    pub(super) fn explain(&mut self, views: &ViewOptions, line: Option<StatusLine>) -> Arc<Scene> {
        let mut shown = self.annotations.add(&self.scene, views, &self.history);
        shown.status.extend(latency_line::line(&shown, self.to_picture.median(Instant::now())));
        shown.status.extend(line);
        self.shown = Arc::new(shown);
        self.shown_with = Some(views.clone());
        Arc::clone(&self.shown)
    }

    /// Updates only the words beside the picture.
    pub(super) fn explain_status(&mut self, line: Option<StatusLine>) {
        let mut shown = (*self.shown).clone();
        shown.status.clone_from(&self.scene.status);
        shown.selected.clone_from(&self.scene.selected);
        shown
            .status
            .extend(latency_line::line(&self.scene, self.to_picture.median(Instant::now())));
        shown.status.extend(line);
        self.shown = Arc::new(shown);
    }

    /// Measures the time to the screen. Called when the newest scene is on the screen.
    pub(super) fn drawn(&mut self) {
        if let Some(made) = self.unseen.take() {
            let now = Instant::now();
            self.to_picture.add(now, now.saturating_duration_since(made).as_secs_f64());
        }
    }

    /// Forgets the measures, which do not belong to the shown thing or time any longer.
    pub(super) fn forget_squeezes(&mut self) {
        self.history = SqueezeHistory::default();
    }
}
