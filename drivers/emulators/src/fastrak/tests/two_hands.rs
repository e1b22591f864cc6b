//! Tests of a tracker with a receiver on each hand.

use super::*;

/// Checks the text records of three stations, of which the second is on another hand.
fn check(second: HandState, host: &str, want: &str) {
    let (tracker, now) = tracker(AHEAD, three_receivers());
    let mut tracker = tracker.with_second_hand(Motion::held(second));
    let mut out = SendQueue::ideal();
    tracker.receive(host.as_bytes(), now, &mut out);
    assert_eq!(out.waiting().escape_ascii().to_string(), want);
}

#[test]
fn only_the_second_station_follows_the_second_hand() {
    let second = HandState { receiver_position_cm: [40.0, -25.0, -1.0], ..HandState::FLAT };
    let host = "uO1,2\rO2,2\rO4,2\rP";
    // Receivers 2 and 4 are 10 cm beside and below the wrist's receiver of their own hand.
    let want = "01   30.00   0.00   0.0002   40.00 -15.00  -1.0004   30.00   0.00  10.00";
    check(second, host, want);
}

#[test]
fn a_boresight_is_that_of_the_stations_own_hand() {
    let second = HandState { receiver_quaternion: turned(30.0, 0.0, 0.0), ..AHEAD };
    check(
        second,
        "O1,4\rO2,4\rO4,4\rP",
        "01    0.00   0.00   0.0002   30.00   0.00   0.0004    0.00   0.00   0.00",
    );
    check(
        second,
        "O1,4\rO2,4\rO4,4\rB2\rP",
        "01    0.00   0.00   0.0002    0.00   0.00   0.0004    0.00   0.00   0.00",
    );
}
