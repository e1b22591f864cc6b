//! Priority queue of nodes by gain: buckets of doubly linked lists, last in first out.

/// End of a list.
const NONE: u32 = u32::MAX;

/// Bucket of a node that is not in the queue.
const OUT: u16 = u16::MAX;

/// Number of 64-bit words in the set of occupied buckets.
const WORDS: usize = 16;

const N_BUCKETS: usize = 64 * WORDS;

/// Queue of nodes by gain. Gains are rounded to a quantum; very low gains share the lowest bucket.
pub(super) struct GainQueue {
    heads: Vec<u32>,
    occupied: [u64; WORDS],
    /// Gain of the highest bucket.
    top_gain: i64,
    /// Logarithm to base 2 of the width of each bucket.
    quantum_log2: u32,
    links: Vec<Link>,
}

#[derive(Clone, Copy)]
struct Link {
    next: u32,
    previous: u32,
    bucket: u16,
}

impl GainQueue {
    /// Creates an empty queue for nodes below `n_nodes`.
    pub(super) fn new(n_nodes: usize) -> Self {
        Self {
            heads: vec![NONE; N_BUCKETS],
            occupied: [0; WORDS],
            top_gain: 0,
            quantum_log2: 0,
            links: vec![Link { next: NONE, previous: NONE, bucket: OUT }; n_nodes],
        }
    }

    /// Empties the queue and sets the highest gain to `top_gain`.
    pub(super) fn reset(&mut self, top_gain: u32) {
        for word in 0..WORDS {
            while self.occupied[word] != 0 {
                let bucket = 64 * word + self.occupied[word].trailing_zeros() as usize;
                let mut node = self.heads[bucket];
                while node != NONE {
                    self.links[node as usize].bucket = OUT;
                    node = self.links[node as usize].next;
                }
                self.heads[bucket] = NONE;
                self.occupied[word] &= self.occupied[word] - 1;
            }
        }
        self.top_gain = i64::from(top_gain);
        // Positive gains get a sixteenth of the buckets; the rest is for losses that may still lead
        // to a better separator.
        self.quantum_log2 = (16 * u64::from(top_gain)).div_ceil(N_BUCKETS as u64).max(1).ilog2();
    }

    pub(super) fn insert(&mut self, node: u32, gain: i64) {
        let below_top =
            ((self.top_gain - gain) >> self.quantum_log2).clamp(0, N_BUCKETS as i64 - 1);
        // Higher gains have lower buckets, so that the first set bit is the best bucket.
        let bucket = below_top as usize;
        let head = self.heads[bucket];
        self.links[node as usize] = Link { next: head, previous: NONE, bucket: bucket as u16 };
        if head != NONE {
            self.links[head as usize].previous = node;
        }
        self.heads[bucket] = node;
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
    }

    /// Removes a node. Returns false if the node is not in the queue.
    pub(super) fn remove(&mut self, node: u32) -> bool {
        let Link { next, previous, bucket } = self.links[node as usize];
        if bucket == OUT {
            return false;
        }
        let bucket = bucket as usize;
        self.links[node as usize].bucket = OUT;
        if next != NONE {
            self.links[next as usize].previous = previous;
        }
        if previous != NONE {
            self.links[previous as usize].next = next;
        } else {
            self.heads[bucket] = next;
            if next == NONE {
                self.occupied[bucket / 64] &= !(1 << (bucket % 64));
            }
        }
        true
    }

    /// Changes the gain of a node, if the node is in the queue.
    pub(super) fn update(&mut self, node: u32, gain: i64) {
        if self.remove(node) {
            self.insert(node, gain);
        }
    }

    /// Node with the highest gain; the newest among equals.
    pub(super) fn best(&self) -> Option<u32> {
        let word = self.occupied.iter().position(|&word| word != 0)?;
        Some(self.heads[64 * word + self.occupied[word].trailing_zeros() as usize])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_comes_first_also_after_updates(
            gains in prop::collection::vec((-40_i64..=3, -40_i64..=3), 1..200),
        ) {
            let mut queue = GainQueue::new(gains.len());
            queue.reset(3);
            for (node, &(first, _)) in gains.iter().enumerate() {
                queue.insert(node as u32, first);
            }
            for (node, &(_, second)) in gains.iter().enumerate() {
                queue.update(node as u32, second);
            }
            let mut expected: Vec<i64> = gains.iter().map(|gain| gain.1).collect();
            expected.sort_unstable_by(|a, b| b.cmp(a));
            let taken = std::iter::from_fn(|| {
                queue.best().inspect(|&node| assert!(queue.remove(node)))
            });
            let taken: Vec<i64> = taken.map(|node| gains[node as usize].1).collect();
            prop_assert_eq!(taken, expected);
        }
    }

    #[test]
    fn gains_far_out_of_range_are_kept() {
        let mut queue = GainQueue::new(3);
        queue.reset(u32::MAX);
        queue.insert(0, -i64::from(u32::MAX));
        queue.insert(1, i64::from(u32::MAX));
        assert_eq!(queue.best(), Some(1));
        queue.reset(1);
        assert_eq!(queue.best(), None);
        queue.insert(0, -1_000_000);
        queue.insert(2, -5);
        assert_eq!(queue.best(), Some(2));
    }
}
