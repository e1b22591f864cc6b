//! Carries out the actions of all panels.

use interaction::shape_history::HistoryStep;
use interaction::tabletop::Order;

use super::file_dialog::FilePurpose;
use super::menu_commands::Command;
use super::panels::{PanelContext, Panels};
use super::preferences_panel::PreferencesPanel;
use super::question::{Answer, Question};
use super::session_channels::RequestRefused;
use super::user_action::UserAction;
use super::{Page, Workbench};
use crate::session::Request;
use crate::settings::ViewOptions;
use crate::vr::HeadsetLink;
use crate::window::{WindowContent, WindowFlow};

/// Factor by which one command enlarges things in a headset.
const GROWTH: f64 = 1.25;

impl Workbench<'_> {
    /// Lays out some of the panels and carries out the actions that they return.
    pub(super) fn lay_out(
        &mut self,
        ui: &mut egui::Ui,
        some: impl FnOnce(&mut Panels, &mut egui::Ui, &PanelContext<'_>) -> Vec<UserAction>,
    ) -> WindowFlow {
        let context = PanelContext {
            scene_view: &self.scene_view,
            hand: &self.hand,
            files: &self.files,
            headset: self.headset.as_ref(),
            settings: self.settings.current(),
            rules: &self.rules,
            solver: &self.solver.choice,
        };
        for action in some(&mut self.panels, ui, &context) {
            if self.apply(action, ui) == WindowFlow::Close {
                return WindowFlow::Close;
            }
        }
        WindowFlow::Continue
    }

    fn apply(&mut self, action: UserAction, ui: &egui::Ui) -> WindowFlow {
        self.panels.has_news = true;
        match action {
            UserAction::Command(command) => return self.run_command(command, ui),
            UserAction::Answer(answer) => return self.take_answer(answer),
            UserAction::ClosePage => self.close_page(),
            UserAction::CloseBoard => self.of_headset(|headset| headset.menu.close()),
            UserAction::Select(thing) => self.select_thing(thing),
            UserAction::Turn { thing, home } => self.order(Order::Place { thing, home }),
            UserAction::Make(kind, place) => self.make_thing(kind, place),
            UserAction::Matter(matter) => self.change_material(matter),
            UserAction::Rules(rules) => self.set_rules(rules),
            UserAction::Grip(grip) => self.set_grip(grip),
            UserAction::OpenFileDialog(purpose) => self.open_file_dialog(purpose),
            UserAction::ListFolder(folder) => self.list_folder(folder),
            UserAction::TakeFile(path) => self.take_chosen_file(path),
            UserAction::ReadFile(path, place) => self.read_file(path, place),
            UserAction::ReadOptions(read_options) => {
                self.settings.change(|settings| settings.read_options = read_options)
            }
            UserAction::Hand(choice) => self.open_hand(choice),
            UserAction::Person(person) => self.read_person(person),
            UserAction::SearchPorts => self.search_ports(),
            UserAction::Steer(steering) => self.hand.steering.want(steering),
            UserAction::TakeOrLetGo => self.take_or_let_go(),
            UserAction::GoHome(side) => self.move_hand_home(side),
            UserAction::Play(file) => self.play(file),
            UserAction::Seek(to) => self.seek(to),
            UserAction::SeekBack(by) => self.seek(self.hand.position().saturating_sub(by)),
            UserAction::SeekOn(by) => self.seek(self.hand.position() + by),
            UserAction::Speed(speed) => self.set_speed(speed),
            UserAction::ChangeSpeed(by) => self.change_speed(by),
            UserAction::Theme(theme) => self.settings.change(|settings| settings.theme = theme),
            UserAction::ViewOptions(views) => {
                self.settings.change(|settings| settings.views = views)
            }
            UserAction::Solver(choice) => self.open_solvers(choice),
            UserAction::ResetSettings => self.panels.question = Some(Question::Reset),
        }
        WindowFlow::Continue
    }

    fn run_command(&mut self, command: Command, ui: &egui::Ui) -> WindowFlow {
        match command {
            Command::KeepShape => self.order(Order::KeepShape),
            Command::Undo => self.order(Order::History(HistoryStep::Undo)),
            Command::Redo => self.order(Order::History(HistoryStep::Redo)),
            Command::Reset => self.order(Order::History(HistoryStep::Reset)),
            Command::ReadFile => self.open_file_dialog(FilePurpose::Read),
            Command::SaveAs => self.open_file_dialog(FilePurpose::Save),
            Command::Colours => {
                let colours = self.views().colours.next(&self.scene_view.fields());
                let words = format!("colours: {}", colours.name());
                self.settings.change(|settings| settings.views.colours = colours);
                self.say(Ok(words));
            }
            Command::Forces => self.toggle_view_option(|views| &mut views.forces),
            Command::Measures => self.toggle_view_option(|views| &mut views.measures),
            Command::Wireframe => self.toggle_view_option(|views| &mut views.wireframe),
            Command::SphereTree => self.toggle_view_option(|views| &mut views.sphere_tree),
            Command::RealHand => self.toggle_view_option(|views| &mut views.real_hand),
            Command::Align => self.align(),
            Command::HeadsetMenu => self.of_headset(|headset| headset.menu.switch()),
            Command::Table => self.of_headset(HeadsetLink::bring_table),
            Command::Stance => self.of_headset(HeadsetLink::change_stance),
            Command::Larger => self.grow_things(GROWTH),
            Command::Smaller => self.grow_things(1.0 / GROWTH),
            Command::MouseHand => self.hand.steering.switch_mouse(),
            Command::PlayPause => self.play_or_pause(),
            Command::Snapshot => self.snapshot(ui),
            Command::Record => self.record(),
            Command::Mark => self.mark(),
            Command::HandSource => match matches!(self.panels.page, Page::HandSource(_)) {
                true => self.panels.page = Page::None,
                false => self.open_hand_source_panel(),
            },
            Command::Rules => {
                let is_open = matches!(self.panels.page, Page::Rules);
                self.panels.page = if is_open { Page::None } else { Page::Rules };
            }
            Command::Material => self.open_material(),
            Command::Preferences => {
                let is_open = matches!(self.panels.page, Page::Preferences(_));
                let now = &self.solver.choice;
                let panel = || Page::Preferences(Box::new(PreferencesPanel::new(now)));
                self.panels.page = if is_open { Page::None } else { panel() };
            }
            Command::Benchmark => self.panels.page = Page::Benchmark,
            Command::Things => {
                let is_open = matches!(self.panels.page, Page::Things);
                self.panels.page = if is_open { Page::None } else { Page::Things };
            }
            Command::Help => self.panels.page = Page::Help,
            // The first Exit closes the open page.
            Command::Exit if !matches!(self.panels.page, Page::None) => {
                self.panels.page = Page::None;
            }
            Command::Exit => return self.close(),
        }
        WindowFlow::Continue
    }

    /// Closes the page. If a file is being read, the file dialog cancels that first and stays open.
    fn close_page(&mut self) {
        match &self.files.reading {
            Some(reading) if matches!(self.panels.page, Page::FileDialog(_)) => {
                reading.progress.cancel();
            }
            _ => self.panels.page = Page::None,
        }
    }

    /// Carries out the answer to the open question.
    fn take_answer(&mut self, answer: Answer) -> WindowFlow {
        match (self.panels.question.take(), answer) {
            (Some(Question::Exit(_)), Answer::Yes) => return WindowFlow::Close,
            (Some(Question::LoseShape(parts)), Answer::Yes) => self.replace(parts),
            (Some(Question::Replace(path)), Answer::Yes) => self.save_over(path),
            (Some(Question::Reset), Answer::Yes) => self.reset_settings(),
            (Some(Question::Replace(_)), Answer::No) => {
                if let Page::FileDialog(dialog) = &mut self.panels.page {
                    dialog.ask_again();
                }
            }
            (Some(_), Answer::No) | (None, _) => {}
        }
        WindowFlow::Continue
    }

    fn toggle_view_option(&mut self, which: impl Fn(&mut ViewOptions) -> &mut bool) {
        self.settings.change(|settings| {
            let is_on = which(&mut settings.views);
            *is_on = !*is_on;
        });
    }

    pub(super) fn order(&mut self, order: Order) {
        self.request(Request::Order(order));
    }

    /// Sends a request to the session; returns true if the session accepts it.
    pub(super) fn request(&mut self, request: Request) -> bool {
        match self.channels.request(request) {
            Ok(()) => true,
            Err(RequestRefused::Full) => {
                self.say(Err("too many commands at once: try again in a moment".to_owned()));
                false
            }
            Err(RequestRefused::Over) => false,
        }
    }
}
