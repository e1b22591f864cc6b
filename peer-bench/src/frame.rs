//! Measures one frame of a prepared set of contacts, compared with a plain loop over a matrix of
//! the same shape, and a new set of contacts whose columns are cached.

use std::sync::Arc;

use physics::family::solid::{Solid, SolidModel};
use physics::{Deformable, MemoryLimits, Outcome, Progress};

use pulp::{Arch, Simd, WithSimd};

use crate::Arguments;
use benchmark::statistics::{least, ratio, timed};

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    println!("\n# One frame, on one thread, compared with a plain loop over the same numbers (µs)");
    let memory = MemoryLimits::default();
    let single = crate::pool(1)?;
    for case in arguments.cases() {
        let case = case?;
        let model = Arc::new(SolidModel::new(&case.subject.spec()?, memory, &Progress::default())?);
        for touched in [15, 60] {
            let nodes = case.subject.fingers(touched, 0);
            let others = case.subject.fingers(touched, 3);
            let mut solid = Solid::of(Arc::clone(&model));
            let (mut ours, mut plain, mut change) = (Vec::new(), Vec::new(), Vec::new());
            let n_rows = 3 * case.subject.surface.len();
            let matrix = vec![0.5_f32; n_rows * 3 * nodes.len()];
            let mut sums = vec![0.0_f32; n_rows];
            let forces = vec![0.25_f32; 3 * nodes.len()];
            single.install(|| -> anyhow::Result<()> {
                // From here on, both sets of columns are cached.
                solid.step(&case.subject.squeeze(&others, 0), 0.0);
                solid.step(&case.subject.squeeze(&nodes, 0), 0.0);
                for round in 0..200 {
                    let touch = case.subject.squeeze(&nodes, round);
                    let (time, report) = timed(|| solid.step(&touch, 0.0));
                    anyhow::ensure!(report.outcome == Outcome::Solved, "{:?}", report.outcome);
                    ours.push(time);
                    plain.push(timed(|| plain_product(&matrix, &forces, &mut sums)).0);
                    if round % 10 == 0 {
                        let other = case.subject.squeeze(&others, round);
                        change.push(timed(|| solid.step(&other, 0.0)).0);
                        solid.step(&touch, 0.0);
                    }
                }
                Ok(())
            })?;
            std::hint::black_box(&sums);
            println!(
                "{case} nodes, {:>3} touched, {:>5} on the surface: frame {:>7.1}, plain loop \
                 {:>7.1}, frame / loop {}; new contacts, cached {:>7.1}",
                nodes.len(),
                case.subject.surface.len(),
                1e6 * least(&ours),
                1e6 * least(&plain),
                ratio(&ours, &plain),
                1e6 * least(&change),
            );
        }
    }
    Ok(())
}

/// Computes `sums = matrix * forces`, four columns at a time, in pieces that stay in the cache,
/// with the widest vectors of the processor.
fn plain_product(matrix: &[f32], forces: &[f32], sums: &mut [f32]) {
    Arch::new().dispatch(Product { matrix, forces, sums });
}

struct Product<'a> {
    matrix: &'a [f32],
    forces: &'a [f32],
    sums: &'a mut [f32],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        const PIECE: usize = 1536;
        let Self { matrix, forces, sums } = self;
        let n = sums.len();
        let in_fours = forces.len() - forces.len() % 4;
        for (at, sums) in sums.chunks_mut(PIECE).enumerate() {
            sums.fill(0.0);
            let length = sums.len();
            let column = |i: usize| &matrix[i * n + at * PIECE..][..length];
            for first in (0..in_fours).step_by(4) {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| column(first + i));
                add_four(sums, a, b, c, d, [0, 1, 2, 3].map(|i| forces[first + i]));
            }
            for (i, force) in forces.iter().enumerate().skip(in_fours) {
                for (sum, value) in sums.iter_mut().zip(column(i)) {
                    *sum += value * force;
                }
            }
        }
    }
}

#[inline(always)]
fn add_four(sums: &mut [f32], a: &[f32], b: &[f32], c: &[f32], d: &[f32], f: [f32; 4]) {
    for ((((sum, a), b), c), d) in sums.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *sum += (a * f[0] + b * f[1]) + (c * f[2] + d * f[3]);
    }
}
