//! Pictures of a run without a window, as the command line asks for them.

use std::time::Instant;

use image::RgbaImage;
use interaction::scene::Scene;

use super::workbench::{History, Signs, Squeeze, legend};
use crate::command_line::{PictureColours, Portrait};
use crate::render::{Camera, Offscreen, Panel, RenderError};
use crate::settings::{Colours, Views};
use crate::ui::{Look, status_panel};

/// Draws scenes of one run, all by the same scale.
pub(super) struct Painter {
    offscreen: Offscreen,
    camera: Camera,
    look: Look,
    colours: PictureColours,
    signs: Signs,
    /// How deep and how hard it was at most.
    most: History,
}

impl Painter {
    /// Fails at once where nothing can be drawn.
    pub(super) fn new(portrait: &Portrait) -> Result<Self, RenderError> {
        let theme = if portrait.light { egui::Theme::Light } else { egui::Theme::Dark };
        // Words are as large beside the picture as they are in a window.
        let pixels_per_point = (portrait.size.height as f32 / 720.0).clamp(0.25, 4.0);
        Ok(Self {
            offscreen: Offscreen::new(portrait.size.width, portrait.size.height)?,
            camera: Camera {
                yaw: portrait.yaw.to_radians(),
                pitch: portrait.pitch.to_radians(),
                distance: portrait.distance / 100.0,
                ..Camera::default()
            },
            look: Look { theme, pixels_per_point },
            colours: portrait.colours,
            signs: Signs::default(),
            most: History::default(),
        })
    }

    /// Whether colours have a scale that depends on what is shown.
    pub(super) fn needs_scale(&self) -> bool {
        match self.colours {
            PictureColours::Displacement | PictureColours::Field => true,
            PictureColours::Natural | PictureColours::Strain => false,
        }
    }

    /// All pictures from now on by a scale for what was seen.
    pub(super) fn scale_to(&mut self, most: &Most) {
        self.most = History::default();
        self.most.add(most.0.clone());
    }

    /// With what the colours mean, and the state of everything if it is to be shown.
    pub(super) fn picture(
        &mut self,
        scene: &Scene,
        panel: Panel,
    ) -> Result<RgbaImage, RenderError> {
        let views = Views::with_colours(colours_in(scene, self.colours));
        let shown = self.signs.add(scene, &views, &self.most);
        self.offscreen.picture_with_panels(&shown, &self.camera, self.look, |ui| {
            if panel == Panel::Shown {
                status_panel(ui, ui.available_rect_before_wrap().right(), &shown.status);
            }
            legend(ui, &shown);
        })
    }
}

/// What the colours of a scene say. A field is the first one of the first thing that offers any.
pub(super) fn colours_in(scene: &Scene, colours: PictureColours) -> Colours {
    match colours {
        PictureColours::Natural => Colours::Natural,
        PictureColours::Displacement => Colours::Displacement,
        PictureColours::Strain => Colours::Strain,
        PictureColours::Field => match scene.fields().first() {
            Some(field) => Colours::field(&field.kind.name),
            None => Colours::Natural,
        },
    }
}

/// The most of everything.
pub(super) struct Most(Squeeze);

impl Default for Most {
    fn default() -> Self {
        Self(Squeeze::none(Instant::now()))
    }
}

impl Most {
    pub(super) fn of<'a>(scenes: impl Iterator<Item = &'a Scene>) -> Self {
        let mut most = Self::default();
        scenes.for_each(|scene| most.see(scene));
        most
    }

    pub(super) fn see(&mut self, scene: &Scene) {
        self.0.see_fields(scene);
        let Some(chosen) = &scene.chosen else { return };
        self.0.depth = self.0.depth.max(chosen.squeeze);
        let forces = chosen.forces.iter().flatten();
        for (most, force) in self.0.forces.iter_mut().flatten().zip(forces) {
            *most = most.max(*force);
        }
    }
}
