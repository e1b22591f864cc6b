//! Sets that only ever grow together: which things hang together through pairs of them.

/// A partition of `0..n`.
pub(crate) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Each by itself.
    pub(crate) fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect() }
    }

    /// The one that stands for the set of `i`.
    pub(crate) fn root(&mut self, mut i: usize) -> usize {
        while self.parent[i] as usize != i {
            self.parent[i] = self.parent[self.parent[i] as usize];
            i = self.parent[i] as usize;
        }
        i
    }

    /// Makes one set of those of `a` and `b`.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[b.max(a)] = a.min(b) as u32;
    }

    /// How many sets there are.
    pub(crate) fn count(&self) -> usize {
        self.parent.iter().enumerate().filter(|&(i, &parent)| i == parent as usize).count()
    }
}
