//! The panel of materials: what the thing in the hand is made of, with where the numbers come from.

use egui::{DragValue, Key, RichText, ScrollArea, Ui};
use interaction::tabletop::Order;
use interaction::thing::Matter;
use objects::materials::{Library, Material};
use physics::material::IsotropicElastic;

use super::ask::Ask;
use super::{Bench, Page};
use crate::command_line::MaterialsFile;
use crate::materials::{self, numbers, pascals};
use crate::session::Request;
use crate::settings::MaterialSetting;
use crate::ui::side::{option, side_panel};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{Action, Weight, action, capitalised};

/// What stands in the panel.
pub(super) struct MaterialPanel {
    /// What is known, or why somebody's own file cannot be used.
    known: Result<Library, String>,
    /// The one whose numbers these are, by its place in the list, until they are changed.
    chosen: Option<usize>,
    young: f64,
    poisson: f64,
    density: f64,
}

const WIDTH: f32 = 380.0;
/// Of the list, at least.
const LIST: f32 = 160.0;
const SOFTEST: f64 = 10.0;
const STIFFEST: f64 = 1e12;

impl MaterialPanel {
    /// Begins with what the thing is made of now.
    pub(super) fn new(known: Result<Library, String>, now: &IsotropicElastic) -> Self {
        let is_it = |material: &Material| {
            numbers(material) == [now.young(), now.poisson()] && material.density == now.density()
        };
        let chosen = known.as_ref().ok().and_then(|known| known.materials().iter().position(is_it));
        Self { known, chosen, young: now.young(), poisson: now.poisson(), density: now.density() }
    }

    /// At the right: presets, what is known about the chosen one, and its numbers.
    pub(super) fn panel(&mut self, ui: &mut Ui, now: &IsotropicElastic) -> Option<Ask> {
        side_panel(ui, "Material", WIDTH, |ui, palette| {
            let words = format!(
                "Now {}, {}, {} kg/m³.",
                pascals(now.young()),
                now.poisson(),
                now.density()
            );
            ui.label(RichText::new(words).color(palette.quiet));
            let is_meant = self.presets(ui, palette);
            self.source(ui, palette);
            self.fields(ui);
            ui.add_space(style::GAP / 2.0);
            self.actions(ui, now, is_meant)
        })
    }

    /// Whether the one that was chosen already is chosen once more, by Enter or by a double click: it is meant.
    fn presets(&mut self, ui: &mut Ui, palette: &Palette) -> bool {
        // Below are the numbers, and what is known about the chosen one.
        let below = if self.chosen.is_some() { 330.0 } else { 200.0 };
        let room = (ui.available_height() - below).max(LIST);
        let known = match &self.known {
            Ok(known) => known,
            Err(why) => {
                ui.add(egui::Label::new(RichText::new(why).color(palette.bad)).wrap());
                return false;
            }
        };
        let area = ScrollArea::vertical().max_height(room).min_scrolled_height(LIST);
        let mut is_meant = false;
        area.auto_shrink([false, false]).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            let mut kind = None;
            for (i, material) in known.materials().iter().enumerate() {
                if kind != Some(material.kind) {
                    kind = Some(material.kind);
                    let title = capitalised(material.kind.name());
                    ui.label(RichText::new(title).size(style::SMALL).color(palette.quiet));
                }
                let words = format!("{}   {}", material.name, pascals(material.young));
                if option(ui, self.chosen == Some(i), &words) {
                    is_meant = self.chosen.replace(i) == Some(i);
                    [self.young, self.poisson] = numbers(material);
                    self.density = material.density;
                }
            }
        });
        is_meant
    }

    /// What is known about the chosen one.
    fn source(&self, ui: &mut Ui, palette: &Palette) {
        let known = self.known.as_ref().ok();
        let material = self.chosen.zip(known).and_then(|(i, known)| known.materials().get(i));
        let Some(material) = material else { return };
        ui.separator();
        let [low, high] = material.young_range.map(pascals);
        let mut words = format!("{low} to {high}. {}. {}", material.source, material.note);
        if numbers(material)[1] != material.poisson {
            words += &format!(
                " Its Poisson's ratio of {} is taken as {}: beyond, linear tetrahedra are much too stiff.",
                material.poisson,
                numbers(material)[1]
            );
        }
        if !material.is_checked {
            words += " Quoted after others: nobody here has seen the source itself.";
        }
        let words = RichText::new(words).size(style::SMALL).color(palette.quiet);
        ScrollArea::vertical().id_salt("source").max_height(110.0).show(ui, |ui| {
            ui.add(egui::Label::new(words).wrap());
        });
    }

    fn fields(&mut self, ui: &mut Ui) {
        ui.separator();
        let before = [self.young, self.poisson, self.density];
        ui.horizontal(|ui| {
            ui.label("Young's modulus");
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let speed = 0.01 * self.young;
                let field = DragValue::new(&mut self.young).range(SOFTEST..=STIFFEST).speed(speed);
                ui.add(field.suffix(" Pa").max_decimals(0));
            });
        });
        ui.horizontal(|ui| {
            ui.label("Poisson's ratio");
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let field = DragValue::new(&mut self.poisson).range(0.0..=0.49).speed(0.002);
                ui.add(field.max_decimals(3));
            });
        });
        ui.horizontal(|ui| {
            ui.label("Density");
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let speed = 0.01 * self.density;
                let field = DragValue::new(&mut self.density).range(1.0..=3e4).speed(speed);
                ui.add(field.suffix(" kg/m³").max_decimals(0));
            });
        });
        if before != [self.young, self.poisson, self.density] {
            self.chosen = None;
        }
    }

    fn actions(&self, ui: &mut Ui, now: &IsotropicElastic, is_meant: bool) -> Option<Ask> {
        ui.horizontal(|ui| {
            let wanted = IsotropicElastic::new(self.young, self.poisson)
                .and_then(|material| material.with_density(self.density))
                .ok();
            let wanted = wanted.filter(|wanted| wanted != now);
            let apply = Action { words: "Apply", key: Key::Enter, weight: Weight::Primary };
            let close = Action { words: "Close", key: Key::Escape, weight: Weight::Plain };
            let applies = ui.add_enabled_ui(wanted.is_some(), |ui| action(ui, &apply)).inner;
            if action(ui, &close) {
                return Some(Ask::ClosePage);
            }
            let material = wanted.filter(|_| applies || is_meant)?;
            let known = self.known.as_ref().ok();
            let named = self.chosen.zip(known).and_then(|(i, known)| known.materials().get(i));
            let name = named.map_or_else(|| "own".to_owned(), |material| material.name.clone());
            Some(Ask::Matter(Matter { name, material }))
        })
        .inner
    }
}

impl Bench<'_> {
    /// The thing becomes of other matter, in the background.
    pub(super) fn remake(&mut self, matter: Matter) {
        let chosen = MaterialSetting {
            name: matter.name.clone(),
            young: matter.material.young(),
            poisson: matter.material.poisson(),
            density: matter.material.density(),
        };
        if self.request(Request::Order(Order::Material(matter))) {
            self.kept.change(|settings| settings.material = Some(chosen));
        }
    }

    /// Opens the panel, or closes it.
    pub(super) fn open_material(&mut self) {
        let Some(spec) = self.spec() else { return };
        let is_open = matches!(self.panels.page, Page::Material(_));
        let known = materials::known(&MaterialsFile::default()).map_err(|e| format!("{e:#}"));
        let panel = MaterialPanel::new(known, spec.material());
        self.panels.page = if is_open { Page::None } else { Page::Material(Box::new(panel)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use objects::materials::library;

    #[test]
    fn what_the_thing_is_made_of_is_chosen_at_first() {
        let (liver, density) =
            library().find("liver").map(|liver| (numbers(liver), liver.density)).unwrap();
        let now = IsotropicElastic::new(liver[0], liver[1]).unwrap();
        let now = now.with_density(density).unwrap();
        let panel = MaterialPanel::new(Ok(library()), &now);
        let chosen = panel.chosen.map(|i| library().materials()[i].name.clone());
        assert_eq!(chosen.as_deref(), Some("liver"));
        let denser = now.with_density(density + 1.0).unwrap();
        assert_eq!(MaterialPanel::new(Ok(library()), &denser).chosen, None);
        let own = IsotropicElastic::new(1234.0, 0.2).unwrap();
        assert_eq!(MaterialPanel::new(Ok(library()), &own).chosen, None);
        assert_eq!(MaterialPanel::new(Err("no".to_owned()), &own).chosen, None);
    }
}
