//! Commands in ASCII form: a lower-case letter and decimal numbers, echoed in the answer.

use std::time::Instant;

use super::{Glove, Refusal, SamplePace, StreamForm};
use crate::send_queue::{SendQueue, SendReason};

impl Glove {
    /// Executes a line; the answer is the line itself, an error code after an error, CR LF NUL.
    pub(super) fn obey_line(&mut self, line: &str, now: Instant, out: &mut SendQueue) {
        let mut words = line.split_ascii_whitespace();
        let letter = words.next().unwrap_or_default();
        let numbers: Option<Vec<u16>> = words.map(|word| word.parse().ok()).collect();
        let outcome = match (letter, numbers.as_deref()) {
            ("g", Some([])) => {
                self.send(b'g', SamplePace::Fine, SendReason::Asked, now, out);
                return;
            }
            ("s", Some([])) => {
                self.start(StreamForm::Text, now);
                return;
            }
            (_, Some(numbers)) => self.set_by_line(letter, numbers),
            (_, None) => Err(Refusal::Unknown),
        };
        let error = match outcome {
            Ok(()) => "",
            Err(Refusal::Unknown) => " e?",
            Err(Refusal::TooManyNumbers) => " en",
        };
        if letter == "t" {
            self.follow_period(now);
        }
        let echo = line.trim_end();
        out.reply(format!("{echo}{error}\r\n\0").as_bytes());
    }

    fn set_by_line(&mut self, letter: &str, numbers: &[u16]) -> Result<(), Refusal> {
        let n_numbers = match letter {
            "t" => 2,
            "m" | "p" => 3,
            "b" | "d" | "f" | "j" | "l" | "n" | "q" | "u" | "w" | "y" => 1,
            _ => return Err(Refusal::Unknown),
        };
        if numbers.len() > n_numbers {
            return Err(Refusal::TooManyNumbers);
        }
        match (letter, numbers) {
            (_, numbers) if numbers.len() < n_numbers => Err(Refusal::Unknown),
            ("t", [w1, w2]) => {
                let ([a, b], [c, d]) = (w1.to_be_bytes(), w2.to_be_bytes());
                self.settings.set(b'T', &[a, b, c, d])
            }
            ("y", [value]) => {
                self.settings.set_text_sync(*value != 0);
                Ok(())
            }
            (letter, numbers) => {
                let bytes: Result<Vec<u8>, _> =
                    numbers.iter().map(|number| u8::try_from(*number)).collect();
                let bytes = bytes.map_err(|_| Refusal::Unknown)?;
                self.settings.set(letter.as_bytes()[0].to_ascii_uppercase(), &bytes)
            }
        }
    }
}
