//! Time of the models of a frame, time of a period of force feedback, and how late its thread wakes
//! at 1 kHz: alone, and beside threads that take all cores. `cargo xtask bench haptics`.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot start a thread has failed")]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use haptics::{
    FingerFelt, FingerLoop, ForceLimits, HandFelt, HandLoop, Lateness, LinearContact, LoopSettings,
    LoopThread,
};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use physics::contact::{ContactProxy, ContactSettings, ContactSolid, Friction, Pad, ProxyShape};
use physics::family::solid::SolidModel;
use physics::material::IsotropicElastic;
use physics::{MemoryLimits, Progress, SolidSpec};

const PERIOD: Duration = Duration::from_millis(1);
/// Length of each measurement of lateness.
const LENGTH: Duration = Duration::from_secs(20);

fn main() {
    let mut device = Device::new();
    let n = 1_000_000;
    let start = Instant::now();
    (0..n).for_each(|i| device.turn(start, i));
    let each = start.elapsed() / n;
    println!("a period of ten fingers, two hands and their models takes {} ns", each.as_nanos());
    for depth in [1e-3, 2e-3] {
        let (points, micros) = models(depth);
        println!(
            "models of five fingertips, {points} points in contact, take {micros} us (median)"
        );
    }
    println!();
    println!("lateness at 1 kHz    wake-ups  missed  median us  99th us  99.9th us  largest us");
    print("alone", &lateness());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let stop = Arc::new(AtomicBool::new(false));
    let busy = |_| {
        let stop = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("busy".to_owned());
        thread
            .spawn(move || {
                let mut x = 1.0_f64;
                while !stop.load(Ordering::Relaxed) {
                    (0..1000).for_each(|_| x = black_box(x * 1.000_001));
                }
            })
            .unwrap()
    };
    let threads: Vec<_> = (0..cores).map(busy).collect();
    print(&format!("with {cores} busy threads"), &lateness());
    stop.store(true, Ordering::Relaxed);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

fn print(name: &str, lateness: &Lateness) {
    let micros = |share: f64| lateness.quantile(share).as_micros();
    println!(
        "{name:20} {:8}  {:6}  {:9}  {:7}  {:9}  {:10}",
        lateness.n(),
        lateness.n_missed(),
        micros(0.5),
        micros(0.99),
        micros(0.999),
        lateness.largest().as_micros()
    );
}

/// Presses five fingertips into a cube. Returns the number of points that carry force, and the time
/// of their tangent stiffnesses in microseconds.
fn models(depth: f64) -> (u32, u128) {
    const EDGE: f64 = 0.08;
    const TIP: f64 = 8e-3;
    let mesh = objects::generate::cube(EDGE, 16).unwrap();
    let middle = mesh.rest_positions().iter().map(|x| x.coords).sum::<Vector3<f64>>()
        / mesh.n_nodes() as f64;
    let material = IsotropicElastic::new(4e4, 0.4).unwrap();
    let spec = SolidSpec::new(mesh, material, Vec::new()).unwrap();
    let model = SolidModel::new(&spec, MemoryLimits::default(), &Progress::default()).unwrap();
    let mut solid = ContactSolid::new(Arc::new(model), ContactSettings::default()).unwrap();
    let tip = |finger: usize, way: f64| {
        let out = Vector3::ith(finger / 2, if finger.is_multiple_of(2) { 1.0 } else { -1.0 });
        let place = middle + out * (0.5 * EDGE + TIP - way);
        Isometry3::from_parts(place.into(), nalgebra::UnitQuaternion::identity())
    };
    let mut tips: Vec<ContactProxy> = (0..5)
        .map(|finger| {
            let shape = ProxyShape::Sphere { radius: TIP };
            ContactProxy::fixed(shape, tip(finger, 0.0), Pad::FINGERTIP, Friction::SKIN)
        })
        .collect();
    for step in 1..=100 {
        for (finger, proxy) in tips.iter_mut().enumerate() {
            *proxy = proxy.moved_to(tip(finger, depth * f64::from(step) / 100.0));
        }
        solid.substep(&tips, &Vector3::zeros(), 1e-3);
    }
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let start = Instant::now();
            black_box(solid.tangents());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    (solid.reports().iter().map(|report| report.points).sum(), times[100].as_micros())
}

/// Lateness of the thread with the work of two hands.
fn lateness() -> Lateness {
    let mut device = Device::new();
    let mut i = 0;
    let thread = LoopThread::start("haptics", PERIOD, move |wake| {
        i += 1;
        device.turn(wake.now, i);
        ControlFlow::Continue(())
    })
    .unwrap();
    std::thread::sleep(LENGTH);
    thread.end().unwrap()
}

/// The work of a period: a force for each finger, and the outputs of both hands.
struct Device {
    fingers: Vec<FingerLoop>,
    hands: [HandLoop; 2],
}

impl Device {
    fn new() -> Self {
        let settings = LoopSettings {
            period: PERIOD.as_secs_f64(),
            delay: 0.0,
            damping: 0.5,
            mass: 0.1,
            limits: ForceLimits::default(),
            coupling: 0.0,
        };
        let fingers = vec![FingerLoop::new(settings.coupled()); 10];
        Self { fingers, hands: Default::default() }
    }

    fn turn(&mut self, now: Instant, i: u32) {
        let model = LinearContact {
            place: Point3::new(0.0, 1e-4 * f64::from(i % 7), 0.0),
            force: Vector3::new(0.1, 0.6, 0.0),
            normal: Vector3::y(),
            friction: 0.6,
            stiffness: Matrix3::new(300.0, 20.0, 0.0, 20.0, 900.0, -50.0, 0.0, -50.0, 400.0),
        };
        let tip = Point3::new(1e-4 * f64::from(i % 11), 0.0, 0.0);
        let way = Vector3::new(0.0, -0.08, 0.0);
        let finger =
            FingerFelt { tip, way, curl: 0.5, model, framed: Some(now), ..FingerFelt::NONE };
        let felt = HandFelt { fingers: [finger; 5], sampled: now };
        for (at, finger) in self.fingers.iter_mut().enumerate() {
            // A solver with 100 frames a second.
            if i.is_multiple_of(10) {
                finger.take(&model);
            }
            black_box(finger.step(Some(&felt.position(at % 5, now)), felt.model_age(at % 5, now)));
        }
        for hand in &mut self.hands {
            black_box(hand.step(Some(&felt), now, PERIOD.as_secs_f64()));
        }
    }
}
