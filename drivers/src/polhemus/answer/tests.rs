//! Tests with control records that were worked out from the manual's columns.

use super::*;
use crate::transcript::hex;

fn answer(line: &str) -> Option<Answer> {
    Answer::from_record(&ControlRecord::from_line(line.as_bytes())?)
}

/// Checks an answer and its length; `n_bytes` includes the line end, as in the manual.
fn check(line: &str, n_bytes: usize, want: Answer) {
    assert_eq!(line.len() + 2, n_bytes, "{line}");
    assert_eq!(answer(line), Some(want), "{line}");
}

fn refuse(line: &str) {
    assert_eq!(answer(line), None, "{line}");
}

#[test]
fn stations_are_four_digits() {
    let line = hex("32 31 6C 31 30 30 30");
    let record = ControlRecord::from_line(&line).unwrap();
    assert_eq!((record.station, record.letter, record.n_bytes()), (Some(1), 'l', 9));
    let want = Answer::Stations([true, false, false, false]);
    assert_eq!(Answer::from_record(&record), Some(want));
    check("24l1101", 9, Answer::Stations([true, true, false, true]));
    refuse("21l100");
    refuse("21l10000");
    refuse("21l1020");
    refuse("25l1000");
    refuse("01l1000");
}

#[test]
fn an_output_list_is_pairs_of_columns() {
    let list = |numbers: &[u8]| {
        let items = numbers.iter().map(|number| OutputItem::from_number(*number).unwrap());
        Answer::OutputList(OutputList::new(items.collect()).unwrap())
    };
    check("21O 2 4 1", 11, list(&[2, 4, 1]));
    check("21O 21116 1", 13, list(&[2, 11, 16, 1]));
    check("22O525661 050", 15, list(&[52, 56, 61, 0, 50]));
    check("22O021101", 11, list(&[2, 11, 1]));
    refuse("21O 2 4 ");
    refuse("21O 299 1");
    refuse("21O2 4 1 ");
    refuse("21O");
}

#[test]
fn numbers_are_in_columns_that_may_touch() {
    let want = Answer::Hemisphere([0.0, -0.5, 1.0]);
    check("21H   0.00  -0.50   1.00", 26, want.clone());
    assert_eq!(answer("21H 0.0 -0.50 1"), Some(want));
    refuse("21H   0.00  -0.50");
    refuse("21H   0.00  -0.50   1.00   1.00");
    refuse("21H   0.00  -0.50   1.x0");
    check("21G -12.50 180.00-179.99", 26, Answer::BoresightAnglesDeg([-12.5, 180.0, -179.99]));
    check("21N   7.00   0.01  -3.00", 26, Answer::TipOffsetCm([7.0, 0.01, -3.0]));
    check("21r   0.00   0.00 180.00", 26, Answer::TransmitterMountingDeg([0.0, 0.0, 180.0]));
    check("21I   0.50", 12, Answer::IncrementCm(0.5));
    let alignment = Alignment {
        origin_cm: [1.0, 2.5, -3.0],
        on_x_axis_cm: [111.0, 2.5, -300.0],
        on_y_axis_cm: [-111.11, -222.22, -333.33],
    };
    let line = "21A   1.00   2.50  -3.00 111.00   2.50-300.00-111.11-222.22-333.33";
    check(line, 68, Answer::Alignment(alignment));
}

#[test]
fn envelopes_have_six_numbers() {
    let (max_cm, min_cm) = ([200.0, 200.0, 200.0], [-200.0, -100.0, 0.0]);
    let want = Answer::PositionEnvelope(PositionEnvelope { max_cm, min_cm });
    check("21V  200.00  200.00  200.00 -200.00 -100.00    0.00", 53, want);
    let (max_deg, min_deg) = ([180.0, 90.0, 180.0], [-180.0, -90.0, -180.0]);
    let want = Answer::AngularEnvelope(AngularEnvelope { max_deg, min_deg });
    check("21Q 180.00  90.00 180.00-180.00 -90.00-180.00", 47, want.clone());
    check("21Q  180.00   90.00  180.00 -180.00  -90.00 -180.00", 53, want);
}

#[test]
fn filters_have_four_numbers() {
    let numbers = FilterParameters { sensitivity: 0.2, low: 0.2, high: 0.8, factor: 0.95 };
    let text = "  0.200  0.200  0.800  0.950";
    check(&format!("2 v{text}"), 33, Answer::Filter(FilterOf::Attitude, numbers));
    check(&format!("2 x{text}"), 33, Answer::Filter(FilterOf::Position, numbers));
}

#[test]
fn short_answers_are_read() {
    check("2 y1", 6, Answer::Sync(SyncMode::External));
    check("2 y 2", 7, Answer::Sync(SyncMode::Video));
    refuse("2 y3");
    check(&format!("2 X{:32}", "left bench"), 37, Answer::Name("left bench".to_owned()));
    refuse("2 Xleft bench");
    let test = BuiltInTest { number: 107, text: "Low Signal".to_owned() };
    check("2 T107 Low Signal", 19, Answer::BuiltInTest(test));
    refuse("2 T10");
    refuse("2 T 10 Low Signal");
    refuse("2 Z107");
}

fn status(flags: &str, test: &str, kind: &str) -> String {
    format!("21S{flags}{test:3}{kind:6}{:6}{:32}", "1.23", "left bench")
}

#[test]
fn a_status_is_read_from_either_kind_of_columns() {
    let want = Status {
        is_binary: true,
        is_in_centimetres: true,
        is_compensated: false,
        is_continuous: false,
        built_in_test: None,
        sensors: Some(1),
        version: "1.23".to_owned(),
        id: "left bench".to_owned(),
    };
    check(&status("3F3", "", " F31  "), 55, Answer::Status(want.clone()));
    let older = Status { sensors: None, ..want.clone() };
    check(&status("3F3", "", ""), 55, Answer::Status(older.clone()));
    let clone = status("3F3", "", "");
    check(&clone[..clone.len() - 1], 54, Answer::Status(older));

    let faulty = Status { is_continuous: true, built_in_test: Some(107), ..want.clone() };
    check(&status("3FB", "107", " F31  "), 55, Answer::Status(faulty));
    let factory = Status { is_binary: false, is_in_centimetres: false, ..want.clone() };
    check(&status("3F0", "", " F31  "), 55, Answer::Status(factory));
    let compensated = Status { is_compensated: true, sensors: Some(15), ..want };
    check(&status("3F7", "  0", " F3F  "), 55, Answer::Status(compensated));
    refuse(&status("3G0", "", ""));
    refuse(&clone[..clone.len() - 2]);
    refuse(&format!("{clone} "));
}

#[test]
fn an_error_names_its_reason() {
    let check = |line: &str, want: CommandError, words: &str| {
        let Some(Answer::CommandError(got)) = answer(line) else { panic!("{line}") };
        assert_eq!(got.to_string(), words);
        assert_eq!(got, want);
    };
    let refused = |command: &str, code, field| {
        let (position, field, station) = (Some(0), Some(field), Some(1));
        CommandError { command: command.to_owned(), code: Some(code), position, field, station }
    };
    check(
        "2 E*ERROR*Z9*ERROR* EC-99*PS0*FL0*ST0",
        refused("Z9", CommandErrorCode::UnknownCommand, 0),
        "it does not know the command (field 0 of Z9)",
    );
    check(
        "2 E*ERROR*O1,99*ERROR* EC-3*PS0*FL1*ST0",
        refused("O1,99", CommandErrorCode::OutOfRange, 1),
        "a field is out of range (field 1 of O1,99)",
    );
    check(
        "2 E*ERROR*l1,a*ERROR* EC -2 *PS 0 *FL 1 *ST 0",
        refused("l1,a", CommandErrorCode::NotNumeric, 1),
        "a field is not numeric (field 1 of l1,a)",
    );
    let bare = CommandError {
        command: "O1".to_owned(),
        code: None,
        position: None,
        field: None,
        station: None,
    };
    check("2 E*ERROR*O1", bare, "no reason given (O1)");
    for (number, code) in [
        (-1, CommandErrorCode::FieldMissing),
        (-4, CommandErrorCode::Frequency),
        (-5, CommandErrorCode::Buffer),
        (7, CommandErrorCode::Other(7)),
    ] {
        let line = format!("2 E*ERROR*H1*ERROR* EC{number}*PS0*FL2*ST0");
        let words = format!("{code} (field 2 of H1)");
        check(&line, refused("H1", code, 2), &words);
    }
    refuse("2 Ewhat");
}
