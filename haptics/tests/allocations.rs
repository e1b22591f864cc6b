//! A period allocates nothing, whatever comes.

use std::time::Instant;

use haptics::{
    FingerFelt, FingerLoop, ForceLimits, HandFelt, HandLoop, LinearContact, LoopSettings,
};
use nalgebra::{Matrix3, Point3, Vector3};

#[test]
fn a_period_allocates_nothing() {
    let settings = LoopSettings {
        period: 1e-3,
        delay: 3e-3,
        damping: 0.5,
        mass: 0.1,
        limits: ForceLimits::default(),
        coupling: 0.0,
    };
    let mut finger = FingerLoop::new(settings.coupled());
    let mut hand = HandLoop::default();
    let now = Instant::now();
    let model = LinearContact {
        place: Point3::origin(),
        force: Vector3::new(0.2, 1.0, 0.0),
        normal: Vector3::y(),
        friction: 0.1,
        stiffness: Matrix3::identity() * 700.0,
    };
    let pressing = FingerFelt { model, framed: Some(now), way: -Vector3::y(), ..FingerFelt::NONE };
    let felt = HandFelt { fingers: [pressing; 5], sampled: now };
    let counted = allocation_counter::measure(|| {
        for i in 0..200 {
            if i % 10 == 0 {
                finger.take(if i % 20 == 0 { &model } else { &LinearContact::NONE });
            }
            let position = felt.position(0, now);
            let output = finger.step((i != 100).then_some(&position), 1e-3 * f64::from(i % 70));
            assert!(output.force.iter().all(|x| x.is_finite()));
            hand.step((i != 150).then_some(&felt), now, 1e-3);
        }
    });
    assert_eq!(counted.count_total, 0);
}
