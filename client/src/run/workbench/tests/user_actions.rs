//! Tests of the actions that panels return, and that returning alone changes nothing.

use ::objects::filling::Progress;
use egui::{Event, Key, Modifiers, Pos2};
use interaction::scene::SelectedThing;
use physics::material::IsotropicElastic;
use physics::{ObjectSpec, SolidSpec};

use super::super::file_actions::FileBeingRead;
use super::super::file_dialog::{FileDialog, FilePurpose};
use super::super::menu::ItemState;
use super::super::menu_commands::Command;
use super::super::question::Answer;
use super::super::things_panel::ThingPlace;
use super::super::user_action::UserAction;
use super::*;

/// Lays out the pages while these keys are pressed; returns the actions without carrying them out.
fn asked(workbench: &mut Workbench<'_>, pressed: &[Key]) -> Vec<UserAction> {
    let key = |&key: &Key| Event::Key {
        key,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::NONE,
    };
    let mut asked = Vec::new();
    let events = pressed.iter().map(key).collect();
    laid_out(events, |ui| {
        workbench.lay_out(ui, |panels, ui, context| {
            asked.extend(panels.pages(ui, context));
            Vec::new()
        });
    });
    asked
}

/// Carries out an action.
fn ask(workbench: &mut Workbench<'_>, ask: &UserAction) -> WindowFlow {
    let (mut asks, mut flow) = (vec![ask.clone()], WindowFlow::Continue);
    laid_out(Vec::new(), |ui| {
        // egui may repeat the pass.
        let asks = std::mem::take(&mut asks);
        if workbench.lay_out(ui, |_, _, _| asks) == WindowFlow::Close {
            flow = WindowFlow::Close;
        }
    });
    flow
}

fn laid_out(events: Vec<Event>, mut lay_out: impl FnMut(&mut egui::Ui)) {
    let context = egui::Context::default();
    // A modal page gets no keys in its first pass.
    for events in [Vec::new(), events] {
        let input = egui::RawInput { events, ..Default::default() };
        context.run_ui(input, &mut lay_out).textures_delta.clear();
    }
}

#[test]
fn keys_request_commands_and_escape_closes_the_menu_first() {
    let (mut workbench, _scenes) = workbench();
    let before = workbench.views().clone();
    let wanted = [Command::Wireframe, Command::Rules].map(UserAction::Command);
    assert_eq!(asked(&mut workbench, &[Key::W, Key::R]), wanted);
    assert_eq!(*workbench.views(), before, "asking alone changes nothing");
    assert!(matches!(workbench.panels.page, Page::None));

    workbench.panels.menu = Some(Pos2::ZERO);
    assert_eq!(asked(&mut workbench, &[Key::Escape]), []);
    assert_eq!(workbench.panels.menu, None);
    assert_eq!(asked(&mut workbench, &[Key::Escape]), [UserAction::Command(Command::Exit)]);
    // An open panel uses Escape for itself.
    workbench.panels.page = Page::Rules;
    assert_eq!(asked(&mut workbench, &[Key::Escape]), [UserAction::ClosePage]);
    // Panels below a question get no keys.
    workbench.panels.question = Some(Question::Reset);
    assert_eq!(asked(&mut workbench, &[Key::W]), []);
    assert_eq!(asked(&mut workbench, &[Key::Y]), [UserAction::Answer(Answer::Yes)]);
}

#[test]
fn every_requested_action_is_applied() {
    let (mut workbench, _scenes) = workbench();
    ask(&mut workbench, &UserAction::Command(Command::Wireframe));
    assert!(workbench.views().wireframe);
    ask(&mut workbench, &UserAction::ResetSettings);
    assert!(workbench.views().wireframe, "the person is asked first");
    ask(&mut workbench, &UserAction::Answer(Answer::Yes));
    assert!(!workbench.views().wireframe);
    workbench.panels.question = Some(Question::Exit(vec!["cube".to_owned()]));
    assert_eq!(ask(&mut workbench, &UserAction::Answer(Answer::Yes)), WindowFlow::Close);
}

#[test]
fn a_page_of_files_gives_up_what_is_read_before_it_closes() {
    let (mut workbench, _scenes) = workbench();
    let progress = Arc::new(Progress::default());
    workbench.files.reading =
        Some(FileBeingRead { progress: Arc::clone(&progress), place: ThingPlace::Instead });
    // Closing another page does not cancel the reading.
    workbench.panels.page = Page::Help;
    ask(&mut workbench, &UserAction::ClosePage);
    assert!(matches!(workbench.panels.page, Page::None));
    assert!(!progress.is_cancelled());

    workbench.panels.page = Page::FileDialog(FileDialog::new(FilePurpose::Read, "cube"));
    ask(&mut workbench, &UserAction::ClosePage);
    assert!(progress.is_cancelled() && matches!(workbench.panels.page, Page::FileDialog(_)));
    workbench.files.reading = None;
    ask(&mut workbench, &UserAction::ClosePage);
    assert!(matches!(workbench.panels.page, Page::None));
}

fn chosen(n_kept: usize, has_moved: bool) -> SelectedThing {
    let mesh = ::objects::generate::cube(0.06, 1).unwrap();
    let material = IsotropicElastic::new(1e4, 0.3).unwrap();
    let spec = ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap());
    SelectedThing {
        thing: 0,
        name: "cube".to_owned(),
        spec: Arc::new(spec),
        n_kept,
        n_undone: 0,
        has_moved,
        squeeze: 0.0,
        forces: [[0.0; 5]; 2],
        presses: Vec::new(),
        known_displacements: Vec::new(),
        colours: None,
        middle: Point3::origin(),
    }
}

#[test]
fn a_thing_can_be_reset_that_has_another_shape_or_has_moved() {
    let (mut workbench, scenes) = workbench();
    let all = [
        (0, false, [ItemState::Idle, ItemState::Idle]),
        (0, true, [ItemState::Idle, ItemState::Plain]),
        (1, false, [ItemState::Plain, ItemState::Plain]),
    ];
    for (n_kept, has_moved, expected) in all {
        let chosen = Some(chosen(n_kept, has_moved));
        let scene = Arc::new(Scene { selected: chosen, ..Scene::default() });
        scenes.put(NewScene { scene, made: Instant::now() });
        tick(&mut workbench);
        let mut found = None;
        laid_out(Vec::new(), |ui| {
            workbench.lay_out(ui, |panels, _, context| {
                found =
                    Some([Command::Undo, Command::Reset].map(|item| panels.item(context, item)));
                Vec::new()
            });
        });
        assert_eq!(found, Some(expected), "{n_kept} kept, moved: {has_moved}");
    }
}
