//! The pages of the calibration window, drawn and used without a window.

use std::sync::mpsc::Receiver;

use calibration::procedure::{Command, Mark};
use calibration::{Plan, PoseId};
use drivers::Side;
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Theme, pos2};
use interaction::scene::StatusLevel;

use super::outcome::{FitOutcome, JointRow, Quality};
use super::page::{GloveLine, OutlierRow, StepBody, StepRow};
use super::*;
use crate::render::{Offscreen, Picture};
use crate::ui::{Look, still_input};

/// In the middle of the full plan: one step skipped, the hand on its way to the fifth.
fn step_page() -> Page {
    let plan = Plan::full();
    let mark = |i: usize| match i {
        2 => Mark::Skipped,
        0..4 => Mark::Taken,
        4 => Mark::Now,
        _ => Mark::Ahead,
    };
    let row = |(i, name)| StepRow { name, mark: mark(i), is_outlier: false };
    let steps = plan.steps.iter().map(|step| step.text().0).enumerate().map(row).collect();
    let step = &plan.steps[4];
    let (name, instruction) = step.text();
    let body = StepBody {
        number: 5,
        of: plan.steps.len(),
        name,
        instruction,
        picture: step.picture(),
        share: 0.62,
        words: "middle-index abduction moves".to_owned(),
    };
    Page {
        hand: Side::Right,
        live: Some(PoseId::Fist.pose().angles()),
        glove: GloveLine {
            level: StatusLevel::Good,
            words: "CyberGlove, 22 sensors, right hand".to_owned(),
            advice: "",
        },
        steps,
        news: "taken".to_owned(),
        body: Body::Step(body),
    }
}

fn done(body: Body) -> Page {
    let mut page = Page { news: String::new(), body, ..step_page() };
    for (i, step) in page.steps.iter_mut().enumerate() {
        step.mark = if i == 2 { Mark::Skipped } else { Mark::Taken };
        step.is_outlier = i == 7;
    }
    page
}

fn result_page() -> Page {
    let joints = drivers::SensorMask::GLOVE_22.sensors().enumerate().map(|(i, sensor)| {
        let estimate = 0.8 + 0.35 * (i * 7 % 11) as f64;
        let quality = match i % 9 {
            7 => Quality::Poor,
            4 => Quality::Fair,
            _ => Quality::Good,
        };
        let error_deg = (i != 13).then_some([estimate * 0.7, estimate, estimate * 1.9]);
        JointRow { name: sensor.name(), quality, residual_deg: Some(estimate), error_deg }
    });
    done(Body::Result(Box::new(FitOutcome {
        joints: joints.collect(),
        notes: vec!["pinkie DIJ: 0.31 counts per degree, expected at least 0.4".to_owned()],
        worst: vec!["hook", "thumb across", "wrist up"],
        n_poses: 42,
        trouble: None,
    })))
}

fn outlier_page() -> Page {
    let joints = vec!["index PIJ 24° less than asked".to_owned()];
    done(Body::Outliers(vec![OutlierRow { name: "index bent", joints }]))
}

fn saved_page() -> Page {
    let file = "/home/anna/.local/share/palpate/profiles/anna.right.toml".into();
    done(Body::Saved { file, command: "palpate squeeze --profile anna".to_owned() })
}

/// The content of the calibration window, with what it asks of the flow.
struct TestWindow {
    content: CalibrationWindow,
    asked: Receiver<FlowRequest>,
    context: egui::Context,
    size: [u32; 2],
}

impl TestWindow {
    fn new(page: Page, size: [u32; 2]) -> Self {
        let (ask, asked) = sync_channel(MOST_ASKED);
        let mut content = CalibrationWindow::new(Arc::default(), ask);
        content.page = page;
        let mut window = Self { content, asked, context: egui::Context::default(), size };
        crate::ui::style::apply(&window.context);
        // Positions are known after the first pass.
        window.run_pass(Vec::new());
        window
    }

    fn run_pass(&mut self, events: Vec<Event>) -> WindowFlow {
        let mut going = WindowFlow::Continue;
        let input = egui::RawInput { events, ..still_input(self.size, Look::default()) };
        let mut output = self.context.run_ui(input, |ui| {
            if self.content.panels(ui) == WindowFlow::Close {
                going = WindowFlow::Close;
            }
        });
        output.textures_delta.clear();
        going
    }

    fn presses(&mut self, key: Key) -> WindowFlow {
        let event = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.run_pass(vec![event(true), event(false)])
    }

    fn clicks(&mut self, at: Pos2) -> WindowFlow {
        let button = |pressed| Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        self.run_pass(vec![Event::PointerMoved(at)]);
        self.run_pass(vec![button(true)]);
        self.run_pass(vec![button(false)])
    }
}

/// Returns the request to the flow when a key is pressed on a page.
fn check_key(page: Page, key: Key, expected: Option<FlowRequest>) {
    let mut window = TestWindow::new(page, [1280, 720]);
    assert_eq!(window.presses(key), WindowFlow::Continue);
    assert_eq!(window.asked.try_recv().ok(), expected, "{key:?}");
    // Once is enough.
    assert_eq!(window.run_pass(Vec::new()), WindowFlow::Continue);
    assert!(window.asked.try_recv().is_err());
}

#[test]
fn keys_request_what_the_buttons_say() {
    check_key(step_page(), Key::Space, Some(FlowRequest::Step(Command::Accept)));
    check_key(step_page(), Key::S, Some(FlowRequest::Step(Command::Skip)));
    check_key(step_page(), Key::R, Some(FlowRequest::Step(Command::Retake)));
    check_key(step_page(), Key::B, Some(FlowRequest::Step(Command::Back)));
    check_key(step_page(), Key::Enter, None);
    check_key(outlier_page(), Key::Enter, Some(FlowRequest::RepeatOutliers));
    check_key(outlier_page(), Key::S, Some(FlowRequest::LeaveOut));
    check_key(result_page(), Key::Enter, Some(FlowRequest::Save));
    check_key(result_page(), Key::R, Some(FlowRequest::RetakeWorst));
    check_key(saved_page(), Key::S, None);
}

/// Clicks along the footer, from left to right, and collects the requests.
fn check_footer(page: &Page, size: [u32; 2], expected: &[FlowRequest]) {
    let mut window = TestWindow::new(page.clone(), size);
    let mut found = Vec::new();
    for x in (8..size[0]).step_by(16) {
        window.clicks(pos2(x as f32, size[1] as f32 - 33.0));
        found.extend(window.asked.try_iter());
        // The last button quits.
        if window.content.asks_to_give_up {
            break;
        }
    }
    found.dedup();
    assert_eq!(found, expected, "{size:?}");
    assert!(window.content.asks_to_give_up, "{size:?}: the last button is off the screen");
}

#[test]
fn all_buttons_can_be_clicked_in_large_and_small_windows() {
    let steps =
        [Command::Accept, Command::Skip, Command::Retake, Command::Back].map(FlowRequest::Step);
    for size in [[1280, 720], [900, 540]] {
        check_footer(&step_page(), size, &steps);
        check_footer(&outlier_page(), size, &[FlowRequest::RepeatOutliers, FlowRequest::LeaveOut]);
        check_footer(&result_page(), size, &[FlowRequest::Save, FlowRequest::RetakeWorst]);
    }
}

#[test]
fn closing_with_unsaved_poses_asks_first() {
    // By the key, and by the window's own button.
    let by_key = |window: &mut TestWindow| window.presses(Key::Escape);
    let by_button = |window: &mut TestWindow| window.content.close();
    for closes in [by_key, by_button] {
        let mut window = TestWindow::new(step_page(), [1280, 720]);
        assert_eq!(closes(&mut window), WindowFlow::Continue);
        // The page below gets no input in the meantime.
        assert_eq!(window.presses(Key::Space), WindowFlow::Continue);
        assert!(window.asked.try_recv().is_err());
        assert_eq!(window.presses(Key::Escape), WindowFlow::Continue);
        assert_eq!(window.presses(Key::Space), WindowFlow::Continue);
        assert_eq!(window.asked.try_recv(), Ok(FlowRequest::Step(Command::Accept)));
        closes(&mut window);
        assert_eq!(window.presses(Key::Enter), WindowFlow::Close);
    }
}

#[test]
fn closing_without_unsaved_poses_does_not_ask() {
    for page in [Page::default(), saved_page()] {
        assert_eq!(TestWindow::new(page, [1280, 720]).content.close(), WindowFlow::Close);
    }
    assert_eq!(
        TestWindow::new(Page::default(), [1280, 720]).presses(Key::Escape),
        WindowFlow::Close
    );
    assert_eq!(TestWindow::new(saved_page(), [1280, 720]).presses(Key::Enter), WindowFlow::Close);
}

fn picture(offscreen: &mut Offscreen, page: &Page, theme: egui::Theme) -> Picture {
    let look = Look { theme, pixels_per_point: 1.0 };
    let scene = Turntable::default().scene(page, &hand_scene::FIRST_LOOK).unwrap();
    let camera = hand_scene::eye(page, &hand_scene::FIRST_LOOK, 1.86);
    offscreen
        .picture_with_panels(&scene, &camera, look, |ui| {
            panels::page(ui, page);
        })
        .unwrap()
}

/// Mean horizontal positions of the pixels of bare hand and glove; none if there are few.
fn middles(picture: &Picture) -> [Option<f64>; 2] {
    let is_skin = |[r, g, b]: [i32; 3]| r > 150 && r > g + 15 && g > b + 15;
    let is_glove = |[r, g, b]: [i32; 3]| b > r + 30 && g > r + 25 && r < 60;
    let middle = |is_it: &dyn Fn([i32; 3]) -> bool| {
        let inside = picture.places().filter(|(x, y, p)| {
            let [r, g, b, _] = p.map(i32::from);
            *x > 240 && (140..600).contains(y) && is_it([r, g, b])
        });
        let xs: Vec<f64> = inside.map(|(x, _, _)| f64::from(x)).collect();
        (xs.len() > 3000).then(|| xs.iter().sum::<f64>() / xs.len() as f64)
    };
    [middle(&is_skin), middle(&is_glove)]
}

#[test]
fn the_hand_to_imitate_is_on_the_left_and_the_own_one_on_the_right() {
    let mut offscreen = Offscreen::new(1280, 720).unwrap();
    let mut seen = |page: &Page, theme| middles(&picture(&mut offscreen, page, theme));
    for theme in [Theme::Dark, Theme::Light] {
        let [model, own] = seen(&step_page(), theme).map(Option::unwrap);
        assert!((350.0..700.0).contains(&model) && (800.0..1150.0).contains(&own), "{model} {own}");
    }
    // Before the glove's first sample there is no own hand, and after the steps nothing to imitate.
    let unheard = Page { live: None, ..step_page() };
    assert!(matches!(seen(&unheard, Theme::Dark), [Some(_), None]));
    assert!(matches!(seen(&saved_page(), Theme::Dark), [None, Some(_)]));
}

#[test]
fn a_lost_glove_is_an_alarm_in_both_themes() {
    let mut offscreen = Offscreen::new(1280, 720).unwrap();
    let lost = GloveLine {
        level: StatusLevel::Bad,
        words: "no glove: /dev/ttyUSB0 does not exist".to_owned(),
        advice: "Switch it on and plug it in.",
    };
    let lost = Page { glove: lost, ..step_page() };
    for theme in [Theme::Dark, Theme::Light] {
        let alarm = crate::ui::style::of(theme).alarm;
        let mut n_alarmed = |page: &Page| {
            let picture = picture(&mut offscreen, page, theme);
            picture.pixels().iter().filter(|p| p[..3] == alarm.to_array()[..3]).count()
        };
        assert!(n_alarmed(&lost) > 20_000);
        assert_eq!(n_alarmed(&step_page()), 0);
    }
}
