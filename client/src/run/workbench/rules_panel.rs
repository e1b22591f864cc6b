//! The panel of grasp rules, which can be changed while the hand moves.

use calibration::Finger;
use egui::{DragValue, Key, RichText, Ui};
use interaction::grasp::{GraspRules, RuleSetting};
use interaction::tabletop::Order;
use physics::Grip;

use super::Workbench;
use super::user_action::UserAction;
use crate::command_line::GripChoice;
use crate::session::Request;
use crate::ui::side_panel::{option, scrolled, side_panel};
use crate::ui::style::{self, Palette};
use crate::ui::widgets::{ButtonWeight, KeyButton, key_button};

const WIDTH: f32 = 352.0;

/// Lays out the panel at the right, with a line for each rule.
pub(super) fn panel(ui: &mut Ui, rules: &GraspRules, now: Option<Grip>) -> Option<UserAction> {
    side_panel(ui, "Grasp rules", WIDTH, |ui, palette| {
        let words = "Changes apply from the next sample on.";
        ui.label(RichText::new(words).color(palette.quiet));
        let mut asked = now.and_then(|now| grip(ui, palette, now.into()));
        scrolled(ui, |ui| {
            for setting in &RuleSetting::ALL {
                if let Some(value) = rule(ui, palette, setting, &setting.value(rules)) {
                    asked = changed(rules, setting.name, &value).map(UserAction::Rules);
                }
            }
        });
        ui.horizontal(|ui| {
            let close =
                KeyButton { words: "Close", key: Key::Escape, weight: ButtonWeight::Primary };
            if key_button(ui, &close) {
                asked = Some(UserAction::ClosePage);
            }
            let is_changed = *rules != GraspRules::default();
            let defaults = ui.add_enabled(is_changed, egui::Button::new("Reset all rules"));
            if defaults.clicked() {
                asked = Some(UserAction::Rules(GraspRules::default()));
            }
        });
        asked
    })
}

/// Lays out the choice of the way in which hands hold things.
fn grip(ui: &mut Ui, palette: &Palette, now: GripChoice) -> Option<UserAction> {
    let chosen = ui.horizontal(|ui| {
        ui.label("grip");
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            // The layout goes from right to left.
            let mut choices = GripChoice::ALL.into_iter().rev();
            choices.find(|choice| option(ui, *choice == now, choice.name()))
        })
        .inner
    });
    let meaning = match now {
        GripChoice::Friction => {
            "objects have weight; hands push them, stick and slip. Of the rules below, only those \
             of the drawn hand apply"
        }
        GripChoice::Thesis => "fingertips take an object by the rules below and move its nodes",
    };
    ui.label(RichText::new(meaning).size(style::SMALL).color(palette.quiet));
    ui.separator();
    chosen.inner.filter(|chosen| *chosen != now).map(UserAction::Grip)
}

/// Returns the rules with one of them changed, or `None` if the value is not allowed.
fn changed(rules: &GraspRules, name: &str, value: &str) -> Option<GraspRules> {
    let mut changed = rules.clone();
    changed.set(name, value).ok()?;
    Some(changed)
}

fn rule(ui: &mut Ui, palette: &Palette, setting: &RuleSetting, value: &str) -> Option<String> {
    ui.add_space(4.0);
    let name = setting.name.replace('-', " ");
    let asked = ui
        .horizontal_wrapped(|ui| {
            ui.label(name);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                match RuleControl::of(setting) {
                    RuleControl::Words(words) => choice(ui, &words, value),
                    RuleControl::Number { from, to, decimals } => {
                        number(ui, value, [from, to], decimals)
                    }
                    RuleControl::Fingers => None,
                }
            })
            .inner
        })
        .inner;
    let asked = match RuleControl::of(setting) {
        RuleControl::Fingers => ui.horizontal(|ui| fingers(ui, value)).inner,
        RuleControl::Words(_) | RuleControl::Number { .. } => asked,
    };
    let meaning = RichText::new(setting.meaning).size(style::SMALL).color(palette.quiet);
    ui.add(egui::Label::new(meaning).wrap());
    ui.separator();
    asked
}

/// The control for a rule, chosen by the values that the rule allows.
#[derive(Debug, PartialEq)]
enum RuleControl {
    Fingers,
    Words(Vec<&'static str>),
    Number { from: f64, to: f64, decimals: usize },
}

impl RuleControl {
    fn of(setting: &RuleSetting) -> Self {
        let words: Vec<&str> = setting.expected.split(" or ").collect();
        if words.len() > 1 && words.iter().all(|word| !word.contains(' ')) {
            return Self::Words(words);
        }
        // Reasons follow in brackets.
        let expected = setting.expected.split(" (").next().unwrap_or_default();
        let range = expected.rsplit_once(" from ").and_then(|(what, range)| {
            let (from, to) = range.split_once(" to ")?;
            Some((what, from.parse().ok()?, to.parse().ok()?))
        });
        match range {
            Some((what, from, to)) => {
                let decimals = if what.contains("fingers") { 0 } else { 2 };
                Self::Number { from, to, decimals }
            }
            None => Self::Fingers,
        }
    }
}

fn choice(ui: &mut Ui, words: &[&str], value: &str) -> Option<String> {
    // The layout goes from right to left.
    let mut words = words.iter().rev();
    words.find(|word| option(ui, **word == value, word)).map(|word| (*word).to_owned())
}

fn number(ui: &mut Ui, value: &str, [from, to]: [f64; 2], decimals: usize) -> Option<String> {
    let mut number: f64 = value.parse().unwrap_or(from);
    let speed = if decimals == 0 { 0.05 } else { (to - from) / 1000.0 };
    let field = DragValue::new(&mut number).range(from..=to).speed(speed).max_decimals(decimals);
    ui.add(field).changed().then(|| format!("{number:.decimals$}"))
}

fn fingers(ui: &mut Ui, value: &str) -> Option<String> {
    let chosen: Vec<&str> = value.split('+').collect();
    let mut asked = None;
    for finger in Finger::ALL {
        let is_chosen = chosen.contains(&finger.name());
        if option(ui, is_chosen, finger.name()) {
            let is_meant = |other: &Finger| {
                if *other == finger { !is_chosen } else { chosen.contains(&other.name()) }
            };
            let names: Vec<&str> =
                Finger::ALL.iter().filter(|f| is_meant(f)).map(|f| f.name()).collect();
            // With no finger in the rule, every hand would take the thing at once.
            asked = (!names.is_empty()).then(|| names.join("+"));
        }
    }
    asked
}

impl Workbench<'_> {
    /// Changes the way in which hands hold all things, and keeps it in the settings.
    pub(super) fn set_grip(&mut self, grip: GripChoice) {
        if self.request(Request::Order(Order::Grip(grip.into()))) {
            self.settings.change(|settings| settings.contact.grip = Some(grip));
        }
    }

    /// Applies other rules from the next sample on, and keeps the changed ones in the settings.
    pub(super) fn set_rules(&mut self, rules: GraspRules) {
        if !self.request(Request::Order(Order::Rules(rules.clone()))) {
            return;
        }
        for setting in &RuleSetting::ALL {
            let value = setting.value(&rules);
            if value == setting.value(&self.rules) {
                continue;
            }
            let is_usual = value == setting.value(&GraspRules::default());
            self.settings.change(|settings| {
                match is_usual {
                    true => settings.rules.remove(setting.name),
                    false => settings.rules.insert(setting.name.to_owned(), value.clone()),
                };
            });
        }
        self.rules = rules;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_can_be_changed_in_its_way() {
        for setting in &RuleSetting::ALL {
            let other = match RuleControl::of(setting) {
                RuleControl::Fingers => "thumb+index".to_owned(),
                RuleControl::Words(words) => {
                    let now = setting.value(&GraspRules::default());
                    assert!(words.contains(&now.as_str()), "{}", setting.name);
                    words.into_iter().find(|word| *word != now).unwrap().to_owned()
                }
                RuleControl::Number { from, to, decimals } => {
                    assert!(from < to);
                    format!("{to:.decimals$}").trim_end_matches(".00").to_owned()
                }
            };
            let rules = changed(&GraspRules::default(), setting.name, &other).unwrap();
            assert_eq!(setting.value(&rules), other, "{}", setting.name);
            assert_eq!(
                setting.name == "attach-fingers",
                RuleControl::of(setting) == RuleControl::Fingers
            );
        }
    }
}
