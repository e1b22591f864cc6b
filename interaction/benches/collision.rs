//! Times of the contact searches of a hand on a deforming skin, compared with a test of every point
//! and triangle, for skins of several sizes. `cargo xtask bench collision` starts this.
//!
//! Machines are noisy, so compared times are measured in turn within one run. Times are the least
//! of many rounds, as on a core without other work, with the median in brackets; ratios and trends
//! are of the least. The test of every triangle takes longer than the system leaves a busy core
//! alone, so each query of it is measured separately.

#[allow(dead_code, reason = "shared with the tests, which need more of it")]
#[path = "../tests/collision/brute_force.rs"]
mod brute_force;
#[path = "collision/hand.rs"]
mod hand;
#[path = "collision/measure.rs"]
mod measure;
#[allow(dead_code, reason = "shared with the tests, which need more of it")]
#[path = "../tests/collision/shapes.rs"]
mod shapes;
#[path = "collision/shown_hand.rs"]
mod shown_hand;

use std::hint::black_box;
use std::io::{self, Write};
use std::sync::Arc;

use brute_force::BruteForce;
use hand::{GraspingHand, N_QUESTIONS};
use interaction::collision::{SphereTree, TouchableSurface};
use measure::{Times, exponent};
use nalgebra::Point3;
use physics::SurfaceFrame;
use shapes::{Body, Random, Waves};
use shown_hand::PressingHand;

/// Same allocator as in the measured program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Cells along the edges of the cubes that are blown up to balls of 1178, 5048 and 20 186 points.
const CELLS: [usize; 3] = [14, 29, 58];
const RADIUS: f64 = 0.05;
const ROUNDS: usize = 201;
const BRUTE_ROUNDS: usize = 15;
const FRAME_90_HZ: f64 = 1.0 / 90.0;

/// A skin that trembles between two shapes under a hand.
struct Case {
    frames: [Arc<SurfaceFrame>; 2],
    surface: TouchableSurface,
    tree: SphereTree,
    positions: [Vec<Point3<f64>>; 2],
    hand: GraspingHand,
    shown_hand: PressingHand,
    rebuild: Times,
    refit: Times,
    update: Times,
    query: Times,
    shown: Times,
    /// Times of the test of every triangle, for each query.
    brute: [Times; N_QUESTIONS],
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "the same ball in finer and finer meshes: the hand touches more and more triangles"
    )?;
    let mut same = CELLS.map(|cells| Case::new(RADIUS, cells));
    measure(&mut same);
    table(&mut out, &same)?;
    writeln!(
        out,
        "\nlarger and larger balls in the same mesh: the hand touches as much as before"
    )?;
    let mut larger = CELLS.map(|cells| Case::new(RADIUS * cells as f64 / CELLS[1] as f64, cells));
    measure(&mut larger);
    table(&mut out, &larger)?;
    writeln!(out, "\na refitted tree compared with a rebuilt one, for shapes that changed much")?;
    loosened(&mut out)
}

impl Case {
    fn new(radius: f64, cells: usize) -> Self {
        let body = Body::ball(radius, cells);
        let mut random = Random(7);
        let frames = [(); 2].map(|()| {
            let waves = Waves::random(&mut random, 0.2);
            body.frame(|x| waves.moved(x))
        });
        let positions = [0, 1].map(|i: usize| BruteForce::new(&frames[i]).positions);
        let surface = TouchableSurface::new(Arc::clone(&frames[0]));
        let mut tree = SphereTree::default();
        tree.rebuild(&positions[0], &body.topology.triangles);
        let hand = GraspingHand::around(&surface, radius);
        let [rebuild, refit, update, query, shown] = [(); 5].map(|()| Times::default());
        let brute = [(); N_QUESTIONS].map(|()| Times::default());
        let shown_hand = PressingHand::new();
        Self {
            frames,
            surface,
            tree,
            positions,
            hand,
            shown_hand,
            rebuild,
            refit,
            update,
            query,
            shown,
            brute,
        }
    }

    fn round(&mut self, round: usize) {
        let triangles = &self.frames[0].topology.triangles;
        let (now, next) = (&self.positions[round % 2], &self.positions[(round + 1) % 2]);
        self.rebuild.time(|| self.tree.rebuild(now, triangles));
        self.refit.time(|| self.tree.refit(next));
        let frame = Arc::clone(&self.frames[round % 2]);
        self.update.time(|| self.surface.update(frame));
        self.query.time(|| black_box(self.hand.ask(&self.surface)));
        let is_stopped = self.shown.time(|| self.shown_hand.look(&self.surface));
        assert!(is_stopped, "the skin stops no finger: this measures nothing");
        if round < BRUTE_ROUNDS {
            let brute = BruteForce::new(&self.frames[round % 2]);
            let answers = self.hand.ask(&self.surface);
            for (question, times) in self.brute.iter_mut().enumerate() {
                let answer = times.time(|| black_box(self.hand.ask_one(question, &brute)));
                assert_eq!(answer, answers[question], "both find the same");
            }
        }
    }

    fn brute(&self) -> f64 {
        self.brute.iter().map(Times::least).sum()
    }
}

fn measure(cases: &mut [Case]) {
    for round in 0..ROUNDS {
        cases.iter_mut().for_each(|case| case.round(round));
    }
}

fn table(out: &mut impl Write, cases: &[Case]) -> io::Result<()> {
    writeln!(
        out,
        "| points | touched | build | refit | update | query | every triangle / query | \
         build + query, of a 90 Hz frame | update + query | hand shown at the skin |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|---|")?;
    for case in cases {
        let micro =
            |times: &Times| format!("{:.0} ({:.0}) µs", times.least() * 1e6, times.median() * 1e6);
        let share = |shape: &Times| {
            let least = shape.least() + case.query.least();
            let median = shape.median() + case.query.median();
            format!("{:.1} ({:.1}) %", least / FRAME_90_HZ * 100.0, median / FRAME_90_HZ * 100.0)
        };
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {:.0} | {} | {} | {} |",
            case.positions[0].len(),
            case.hand.n_touched(&BruteForce::new(&case.frames[0])),
            micro(&case.rebuild),
            micro(&case.refit),
            micro(&case.update),
            micro(&case.query),
            case.brute() / case.query.least(),
            share(&case.rebuild),
            share(&case.update),
            micro(&case.shown)
        )?;
    }
    let grows = |of: fn(&Case) -> f64| {
        let points = cases.iter().map(|case| (case.positions[0].len() as f64, of(case)));
        exponent(&points.collect::<Vec<_>>())
    };
    writeln!(
        out,
        "grows with the number of points n as: build n^{:.2}, refit n^{:.2}, update n^{:.2}, query \
         n^{:.2}, every triangle n^{:.2}",
        grows(|case| case.rebuild.least()),
        grows(|case| case.refit.least()),
        grows(|case| case.update.least()),
        grows(|case| case.query.least()),
        grows(|case| case.brute())
    )
}

/// Cost of a search in a tree that is only refitted, for several large deformations.
fn loosened(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "| shape | looseness, refitted / built | search, refitted / built |")?;
    writeln!(out, "|---|---|---|")?;
    let body = Body::ball(RADIUS, CELLS[1]);
    let triangles = &body.topology.triangles;
    let waves = Waves::random(&mut Random(3), 0.9);
    let flat = |x: &Point3<f64>| Point3::new(x.x * 1.3, x.y * 1.3, x.z * 0.5);
    let twisted = |x: &Point3<f64>| {
        let (sine, cosine) = (x.z * 40.0).sin_cos();
        Point3::new(x.x * cosine - x.y * sine, x.x * sine + x.y * cosine, x.z)
    };
    // Every point lands somewhere else: not a real skin, but the worst case for a tree that keeps
    // its leaves.
    let torn = |x: &Point3<f64>| Point3::new(x.y, x.z, (x.x * 977.0).sin() * RADIUS);
    let shapes: [(&str, Arc<SurfaceFrame>); 4] = [
        ("waves of slope 0.9", body.frame(|x| waves.moved(x))),
        ("pressed to half", body.frame(flat)),
        ("twisted by 230 degrees", body.frame(twisted)),
        ("torn to pieces", body.frame(torn)),
    ];
    for (name, frame) in &shapes {
        let positions = BruteForce::new(frame).positions;
        let hand = GraspingHand::around(&TouchableSurface::new(Arc::clone(frame)), RADIUS);
        let [mut refitted, mut built] = [SphereTree::default(), SphereTree::default()];
        refitted.rebuild(&body.rest, triangles);
        refitted.refit(&positions);
        built.rebuild(&positions, triangles);
        let [mut of_refitted, mut of_built] = [Times::default(), Times::default()];
        for _ in 0..ROUNDS {
            of_refitted.time(|| black_box(hand.n_near(&refitted)));
            of_built.time(|| black_box(hand.n_near(&built)));
        }
        writeln!(
            out,
            "| {name} | {:.2} | {:.2} |",
            refitted.looseness() / built.looseness(),
            of_refitted.least() / of_built.least()
        )?;
    }
    Ok(())
}
