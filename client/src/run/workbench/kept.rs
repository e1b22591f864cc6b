//! What a person has set, kept on the disk as it changes.

use std::time::{Duration, Instant};

use interaction::grasp::GraspRules;

use super::{Bench, Page};
use crate::settings::Settings;
use crate::wiring::SolverChoice;

/// The settings, and what of them is on the disk.
pub(super) struct Kept {
    settings: Settings,
    /// When they last changed, if that is not on the disk yet.
    changed: Option<Instant>,
    /// Whether they are on their way to the disk.
    is_writing: bool,
    /// Whether it was said that they cannot be kept: once is enough.
    is_complained: bool,
}

/// A value that is dragged is not written at every step.
const SETTLED: Duration = Duration::from_millis(400);

impl Kept {
    pub(super) fn new(settings: Settings) -> Self {
        Self { settings, changed: None, is_writing: false, is_complained: false }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes something, which is written soon if it makes a difference.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Settings)) {
        let before = self.settings.clone();
        change(&mut self.settings);
        if self.settings != before {
            self.changed = Some(Instant::now());
        }
    }

    /// What is to be written now.
    fn take_due(&mut self) -> Option<Settings> {
        if self.is_writing {
            return None;
        }
        self.changed.take_if(|since| since.elapsed() >= SETTLED)?;
        self.is_writing = true;
        Some(self.settings.clone())
    }
}

impl Bench<'_> {
    /// Everything as at first; what stands on the table stays.
    pub(super) fn reset_settings(&mut self) {
        self.kept.change(|settings| *settings = Settings::default());
        if self.rules != GraspRules::default() {
            self.set_rules(GraspRules::default());
        }
        if self.solving.choice != SolverChoice::default() {
            self.open_solvers(SolverChoice::default());
        }
        self.panels.page = Page::None;
        self.say(Ok("all settings are as in the beginning".to_owned()));
    }

    /// Writes what has changed, when it has settled.
    pub(super) fn keep_settings(&mut self) {
        let Some(settings) = self.kept.take_due() else { return };
        if self.clerk.keep(settings).is_err() {
            // Tried again later.
            self.kept.is_writing = false;
            self.kept.changed = Some(Instant::now());
        }
    }

    pub(super) fn settings_kept(&mut self, result: Result<(), String>) {
        self.kept.is_writing = false;
        if let Err(why) = result
            && !std::mem::replace(&mut self.kept.is_complained, true)
        {
            self.say(Err(format!("settings are not kept: {why}")));
        }
    }

    /// The window closes: what is not on the disk yet goes there now.
    pub(in crate::run) fn end_settings(&mut self) {
        // An older copy may be on its way to the disk, and must not come last.
        drop(std::mem::take(&mut self.clerk));
        if (self.kept.changed.take().is_some() || self.kept.is_writing)
            && let Err(e) = self.kept.settings.save()
        {
            tracing::warn!("settings are not kept: {e}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ThemeChoice;

    #[test]
    fn only_changes_are_written_and_only_when_they_have_settled() {
        let mut kept = Kept::new(Settings::default());
        kept.change(|settings| settings.theme = ThemeChoice::System);
        assert!(kept.changed.is_none(), "nothing is different");
        kept.change(|settings| settings.theme = ThemeChoice::Light);
        assert_eq!(kept.take_due(), None);
        kept.changed = Instant::now().checked_sub(SETTLED);
        assert_eq!(kept.take_due().map(|settings| settings.theme), Some(ThemeChoice::Light));
        assert!(kept.is_writing && kept.changed.is_none());
        // One after the other.
        kept.change(|settings| settings.theme = ThemeChoice::Dark);
        kept.changed = Instant::now().checked_sub(SETTLED);
        assert_eq!(kept.take_due(), None);
    }
}
