//! Tests of which hand poses count as held still.

use super::*;
use crate::vr::AlignLink;
use nalgebra::Vector3;

/// Sighting of a hand at one of several places.
fn sighting(place: usize) -> Sighting {
    let x = Isometry3::new(Vector3::new(0.4, 0.9, -0.3), Vector3::new(0.3, 2.0, -0.1));
    let y = Isometry3::new(Vector3::new(0.02, -0.05, 0.06), Vector3::new(1.2, 0.1, 0.4));
    let angle = place as f64 * 0.9;
    let turn = Vector3::new(angle.sin(), (1.7 * angle).cos(), 0.5 * (2.3 * angle).sin()) * 0.6;
    let source_from_sensor = Isometry3::new(0.15 * turn.yzx(), turn);
    Sighting { source_from_sensor, stage_from_seen: x * source_from_sensor * y }
}

#[test]
fn a_hand_that_is_held_still_at_enough_places_aligns() {
    let mut gathered = GatheredSightings::default();
    let mut n_taken = 0;
    for place in 0..ENOUGH {
        for tick in 0..100 {
            let time = place as f64 + f64::from(tick) * 0.01;
            match gathered.take(time, &sighting(place), time - 0.02) {
                GatheringStep::Nothing => {}
                GatheringStep::Taken => n_taken += 1,
                GatheringStep::Done(found) => {
                    let residual = found.unwrap().residual;
                    assert!(place == ENOUGH - 1 && n_taken == ENOUGH - 1 && residual < 1e-9);
                    return;
                }
            }
        }
    }
    panic!("{n_taken} places were not enough");
}

#[test]
fn a_hand_that_moves_or_that_the_headset_saw_elsewhere_does_not_count() {
    let mut moving = GatheredSightings::default();
    for tick in 0..300 {
        let time = f64::from(tick) * 0.01;
        assert_eq!(moving.take(time, &sighting(tick as usize), time), GatheringStep::Nothing);
    }
    let mut late = GatheredSightings::default();
    for tick in 0..100 {
        let time = f64::from(tick) * 0.01;
        // The headset's last sample is from before the hand came to rest.
        assert_eq!(late.take(time, &sighting(0), 0.1), GatheringStep::Nothing);
    }
}

#[test]
fn observations_of_another_room_or_source_are_forgotten() {
    let here = RoomId::default();
    let gathered = |by| {
        let mut gathered = GatheredSightings::default();
        assert!(gathered.is_consistent_with(here, by));
        gathered.take(0.0, &sighting(0), 0.0);
        assert_eq!(gathered.take(1.0, &sighting(0), 1.0), GatheringStep::Taken);
        gathered
    };
    let mut wrist = gathered(SeenBy::Joints);
    assert!(wrist.is_consistent_with(here, SeenBy::Joints));
    // A controller that is seen while the wrist is not may lie on the desk.
    assert!(!wrist.is_consistent_with(here, SeenBy::Controller));
    assert_eq!(wrist.sightings.len(), 1);
    assert!(
        wrist.is_consistent_with(AlignLink::default().enter(RoomLifetime::ForNow), SeenBy::Joints)
    );
    assert!(wrist.sightings.is_empty() && wrist.still.is_none());
    let mut controller = gathered(SeenBy::Controller);
    assert!(controller.is_consistent_with(here, SeenBy::Joints) && controller.sightings.is_empty());
}
