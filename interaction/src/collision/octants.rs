//! Triangles sorted by the octants of the bounding cube that hold their centres, coarse levels
//! first.
//!
//! A key has three bits for each level of the octree, the coarsest first. The sorted keys therefore
//! are the octree: the contents of each cube are one stretch of them (\[Ma98\], eqs. 4.1-4.6, all
//! levels at once).

use std::ops::Range;

use nalgebra::{Point3, Vector3};

/// A leaf's cube is at least a thousandth of the object.
const LEVELS: u32 = 10;
/// Keys are sorted in rounds; this is the number of bits sorted in one round.
const DIGIT_BITS: u32 = 10;
const N_DIGITS: usize = 1 << DIGIT_BITS;
const ROUNDS: usize = (3 * LEVELS / DIGIT_BITS) as usize;

/// Buffers that are reused from one sorting to the next.
#[derive(Debug, Default)]
pub(super) struct Octants {
    /// Key and triangle, the key in the upper half.
    sorted: Vec<u64>,
    other: Vec<u64>,
    /// Triangle centres, multiplied by three.
    centres: Vec<Vector3<f64>>,
}

impl Octants {
    /// Sorts these triangles.
    pub(super) fn sort(&mut self, points: &[Point3<f64>], triangles: &[[u32; 3]]) {
        self.sorted.clear();
        self.centres.clear();
        self.centres.extend(triangles.iter().map(|corners| {
            let [a, b, c] = corners.map(|i| points[i as usize].coords);
            a + b + c
        }));
        let Some(first) = self.centres.first() else { return };
        let (low, high) = self
            .centres
            .iter()
            .fold((*first, *first), |(low, high), centre| (low.inf(centre), high.sup(centre)));
        let edge = (high - low).max();
        let cells = f64::from(1u32 << LEVELS);
        let scale = if edge > 0.0 { cells / edge } else { 0.0 };
        let mut counts = [[0u32; N_DIGITS]; ROUNDS];
        self.sorted.extend(self.centres.iter().enumerate().map(|(triangle, centre)| {
            let cell = ((centre - low) * scale).map(|x| (x as u32).min((1 << LEVELS) - 1));
            let key = spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2;
            for (round, counts) in counts.iter_mut().enumerate() {
                counts[digit(key, round)] += 1;
            }
            u64::from(key) << 32 | triangle as u64
        }));
        self.other.resize(self.sorted.len(), 0);
        for (round, counts) in counts.iter_mut().enumerate() {
            self.sort_by_digit(round, counts);
        }
    }

    /// The triangles in their order.
    pub(super) fn triangles(&self) -> impl Iterator<Item = u32> {
        self.sorted.iter().map(|entry| *entry as u32)
    }

    /// The coarsest level at which a stretch reaches into more than one octant.
    pub(super) fn first_difference(&self, range: &Range<usize>) -> Option<u32> {
        let difference = self.key(range.start) ^ self.key(range.end - 1);
        difference.checked_ilog2().map(|bit| bit / 3)
    }

    /// End of the octant of a stretch's first triangle; `level` counts from the finest.
    pub(super) fn end_of_octant(&self, range: Range<usize>, level: u32) -> usize {
        let octant = self.key(range.start) >> (3 * level);
        let stretch = self.sorted[range.clone()].iter();
        let within = |entry: &&u64| ((**entry >> 32) as u32) >> (3 * level) == octant;
        range.start + stretch.take_while(within).count()
    }

    fn key(&self, at: usize) -> u32 {
        (self.sorted[at] >> 32) as u32
    }

    /// Sorts by one digit; entries with equal digits keep their order.
    fn sort_by_digit(&mut self, round: usize, counts: &mut [u32; N_DIGITS]) {
        let mut start = 0;
        for count in counts.iter_mut() {
            start += std::mem::replace(count, start);
        }
        for &entry in &self.sorted {
            let place = &mut counts[digit((entry >> 32) as u32, round)];
            self.other[*place as usize] = entry;
            *place += 1;
        }
        std::mem::swap(&mut self.sorted, &mut self.other);
    }
}

fn digit(key: u32, round: usize) -> usize {
    (key >> (round as u32 * DIGIT_BITS)) as usize % N_DIGITS
}

/// Ten bits with two zeros before each.
fn spread(bits: u32) -> u32 {
    let bits = (bits | bits << 16) & 0x0300_00ff;
    let bits = (bits | bits << 8) & 0x0300_f00f;
    let bits = (bits | bits << 4) & 0x030c_30c3;
    (bits | bits << 2) & 0x0924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread_out() {
        for bits in 0..1 << LEVELS {
            let slowly = (0..LEVELS).fold(0, |sum, i| sum | (bits >> i & 1) << (3 * i));
            assert_eq!(spread(bits), slowly);
        }
    }

    #[test]
    fn the_corners_of_a_cube_are_its_octants_in_order() {
        let corner = |i: u32| Point3::from([0, 1, 2].map(|axis| f64::from(i >> axis & 1)));
        let points: Vec<Point3<f64>> = (0..8).map(corner).collect();
        // Triangles without extent, the last octant first.
        let triangles: Vec<[u32; 3]> = (0..8).rev().map(|i| [i; 3]).collect();
        let mut octants = Octants::default();
        octants.sort(&points, &triangles);
        assert_eq!(octants.triangles().collect::<Vec<_>>(), [7, 6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(octants.first_difference(&(0..8)), Some(LEVELS - 1));
        assert_eq!(octants.end_of_octant(3..8, LEVELS - 1), 4);
        assert_eq!(octants.first_difference(&(3..4)), None);
    }

    #[test]
    fn sorted_keys_ascend() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8)
        };
        let points: Vec<Point3<f64>> =
            (0..900).map(|_| Point3::new(random(), random(), random())).collect();
        let triangles: Vec<[u32; 3]> = (0..898).map(|i| [i, i + 1, i + 2]).collect();
        let mut octants = Octants::default();
        octants.sort(&points, &triangles);
        assert!(octants.sorted.is_sorted());
        let mut all: Vec<u32> = octants.triangles().collect();
        all.sort_unstable();
        assert_eq!(all, (0..898).collect::<Vec<u32>>());
    }
}
