//! Chart of the result: for each joint the expected error on new poses, with notes.

use egui::{Align2, Color32, Painter, Rect, RichText, ScrollArea, Stroke, Ui, pos2, vec2};

use crate::calibrate::window_ui::outcome::{FitOutcome, JointRow, Quality};
use crate::ui::style::{self, Palette, font};
use crate::ui::widgets;

const ROW: f32 = 19.0;
/// Widths of the columns beside the bars.
const NAMES: f32 = 158.0;
const FIGURES: f32 = 118.0;
/// Limits of the chart's range, in degrees: at least the first, so that small errors look small; at
/// most the second, so that one bad joint does not flatten the others.
const SCALE_DEG: [f64; 2] = [4.0, 15.0];

pub(super) fn outcome(ui: &mut Ui, palette: &Palette, outcome: &FitOutcome) {
    style::card(palette).inner_margin(12).show(ui, |ui| {
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let bars = Bars::new(ui, &outcome.joints);
            bars.head(ui, palette);
            for joint in &outcome.joints {
                bars.row(ui, palette, joint);
            }
            notes(ui, palette, outcome);
        });
    });
}

fn notes(ui: &mut Ui, palette: &Palette, outcome: &FitOutcome) {
    ui.add_space(style::GAP);
    ui.spacing_mut().item_spacing.y = 5.0;
    let trouble = outcome.trouble.iter().map(|words| (words, palette.bad));
    let notes = outcome.notes.iter().map(|words| (words, palette.quiet));
    for (words, colour) in trouble.chain(notes) {
        ui.label(RichText::new(widgets::capitalised(words)).size(style::SMALL).color(colour));
    }
    if !outcome.worst.is_empty() {
        let words = format!("The worst: {}", outcome.worst.join(", "));
        ui.label(RichText::new(words).size(style::SMALL).color(palette.quiet));
    }
}

/// Conversion of degrees to points.
struct Bars {
    scale_deg: f64,
    width: f32,
}

impl Bars {
    fn new(ui: &Ui, joints: &[JointRow]) -> Self {
        let ends = joints.iter().filter_map(|joint| match joint.error_deg {
            Some([_, _, high]) => Some(high),
            None => joint.residual_deg,
        });
        let [least, most] = SCALE_DEG;
        let scale_deg = ends.fold(0.0, f64::max).clamp(least, most);
        Self { scale_deg, width: (ui.available_width() - NAMES - FIGURES - 14.0).max(60.0) }
    }

    fn x(&self, row: Rect, degrees: f64) -> f32 {
        let share = (degrees / self.scale_deg).clamp(0.0, 1.0) as f32;
        row.left() + NAMES + share * self.width
    }

    fn marks(&self) -> impl Iterator<Item = u32> {
        let step = if self.scale_deg > 10.0 { 5 } else { 2 };
        (0..=self.scale_deg as u32).step_by(step)
    }

    fn head(&self, ui: &mut Ui, palette: &Palette) {
        let row = row_rect(ui);
        let painter = ui.painter();
        let small = font(style::SMALL);
        for degrees in self.marks() {
            let at = pos2(self.x(row, f64::from(degrees)), row.center().y);
            painter.text(
                at,
                Align2::CENTER_CENTER,
                format!("{degrees}°"),
                small.clone(),
                palette.quiet,
            );
        }
        let words = "error on new poses";
        painter.text(row.left_center(), Align2::LEFT_CENTER, words, small.clone(), palette.quiet);
        let words = "(95 % interval)";
        painter.text(row.right_center(), Align2::RIGHT_CENTER, words, small, palette.quiet);
    }

    fn row(&self, ui: &mut Ui, palette: &Palette, joint: &JointRow) {
        let row = row_rect(ui);
        let painter = ui.painter();
        for degrees in self.marks() {
            let x = self.x(row, f64::from(degrees));
            painter.vline(x, row.y_range(), Stroke::new(1.0, palette.edge));
        }
        let colour = match joint.quality {
            Quality::Good => palette.good,
            Quality::Fair => palette.fair,
            Quality::Poor => palette.bad,
            Quality::Unknown => palette.quiet,
        };
        let name = widgets::capitalised(joint.name);
        let small = font(style::SMALL);
        painter.text(row.left_center(), Align2::LEFT_CENTER, name, small.clone(), palette.words);
        let figures = match (joint.error_deg, joint.residual_deg) {
            (Some([low, estimate, high]), _) => {
                self.bar(painter, row, estimate, colour);
                self.whisker(painter, row, [low, high], palette.words);
                format!("{estimate:.1}° ({low:.1} to {high:.1})")
            }
            (None, Some(residual)) => {
                self.bar(painter, row, residual, colour);
                format!("{residual:.1}° residual, gain not measured")
            }
            (None, None) => "not measured".to_owned(),
        };
        let figures_colour = if joint.quality == Quality::Good { palette.quiet } else { colour };
        painter.text(row.right_center(), Align2::RIGHT_CENTER, figures, small, figures_colour);
    }

    fn bar(&self, painter: &Painter, row: Rect, degrees: f64, colour: Color32) {
        let from = pos2(self.x(row, 0.0), row.center().y - 5.0);
        let to = pos2(self.x(row, degrees).max(from.x + 2.0), row.center().y + 5.0);
        painter.rect_filled(Rect::from_min_max(from, to), 2.0, colour);
    }

    fn whisker(&self, painter: &Painter, row: Rect, ends: [f64; 2], colour: Color32) {
        let stroke = Stroke::new(1.2, colour.gamma_multiply(0.75));
        let [low, high] = ends.map(|degrees| self.x(row, degrees));
        let y = row.center().y;
        painter.hline(low..=high, y, stroke);
        for x in [low, high] {
            painter.vline(x, y - 3.0..=y + 3.0, stroke);
        }
    }
}

fn row_rect(ui: &mut Ui) -> Rect {
    ui.allocate_exact_size(vec2(ui.available_width(), ROW), egui::Sense::hover()).0
}
