//! Memory bandwidth: a triad over large arrays, as in STREAM, and a plain sum over as many bytes as
//! a frame reads.

use pulp::{Arch, Simd, WithSimd};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::statistics::timed;

/// Number of values of one task: a quarter of a megabyte, so that the overhead of a task is
/// negligible.
const PIECE: usize = 1 << 15;

/// Bandwidth of `a = b + 3 c` in bytes per second, over arrays that do not fit into a cache of
/// `cache` bytes: the best of some rounds. Counted as in STREAM: two arrays read, one written.
pub fn triad(pool: &ThreadPool, cache: usize) -> f64 {
    const ROUNDS: usize = 6;
    // About four times the cache in total, within limits.
    let n = (4 * cache / (3 * 8)).clamp(1 << 20, 1 << 25);
    pool.install(|| {
        let b: Vec<f64> = (0..n).into_par_iter().map(|i| i as f64).collect();
        let c: Vec<f64> = (0..n).into_par_iter().map(|i| 1.0 / (1 + i) as f64).collect();
        let mut a = vec![0.0; n];
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let (time, ()) = timed(|| {
                let pieces =
                    a.par_chunks_mut(PIECE).zip(b.par_chunks(PIECE)).zip(c.par_chunks(PIECE));
                pieces.for_each(|((a, b), c)| {
                    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                        *a = *b + 3.0 * *c;
                    }
                });
            });
            best = best.min(time);
        }
        std::hint::black_box(&a);
        (3 * 8 * n) as f64 / best
    })
}

/// Bandwidth of a plain sum over an array of `bytes` bytes, in bytes per second: the median of some
/// rounds, with the array in any cache that it fits into.
pub fn reading(pool: &ThreadPool, bytes: usize) -> f64 {
    let n = (bytes / 4).max(1024);
    let values = vec![0.5_f32; n];
    pool.install(|| {
        let mut times: Vec<f64> = Vec::new();
        // About a hundred megabytes in total, and at least ten rounds.
        let rounds = ((100 << 20) / bytes.max(1)).clamp(10, 400);
        for _ in 0..rounds {
            let (time, total) = timed(|| {
                if n < 4 * PIECE {
                    return sum(&values);
                }
                values.par_chunks(PIECE).map(sum).sum::<f32>()
            });
            std::hint::black_box(total);
            times.push(time);
        }
        (4 * n) as f64 / crate::statistics::quantile(&times, 0.5).max(1e-9)
    })
}

/// Sum with the widest vectors of the processor.
fn sum(values: &[f32]) -> f32 {
    Arch::new().dispatch(Sum(values))
}

struct Sum<'a>(&'a [f32]);

impl WithSimd for Sum<'_> {
    type Output = f32;

    /// Adds to eight vectors of sums, so that additions do not wait for each other.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f32 {
        let (vectors, rest) = S::as_simd_f32s(self.0);
        let (whole, few) = vectors.as_chunks::<8>();
        let mut sums = [simd.splat_f32s(0.0); 8];
        for eight in whole {
            for (sum, vector) in sums.iter_mut().zip(eight) {
                *sum = simd.add_f32s(*sum, *vector);
            }
        }
        let mut total = simd.splat_f32s(0.0);
        for vector in sums.iter().chain(few) {
            total = simd.add_f32s(total, *vector);
        }
        simd.reduce_sum_f32s(total) + rest.iter().sum::<f32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_values_are_read() {
        let values: Vec<f32> = (0..1000).map(|i| (i % 7) as f32).collect();
        assert_eq!(sum(&values), values.iter().sum::<f32>());
    }

    #[test]
    fn some_memory_moves() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        assert!(triad(&pool, 1 << 20) > 0.0);
        assert!(reading(&pool, 10_000) > 0.0);
    }
}
