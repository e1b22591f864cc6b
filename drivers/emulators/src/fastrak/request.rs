//! Parses a command line with parameters, and writes the tracker's error record for a bad one.

/// Reason why a line is refused, with the manual's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    FieldMissing = -1,
    NotNumeric = -2,
    OutOfRange = -3,
    Buffer = -5,
    Unknown = -99,
}

/// Refusal of a field; fields are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: Code,
    pub(super) field: usize,
}

pub(super) fn refuse<T>(code: Code, field: usize) -> Result<T, Refusal> {
    Err(Refusal { code, field })
}

/// A command line: a letter and its parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) letter: char,
    /// Everything after the letter.
    pub(super) rest: &'a str,
}

impl<'a> Request<'a> {
    pub(super) fn new(line: &'a str) -> Option<Self> {
        let letter = line.chars().next()?;
        Some(Self { letter, rest: &line[letter.len_utf8()..] })
    }

    /// The comma-separated fields; trailing commas are optional.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'a str> {
        self.rest.trim_end_matches(',').split(',').map(str::trim)
    }

    /// The fields as numbers; an omitted one is `None`. A single empty field counts as no field.
    pub(super) fn numbers(&self) -> Result<Vec<Option<f64>>, Refusal> {
        let mut numbers = Vec::new();
        for (field, text) in self.fields().enumerate() {
            numbers.push(match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Some(number),
                Err(_) if text.is_empty() => None,
                Ok(_) | Err(_) => return refuse(Code::NotNumeric, field),
            });
        }
        if numbers == [None] { Ok(Vec::new()) } else { Ok(numbers) }
    }

    /// The station, counted from 0, and the numbers after it.
    pub(super) fn of_station(&self) -> Result<(usize, Vec<Option<f64>>), Refusal> {
        let mut numbers = self.numbers()?;
        let station = match numbers.first().copied().flatten() {
            None => return refuse(Code::FieldMissing, 0),
            Some(1.0) => 0,
            Some(2.0) => 1,
            Some(3.0) => 2,
            Some(4.0) => 3,
            Some(_) => return refuse(Code::OutOfRange, 0),
        };
        numbers.remove(0);
        Ok((station, numbers))
    }

    /// The error record, with the position in the line, and with the station if there is one.
    pub(super) fn error_record(&self, refusal: Refusal) -> String {
        let Refusal { code, field } = refusal;
        let skipped: usize = self.rest.split(',').take(field).map(|text| text.len() + 1).sum();
        let position = 1 + skipped.min(self.rest.len());
        let station = match self.fields().next().and_then(|text| text.parse::<u8>().ok()) {
            Some(station @ 1..=4) => station - 1,
            Some(_) | None => 0,
        };
        let (letter, rest, code) = (self.letter, self.rest, code as i8);
        format!("2 E*ERROR*{letter}{rest}*ERROR* EC{code}*PS{position}*FL{field}*ST{station}\r\n")
    }
}

/// Sets numbers from fields; an omitted field keeps its value. `scale` converts from the host's
/// units.
pub(super) fn set_numbers(
    numbers: &mut [f64],
    fields: &[Option<f64>],
    scale: f64,
) -> Result<(), Refusal> {
    if fields.len() > numbers.len() {
        return refuse(Code::OutOfRange, 1 + numbers.len());
    }
    for (number, field) in numbers.iter_mut().zip(fields) {
        *number = field.map_or(*number, |field| field * scale);
    }
    Ok(())
}
