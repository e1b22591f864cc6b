//! The source of the hand, and changes of it. Another source is opened while the present hand goes
//! on; if that fails, the present hand stays. If the other source needs a port of the present hand,
//! that port is released first and opened again if the change fails.

mod person;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use drivers::Side;
use interaction::thing::ThingParts;
use nalgebra::Point3;

use super::hand_source_panel::HandSourcePanel;
use super::hand_steering::HandSteering;
use super::jobs::FolderListing;
use super::{Page, Workbench};
use crate::devices::FoundPort;
use crate::session::{GloveHands, HandSource, Request};
use crate::wiring::{
    DevicesExpected, EmulatedPerformance, HandChoice, HandSourceContext, InitialHand, OpenedHands,
    Playback, RecordingChoice,
};

/// State of the source of the hand.
pub(super) struct HandSourceState {
    /// The hand that mouse and keys move.
    pub(super) steering: HandSteering,
    choice: HandChoice,
    playback: Option<Playback>,
    hand_context: HandSourceContext,
    /// Source that is being opened.
    opening: Option<HandChoice>,
    /// Source to open after that; a newer choice replaces it.
    next: Option<HandChoice>,
    /// True if the hand's ports were released for another source.
    is_let_go: bool,
    /// Person whose calibration is used, if one was chosen.
    person: Option<String>,
}

impl HandSourceState {
    pub(super) fn new(
        first: InitialHand,
        person: Option<String>,
        hand_context: HandSourceContext,
    ) -> Self {
        let InitialHand { choice, playback, driven } = first;
        let steering = HandSteering::new(Arc::clone(&hand_context.steering), driven);
        Self {
            steering,
            choice,
            playback,
            hand_context,
            opening: None,
            next: None,
            is_let_go: false,
            person,
        }
    }

    /// Person whose calibration is used, if one was chosen.
    pub(super) fn person(&self) -> Option<&str> {
        self.person.as_deref()
    }

    pub(super) fn choice(&self) -> &HandChoice {
        &self.choice
    }

    /// The recording that is being played.
    pub(super) fn playback(&self) -> Option<&Playback> {
        self.playback.as_ref()
    }

    /// Source that is being opened or waits for it; the newest choice.
    pub(super) fn opening(&self) -> Option<&HandChoice> {
        self.next.as_ref().or(self.opening.as_ref())
    }

    #[cfg(test)]
    pub(super) fn hand_context(&self) -> &HandSourceContext {
        &self.hand_context
    }

    /// True if a headset can track hands.
    pub(super) fn has_headset(&self) -> bool {
        self.hand_context.headset.is_some()
    }

    /// The position in the recording that is shown or sought.
    pub(super) fn position(&self) -> Duration {
        if let Some(HandChoice::Recording(sought)) = self.opening() {
            return sought.from;
        }
        let playback = self.playback.as_ref();
        playback.map_or(Duration::ZERO, |playback| playback.clock.position().min(playback.length))
    }
}

impl Workbench<'_> {
    /// Searches all ports for devices, for the panel of sources.
    pub(super) fn search_ports(&mut self) {
        let begun = self.jobs.search_ports();
        if let (Ok(()), Page::HandSource(panel)) = (begun, &mut self.panels.page) {
            panel.searching();
        }
        self.show_failure(begun);
    }

    /// Shows the found ports in the panel, if it is still open.
    pub(super) fn offer_ports(&mut self, found: Result<Vec<FoundPort>, String>) {
        match (&mut self.panels.page, found) {
            (Page::HandSource(panel), Ok(found)) => panel.offer(found),
            (Page::HandSource(panel), Err(why)) => {
                panel.offer(Vec::new());
                self.say(Err(format!("cannot search the ports: {why}")));
            }
            (_, _) => {}
        }
    }

    /// Opens the panel of sources, and looks up the calibrations in the background.
    pub(super) fn open_hand_source_panel(&mut self) {
        self.panels.page = Page::HandSource(Box::new(HandSourcePanel::new(&self.hand.choice)));
        let begun = self.jobs.list_people(self.hand.hand_context.profiles.clone());
        self.show_failure(begun);
    }

    /// Plays a recording from its beginning.
    pub(super) fn play(&mut self, file: PathBuf) {
        self.open_hand(HandChoice::Recording(RecordingChoice::anew(file, 1.0)));
    }

    /// Lets emulated devices perform the script of a file.
    pub(super) fn perform(&mut self, file: PathBuf) {
        let script = Some(file.display().to_string());
        let performance = match &self.hand.choice {
            HandChoice::Emulated(now) => EmulatedPerformance { script, ..now.clone() },
            _ => EmulatedPerformance { script, ..EmulatedPerformance::default() },
        };
        self.open_hand(HandChoice::Emulated(performance));
    }

    /// Starts to open another source. The hand goes on meanwhile, unless the source needs its
    /// ports.
    pub(super) fn open_hand(&mut self, choice: HandChoice) {
        let is_busy = self.hand.opening.is_some() || self.hand.is_let_go;
        let is_elsewhere = is_busy || choice != self.hand.choice;
        if !is_elsewhere && !matches!(choice, HandChoice::Recording(_)) {
            self.say(Ok(format!("the hand comes from {} already", choice.name())));
            return;
        }
        if self.hand.opening.is_some() {
            self.hand.next = Some(choice);
            return;
        }
        let is_shared = choice.shares_port_with(&self.hand.choice);
        let expected = if is_shared { DevicesExpected::WhenFree } else { DevicesExpected::Now };
        self.begin_to_open(choice, expected);
        if is_shared && self.hand.opening.is_some() && !self.hand.is_let_go {
            let nothing = GloveHands { hands: vec![], replay: None, emulators: vec![] };
            let nothing = HandSource::Devices(nothing);
            self.hand.is_let_go = self.request(Request::Hands(Box::new(nothing)));
        }
    }

    fn begin_to_open(&mut self, choice: HandChoice, expected: DevicesExpected) {
        let thing = self.scene_view.scene.selected.as_ref().and_then(|chosen| {
            let thing = self.scene_view.scene.things.get(chosen.thing)?;
            Some(ThingParts {
                name: thing.name.clone(),
                spec: thing.spec.clone(),
                home: thing.home,
                colours: None,
            })
        });
        let hand_context = self.hand.hand_context.clone();
        let begun = self.jobs.open_hand(choice.clone(), thing, hand_context, expected);
        if begun.is_ok() {
            self.hand.opening = Some(choice);
        }
        self.show_failure(begun);
    }

    /// Takes over from a source that was opened, or reports why it could not be opened.
    pub(super) fn take_hand(&mut self, choice: HandChoice, opened: Result<OpenedHands, String>) {
        let is_back = self.hand.is_let_go && choice == self.hand.choice;
        match opened {
            Err(why) => {
                let (asked, now) = (choice.name(), self.hand.choice.name());
                let then = match (is_back, self.hand.is_let_go) {
                    (true, _) => "There is no hand now: choose another source".to_owned(),
                    (false, true) => format!("The hand comes from {now} again"),
                    (false, false) => format!("The hand still comes from {now}"),
                };
                self.trouble(format!("{asked}: {why}. {then}"));
            }
            Ok(opened) => self.take_over(choice, opened),
        }
        self.open_next(is_back);
    }

    /// Lists the folder that was chosen instead of a file with a source of hands.
    pub(super) fn hand_is_folder(&mut self, listing: FolderListing) {
        if !matches!(self.panels.page, Page::FileDialog(_)) {
            let folder = listing.folder.display();
            self.say(Err(format!("{folder} is a folder, expected a file")));
        }
        self.show_listing(listing);
        self.open_next(false);
    }

    /// Opens the source that was chosen meanwhile. If there is none and the ports were released in
    /// vain, opens the present source again, unless `is_tried` says that this has just failed.
    fn open_next(&mut self, is_tried: bool) {
        self.hand.opening = None;
        if let Some(next) = self.hand.next.take() {
            self.open_hand(next);
        } else if self.hand.is_let_go && !is_tried {
            self.begin_to_open(self.hand.choice.clone(), DevicesExpected::SomeTime);
        }
    }

    fn take_over(&mut self, choice: HandChoice, opened: OpenedHands) {
        let OpenedHands { source, driven, playback, past } = opened;
        let is_sought = matches!(&choice, HandChoice::Recording(now) if self.is_playing(now));
        let source = Box::new(source);
        let request = match past.filter(|_| is_sought) {
            Some(past) => Request::Seek { source, history: Box::new(past) },
            None => Request::Hands(source),
        };
        if !self.request(request) {
            return;
        }
        self.hand.steering.take_over(driven);
        if let (HandChoice::Recording(to_play), Some(before), Some(now)) =
            (&choice, &self.hand.playback, &playback)
        {
            to_play.carry_on(&before.clock, &now.clock);
        }
        let is_back = std::mem::take(&mut self.hand.is_let_go) && choice == self.hand.choice;
        if is_back {
            // Only logged, so that the error message stays visible.
            tracing::info!("the hand comes from {} again", choice.name());
        } else if !is_sought {
            self.say(Ok(format!("the hand comes from {}", choice.name())));
            if matches!(self.panels.page, Page::FileDialog(_)) {
                self.panels.page = Page::None;
            }
        }
        match &choice {
            HandChoice::Recording(RecordingChoice { file, .. }) => {
                self.remember_recording(file.clone())
            }
            other => self.settings.change(|settings| settings.hand = Some(other.clone())),
        }
        (self.hand.choice, self.hand.playback) = (choice, playback);
        // If the old source is back, the panel keeps the user's entries, so that they can be
        // corrected.
        if let (Page::HandSource(panel), false) = (&mut self.panels.page, is_back) {
            panel.take_up(&self.hand.choice);
        }
    }

    fn is_playing(&self, other: &RecordingChoice) -> bool {
        self.hand.playback.as_ref().is_some_and(|playback| playback.file == other.file)
    }

    /// Opens the hand above the selected thing, as the hand of `side` or of the same side as
    /// before.
    pub(super) fn move_hand_home(&mut self, side: Option<Side>) {
        let Some(before) = self.hand.steering.wanted().map(|wanted| wanted.side) else { return };
        let side = side.unwrap_or(before);
        let middle = self
            .scene_view
            .scene
            .selected
            .as_ref()
            .map_or_else(Point3::origin, |chosen| chosen.middle);
        self.hand.steering.begin_above(side, &middle);
        self.keep_hand_side(side);
    }

    /// Takes the thing between the fingers of the hand that mouse and keys move, or lets it go.
    pub(super) fn take_or_let_go(&mut self) {
        if let Some(closed) = self.scene_view.scene.mouse_hand_closed {
            self.hand.steering.take_or_let_go(&closed);
        }
    }

    /// Remembers the side of the hand that mouse and keys move.
    fn keep_hand_side(&mut self, side: Side) {
        if let HandChoice::Mouse(now) = &mut self.hand.choice
            && *now != side
        {
            *now = side;
            self.settings.change(|settings| settings.hand = Some(HandChoice::Mouse(side)));
        }
    }
}
