//! The one place where the window does what it was asked for, on whatever panel.

use interaction::shapes::Back;
use interaction::tabletop::Order;

use super::ask::Ask;
use super::channels::Refused;
use super::command::Command;
use super::files::Purpose;
use super::panels::{Known, Panels};
use super::preferences::PreferencesPanel;
use super::question::{Answer, Question};
use super::{Bench, Page};
use crate::session::Request;
use crate::settings::Views;
use crate::vr::HeadsetLink;
use crate::window::{Going, Show};

/// How many times as large things in a headset become at once.
const GROWTH: f64 = 1.25;

impl Bench<'_> {
    /// Lays out some of the panels, and does what is asked for there.
    pub(super) fn lay_out(
        &mut self,
        ui: &mut egui::Ui,
        some: impl FnOnce(&mut Panels, &mut egui::Ui, &Known<'_>) -> Vec<Ask>,
    ) -> Going {
        let known = Known {
            picture: &self.picture,
            hand: &self.hand,
            files: &self.files,
            headset: self.headset.as_ref(),
            settings: self.kept.settings(),
            rules: &self.rules,
            solver: &self.solving.choice,
        };
        for ask in some(&mut self.panels, ui, &known) {
            if self.obey(ask, ui) == Going::Over {
                return Going::Over;
            }
        }
        Going::On
    }

    fn obey(&mut self, ask: Ask, ui: &egui::Ui) -> Going {
        self.panels.has_news = true;
        match ask {
            Ask::Command(command) => return self.follow(command, ui),
            Ask::Answer(answer) => return self.take_answer(answer),
            Ask::ClosePage => self.close_page(),
            Ask::CloseBoard => self.of_headset(|headset| headset.menu.close()),
            Ask::Select(thing) => self.select(thing),
            Ask::Turn { thing, home } => self.order(Order::Place { thing, home }),
            Ask::Make(kind, place) => self.make(kind, place),
            Ask::Matter(matter) => self.remake(matter),
            Ask::Rules(rules) => self.set_rules(rules),
            Ask::Find(purpose) => self.choose(purpose),
            Ask::List(folder) => self.list(folder),
            Ask::Take(path) => self.take(path),
            Ask::Read(path, place) => self.read(path, place),
            Ask::Opening(opening) => self.kept.change(|settings| settings.opening = opening),
            Ask::Hand(choice) => self.open_hand(choice),
            Ask::Person(person) => self.read_person(person),
            Ask::SearchPorts => self.search_ports(),
            Ask::Steer(steering) => self.hand.drive.want(steering),
            Ask::TakeOrLetGo => self.take_or_let_go(),
            Ask::GoHome(side) => self.drive_home(side),
            Ask::Play(file) => self.play(file),
            Ask::Seek(to) => self.seek(to),
            Ask::SeekBack(by) => self.seek(self.hand.position().saturating_sub(by)),
            Ask::SeekOn(by) => self.seek(self.hand.position() + by),
            Ask::Speed(speed) => self.set_speed(speed),
            Ask::ChangeSpeed(by) => self.change_speed(by),
            Ask::Theme(theme) => self.kept.change(|settings| settings.theme = theme),
            Ask::Views(views) => self.kept.change(|settings| settings.views = views),
            Ask::Solver(choice) => self.open_solvers(choice),
            Ask::ResetSettings => self.panels.question = Some(Question::Reset),
        }
        Going::On
    }

    fn follow(&mut self, command: Command, ui: &egui::Ui) -> Going {
        match command {
            Command::KeepShape => self.order(Order::KeepShape),
            Command::Undo => self.order(Order::Back(Back::Undo)),
            Command::Redo => self.order(Order::Back(Back::Redo)),
            Command::Reset => self.order(Order::Back(Back::Reset)),
            Command::ReadFile => self.choose(Purpose::Read),
            Command::SaveAs => self.choose(Purpose::Save),
            Command::Colours => {
                let colours = self.views().colours.next(&self.picture.fields());
                let words = format!("colours: {}", colours.name());
                self.kept.change(|settings| settings.views.colours = colours);
                self.say(Ok(words));
            }
            Command::Forces => self.switch(|views| &mut views.forces),
            Command::Measures => self.switch(|views| &mut views.measures),
            Command::Wireframe => self.switch(|views| &mut views.wireframe),
            Command::SphereTree => self.switch(|views| &mut views.sphere_tree),
            Command::RealHand => self.switch(|views| &mut views.real_hand),
            Command::Align => self.align(),
            Command::Goggles => self.of_headset(|headset| headset.menu.switch()),
            Command::Table => self.of_headset(HeadsetLink::bring_table),
            Command::Stance => self.of_headset(HeadsetLink::change_stance),
            Command::Larger => self.grow_things(GROWTH),
            Command::Smaller => self.grow_things(1.0 / GROWTH),
            Command::MouseHand => self.hand.drive.switch_mouse(),
            Command::PlayPause => self.play_or_pause(),
            Command::Snapshot => self.snapshot(ui),
            Command::Record => self.record(),
            Command::Mark => self.mark(),
            Command::Sources => match matches!(self.panels.page, Page::Sources(_)) {
                true => self.panels.page = Page::None,
                false => self.open_sources(),
            },
            Command::Rules => {
                let is_open = matches!(self.panels.page, Page::Rules);
                self.panels.page = if is_open { Page::None } else { Page::Rules };
            }
            Command::Material => self.open_material(),
            Command::Preferences => {
                let is_open = matches!(self.panels.page, Page::Preferences(_));
                let now = &self.solving.choice;
                let panel = || Page::Preferences(Box::new(PreferencesPanel::new(now)));
                self.panels.page = if is_open { Page::None } else { panel() };
            }
            Command::Benchmark => self.panels.page = Page::Benchmark,
            Command::Objects => {
                let is_open = matches!(self.panels.page, Page::Objects);
                self.panels.page = if is_open { Page::None } else { Page::Objects };
            }
            Command::Help => self.panels.page = Page::Help,
            // First it closes what is open.
            Command::Exit if !matches!(self.panels.page, Page::None) => {
                self.panels.page = Page::None;
            }
            Command::Exit => return self.close(),
        }
        Going::On
    }

    /// Closes the page. On that of files, what is being read is given up first.
    fn close_page(&mut self) {
        match &self.files.reading {
            Some(reading) if matches!(self.panels.page, Page::Files(_)) => {
                reading.progress.cancel();
            }
            _ => self.panels.page = Page::None,
        }
    }

    /// Does what the answer says to what was asked.
    fn take_answer(&mut self, answer: Answer) -> Going {
        match (self.panels.question.take(), answer) {
            (Some(Question::Exit(_)), Answer::Yes) => return Going::Over,
            (Some(Question::LoseShape(parts)), Answer::Yes) => self.replace(parts),
            (Some(Question::Replace(path)), Answer::Yes) => self.save_over(path),
            (Some(Question::Reset), Answer::Yes) => self.reset_settings(),
            (Some(Question::Replace(_)), Answer::No) => {
                if let Page::Files(files) = &mut self.panels.page {
                    files.ask_again();
                }
            }
            (Some(_), Answer::No) | (None, _) => {}
        }
        Going::On
    }

    fn switch(&mut self, which: impl Fn(&mut Views) -> &mut bool) {
        self.kept.change(|settings| {
            let is_on = which(&mut settings.views);
            *is_on = !*is_on;
        });
    }

    pub(super) fn order(&mut self, order: Order) {
        self.request(Request::Order(order));
    }

    /// Hands something to the session; says whether it is taken.
    pub(super) fn request(&mut self, request: Request) -> bool {
        match self.channels.request(request) {
            Ok(()) => true,
            Err(Refused::Full) => {
                self.say(Err("too much at once: ask again in a moment".to_owned()));
                false
            }
            Err(Refused::Over) => false,
        }
    }
}
