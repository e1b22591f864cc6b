//! What the window does when it is asked for something.

use std::sync::mpsc::TrySendError;

use drivers::Hand as Side;
use interaction::grasp::{GraspRules, Setting};
use interaction::shapes::Back;
use interaction::tabletop::{Matter, Order};
use nalgebra::Point3;
use physics::ObjectSpec;

use super::clerk::Snapshot;
use super::command::Command;
use super::files::Purpose;
use super::material::MaterialPanel;
use super::preferences::PreferencesPanel;
use super::question::{Answer, Question};
use super::{Bench, Page, drive};
use crate::command_line::MaterialsFile;
use crate::input::Steering;
use crate::materials;
use crate::session::Request;
use crate::settings::MaterialSetting;
use crate::ui::{Look, keys};
use crate::window::{Going, Show};
use crate::wiring::HandChoice;

/// How many times as large things in a headset become at once.
const GROWTH: f64 = 1.25;

impl Bench<'_> {
    /// Does what was asked for by menu or keys.
    pub(super) fn follow(&mut self, command: Command, ui: &egui::Ui) -> Going {
        self.has_news = true;
        match command {
            Command::KeepShape => self.order(Order::KeepShape),
            Command::Undo => self.order(Order::Back(Back::Undo)),
            Command::Redo => self.order(Order::Back(Back::Redo)),
            Command::Reset => self.order(Order::Back(Back::Reset)),
            Command::ReadFile => self.choose(Purpose::Read),
            Command::SaveAs => self.choose(Purpose::Save),
            Command::Colours => {
                self.kept.change(|settings| settings.views.colours = settings.views.colours.next());
                self.say(Ok(format!("colours: {}", self.views().colours.name())));
            }
            Command::Forces => self.switch(|views| &mut views.forces),
            Command::Measures => self.switch(|views| &mut views.measures),
            Command::Wireframe => self.switch(|views| &mut views.wireframe),
            Command::SphereTree => self.switch(|views| &mut views.sphere_tree),
            Command::RealHand => self.switch(|views| &mut views.real_hand),
            Command::Align => self.align(),
            Command::Goggles => self.headset.iter().for_each(|headset| headset.menu.switch()),
            Command::Table => self.headset.iter().for_each(|headset| headset.bring_table()),
            Command::Stance => self.headset.iter().for_each(|headset| headset.change_stance()),
            Command::Larger => self.grow_things(GROWTH),
            Command::Smaller => self.grow_things(1.0 / GROWTH),
            Command::MouseHand => self.drive.switch_mouse(),
            Command::PlayPause => self.play_or_pause(),
            Command::Snapshot => self.snapshot(ui),
            Command::Record => self.record(),
            Command::Mark => self.mark(),
            Command::Sources => match matches!(self.page, Page::Sources(_)) {
                true => self.page = Page::None,
                false => self.open_sources(),
            },
            Command::Rules => {
                let is_open = matches!(self.page, Page::Rules);
                self.page = if is_open { Page::None } else { Page::Rules };
            }
            Command::Material => self.open_material(),
            Command::Preferences => {
                let is_open = matches!(self.page, Page::Preferences(_));
                let panel = || Page::Preferences(Box::new(PreferencesPanel::new(&self.solver)));
                self.page = if is_open { Page::None } else { panel() };
            }
            Command::Benchmark => self.page = Page::Benchmark,
            Command::Objects => {
                let is_open = matches!(self.page, Page::Objects);
                self.page = if is_open { Page::None } else { Page::Objects };
            }
            Command::Help => self.page = Page::Help,
            // First it closes what is open.
            Command::Exit if !matches!(self.page, Page::None) => self.page = Page::None,
            Command::Exit => return self.close(),
        }
        Going::On
    }

    /// Begins to bring tracker and headset to agree, or gives it up.
    fn align(&mut self) {
        let Some(headset) = &self.headset else { return };
        match self.hand.choice() {
            HandChoice::Emulated(_) | HandChoice::Ports { .. } | HandChoice::Recording(_) => {
                headset.align.switch();
            }
            HandChoice::Mouse(_) | HandChoice::Headset => {
                let why = "there is nothing to align: it takes a hand with glove and tracker (I)";
                self.say(Err(why.to_owned()));
            }
        }
    }

    /// Things become so many times as large in the headset.
    fn grow_things(&mut self, factor: f64) {
        if let Some(Err(why)) = self.headset.as_ref().map(|headset| headset.grow(factor)) {
            self.say(Err(why.to_owned()));
        }
    }

    fn switch(&mut self, which: impl Fn(&mut super::Views) -> &mut bool) {
        self.kept.change(|settings| {
            let is_on = which(&mut settings.views);
            *is_on = !*is_on;
        });
    }

    /// The thing becomes of other matter, in the background.
    pub(super) fn remake(&mut self, matter: Matter) {
        let (young, poisson) = (matter.material.young(), matter.material.poisson());
        let chosen = MaterialSetting { name: matter.name.clone(), young, poisson };
        if self.request(Request::Order(Order::Material(matter))) {
            self.kept.change(|settings| settings.material = Some(chosen));
        }
    }

    fn open_material(&mut self) {
        let Some(ObjectSpec::Solid(solid)) = self.spec().as_deref().cloned() else { return };
        let is_open = matches!(self.page, Page::Material(_));
        let known = materials::known(&MaterialsFile::default()).map_err(|e| format!("{e:#}"));
        let panel = MaterialPanel::new(known, solid.material());
        self.page = if is_open { Page::None } else { Page::Material(Box::new(panel)) };
    }

    /// Moves the hand as the keys want it.
    pub(super) fn drive_by_keys(&mut self, ui: &egui::Ui) {
        let Some(closed) = self.scene.driven.filter(|_| self.menu.is_none()) else { return };
        self.drive.keys(ui, &self.camera, &closed);
        for (held, key) in keys::all_pressed(ui) {
            match key {
                egui::Key::Enter if held.is_none() => self.drive.take_or_let_go(&closed),
                egui::Key::Home if held.is_none() => self.drive_home(None),
                _ => {}
            }
        }
    }

    /// Shows the card of the hand that mouse and keys move, and does what is asked for there.
    pub(super) fn drive_card(&mut self, ui: &egui::Ui) {
        let (Some(wanted), Some(closed)) = (self.drive.wanted().copied(), self.scene.driven) else {
            return;
        };
        match drive::card(ui, &wanted, &closed, self.drive.is_mouse_on()) {
            None => {}
            Some(drive::Asked::Fingers(fingers)) => self.drive.want(Steering { fingers, ..wanted }),
            Some(drive::Asked::Side(side)) => self.drive_home(Some(side)),
            Some(drive::Asked::SwitchMouse) => self.drive.switch_mouse(),
            Some(drive::Asked::Home) => self.drive_home(None),
        }
    }

    /// The hand opens above the thing that orders are about, perhaps as the other one.
    fn drive_home(&mut self, side: Option<Side>) {
        let Some(before) = self.drive.wanted().map(|wanted| wanted.side) else { return };
        let side = side.unwrap_or(before);
        let middle = self.scene.chosen.as_ref().map_or_else(Point3::origin, |chosen| chosen.middle);
        self.drive.begin_above(side, &middle);
        self.keep_hand_side(side);
    }

    /// Others hold from the next sample on; those that changed are kept.
    pub(super) fn set_rules(&mut self, rules: GraspRules) {
        if !self.request(Request::Order(Order::Rules(rules.clone()))) {
            return;
        }
        for setting in &Setting::ALL {
            let value = setting.value(&rules);
            if value == setting.value(&self.rules) {
                continue;
            }
            let is_usual = value == setting.value(&GraspRules::default());
            self.kept.change(|settings| {
                match is_usual {
                    true => settings.rules.remove(setting.name),
                    false => settings.rules.insert(setting.name.to_owned(), value.clone()),
                };
            });
        }
        self.rules = rules;
    }

    /// Asks what has to be asked, and does what the answer says.
    pub(super) fn ask(&mut self, ui: &egui::Ui) -> Going {
        let Some(answer) = self.question.as_ref().and_then(|question| question.ask(ui)) else {
            return Going::On;
        };
        self.has_news = true;
        match (self.question.take(), answer) {
            (Some(Question::Exit(_)), Answer::Yes) => return Going::Over,
            (Some(Question::LoseShape(parts)), Answer::Yes) => self.replace(parts),
            (Some(Question::Replace(path)), Answer::Yes) => self.save_over(path),
            (Some(Question::Reset), Answer::Yes) => self.reset_settings(),
            (Some(Question::Replace(_)), Answer::No) => {
                if let Page::Files(files) = &mut self.page {
                    files.ask_again();
                }
            }
            (Some(_), Answer::No) | (None, _) => {}
        }
        Going::On
    }

    pub(super) fn order(&mut self, order: Order) {
        self.request(Request::Order(order));
    }

    /// Hands something to the session; says whether it is taken.
    pub(super) fn request(&mut self, request: Request) -> bool {
        match self.requests.try_send(request) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                self.say(Err("too much at once: ask again in a moment".to_owned()));
                false
            }
            // The window closes with the hand's thread.
            Err(TrySendError::Disconnected(_)) => false,
        }
    }

    fn snapshot(&mut self, ui: &egui::Ui) {
        let pixels_per_point = ui.ctx().pixels_per_point();
        let size = ui.ctx().content_rect().size() * pixels_per_point;
        let begun = self.clerk.snapshot(Snapshot {
            scene: (*self.shown).clone(),
            camera: self.camera,
            size: [size.x.round().max(1.0) as u32, size.y.round().max(1.0) as u32],
            look: Look { theme: ui.ctx().theme(), pixels_per_point },
            history: self.views().measures.then(|| self.history.clone()),
        });
        self.complain(begun);
    }
}
