//! Draws pictures of a run without a window, with the options of the command line.

use std::time::Instant;

use interaction::scene::Scene;

use super::workbench::{Annotations, SqueezeHistory, SqueezeMoment, legend};
use crate::command_line::{PictureColours, PictureOptions};
use crate::render::{Camera, Offscreen, Picture, RenderError, StatusPanel};
use crate::settings::{ColourMode, ViewOptions};
use crate::ui::{Look, status_panel};

/// Draws scenes of one run, all with the same colour scale.
pub(super) struct PicturePainter {
    offscreen: Offscreen,
    camera: Camera,
    look: Look,
    colours: PictureColours,
    annotations: Annotations,
    /// Largest displacement, forces and fields, for the scale.
    most: SqueezeHistory,
}

impl PicturePainter {
    /// Opens the graphics. Fails at once on a machine without a graphics driver.
    pub(super) fn new(picture_options: &PictureOptions) -> Result<Self, RenderError> {
        let theme = if picture_options.light { egui::Theme::Light } else { egui::Theme::Dark };
        // Text has the same size relative to the picture as in a window of 720 pixels' height.
        let pixels_per_point = (picture_options.size.height as f32 / 720.0).clamp(0.25, 4.0);
        Ok(Self {
            offscreen: Offscreen::new(picture_options.size.width, picture_options.size.height)?,
            camera: Camera {
                yaw: picture_options.yaw.to_radians(),
                pitch: picture_options.pitch.to_radians(),
                distance: picture_options.distance / 100.0,
                ..Camera::default()
            },
            look: Look { theme, pixels_per_point },
            colours: picture_options.colours,
            annotations: Annotations::default(),
            most: SqueezeHistory::default(),
        })
    }

    /// True if the colours' scale depends on the scenes.
    pub(super) fn needs_scale(&self) -> bool {
        match self.colours {
            PictureColours::Displacement | PictureColours::Field => true,
            PictureColours::Natural | PictureColours::Strain => false,
        }
    }

    /// Sets the scale of all following pictures.
    pub(super) fn scale_to(&mut self, most: &ScaleMaxima) {
        self.most = SqueezeHistory::default();
        self.most.add(most.0.clone());
    }

    /// Draws a scene with a legend of its colours, and with the status panel if `panel` says so.
    pub(super) fn picture(
        &mut self,
        scene: &Scene,
        panel: StatusPanel,
    ) -> Result<Picture, RenderError> {
        let views = ViewOptions::with_colours(colours_in(scene, self.colours));
        let shown = self.annotations.add(scene, &views, &self.most);
        self.offscreen.picture_with_panels(&shown, &self.camera, self.look, |ui| {
            if panel == StatusPanel::Shown {
                status_panel(ui, ui.available_rect_before_wrap().right(), &shown.status);
            }
            legend(ui, &shown);
        })
    }
}

/// The colour mode for a scene. A field is the first field of the first thing that offers one.
pub(super) fn colours_in(scene: &Scene, colours: PictureColours) -> ColourMode {
    match colours {
        PictureColours::Natural => ColourMode::Natural,
        PictureColours::Displacement => ColourMode::Displacement,
        PictureColours::Strain => ColourMode::Strain,
        PictureColours::Field => match scene.fields().first() {
            Some(field) => ColourMode::field(&field.kind.name),
            None => ColourMode::Natural,
        },
    }
}

/// Largest values of several scenes, for a common scale.
pub(super) struct ScaleMaxima(SqueezeMoment);

impl Default for ScaleMaxima {
    fn default() -> Self {
        Self(SqueezeMoment::none(Instant::now()))
    }
}

impl ScaleMaxima {
    pub(super) fn of<'a>(scenes: impl Iterator<Item = &'a Scene>) -> Self {
        let mut most = Self::default();
        scenes.for_each(|scene| most.see(scene));
        most
    }

    pub(super) fn see(&mut self, scene: &Scene) {
        self.0.see_fields(scene);
        let Some(chosen) = &scene.selected else { return };
        self.0.depth = self.0.depth.max(chosen.squeeze);
        let forces = chosen.forces.iter().flatten();
        for (most, force) in self.0.forces.iter_mut().flatten().zip(forces) {
            *most = most.max(*force);
        }
    }
}
