//! Changes the person whose calibration the hand uses.

use super::super::{Page, Workbench};
use crate::session::{ProfilesInUse, Request};

impl Workbench<'_> {
    /// Lists the people with a calibration in the panel, if it is still open.
    pub(in crate::run::workbench) fn offer_people(&mut self, people: Result<Vec<String>, String>) {
        match (&mut self.panels.page, people) {
            (Page::HandSource(panel), Ok(people)) => panel.offer_people(people),
            (_, Ok(_)) => {}
            (_, Err(why)) => self.say(Err(format!("cannot list the calibrations: {why}"))),
        }
    }

    /// Starts to read the calibration of a person.
    pub(in crate::run::workbench) fn read_person(&mut self, person: Option<String>) {
        if self.files.recording.is_on() {
            return self.refuse_person(person);
        }
        let begun = self.jobs.read_person(person, self.hand.hand_context.profiles.clone());
        self.show_failure(begun);
    }

    /// Uses the calibration that was read, or reports why it could not be read.
    pub(in crate::run::workbench) fn take_person(
        &mut self,
        person: Option<String>,
        profiles_in_use: Result<Box<ProfilesInUse>, String>,
    ) {
        match profiles_in_use {
            // A recording may have started meanwhile.
            Ok(_) if self.files.recording.is_on() => self.refuse_person(person),
            Ok(profiles_in_use) => {
                if !self.request(Request::Person(profiles_in_use)) {
                    return;
                }
                self.settings.change(|settings| settings.profile.clone_from(&person));
                let words = match &person {
                    Some(name) => format!("the hand uses the calibration of {name}"),
                    None => "the hand is uncalibrated".to_owned(),
                };
                self.hand.person = person;
                self.say(Ok(words));
            }
            Err(why) => self.say(Err(format!("the calibration stays as it was: {why}"))),
        }
    }

    fn refuse_person(&mut self, person: Option<String>) {
        let to = person.as_deref().unwrap_or("none");
        self.say(Err(format!("end the recording before the calibration changes to {to}")));
    }
}
