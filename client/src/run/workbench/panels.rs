//! What lies over the picture and beside it. Panels know the rest of the window, and ask it for
//! what they do not own.

use egui::{Pos2, Ui};
use interaction::grasp::GraspRules;

use super::ask::Ask;
use super::filing::Filing;
use super::hand::HandNow;
use super::headset::Headset;
use super::notice::Notice;
use super::pages::Page;
use super::picture::Picture;
use super::question::Question;
use super::{drive, measures, timeline};
use crate::benchmark::{BenchPage, Beside};
use crate::command_line;
use crate::settings::Settings;
use crate::ui::{help_line, status_panel};
use crate::wiring::SolverChoice;

/// What stands at the bottom of the window.
const MOUSE_VIEW: &str = "Right click for the menu   ·   Drag to turn the view   ·   Wheel to zoom   ·   F1 for all keys";
const MOUSE_HAND: &str = "The hand follows the mouse   ·   Click: take, let go   ·   Hold: squeeze   ·   \
    Wheel: nearer, farther   ·   Shift: turn   ·   D: view   ·   F1: all keys";

/// The panels, and whether they are to be laid out anew.
pub(super) struct Panels {
    pub(super) page: Page,
    /// Where the menu is, while it is open.
    pub(super) menu: Option<Pos2>,
    pub(super) question: Option<Question>,
    notice: Option<Notice>,
    /// Keeps what it found while its page is closed.
    pub(super) benchmark: BenchPage,
    /// Whether the panels would look different now.
    pub(super) has_news: bool,
}

/// What panels may know of the rest of the window.
pub(super) struct Known<'a> {
    pub(super) picture: &'a Picture,
    pub(super) hand: &'a HandNow,
    pub(super) files: &'a Filing<'a>,
    pub(super) headset: Option<&'a Headset>,
    pub(super) settings: &'a Settings,
    pub(super) rules: &'a GraspRules,
    pub(super) solver: &'a SolverChoice,
}

impl Panels {
    /// No page is open; what is wrong from the beginning is said.
    pub(super) fn new(trouble: Option<String>) -> Self {
        Self {
            page: Page::None,
            menu: None,
            question: None,
            notice: trouble.map(Notice::bad),
            benchmark: BenchPage::new(command_line::Bench::default(), Beside::Hand),
            has_news: true,
        }
    }

    /// Says something over the picture.
    pub(super) fn say(&mut self, words: Result<String, String>) {
        self.has_news = true;
        self.notice = Some(match words {
            Ok(words) => Notice::good(words),
            Err(words) => Notice::bad(words),
        });
    }

    /// Whether nothing is seen but a page.
    pub(super) fn cover_all(&self) -> bool {
        matches!(self.page, Page::Benchmark) && self.question.is_none()
    }

    /// At the bottom, while a recording is played.
    pub(super) fn time_line(&mut self, ui: &mut Ui, known: &Known<'_>) -> Vec<Ask> {
        let Some(playback) = known.hand.playback() else { return Vec::new() };
        let (position, sought) = (known.hand.position(), known.picture.scene.sought);
        Vec::from_iter(timeline::line(ui, playback, position, sought))
    }

    /// On the picture: how everything is, what was measured, and the hand that mouse and keys move.
    pub(super) fn cards(&mut self, ui: &mut Ui, known: &Known<'_>) -> Vec<Ask> {
        let Known { picture, hand, settings, .. } = known;
        let free = ui.available_rect_before_wrap();
        // In a narrow window what is wrong matters more.
        let are_measured = settings.views.measures && free.width() > 2.0 * measures::SPACE;
        let beside = if are_measured { measures::SPACE } else { 0.0 };
        status_panel(ui, free.right() - beside, &picture.shown.status);
        if are_measured {
            measures::measures(ui, &picture.shown, &picture.history);
        }
        let asked = hand.drive.wanted().zip(picture.scene.driven).and_then(|(wanted, closed)| {
            drive::card(ui, wanted, &closed, hand.drive.is_mouse_on())
        });
        Vec::from_iter(asked)
    }

    /// Over the picture, at the bottom: what the mouse does, and what there is to say.
    pub(super) fn words(&mut self, ui: &mut Ui, known: &Known<'_>) -> Vec<Ask> {
        let drive = &known.hand.drive;
        let left = if drive.wanted().is_some() { drive::CARD_WIDTH } else { 0.0 };
        help_line(ui, if drive.is_mouse_on() { MOUSE_HAND } else { MOUSE_VIEW }, left);
        if let Some(notice) = &self.notice {
            notice.show(ui);
        }
        Vec::new()
    }
}
