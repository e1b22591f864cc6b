//! What panels ask for, and that asking alone changes nothing.

use ::objects::solid::Progress;
use egui::{Event, Key, Modifiers, Pos2};
use interaction::scene::ChosenThing;
use physics::material::IsotropicElastic;
use physics::{ObjectSpec, SolidSpec};

use super::super::ask::Ask;
use super::super::command::Command;
use super::super::files::{Files, Purpose};
use super::super::filing::Reading;
use super::super::menu::Item;
use super::super::objects::Place;
use super::super::question::Answer;
use super::*;

/// Lays out the pages while these keys are pressed; gives what was asked for, and does nothing of
/// it.
fn asked(bench: &mut Bench<'_>, pressed: &[Key]) -> Vec<Ask> {
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
        bench.lay_out(ui, |panels, ui, known| {
            asked.extend(panels.pages(ui, known));
            Vec::new()
        });
    });
    asked
}

/// Asks for this.
fn ask(bench: &mut Bench<'_>, ask: &Ask) -> Going {
    let (mut asks, mut going) = (vec![ask.clone()], Going::On);
    laid_out(Vec::new(), |ui| {
        // A pass may be repeated.
        let asks = std::mem::take(&mut asks);
        if bench.lay_out(ui, |_, _, _| asks) == Going::Over {
            going = Going::Over;
        }
    });
    going
}

fn laid_out(events: Vec<Event>, mut lay_out: impl FnMut(&mut egui::Ui)) {
    let context = egui::Context::default();
    // What stands over everything hears nothing before it was seen.
    for events in [Vec::new(), events] {
        let input = egui::RawInput { events, ..Default::default() };
        context.run_ui(input, &mut lay_out).textures_delta.clear();
    }
}

#[test]
fn keys_ask_for_commands_and_escape_closes_the_menu_first() {
    let (mut bench, _scenes) = bench();
    let before = bench.views().clone();
    let wanted = [Command::Wireframe, Command::Rules].map(Ask::Command);
    assert_eq!(asked(&mut bench, &[Key::W, Key::R]), wanted);
    assert_eq!(*bench.views(), before, "asking alone changes nothing");
    assert!(matches!(bench.panels.page, Page::None));

    bench.panels.menu = Some(Pos2::ZERO);
    assert_eq!(asked(&mut bench, &[Key::Escape]), []);
    assert_eq!(bench.panels.menu, None);
    assert_eq!(asked(&mut bench, &[Key::Escape]), [Ask::Command(Command::Exit)]);
    // A panel has Escape for itself.
    bench.panels.page = Page::Rules;
    assert_eq!(asked(&mut bench, &[Key::Escape]), [Ask::ClosePage]);
    // Below a question nothing is heard.
    bench.panels.question = Some(Question::Reset);
    assert_eq!(asked(&mut bench, &[Key::W]), []);
    assert_eq!(asked(&mut bench, &[Key::Y]), [Ask::Answer(Answer::Yes)]);
}

#[test]
fn what_is_asked_for_is_done() {
    let (mut bench, _scenes) = bench();
    ask(&mut bench, &Ask::Command(Command::Wireframe));
    assert!(bench.views().wireframe);
    ask(&mut bench, &Ask::ResetSettings);
    assert!(bench.views().wireframe, "the person is asked first");
    ask(&mut bench, &Ask::Answer(Answer::Yes));
    assert!(!bench.views().wireframe);
    bench.panels.question = Some(Question::Exit(vec!["cube".to_owned()]));
    assert_eq!(ask(&mut bench, &Ask::Answer(Answer::Yes)), Going::Over);
}

#[test]
fn a_page_of_files_gives_up_what_is_read_before_it_closes() {
    let (mut bench, _scenes) = bench();
    let progress = Arc::new(Progress::default());
    bench.files.reading = Some(Reading { progress: Arc::clone(&progress), place: Place::Instead });
    // Another page has nothing to do with it.
    bench.panels.page = Page::Help;
    ask(&mut bench, &Ask::ClosePage);
    assert!(matches!(bench.panels.page, Page::None));
    assert!(!progress.is_cancelled());

    bench.panels.page = Page::Files(Files::new(Purpose::Read, "cube"));
    ask(&mut bench, &Ask::ClosePage);
    assert!(progress.is_cancelled() && matches!(bench.panels.page, Page::Files(_)));
    bench.files.reading = None;
    ask(&mut bench, &Ask::ClosePage);
    assert!(matches!(bench.panels.page, Page::None));
}

fn chosen(n_kept: usize, has_moved: bool) -> ChosenThing {
    let mesh = ::objects::generate::cube(0.06, 1).unwrap();
    let material = IsotropicElastic::new(1e4, 0.3).unwrap();
    let spec = ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap());
    ChosenThing {
        thing: 0,
        name: "cube".to_owned(),
        spec: Arc::new(spec),
        n_kept,
        n_undone: 0,
        has_moved,
        squeeze: 0.0,
        forces: [[0.0; 5]; 2],
        presses: Vec::new(),
        known: Vec::new(),
        colours: None,
        middle: Point3::origin(),
    }
}

#[test]
fn a_thing_can_be_reset_that_has_another_shape_or_has_moved() {
    let (mut bench, scenes) = bench();
    let all = [
        (0, false, [Item::Idle, Item::Idle]),
        (0, true, [Item::Idle, Item::Plain]),
        (1, false, [Item::Plain, Item::Plain]),
    ];
    for (n_kept, has_moved, expected) in all {
        let chosen = Some(chosen(n_kept, has_moved));
        let scene = Arc::new(Scene { chosen, ..Scene::default() });
        scenes.put(NewScene { scene, made: Instant::now() });
        tick(&mut bench);
        let mut found = None;
        laid_out(Vec::new(), |ui| {
            bench.lay_out(ui, |panels, _, known| {
                found = Some([Command::Undo, Command::Reset].map(|item| panels.item(known, item)));
                Vec::new()
            });
        });
        assert_eq!(found, Some(expected), "{n_kept} kept, moved: {has_moved}");
    }
}
