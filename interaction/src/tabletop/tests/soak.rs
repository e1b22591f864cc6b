//! Long tests with trembling hands and with random hands.

use super::*;

/// Result of a hand that trembled at the edge of contact.
struct Trembled {
    /// Times of changes of state, in seconds.
    changes: Vec<f64>,
    /// Number of times that a fingertip came to the skin or left it.
    n_touches: usize,
    states: Vec<GraspState>,
}

const TREMBLING_SECONDS: f64 = 20.0;

fn tremble(moment: f64, phases: &[f64; 5], rules: &[&str]) -> Trembled {
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros())], rules);
    desk.demonstrate(0.0, moment, Vector3::zeros());
    let start = desk.time;
    let (mut changes, mut n_touches, mut touched) = (Vec::new(), 0, None);
    while desk.time < start + TREMBLING_SECONDS {
        desk.time += DT;
        let mut pose = demonstrated(moment, Vector3::zeros());
        // About a millimetre at the fingertips, each finger independently, at 8 to 12 Hz.
        let tremble = |i: usize, time: f64| {
            let omega = std::f64::consts::TAU * (8.0 + i as f64);
            0.012 * (omega * time + phases[i]).sin()
        };
        pose.angles.thumb.ij += 2.0 * tremble(0, desk.time);
        for (i, finger) in pose.angles.fingers.iter_mut().enumerate() {
            finger.mpj += tremble(i + 1, desk.time);
        }
        let n_before = desk.events.len();
        desk.show(Side::Right, &pose);
        let thing = &desk.tabletop.things()[0];
        let tips = thing.grasp.tips_in_object(desk.tabletop.real_hand(Side::Right).unwrap());
        let surface = thing.surface.as_ref().unwrap();
        let touches = tips.map(|tip| surface.contact(None, &tip.ball(), &[]).is_some());
        let differ =
            |before: [bool; 5]| before.iter().zip(&touches).filter(|(a, b)| a != b).count();
        n_touches += touched.replace(touches).map_or(0, differ);
        // Taking hold may cause several changes at once.
        if desk.events.len() > n_before && desk.time > start + 1.0 {
            changes.push(desk.time);
        }
    }
    Trembled { changes, n_touches, states: desk.states(0) }
}

#[test]
fn a_trembling_hand_at_the_edge_changes_state_at_most_once_in_a_second() {
    let mut seed = 7;
    let raw = ["touch-gap-mm=0", "release-gap-mm=0", "clear-gap-mm=0", "linger-s=0"];
    let (mut n_touches, mut n_raw) = (0, 0);
    // From the first contact to the grasp.
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros())], &[]);
    desk.demonstrate(0.0, 3.0, Vector3::zeros());
    let first = |state| {
        let mut events = desk.events.iter().zip(&desk.times);
        *events.find(|(event, _)| event.transition.to == state).unwrap().1
    };
    let (touch, grasp) = (first(GraspState::Touching), first(GraspState::Attached));
    let moments = [-0.4, -0.2, 0.0, 0.2, 0.5, 1.0, 1.5];
    for moment in moments.map(|part| touch + part * (grasp - touch)) {
        let phases: [f64; 5] = std::array::from_fn(|_| 3.0 * random(&mut seed));
        let Trembled { changes, states, n_touches: n } = tremble(moment, &phases, &[]);
        let apart = changes.windows(2).map(|pair| pair[1] - pair[0]);
        let quickest = apart.fold(f64::INFINITY, f64::min);
        assert!(quickest >= 1.0, "at {moment} s: changes {quickest} s apart, {states:?}");
        n_touches += n;
        // The same hand with rules that accept every touch.
        let by_raw_rules = tremble(moment, &phases, &raw);
        println!("{moment} s: {n} touches, {states:?}; raw {:?}", by_raw_rules.changes.len());
        n_raw += by_raw_rules.changes.len();
    }
    println!("{n_touches} touches began or ended; {n_raw} changes of state by raw rules");
    let seconds = moments.len() as f64 * TREMBLING_SECONDS;
    assert!(n_touches as f64 > 5.0 * seconds, "the hand hardly trembles at the skin: {n_touches}");
    assert!(n_raw as f64 > 2.0 * seconds, "the rules make no difference: {n_raw} changes");
}

/// A hand that wanders about, opens and closes, and sometimes jumps to another place.
fn soak(seed: u64, n_frames: u32, rules: &[&str]) {
    let mut desk = Desk::new(vec![cube(3, Vector3::zeros()), cube(2, Vector3::x() * 0.1)], rules);
    let mut state = seed;
    let (mut seconds, mut speed, mut place) = (0.0, 1.0, Vector3::zeros());
    let mut turns = [UnitQuaternion::identity(); 2];
    let mut since_idle = 0;
    let mut longest_busy = 0;
    for frame in 0..n_frames {
        desk.time += DT;
        if frame % 97 == 0 {
            speed = 3.0 * random(&mut state);
        }
        if frame % 701 == 0 {
            seconds = 9.0 * random(&mut state).abs();
            // Often where the hand can take the thing, sometimes in the middle of it.
            let reach = if random(&mut state) < 0.5 { 0.01 } else { 0.06 };
            place = Vector3::from_fn(|_, _| reach * random(&mut state));
            // From where the demonstration comes, or from any side: above, below, behind.
            let is_from_anywhere = random(&mut state) < 0.5;
            turns = [(); 2].map(|()| match is_from_anywhere {
                true => any_turn(&mut state),
                false => UnitQuaternion::identity(),
            });
        }
        seconds = (seconds + speed * DT).rem_euclid(9.0);
        let mut pose = turned(&demonstrated(seconds, place), turns[0]);
        for finger in &mut pose.angles.fingers {
            finger.mpj += 0.1 * random(&mut state);
        }
        // The hands leave at regular intervals; then everything must come to rest.
        if frame % 2000 > 1600 {
            let mut open = demonstrated(0.0, Vector3::y() * 0.5);
            open.angles = JointAngles::default();
            desk.show(Side::Right, &open);
            desk.show(Side::Left, &open);
        } else {
            let sides = [Side::Right, Side::Left];
            let first = usize::from(frame % 5000 >= 4000);
            desk.show(sides[first], &pose);
            // Sometimes both hands are there, each from its own side.
            if frame % 3000 < 700 {
                let other = turned(&demonstrated(9.0 - seconds, place), turns[1]);
                desk.show(sides[1 - first], &other);
            }
        }
        // Devices fall silent, with or without a thing in the hand.
        if frame % 3100 == 3000 {
            [Side::Right, Side::Left].into_iter().for_each(|side| desk.lose(side));
            desk.wait();
        }
        match frame % 1009 {
            500 => desk.tabletop.apply_order(&Order::KeepShape),
            700 => desk.tabletop.apply_order(&Order::History(HistoryStep::Undo)),
            1000 => desk.tabletop.apply_order(&Order::History(HistoryStep::Reset)),
            _ => {}
        }
        if frame % 13 == 0 {
            desk.run_solver_tasks();
        }
        if frame % 101 == 0 {
            for view in desk.hands() {
                assert!(view.fingertips.iter().all(|tip| tip.centre.iter().all(|x| x.is_finite())));
            }
            for view in desk.tabletop.object_views(desk.time) {
                assert!(view.frame.positions.iter().flatten().all(|x| x.is_finite()));
                assert!(view.world_from_object.to_matrix().iter().all(|x| x.is_finite()));
            }
        }
        let is_idle = |t: &Thing| t.grasp.state() == GraspState::Approach;
        since_idle = if desk.tabletop.things().iter().all(is_idle) { 0 } else { since_idle + 1 };
        longest_busy = since_idle.max(longest_busy);
    }
    assert!(longest_busy < 2 * 2000, "a state without exit: busy for {longest_busy} frames");
    let seen = |state| desk.events.iter().any(|event| event.transition.to == state);
    for state in [GraspState::Attached, GraspState::Deforming, GraspState::Releasing] {
        assert!(seen(state), "{state:?} never came");
    }
}

#[test]
fn a_random_hand_finds_no_way_to_break_it() {
    let all: [(u64, &[&str]); 4] = [
        (1, &[]),
        (2, &["patch=disc"]),
        (3, &["release=keeps", "palm=stop"]),
        (4, &["deform-with=3", "attach-fingers=thumb+index", "hold-on-with=1", "fingers=pass"]),
    ];
    std::thread::scope(|scope| {
        for (seed, rules) in all {
            scope.spawn(move || soak(seed, 25_000, rules));
        }
    });
}
