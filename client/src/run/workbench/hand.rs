//! Where the hand comes from, and how another source takes over: opened beside the hand, which goes
//! on until then and stays if that fails. Only a hand whose port the other source needs lets go
//! first, and is fetched back if that fails.

mod person;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use drivers::Hand as Side;
use interaction::thing::ThingParts;
use nalgebra::Point3;

use super::clerk::Listing;
use super::drive::Drive;
use super::sources::SourcesPanel;
use super::{Bench, Page};
use crate::devices::FoundPort;
use crate::session::{DeviceHands, HandSource, Request};
use crate::wiring::{
    Doors, Expected, FirstHand, HandChoice, OpenedHands, Performance, Playback, ToPlay,
};

/// Where the hand comes from.
pub(super) struct HandNow {
    /// What mouse and keys want of it.
    pub(super) drive: Drive,
    choice: HandChoice,
    playback: Option<Playback>,
    doors: Doors,
    /// What is being opened.
    opening: Option<HandChoice>,
    /// What is to be opened after that; the newest wish wins.
    next: Option<HandChoice>,
    /// Whether its ports were let go, for another source that needs them.
    is_let_go: bool,
    /// Whose it is, if somebody was named.
    person: Option<String>,
}

impl HandNow {
    pub(super) fn new(first: FirstHand, person: Option<String>, doors: Doors) -> Self {
        let FirstHand { choice, playback, driven } = first;
        let drive = Drive::new(Arc::clone(&doors.steering), driven);
        Self { drive, choice, playback, doors, opening: None, next: None, is_let_go: false, person }
    }

    /// Whose it is, if somebody was named.
    pub(super) fn person(&self) -> Option<&str> {
        self.person.as_deref()
    }

    pub(super) fn choice(&self) -> &HandChoice {
        &self.choice
    }

    /// The recording that is played, if one is.
    pub(super) fn playback(&self) -> Option<&Playback> {
        self.playback.as_ref()
    }

    /// What is being opened, or is to be.
    pub(super) fn opening(&self) -> Option<&HandChoice> {
        self.next.as_ref().or(self.opening.as_ref())
    }

    #[cfg(test)]
    pub(super) fn doors(&self) -> &Doors {
        &self.doors
    }

    /// Whether a headset looks for hands.
    pub(super) fn has_headset(&self) -> bool {
        self.doors.headset.is_some()
    }

    /// The place in the recording that is shown or being sought.
    pub(super) fn position(&self) -> Duration {
        if let Some(HandChoice::Recording(sought)) = self.opening() {
            return sought.from;
        }
        let playback = self.playback.as_ref();
        playback.map_or(Duration::ZERO, |playback| playback.clock.position().min(playback.length))
    }
}

impl Bench<'_> {
    /// Asks all ports what is on them, for the panel of sources.
    pub(super) fn search_ports(&mut self) {
        let begun = self.clerk.search_ports();
        if let (Ok(()), Page::Sources(panel)) = (begun, &mut self.panels.page) {
            panel.searching();
        }
        self.complain(begun);
    }

    /// Ports that were found stand in the panel, if it is still open.
    pub(super) fn offer_ports(&mut self, found: Result<Vec<FoundPort>, String>) {
        match (&mut self.panels.page, found) {
            (Page::Sources(panel), Ok(found)) => panel.offer(found),
            (Page::Sources(panel), Err(why)) => {
                panel.offer(Vec::new());
                self.say(Err(format!("the ports cannot be looked at: {why}")));
            }
            (_, _) => {}
        }
    }

    /// Opens the panel of sources; who has a calibration is looked up meanwhile.
    pub(super) fn open_sources(&mut self) {
        self.panels.page = Page::Sources(Box::new(SourcesPanel::new(&self.hand.choice)));
        let begun = self.clerk.list_people(self.hand.doors.profiles.clone());
        self.complain(begun);
    }

    /// Plays a recording from its beginning.
    pub(super) fn play(&mut self, file: PathBuf) {
        self.open_hand(HandChoice::Recording(ToPlay::anew(file, 1.0)));
    }

    /// Emulated devices perform the script of a file.
    pub(super) fn perform(&mut self, file: PathBuf) {
        let script = Some(file.display().to_string());
        let performance = match &self.hand.choice {
            HandChoice::Emulated(now) => Performance { script, ..now.clone() },
            _ => Performance { script, ..Performance::default() },
        };
        self.open_hand(HandChoice::Emulated(performance));
    }

    /// Begins to open another source; the hand goes on meanwhile, if its ports are not needed for
    /// that.
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
        let expected = if is_shared { Expected::WhenFree } else { Expected::Now };
        self.begin_to_open(choice, expected);
        if is_shared && self.hand.opening.is_some() && !self.hand.is_let_go {
            let nothing = DeviceHands { hands: vec![], replay: None, emulators: vec![] };
            let nothing = HandSource::Devices(nothing);
            self.hand.is_let_go = self.request(Request::Hands(Box::new(nothing)));
        }
    }

    fn begin_to_open(&mut self, choice: HandChoice, expected: Expected) {
        let thing = self.picture.scene.chosen.as_ref().and_then(|chosen| {
            let thing = self.picture.scene.things.get(chosen.thing)?;
            Some(ThingParts {
                name: thing.name.clone(),
                spec: thing.spec.clone(),
                home: thing.home,
                colours: None,
            })
        });
        let doors = self.hand.doors.clone();
        let begun = self.clerk.open_hand(choice.clone(), thing, doors, expected);
        if begun.is_ok() {
            self.hand.opening = Some(choice);
        }
        self.complain(begun);
    }

    /// Another source is ready to take over, or it is not.
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

    /// What a hand was to come from is a folder: what is in it is offered.
    pub(super) fn hand_is_folder(&mut self, listing: Listing) {
        if !matches!(self.panels.page, Page::Files(_)) {
            let folder = listing.folder.display();
            self.say(Err(format!("{folder} is a folder, expected a file")));
        }
        self.offer(listing);
        self.open_next(false);
    }

    /// Opens what was wished for meanwhile, if anything; else fetches back a hand that was let go
    /// in vain, unless that was tried just now.
    fn open_next(&mut self, is_tried: bool) {
        self.hand.opening = None;
        if let Some(next) = self.hand.next.take() {
            self.open_hand(next);
        } else if self.hand.is_let_go && !is_tried {
            self.begin_to_open(self.hand.choice.clone(), Expected::SomeTime);
        }
    }

    fn take_over(&mut self, choice: HandChoice, opened: OpenedHands) {
        let OpenedHands { source, driven, playback, past } = opened;
        let is_sought = matches!(&choice, HandChoice::Recording(now) if self.is_playing(now));
        let source = Box::new(source);
        let request = match past.filter(|_| is_sought) {
            Some(past) => Request::Seek { source, past: Box::new(past) },
            None => Request::Hands(source),
        };
        if !self.request(request) {
            return;
        }
        self.hand.drive.take_over(driven);
        if let (HandChoice::Recording(to_play), Some(before), Some(now)) =
            (&choice, &self.hand.playback, &playback)
        {
            to_play.carry_on(&before.clock, &now.clock);
        }
        let is_back = std::mem::take(&mut self.hand.is_let_go) && choice == self.hand.choice;
        if is_back {
            // Why the other source did not take over is still to be read.
            tracing::info!("the hand comes from {} again", choice.name());
        } else if !is_sought {
            self.say(Ok(format!("the hand comes from {}", choice.name())));
            if matches!(self.panels.page, Page::Files(_)) {
                self.panels.page = Page::None;
            }
        }
        match &choice {
            HandChoice::Recording(ToPlay { file, .. }) => self.remember_recording(file.clone()),
            other => self.kept.change(|settings| settings.hand = Some(other.clone())),
        }
        (self.hand.choice, self.hand.playback) = (choice, playback);
        // What was asked for in vain can be put right where it stands.
        if let (Page::Sources(panel), false) = (&mut self.panels.page, is_back) {
            panel.take_up(&self.hand.choice);
        }
    }

    fn is_playing(&self, other: &ToPlay) -> bool {
        self.hand.playback.as_ref().is_some_and(|playback| playback.file == other.file)
    }

    /// The hand opens above the thing that orders are about, perhaps as the other one.
    pub(super) fn drive_home(&mut self, side: Option<Side>) {
        let Some(before) = self.hand.drive.wanted().map(|wanted| wanted.side) else { return };
        let side = side.unwrap_or(before);
        let middle =
            self.picture.scene.chosen.as_ref().map_or_else(Point3::origin, |chosen| chosen.middle);
        self.hand.drive.begin_above(side, &middle);
        self.keep_hand_side(side);
    }

    /// Takes what is between the fingers of the hand that mouse and keys move, or lets it go.
    pub(super) fn take_or_let_go(&mut self) {
        if let Some(closed) = self.picture.scene.driven {
            self.hand.drive.take_or_let_go(&closed);
        }
    }

    /// The hand that mouse and keys move is the other one from now on.
    fn keep_hand_side(&mut self, side: Side) {
        if let HandChoice::Mouse(now) = &mut self.hand.choice
            && *now != side
        {
            *now = side;
            self.kept.change(|settings| settings.hand = Some(HandChoice::Mouse(side)));
        }
    }
}
