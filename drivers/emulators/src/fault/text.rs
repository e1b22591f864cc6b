//! The text form of faults, for the command line.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{Fault, RecordFault, When, Which, WhichReply};

/// Reason why a text is not a fault.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FaultError {
    #[error(
        "no fault is called {0:?}; expected drop, duplicate, flip, insert, zero, drop-end, \
         station, text, stall, hangup, restart, unplugged, late, reply or stuck"
    )]
    Kind(String),
    #[error("{kind} needs {wanted}, for example {example}")]
    Shape { kind: String, wanted: &'static str, example: &'static str },
    #[error("expected a rate from 0 to 1, got {0:?}")]
    Rate(String),
    #[error("expected a duration such as 2s or 300ms, at most a day, got {0:?}")]
    Duration(String),
    #[error("expected a number from 1 on after #, got {0:?}")]
    Number(String),
    #[error("expected a sensor's mask bit from 0 to 22, got {0:?}")]
    Sensor(String),
}

/// Longest duration. The limit also prevents overflow in later arithmetic.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let (what, when) = match text.split_once('@') {
            Some((what, when)) => (what, Some(when)),
            None => (text, None),
        };
        let (kind, amount) = match what.split_once(':') {
            Some((kind, amount)) => (kind, Some(amount)),
            None => (what, None),
        };
        let shape = |wanted, example| FaultError::Shape { kind: kind.to_owned(), wanted, example };
        if let Some(record_fault) = RecordFault::ALL.into_iter().find(|one| one.word() == kind) {
            let which = match (amount, when) {
                (Some(amount), None) => Which::Rate(rate(amount)?),
                (None, Some(when)) => Which::Number(number(when)?),
                _ => return Err(shape("either a rate or a record", "drop:0.01 or drop@#120")),
            };
            return Ok(Self::Record { kind: record_fault, which });
        }
        match (kind, amount, when) {
            ("stall", Some(lasts), Some(when)) => {
                Ok(Self::Stall { lasts: duration(lasts)?, when: moment(when)? })
            }
            ("hangup", Some(lasts), Some(when)) => {
                Ok(Self::HangUp { lasts: duration(lasts)?, when: moment(when)? })
            }
            ("unplugged", Some(lasts), Some(when)) => {
                Ok(Self::Unplugged { lasts: duration(lasts)?, when: moment(when)? })
            }
            ("restart", None, Some(when)) => Ok(Self::Restart { when: moment(when)? }),
            ("late", Some(by), when) => {
                let which = match when {
                    None => WhichReply::Every,
                    Some(when) => WhichReply::Number(number(when)?),
                };
                Ok(Self::LateReply { by: duration(by)?, which })
            }
            ("reply", Some(amount), None) => Ok(Self::DamagedReply { rate: rate(amount)? }),
            ("stuck", Some(bit), when) => {
                let from = when.map(duration).transpose()?.unwrap_or_default();
                Ok(Self::StuckSensor { bit: sensor(bit)?, from })
            }
            ("stall", ..) => Err(shape("a duration and a time", "stall:2s@10s")),
            ("hangup", ..) => Err(shape("a duration and a time", "hangup:1s@5s")),
            ("unplugged", ..) => Err(shape("a duration and a time", "unplugged:2s@5s")),
            ("restart", ..) => Err(shape("a time and no amount", "restart@5s")),
            ("late", ..) => Err(shape("a duration", "late:300ms")),
            ("reply", ..) => Err(shape("a rate and no time", "reply:0.01")),
            ("stuck", ..) => Err(shape("a sensor's mask bit", "stuck:5@2s")),
            _ => Err(FaultError::Kind(kind.to_owned())),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record { kind, which: Which::Rate(rate) } => write!(formatter, "{kind}:{rate}"),
            Self::Record { kind, which: Which::Number(number) } => {
                write!(formatter, "{kind}@#{number}")
            }
            Self::Stall { lasts, when } => write!(formatter, "stall:{}@{when}", Seconds(*lasts)),
            Self::HangUp { lasts, when } => write!(formatter, "hangup:{}@{when}", Seconds(*lasts)),
            Self::Unplugged { lasts, when } => {
                write!(formatter, "unplugged:{}@{when}", Seconds(*lasts))
            }
            Self::Restart { when } => write!(formatter, "restart@{when}"),
            Self::LateReply { by, which: WhichReply::Every } => {
                write!(formatter, "late:{}", Seconds(*by))
            }
            Self::LateReply { by, which: WhichReply::Number(number) } => {
                write!(formatter, "late:{}@#{number}", Seconds(*by))
            }
            Self::DamagedReply { rate } => write!(formatter, "reply:{rate}"),
            Self::StuckSensor { bit, from } => write!(formatter, "stuck:{bit}@{}", Seconds(*from)),
        }
    }
}

impl fmt::Display for RecordFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

impl fmt::Display for When {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Once(after) => write!(formatter, "{}", Seconds(*after)),
            Self::Every(period) => write!(formatter, "every{}", Seconds(*period)),
        }
    }
}

impl RecordFault {
    fn word(self) -> &'static str {
        match self {
            Self::DropByte => "drop",
            Self::DuplicateByte => "duplicate",
            Self::FlipBit => "flip",
            Self::InsertByte => "insert",
            Self::ZeroByte => "zero",
            Self::DropEnd => "drop-end",
            Self::WrongStation => "station",
            Self::StrayText => "text",
        }
    }
}

/// Text form of a duration that parses back to it: whole milliseconds if that is exact.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.subsec_nanos();
        if nanos != 0 && nanos.is_multiple_of(1_000_000) {
            write!(formatter, "{}ms", self.0.as_millis())
        } else {
            write!(formatter, "{}s", self.0.as_secs_f64())
        }
    }
}

fn rate(text: &str) -> Result<f64, FaultError> {
    let rate = text.parse().ok().filter(|rate| (0.0..=1.0).contains(rate));
    rate.ok_or_else(|| FaultError::Rate(text.to_owned()))
}

fn number(text: &str) -> Result<u64, FaultError> {
    let number = text.strip_prefix('#').and_then(|digits| digits.parse().ok());
    number.filter(|number| *number > 0).ok_or_else(|| FaultError::Number(text.to_owned()))
}

fn sensor(text: &str) -> Result<u8, FaultError> {
    let bit = text.parse().ok().filter(|bit| *bit < 23);
    bit.ok_or_else(|| FaultError::Sensor(text.to_owned()))
}

fn moment(text: &str) -> Result<When, FaultError> {
    match text.strip_prefix("every") {
        None => Ok(When::Once(duration(text)?)),
        // A period of zero would repeat without end at the same time.
        Some(period) => match duration(period)? {
            Duration::ZERO => Err(FaultError::Duration(text.to_owned())),
            period => Ok(When::Every(period)),
        },
    }
}

fn duration(text: &str) -> Result<Duration, FaultError> {
    // "ms" first, because it also ends in "s".
    let (digits, per_second) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(digits), _) => (digits, 1000.0),
        (None, Some(digits)) => (digits, 1.0),
        (None, None) => return Err(FaultError::Duration(text.to_owned())),
    };
    let seconds = digits.parse::<f64>().ok().map(|number| number / per_second);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| *duration <= LONGEST)
        .ok_or_else(|| FaultError::Duration(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn faults_are_read_and_written_alike() {
        for text in [
            "drop:0.01",
            "duplicate@#120",
            "flip:1",
            "insert:0",
            "zero:0.5",
            "drop-end@#1",
            "station:0.25",
            "text:0.1",
            "stall:2s@10s",
            "hangup:1500ms@every30s",
            "restart@250ms",
            "unplugged:2s@5s",
            "late:300ms",
            "late:300ms@#3",
            "reply:0.01",
            "stuck:5@2s",
        ] {
            let fault: Fault = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(fault.to_string(), text);
        }
        assert_eq!(
            "stall:2s@10s".parse(),
            Ok(Fault::Stall {
                lasts: Duration::from_secs(2),
                when: When::Once(Duration::from_secs(10))
            })
        );
    }

    #[test]
    fn errors_name_what_was_expected() {
        let check = |text: &str, wanted: &str| {
            let error = text.parse::<Fault>().unwrap_err().to_string();
            assert!(error.contains(wanted), "{text}: {error}");
        };
        check("crash:0.1", "expected drop, duplicate");
        check("drop", "either a rate or a record, for example drop:0.01 or drop@#120");
        check("drop:2", "a rate from 0 to 1");
        check("drop:NaN", "a rate from 0 to 1");
        check("drop@#0", "from 1 on");
        check("stall:2s", "stall:2s@10s");
        check("stall:2@10s", "2s or 300ms");
        check("stall:infs@10s", "2s or 300ms");
        check("stall:2s@every0s", "2s or 300ms");
        check("restart:1s@5s", "restart@5s");
        check("reply@#3", "reply:0.01");
        check("stuck:23", "0 to 22");
        check("", "expected drop");
    }

    proptest! {
        #[test]
        fn any_text_is_a_fault_or_an_error(text in "[a-z0-9:@#.\\-]{0,24}|\\PC*") {
            if let Ok(fault) = text.parse::<Fault>() {
                prop_assert_eq!(fault.to_string().parse(), Ok(fault));
            }
        }
    }
}
