//! Damages single records and delays single replies, as the plan says.

use std::ops::Range;
use std::time::Duration;

use super::{Fault, FaultPlan, RecordFault, Which, WhichReply};
use crate::random::Random;

/// Positions of the parts of a data record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The bytes between header and terminator.
    pub(crate) data: Range<usize>,
    /// Index of the station's digit, if the device has stations.
    pub(crate) station: Option<usize>,
}

/// Damage that was done to a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Harm {
    pub(crate) fault: RecordFault,
    /// Index of the damaged byte in the undamaged record.
    pub(crate) position: usize,
}

/// The inserted text, longer than an error pair of the glove, so that it is not taken for one.
const STRAY_TEXT: &[u8] = b"\r\n*** watchdog ***\r\n";

#[derive(Debug, Clone)]
pub(crate) struct Injector {
    seed: u64,
    records: Vec<(RecordFault, Which)>,
    replies: Vec<(Duration, WhichReply)>,
    n_records: u64,
    n_replies: u64,
    /// Chance of damage to each byte of a reply.
    reply_damage: f64,
    /// True if the last record lost its end, so that the next one is damaged already.
    is_next_spared: bool,
}

impl Injector {
    pub(crate) fn new(plan: &FaultPlan) -> Self {
        let (mut records, mut replies, mut reply_damage) = (Vec::new(), Vec::new(), 0.0_f64);
        for fault in plan.faults() {
            match fault {
                Fault::Record { kind, which } => records.push((*kind, *which)),
                Fault::LateReply { by, which } => replies.push((*by, *which)),
                Fault::DamagedReply { rate } => reply_damage = reply_damage.max(*rate),
                Fault::Stall { .. }
                | Fault::HangUp { .. }
                | Fault::Restart { .. }
                | Fault::Unplugged { .. }
                | Fault::StuckSensor { .. } => {}
            }
        }
        let seed = plan.seed();
        Self {
            seed,
            records,
            replies,
            n_records: 0,
            n_replies: 0,
            reply_damage,
            is_next_spared: false,
        }
    }

    /// Counts one record and damages it in place if the plan says so. The random numbers depend
    /// only on the record's number, so that timing does not change them.
    pub(crate) fn record(&mut self, bytes: &mut Vec<u8>, layout: &Layout) -> (u64, Option<Harm>) {
        self.n_records += 1;
        if std::mem::take(&mut self.is_next_spared) {
            return (self.n_records, None);
        }
        let mut random = Random::of(self.seed, self.n_records);
        let chance = random.unit();
        let harm = self.choose(chance).and_then(|fault| {
            let position = harm(bytes, layout, fault, &mut random)?;
            Some(Harm { fault, position })
        });
        self.is_next_spared = harm.is_some_and(|harm| harm.fault == RecordFault::DropEnd);
        (self.n_records, harm)
    }

    /// Counts one reply and returns its delay.
    pub(crate) fn delay(&mut self) -> Duration {
        self.n_replies += 1;
        let is_hit = |which: &WhichReply| match which {
            WhichReply::Every => true,
            WhichReply::Number(number) => *number == self.n_replies,
        };
        self.replies.iter().filter(|(_, which)| is_hit(which)).map(|(by, _)| *by).sum()
    }

    /// Damages the reply that was counted last, if the plan says so.
    pub(crate) fn damage_reply(&self, bytes: &mut Vec<u8>) {
        if self.reply_damage == 0.0 {
            return;
        }
        // Other random numbers than those of the record with the same number.
        let mut random = Random::of(!self.seed, self.n_replies);
        let mut sent = Vec::with_capacity(bytes.len() + 1);
        for byte in bytes.drain(..) {
            if random.unit() >= self.reply_damage {
                sent.push(byte);
                continue;
            }
            match random.below(3) {
                0 => {}
                1 => sent.push(byte ^ 1 << random.below(8)),
                _ => sent.extend([byte, random.byte()]),
            }
        }
        *bytes = sent;
    }

    /// The fault for this record, if any. A fault with exactly this number has priority over rates.
    fn choose(&self, chance: f64) -> Option<RecordFault> {
        let numbered = Which::Number(self.n_records);
        if let Some((fault, _)) = self.records.iter().find(|(_, which)| *which == numbered) {
            return Some(*fault);
        }
        let mut sum = 0.0;
        self.records.iter().find_map(|(fault, which)| match which {
            Which::Number(_) => None,
            Which::Rate(rate) => {
                sum += rate;
                (chance < sum).then_some(*fault)
            }
        })
    }
}

/// Damages `bytes` and returns the position; `None` if this record cannot get this fault.
fn harm(
    bytes: &mut Vec<u8>,
    layout: &Layout,
    fault: RecordFault,
    random: &mut Random,
) -> Option<usize> {
    let last = bytes.len().checked_sub(1).filter(|last| *last > 0)?;
    let position = match fault {
        RecordFault::DropByte => {
            let position = random.below(last);
            bytes.remove(position);
            position
        }
        RecordFault::DuplicateByte => {
            let position = random.below(last);
            bytes.insert(position, bytes[position]);
            position
        }
        RecordFault::FlipBit => {
            let position = random.below(last);
            let bit = random.below(8);
            let flipped = bytes[position] ^ 1 << bit;
            // A byte that has only this bit keeps it and gets another one.
            bytes[position] =
                if flipped == 0 { bytes[position] ^ 1 << ((bit + 1) % 8) } else { flipped };
            position
        }
        RecordFault::InsertByte => {
            let position = 1 + random.below(last);
            bytes.insert(position, 0x80 | random.byte());
            position
        }
        RecordFault::ZeroByte => {
            let Range { start, end } = layout.data;
            let n_data = end.saturating_sub(start);
            let first = random.below(n_data.max(1));
            let mut places = (0..n_data).map(|place| start + (first + place) % n_data);
            let position = places.find(|place| bytes[*place] != 0)?;
            bytes[position] = 0;
            position
        }
        RecordFault::DropEnd => {
            bytes.pop();
            last
        }
        RecordFault::WrongStation => {
            let position = layout.station?;
            bytes[position] = b"056789"[random.below(6)];
            position
        }
        RecordFault::StrayText => {
            let position = 1 + random.below(last);
            bytes.splice(position..position, STRAY_TEXT.iter().copied());
            position
        }
    };
    Some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &[u8] = b"01 abcdefgh\r\n";

    fn injector(seed: u64, faults: &[&str]) -> Injector {
        let faults = faults.iter().map(|text| text.parse().unwrap()).collect();
        Injector::new(&FaultPlan::new(seed, faults).unwrap())
    }

    fn strike(injector: &mut Injector) -> (Vec<u8>, Option<Harm>) {
        let mut bytes = RECORD.to_vec();
        let layout = Layout { data: 3..RECORD.len() - 2, station: Some(1) };
        let (_, harm) = injector.record(&mut bytes, &layout);
        (bytes, harm)
    }

    /// Damages many records with one kind of fault; `is_right` checks each damaged record.
    fn check(fault: &str, is_right: impl Fn(&[u8], usize) -> bool) {
        let mut injector = injector(3, &[&format!("{fault}:1")]);
        for _ in 0..200 {
            let (bytes, harm) = strike(&mut injector);
            let Some(harm) = harm else {
                assert_eq!(fault, "drop-end", "only a spared record is unharmed");
                assert_eq!(bytes, RECORD);
                continue;
            };
            assert_eq!(harm.fault.to_string(), fault);
            assert!(is_right(&bytes, harm.position), "{fault}: {}", bytes.escape_ascii());
            assert_ne!(bytes, RECORD);
            assert!(fault == "drop-end" || bytes.ends_with(b"\n"), "the end stays");
        }
    }

    #[test]
    fn each_fault_does_what_it_says() {
        let length = RECORD.len();
        check("drop", |bytes, position| {
            bytes[..position] == RECORD[..position] && bytes[position..] == RECORD[position + 1..]
        });
        check("duplicate", |bytes, position| {
            bytes[..=position] == RECORD[..=position] && bytes[position + 1..] == RECORD[position..]
        });
        check("flip", |bytes, position| {
            (bytes[position] ^ RECORD[position]).count_ones() == 1
                && bytes[position] != 0
                && bytes[position + 1..] == RECORD[position + 1..]
        });
        check("insert", |bytes, position| {
            bytes[position] >= 0x80 && position > 0 && bytes[position + 1..] == RECORD[position..]
        });
        check("zero", |bytes, position| {
            bytes[position] == 0 && (3..length - 2).contains(&position) && bytes.len() == length
        });
        check("drop-end", |bytes, _| bytes == &RECORD[..length - 1]);
        check("station", |bytes, _| b"056789".contains(&bytes[1]) && bytes[2..] == RECORD[2..]);
        check("text", |bytes, position| {
            bytes[position..].starts_with(STRAY_TEXT) && bytes.len() == length + STRAY_TEXT.len()
        });
    }

    #[test]
    fn rates_hold_and_seeds_repeat() {
        let run = |seed| {
            let mut injector = injector(seed, &["drop:0.1", "flip:0.2", "insert@#7"]);
            (0..5000).map(|_| strike(&mut injector)).collect::<Vec<_>>()
        };
        let records = run(11);
        assert_eq!(records, run(11));
        assert_ne!(records, run(12));
        let count = |fault| {
            records.iter().filter(|(_, harm)| harm.is_some_and(|harm| harm.fault == fault)).count()
        };
        assert!((400..600).contains(&count(RecordFault::DropByte)));
        assert!((850..1150).contains(&count(RecordFault::FlipBit)));
        assert_eq!(count(RecordFault::InsertByte), 1);
        assert_eq!(records[6].1.map(|harm| harm.fault), Some(RecordFault::InsertByte));
    }

    #[test]
    fn replies_are_damaged_at_their_rate_and_records_are_not() {
        let mut injector = injector(5, &["reply:0.01"]);
        let reply = [b'x'; 50];
        let n_damaged = (0..1000).filter(|_| {
            injector.delay();
            let mut sent = reply.to_vec();
            injector.damage_reply(&mut sent);
            sent != reply
        });
        // 1 - 0.99^50 = 0.39.
        assert!((340..440).contains(&n_damaged.count()));
        assert_eq!(strike(&mut injector), (RECORD.to_vec(), None));
    }

    #[test]
    fn only_the_numbered_reply_is_late() {
        let mut injector = injector(0, &["late:300ms@#2"]);
        let delays = [injector.delay(), injector.delay(), injector.delay()];
        assert_eq!(delays, [Duration::ZERO, Duration::from_millis(300), Duration::ZERO]);
    }
}
