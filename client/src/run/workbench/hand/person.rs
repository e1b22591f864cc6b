//! Changes the person whose calibration the hand uses.

use super::super::{Bench, Page};
use crate::session::{Fitting, Request};

impl Bench<'_> {
    /// Who has a calibration stands in the panel, if it is still open.
    pub(in crate::run::workbench) fn offer_people(&mut self, people: Result<Vec<String>, String>) {
        match (&mut self.panels.page, people) {
            (Page::Sources(panel), Ok(people)) => panel.offer_people(people),
            (_, Ok(_)) => {}
            (_, Err(why)) => self.say(Err(format!("calibrations cannot be looked up: {why}"))),
        }
    }

    /// Begins to read the calibration of a person.
    pub(in crate::run::workbench) fn read_person(&mut self, person: Option<String>) {
        if self.files.recording.is_on() {
            return self.refuse_person(person);
        }
        let begun = self.clerk.read_person(person, self.hand.doors.profiles.clone());
        self.complain(begun);
    }

    /// Uses the calibration that was read, or says why it could not be read.
    pub(in crate::run::workbench) fn take_person(
        &mut self,
        person: Option<String>,
        fitting: Result<Box<Fitting>, String>,
    ) {
        let name = person.clone().unwrap_or_else(|| "an uncalibrated hand".to_owned());
        match fitting {
            // It may have begun meanwhile.
            Ok(_) if self.files.recording.is_on() => self.refuse_person(person),
            Ok(fitting) => {
                if !self.request(Request::Person(fitting)) {
                    return;
                }
                self.kept.change(|settings| settings.profile.clone_from(&person));
                self.hand.person = person;
                self.say(Ok(format!("the hand is that of {name}")));
            }
            Err(why) => self.say(Err(format!("the calibration stays as it was: {why}"))),
        }
    }

    fn refuse_person(&mut self, person: Option<String>) {
        let whose = person.as_deref().unwrap_or("nobody");
        self.say(Err(format!("a recording says whose the hand is: end it before {whose}")));
    }
}
