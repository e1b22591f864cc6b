//! Watch over the devices while they are recorded: says once when one is lost or returns, and when
//! many of its records are damaged.

use super::verdict::SOME_DAMAGED;
use crate::input::DeviceState;

/// Records after which the share of damaged ones says something.
const ENOUGH_RECORDS: u64 = 200;

/// State and counts of a device at one moment.
pub(super) struct DeviceNews {
    pub(super) name: &'static str,
    pub(super) state: DeviceState,
    pub(super) n_samples: u64,
    pub(super) n_damaged: u64,
}

/// Watch over one device.
#[derive(Default)]
pub(super) struct DeviceWatch {
    is_missing: bool,
    is_damage_told: bool,
}

impl DeviceWatch {
    /// Returns warnings and returns to tell, if there are any.
    pub(super) fn look(&mut self, news: &DeviceNews) -> Vec<String> {
        let mut told = Vec::new();
        let DeviceNews { name, state, n_samples, n_damaged } = news;
        match state {
            DeviceState::Missing(_)
            | DeviceState::Lost(_)
            | DeviceState::Faulty(_)
            | DeviceState::Garbled
            | DeviceState::Silent => {
                if !std::mem::replace(&mut self.is_missing, true) {
                    told.push(format!("{name} {}", in_words(state)));
                }
            }
            DeviceState::Live(_) | DeviceState::Doubtful(_) => {
                if std::mem::take(&mut self.is_missing) {
                    told.push(format!("{name} is back"));
                }
            }
            DeviceState::Opening | DeviceState::Late | DeviceState::Ended => {}
        }
        let n_records = n_samples + n_damaged;
        let share = *n_damaged as f64 / n_records.max(1) as f64;
        if n_records >= ENOUGH_RECORDS && share > SOME_DAMAGED && !self.is_damage_told {
            self.is_damage_told = true;
            let percent = 100.0 * share;
            told.push(format!(
                "{name}: {percent:.1} % of its records are damaged; check line speed, cable and \
                 adapter"
            ));
        }
        told
    }
}

pub(super) fn in_words(state: &DeviceState) -> String {
    match state {
        DeviceState::Opening => "opening".to_owned(),
        DeviceState::Live(_) => "live".to_owned(),
        DeviceState::Doubtful(why) => format!("live, but doubtful ({why})"),
        DeviceState::Late => "late".to_owned(),
        DeviceState::Silent => "silent".to_owned(),
        DeviceState::Garbled => "sends only damaged data".to_owned(),
        DeviceState::Ended => "ended".to_owned(),
        DeviceState::Faulty(why) => format!("gives nothing usable ({why})"),
        DeviceState::Missing(why) => format!("not found ({why})"),
        DeviceState::Lost(why) => format!("lost ({why})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(state: DeviceState, n_samples: u64, n_damaged: u64) -> DeviceNews {
        DeviceNews { name: "glove", state, n_samples, n_damaged }
    }

    #[test]
    fn a_loss_a_return_and_damage_are_reported_once_each() {
        let mut watch = DeviceWatch::default();
        let live = || DeviceState::Live("a glove".to_owned());
        let mut told = |state, n_samples, n_damaged| watch.look(&news(state, n_samples, n_damaged));
        assert!(told(DeviceState::Opening, 0, 0).is_empty());
        assert!(told(live(), 1, 3).is_empty(), "too few records to judge");
        let unplugged = || DeviceState::Faulty("it is unplugged");
        assert_eq!(told(unplugged(), 10, 0), ["glove gives nothing usable (it is unplugged)"]);
        assert!(told(unplugged(), 10, 0).is_empty());
        assert!(told(DeviceState::Silent, 10, 0).is_empty());
        assert_eq!(told(live(), 150, 0), ["glove is back"]);
        let damaged = told(live(), 297, 3);
        assert!(damaged.is_empty(), "{damaged:?}");
        assert!(told(live(), 750, 250)[0].starts_with("glove: 25.0 % of its records are damaged"));
        assert!(told(live(), 1500, 500).is_empty());
    }
}
