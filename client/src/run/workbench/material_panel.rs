//! The panel of materials: presets with the sources of their numbers, and the material of the
//! selected thing.

use egui::{DragValue, Key, RichText, ScrollArea, Ui};
use interaction::tabletop::Order;
use interaction::thing::NamedMaterial;
use objects::materials::{Library, Material};
use physics::contact::{ContactSettings, Friction};
use physics::material::IsotropicElastic;
use physics::{Grip, ObjectSpec};

use super::user_action::UserAction;
use super::{Page, Workbench};
use crate::command_line::{
    MOST_FRICTION, MaterialsFile, SKIN_SOFTNESS, skin_softness, with_skin_softness,
};
use crate::materials::{self, numbers, pascals};
use crate::session::Request;
use crate::settings::MaterialSetting;
use crate::ui::side_panel::{option, side_panel};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{ButtonWeight, KeyButton, capitalised, key_button};

/// State of the panel.
pub(super) struct MaterialPanel {
    /// The known materials, or the reason why the user's own file cannot be used.
    known: Result<Library, String>,
    /// Index of the material with these numbers; `None` after a change of a number.
    chosen: Option<usize>,
    young: f64,
    poisson: f64,
    density: f64,
    /// Coefficient of friction between hands and the thing.
    friction: f64,
    /// Softness of the hands' skin, in mm/kPa.
    skin_softness: f64,
}

const WIDTH: f32 = 380.0;
/// Smallest height of the list, in points.
const LIST: f32 = 160.0;
/// Smallest Young's modulus of the field, in Pa.
const SOFTEST: f64 = 10.0;
/// Largest Young's modulus of the field, in Pa.
const STIFFEST: f64 = 1e12;

impl MaterialPanel {
    /// Starts with the present material of the thing.
    pub(super) fn new(known: Result<Library, String>, spec: &ObjectSpec) -> Self {
        let (now, contact) = (spec.material(), spec.contact_settings());
        let is_it = |material: &Material| {
            numbers(material) == [now.young(), now.poisson()] && material.density == now.density()
        };
        let chosen = known.as_ref().ok().and_then(|known| known.materials().iter().position(is_it));
        Self {
            known,
            chosen,
            young: now.young(),
            poisson: now.poisson(),
            density: now.density(),
            friction: contact.friction.sticking,
            skin_softness: skin_softness(contact),
        }
    }

    /// Lays out the panel at the right: presets, notes about the chosen one, and its numbers.
    pub(super) fn panel(&mut self, ui: &mut Ui, spec: &ObjectSpec) -> Option<UserAction> {
        let now = spec.material();
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
            self.contact_fields(ui, palette, spec.grip());
            ui.add_space(style::GAP / 2.0);
            self.actions(ui, spec, is_meant)
        })
    }

    /// Lays out the presets. Returns true if the chosen one was chosen again, by Enter or a double
    /// click, which applies it.
    fn presets(&mut self, ui: &mut Ui, palette: &Palette) -> bool {
        // Room below the list for the numbers and the notes about the chosen preset.
        let below = if self.chosen.is_some() { 410.0 } else { 280.0 };
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

    /// Lays out source and notes of the chosen material.
    fn source(&self, ui: &mut Ui, palette: &Palette) {
        let known = self.known.as_ref().ok();
        let material = self.chosen.zip(known).and_then(|(i, known)| known.materials().get(i));
        let Some(material) = material else { return };
        ui.separator();
        let [low, high] = material.young_range.map(pascals);
        let mut words = format!("{low} to {high}. {}. {}", material.source, material.note);
        if numbers(material)[1] != material.poisson {
            words += &format!(
                " Poisson's ratio {} is reduced to {}: above that, linear tetrahedra are much \
                 too stiff.",
                material.poisson,
                numbers(material)[1]
            );
        }
        if !material.is_checked {
            words += " Quoted from a secondary source; the original was not checked.";
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

    /// Lays out friction and softness of the skin, which count only under friction.
    fn contact_fields(&mut self, ui: &mut Ui, palette: &Palette, grip: Grip) {
        ui.separator();
        let Self { friction, skin_softness, .. } = self;
        let [softest, hardest] = [SKIN_SOFTNESS[1], SKIN_SOFTNESS[0]];
        for (name, field) in [
            ("Friction", DragValue::new(friction).range(0.0..=MOST_FRICTION).max_decimals(3)),
            (
                "Softness of the skin",
                DragValue::new(skin_softness).range(hardest..=softest).suffix(" mm/kPa"),
            ),
        ] {
            ui.horizontal(|ui| {
                ui.label(name);
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    ui.add(field.speed(0.005))
                });
            });
        }
        if grip == Grip::Nodes {
            let words = "Without effect under the grip of the thesis (R).";
            ui.label(RichText::new(words).size(style::SMALL).color(palette.quiet));
        }
    }

    /// Settings of contact with the numbers of the fields.
    fn contact(&self, spec: &ObjectSpec) -> ContactSettings {
        let now = *spec.contact_settings();
        let is_same = |number: f64, now: f64| (number - now).abs() < 1e-9;
        let friction = match is_same(self.friction, now.friction.sticking) {
            true => now.friction,
            false => Friction::of(self.friction),
        };
        match is_same(self.skin_softness, skin_softness(&now)) {
            true => ContactSettings { friction, ..now },
            false => with_skin_softness(ContactSettings { friction, ..now }, self.skin_softness),
        }
    }

    fn actions(&self, ui: &mut Ui, spec: &ObjectSpec, is_meant: bool) -> Option<UserAction> {
        let contact = self.contact(spec);
        ui.horizontal(|ui| {
            let wanted = IsotropicElastic::new(self.young, self.poisson)
                .and_then(|material| material.with_density(self.density))
                .ok();
            let is_other = |wanted: &IsotropicElastic| {
                wanted != spec.material() || contact != *spec.contact_settings()
            };
            let wanted = wanted.filter(is_other);
            let apply =
                KeyButton { words: "Apply", key: Key::Enter, weight: ButtonWeight::Primary };
            let close = KeyButton { words: "Close", key: Key::Escape, weight: ButtonWeight::Plain };
            let applies = ui.add_enabled_ui(wanted.is_some(), |ui| key_button(ui, &apply)).inner;
            if key_button(ui, &close) {
                return Some(UserAction::ClosePage);
            }
            let material = wanted.filter(|_| applies || is_meant)?;
            let known = self.known.as_ref().ok();
            let named = self.chosen.zip(known).and_then(|(i, known)| known.materials().get(i));
            let name = named.map_or_else(|| "own".to_owned(), |material| material.name.clone());
            Some(UserAction::Matter(NamedMaterial { name, material, contact }))
        })
        .inner
    }
}

impl Workbench<'_> {
    /// Changes the material of the selected thing, in the background.
    pub(super) fn change_material(&mut self, matter: NamedMaterial) {
        let chosen = MaterialSetting {
            name: matter.name.clone(),
            young: matter.material.young(),
            poisson: matter.material.poisson(),
            density: matter.material.density(),
        };
        let contact = matter.contact;
        if self.request(Request::Order(Order::Material(matter))) {
            self.settings.change(|settings| {
                settings.material = Some(chosen);
                settings.contact.friction = Some(contact.friction.sticking);
                settings.contact.skin_softness = Some(skin_softness(&contact));
            });
        }
    }

    /// Opens or closes the panel.
    pub(super) fn open_material(&mut self) {
        let Some(spec) = self.spec() else { return };
        let is_open = matches!(self.panels.page, Page::Material(_));
        let known = materials::known(&MaterialsFile::default()).map_err(|e| format!("{e:#}"));
        let panel = MaterialPanel::new(known, &spec);
        self.panels.page = if is_open { Page::None } else { Page::Material(Box::new(panel)) };
    }
}

#[cfg(test)]
mod tests {
    use objects::materials::library;
    use physics::SolidSpec;

    use super::*;

    fn cube(young: f64, poisson: f64, density: f64) -> ObjectSpec {
        let mesh = objects::generate::cube(0.06, 1).unwrap();
        let material = IsotropicElastic::new(young, poisson).unwrap();
        let material = material.with_density(density).unwrap();
        SolidSpec::new(mesh, material, Vec::new()).unwrap().into()
    }

    #[test]
    fn what_the_thing_is_made_of_is_chosen_at_first() {
        let ([young, poisson], density) =
            library().find("liver").map(|liver| (numbers(liver), liver.density)).unwrap();
        let now = cube(young, poisson, density);
        let panel = MaterialPanel::new(Ok(library()), &now);
        let chosen = panel.chosen.map(|i| library().materials()[i].name.clone());
        assert_eq!(chosen.as_deref(), Some("liver"));
        let denser = cube(young, poisson, density + 1.0);
        assert_eq!(MaterialPanel::new(Ok(library()), &denser).chosen, None);
        let own = cube(1234.0, 0.2, 1000.0);
        assert_eq!(MaterialPanel::new(Ok(library()), &own).chosen, None);
        assert_eq!(MaterialPanel::new(Err("no".to_owned()), &own).chosen, None);
    }

    #[test]
    fn only_numbers_that_were_changed_change_the_contact() {
        let usual = ContactSettings::default();
        let own = ContactSettings { friction: Friction { sticking: 0.8, sliding: 0.5 }, ..usual };
        let spec = cube(1e4, 0.3, 1e3).with_contact_settings(own).unwrap();
        let mut panel = MaterialPanel::new(Ok(library()), &spec);
        assert_eq!(panel.contact(&spec), own);
        panel.friction = 0.3;
        assert_eq!(panel.contact(&spec), ContactSettings { friction: Friction::of(0.3), ..own });
        panel.skin_softness = 0.2;
        assert!((panel.contact(&spec).pad.normal - 2e-7).abs() < 1e-18);
    }
}
