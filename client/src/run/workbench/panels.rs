//! All panels over and beside the picture. A panel can read the rest of the window and returns
//! actions to change it.

use egui::{Pos2, Ui};
use interaction::grasp::GraspRules;

use super::file_actions::FileState;
use super::hand_source::HandSourceState;
use super::headset_view::HeadsetView;
use super::notice::Notice;
use super::pages::Page;
use super::question::Question;
use super::scene_view::SceneView;
use super::user_action::UserAction;
use super::{force_graph, hand_steering, timeline};
use crate::benchmark::{BenchmarkPage, OtherWork};
use crate::command_line;
use crate::settings::Settings;
use crate::ui::{help_line, status_panel};
use crate::wiring::SolverChoice;

/// Help at the bottom of the window while the mouse moves the view.
const MOUSE_VIEW: &str = "Right click for the menu   ·   Drag to turn the view   ·   \
    Wheel to zoom   ·   F1 for all keys";
/// Help at the bottom of the window while the mouse moves the hand.
const MOUSE_HAND: &str = "The hand follows the mouse   ·   Click: take, let go   ·   \
    Hold: squeeze   ·   Wheel: nearer, farther   ·   Shift: turn   ·   D: view   ·   F1: all keys";

/// The panels, and whether they need a new layout.
pub(super) struct Panels {
    pub(super) page: Page,
    /// Position of the menu, while it is open.
    pub(super) menu: Option<Pos2>,
    pub(super) question: Option<Question>,
    notice: Option<Notice>,
    /// The benchmark's page; keeps its results while it is closed.
    pub(super) benchmark: BenchmarkPage,
    /// True if the panels have changed since the last layout.
    pub(super) has_news: bool,
}

/// The rest of the window, for reading.
pub(super) struct PanelContext<'a> {
    pub(super) scene_view: &'a SceneView,
    pub(super) hand: &'a HandSourceState,
    pub(super) files: &'a FileState<'a>,
    pub(super) headset: Option<&'a HeadsetView>,
    pub(super) settings: &'a Settings,
    pub(super) rules: &'a GraspRules,
    pub(super) solver: &'a SolverChoice,
}

impl Panels {
    /// Starts without a page; shows `trouble` as a message.
    pub(super) fn new(trouble: Option<String>) -> Self {
        Self {
            page: Page::None,
            menu: None,
            question: None,
            notice: trouble.map(Notice::bad),
            benchmark: BenchmarkPage::new(command_line::BenchOptions::default(), OtherWork::Hand),
            has_news: true,
        }
    }

    /// Shows a message over the picture.
    pub(super) fn say(&mut self, words: Result<String, String>) {
        self.has_news = true;
        self.notice = Some(match words {
            Ok(words) => Notice::good(words),
            Err(words) => Notice::bad(words),
        });
    }

    /// True if a page covers the whole window.
    pub(super) fn cover_all(&self) -> bool {
        matches!(self.page, Page::Benchmark) && self.question.is_none()
    }

    /// Lays out the time line at the bottom while a recording is played.
    pub(super) fn time_line(&mut self, ui: &mut Ui, context: &PanelContext<'_>) -> Vec<UserAction> {
        let Some(playback) = context.hand.playback() else { return Vec::new() };
        let (position, sought) = (context.hand.position(), context.scene_view.scene.seek_progress);
        Vec::from_iter(timeline::line(ui, playback, position, sought))
    }

    /// Lays out the cards on the picture: status, measures, and the hand that mouse and keys move.
    pub(super) fn cards(&mut self, ui: &mut Ui, context: &PanelContext<'_>) -> Vec<UserAction> {
        let PanelContext { scene_view, hand, settings, .. } = context;
        let free = ui.available_rect_before_wrap();
        // A narrow window shows the status instead of the measures.
        let are_measured = settings.views.measures && free.width() > 2.0 * force_graph::SPACE;
        let beside = if are_measured { force_graph::SPACE } else { 0.0 };
        status_panel(ui, free.right() - beside, &scene_view.shown.status);
        if are_measured {
            force_graph::force_card(ui, &scene_view.shown, &scene_view.history);
        }
        // A glove bends its own fingers, live or in a recording.
        let is_gloved = hand.choice().is_glove_moved_by_mouse() || hand.playback().is_some();
        let wanted = hand.steering.wanted().filter(|_| !is_gloved);
        let asked = wanted.zip(scene_view.scene.mouse_hand_closed).and_then(|(wanted, closed)| {
            hand_steering::card(ui, wanted, &closed, hand.steering.is_mouse_on())
        });
        Vec::from_iter(asked)
    }

    /// Lays out the line of help and the message at the bottom of the picture.
    pub(super) fn words(&mut self, ui: &mut Ui, context: &PanelContext<'_>) -> Vec<UserAction> {
        let steering = &context.hand.steering;
        let left = if steering.wanted().is_some() { hand_steering::CARD_WIDTH } else { 0.0 };
        help_line(ui, if steering.is_mouse_on() { MOUSE_HAND } else { MOUSE_VIEW }, left);
        if let Some(notice) = &self.notice {
            notice.show(ui);
        }
        Vec::new()
    }
}
