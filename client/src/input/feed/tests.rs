//! Tests of the distribution of samples to feeds, and of the states of parts.

use super::*;
use crate::input::scripted::{feeds, until};

fn live() -> DeviceState {
    DeviceState::Live("scripted".to_owned())
}

#[test]
fn each_part_has_its_own_newest_reading() {
    let ([first, second], samples) = feeds::<u32, 2>(3);
    for sample in [(0, Ok(1)), (1, Ok(10)), (2, Ok(100)), (0, Ok(2)), (1, Ok(11)), (1, Ok(12))] {
        samples.send(sample).unwrap();
    }
    until(|| first.n_samples() == 2 && second.n_samples() == 3);
    assert_eq!((first.take(), second.take()), (Some(2), Some(12)));
    assert_eq!((first.take(), second.take()), (None, None));
    // The part of a damaged record is not known, so it counts once.
    assert_eq!((first.n_lost(), second.n_lost()), (3, 0));
}

#[test]
fn a_single_feed_gets_the_first_part_only() {
    let ([only], samples) = feeds::<u32, 1>(2);
    for sample in [(1, Ok(10)), (0, Ok(1)), (1, Ok(11)), (0, Ok(2))] {
        samples.send(sample).unwrap();
    }
    until(|| only.n_samples() == 2);
    assert_eq!(only.take(), Some(2));
}

/// Sends `sample` repeatedly until both parts have the states `want`.
fn check(n_parts: usize, sample: &[(usize, Result<u32, &'static str>)], want: [DeviceState; 2]) {
    let ([first, second], samples) = feeds::<u32, 2>(n_parts);
    until(|| {
        for sample in sample {
            samples.send(*sample).unwrap();
        }
        [first.state(), second.state()] == want
    });
    drop(samples);
    until(|| [first.state(), second.state()] == [DeviceState::Ended, DeviceState::Ended]);
}

#[test]
fn a_part_that_the_device_lacks_is_missing_while_the_other_lives() {
    check(1, &[(0, Ok(1))], [live(), DeviceState::Missing("there is no part 1".to_owned())]);
}

#[test]
fn a_fault_is_of_the_part_that_has_it() {
    check(2, &[(0, Ok(1)), (1, Err("loose"))], [live(), DeviceState::Faulty("loose")]);
    check(2, &[(1, Ok(1)), (0, Err("loose"))], [DeviceState::Faulty("loose"), live()]);
}

#[test]
fn a_part_that_falls_silent_beside_a_live_one_shows_it() {
    check(2, &[(0, Ok(1))], [live(), DeviceState::Late]);
    check(2, &[(0, Ok(1))], [live(), DeviceState::Silent]);
}

#[test]
fn a_device_is_read_until_its_last_feed_is_dropped() {
    let ([first, second], samples) = feeds::<u32, 2>(2);
    drop(first);
    samples.send((1, Ok(7))).unwrap();
    until(|| second.n_samples() == 1);
    drop(second);
    // The device was dropped with the thread.
    assert!(samples.send((1, Ok(8))).is_err());
}
