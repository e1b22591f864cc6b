//! Tests that nothing in the picture jumps while a hand moves smoothly.

use nalgebra::Point3;

use super::*;
use crate::collision::TouchableSurface;
use crate::hand::moved as in_frame;

/// A hand that wanders smoothly about a thing, takes it, squeezes it and lets go.
struct Wanderer {
    turn: UnitQuaternion<f64>,
    phases: [f64; 8],
}

impl Wanderer {
    fn new(state: &mut u64) -> Self {
        Self { turn: any_turn(state), phases: std::array::from_fn(|_| 3.0 * random(state)) }
    }

    fn pose(&self, time: f64) -> HandPose {
        let wave = |i: usize, per_second: f64| (per_second * time + self.phases[i]).sin();
        // The demonstration forwards and backwards, at most twice as fast.
        let seconds = 4.5 + 4.4 * wave(0, 0.45);
        let place = Vector3::new(wave(1, 1.1), wave(2, 1.3), wave(3, 0.9)) * 0.006;
        let mut pose = demonstrated(seconds, place);
        for (i, finger) in pose.angles.fingers.iter_mut().enumerate() {
            finger.mpj += 0.05 * wave(4 + i, 3.0 + i as f64);
        }
        let sway = Vector3::new(0.15 * wave(2, 0.7), 0.2 * wave(3, 0.5), 0.1 * wave(1, 0.6));
        turned(&pose, self.turn * UnitQuaternion::from_scaled_axis(sway))
    }
}

/// Everything in the picture at one moment, in the world.
struct ShownMoment {
    real: Vec<Point3<f64>>,
    shown: Vec<Point3<f64>>,
    thing: Vec<Point3<f64>>,
    /// Depth of the drawn hand in the thing's skin.
    depth: f64,
}

fn seen(desk: &mut Desk, side: Side) -> ShownMoment {
    let real = desk.tabletop.real_hand(side).unwrap();
    let tips = real.fingertips.iter().map(|tip| tip.centre);
    let real: Vec<_> = tips.chain(real.palm.outline).collect();
    let view = desk.hands().pop().unwrap();
    let tips = view.fingertips.iter().map(|tip| tip.centre);
    let (shown, shapes) = (tips.chain(view.palm.outline).collect(), view.shapes);
    let view = desk.tabletop.object_views(desk.time).pop().unwrap();
    let (skin, object_from_world) =
        (TouchableSurface::new(Arc::clone(&view.frame)), view.world_from_object.inverse());
    let depths =
        shapes.iter().map(|shape| skin.segment_depth(&in_frame(shape, &object_from_world)));
    let depth = depths.fold(0.0, f64::max);
    let in_world = |x: &[f32; 3]| view.world_from_object * Point3::from(x.map(f64::from));
    ShownMoment { real, shown, thing: view.frame.positions.iter().map(in_world).collect(), depth }
}

fn moved(before: &[Point3<f64>], after: &[Point3<f64>]) -> f64 {
    before.iter().zip(after).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Largest motion of the thing beyond the hand's in one sample of 10 ms, in metres.
const THING_BY_ITSELF: f64 = 0.003;
/// Largest motion of the drawn hand beyond the real one's in one sample of 10 ms, in metres.
const HAND_BY_ITSELF: f64 = 0.0045;
/// Depth in the drawn skin, in metres, beyond which a part of the hand is visibly inside.
const IN_THE_SKIN: f64 = 0.002;

fn check(seed: u64, rules: &[&str]) -> Vec<GraspState> {
    let mut state = seed;
    let mut states = Vec::new();
    let mut worst = [0.0_f64; 3];
    let (mut n_looks, mut n_inside) = (0, 0);
    for _ in 0..3 {
        let wanderer = Wanderer::new(&mut state);
        let side = if random(&mut state) < 0.0 { Side::Left } else { Side::Right };
        let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], rules);
        let home = desk.tabletop.things()[0].grasp.world_from_object().translation.vector;
        desk.show(side, &wanderer.pose(0.0));
        let mut before = seen(&mut desk, side);
        for step in 1..1500 {
            desk.time += DT;
            desk.show(side, &wanderer.pose(desk.time));
            if step % 7 == 0 {
                desk.run_solver_tasks();
            }
            let after = seen(&mut desk, side);
            let by_hand = moved(&before.real, &after.real);
            let grasp = &desk.tabletop.things()[0].grasp;
            let away = (grasp.world_from_object().translation.vector - home).norm();
            // A released thing is back home after half a second.
            let settling = if grasp.is_returning_home() { 0.035 * (away + 0.06) } else { 0.0 };
            let thing = moved(&before.thing, &after.thing) - 2.0 * by_hand - settling;
            let hand = moved(&before.shown, &after.shown) - by_hand;
            worst = [worst[0].max(thing), worst[1].max(hand), worst[2].max(after.depth)];
            n_looks += 1;
            n_inside += usize::from(after.depth > IN_THE_SKIN);
            let told = || {
                let last = desk.events.last().map(|event| &event.transition);
                format!("{rules:?}, {} s, by hand {by_hand}, {last:?}", desk.time)
            };
            assert!(thing < THING_BY_ITSELF, "the thing jumped {thing} m: {}", told());
            assert!(hand < HAND_BY_ITSELF, "the hand jumped {hand} m: {}", told());
            before = after;
        }
        states.extend(desk.states(0));
    }
    let [thing, hand, depth] = worst;
    println!("{rules:?}: by themselves at most thing {thing} m, hand {hand} m");
    println!(
        "{rules:?}: {n_inside} of {n_looks} looks see a finger in the skin, at most {depth} m"
    );
    assert!(1000 * n_inside <= n_looks, "{rules:?}: a finger in the skin {n_inside} times");
    assert!(depth < 0.003, "{rules:?}: a finger is {depth} m deep in the skin");
    states
}

#[test]
fn a_smooth_hand_makes_nothing_jump() {
    let all: [&[&str]; 4] = [
        &[],
        &["patch=disc"],
        &["deform-with=3", "keep-deforming-with=3", "palm=stop"],
        &["release=keeps"],
    ];
    let states: Vec<GraspState> = std::thread::scope(|scope| {
        let runs = all.map(|rules| scope.spawn(move || check(11, rules)));
        runs.into_iter().flat_map(|run| run.join().unwrap()).collect()
    });
    for state in [GraspState::Attached, GraspState::Deforming, GraspState::Releasing] {
        let n = states.iter().filter(|seen| **seen == state).count();
        assert!(n > 5, "{state:?} came only {n} times: the test says little");
    }
}

#[test]
fn a_shape_that_is_kept_while_another_is_being_kept_waits_for_it() {
    let mut desk = Desk::new(vec![cube(4, Vector3::zeros())], &["release=keeps"]);
    let original = desk.positions(0);
    desk.demonstrate(0.0, 4.0, Vector3::zeros());
    desk.tabletop.apply_order(&Order::KeepShape);
    desk.demonstrate(4.0, 4.4, Vector3::zeros());
    let squeezed = desk.positions(0);
    // The hand lets go before the shape of the order is ready: clay keeps its shape meanwhile ...
    desk.demonstrate(4.4, 8.6, Vector3::zeros());
    assert!(farthest(&squeezed, &desk.positions(0)) < 0.002);
    // ... and for good, when both shapes are known.
    for _ in 0..2 {
        desk.run_solver_tasks();
        desk.rest();
        assert!(farthest(&squeezed, &desk.positions(0)) < 0.002, "{}", desk.message());
    }
    assert!(farthest(&original, &desk.positions(0)) > 0.005);
    assert_eq!(desk.tabletop.selected_thing().unwrap().n_kept, 2);
}
