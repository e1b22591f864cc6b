//! The user's settings, saved to the disk as they change.

use std::time::{Duration, Instant};

use interaction::grasp::GraspRules;

use super::{Page, Workbench};
use crate::settings::Settings;
use crate::wiring::SolverChoice;

/// The settings and the state of their saving.
pub(super) struct SettingsStore {
    current: Settings,
    /// Time of the last change that is not saved yet.
    changed: Option<Instant>,
    /// True while a job saves them.
    is_writing: bool,
    /// True if an error of saving was reported; it is reported once.
    is_complained: bool,
}

/// Delay of saving after the last change, so that a dragged value is not saved at every step.
const SETTLED: Duration = Duration::from_millis(400);

impl SettingsStore {
    pub(super) fn new(settings: Settings) -> Self {
        Self { current: settings, changed: None, is_writing: false, is_complained: false }
    }

    pub(super) fn current(&self) -> &Settings {
        &self.current
    }

    /// Changes the settings. A real change is saved after `SETTLED`.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Settings)) {
        let before = self.current.clone();
        change(&mut self.current);
        if self.current != before {
            self.changed = Some(Instant::now());
        }
    }

    /// The settings to save now, if any.
    fn take_due(&mut self) -> Option<Settings> {
        if self.is_writing {
            return None;
        }
        self.changed.take_if(|since| since.elapsed() >= SETTLED)?;
        self.is_writing = true;
        Some(self.current.clone())
    }
}

impl Workbench<'_> {
    /// Resets all settings. The things on the table stay.
    pub(super) fn reset_settings(&mut self) {
        self.settings.change(|settings| *settings = Settings::default());
        if self.rules != GraspRules::default() {
            self.set_rules(GraspRules::default());
        }
        if self.solver.choice != SolverChoice::default() {
            self.open_solvers(SolverChoice::default());
        }
        self.panels.page = Page::None;
        self.say(Ok("all settings are reset".to_owned()));
    }

    /// Saves changed settings after `SETTLED`.
    pub(super) fn save_due_settings(&mut self) {
        let Some(settings) = self.settings.take_due() else { return };
        if self.jobs.save_settings(settings).is_err() {
            // Saved again later.
            self.settings.is_writing = false;
            self.settings.changed = Some(Instant::now());
        }
    }

    pub(super) fn settings_saved(&mut self, result: Result<(), String>) {
        self.settings.is_writing = false;
        if let Err(why) = result
            && !std::mem::replace(&mut self.settings.is_complained, true)
        {
            self.say(Err(format!("settings are not saved: {why}")));
        }
    }

    /// Saves unsaved settings before the window closes.
    pub(in crate::run) fn flush_settings(&mut self) {
        // Waits for a running job, so that it does not overwrite the newer settings.
        drop(std::mem::take(&mut self.jobs));
        if (self.settings.changed.take().is_some() || self.settings.is_writing)
            && let Err(e) = self.settings.current.save()
        {
            tracing::warn!("settings are not saved: {e}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ThemeChoice;

    #[test]
    fn only_changes_are_written_and_only_when_they_have_settled() {
        let mut store = SettingsStore::new(Settings::default());
        store.change(|settings| settings.theme = ThemeChoice::System);
        assert!(store.changed.is_none(), "nothing is different");
        store.change(|settings| settings.theme = ThemeChoice::Light);
        assert_eq!(store.take_due(), None);
        store.changed = Instant::now().checked_sub(SETTLED);
        assert_eq!(store.take_due().map(|settings| settings.theme), Some(ThemeChoice::Light));
        assert!(store.is_writing && store.changed.is_none());
        // Only one job saves at a time.
        store.change(|settings| settings.theme = ThemeChoice::Dark);
        store.changed = Instant::now().checked_sub(SETTLED);
        assert_eq!(store.take_due(), None);
    }
}
