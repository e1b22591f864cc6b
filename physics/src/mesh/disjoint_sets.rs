//! Disjoint sets (union-find): finds the connected parts of a mesh.

/// Partition of `0..n` into disjoint sets.
pub(crate) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Creates a partition into `n` sets of one member.
    pub(crate) fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect() }
    }

    /// Returns the representative of the set of `i`.
    pub(crate) fn root(&mut self, mut i: usize) -> usize {
        while self.parent[i] as usize != i {
            self.parent[i] = self.parent[self.parent[i] as usize];
            i = self.parent[i] as usize;
        }
        i
    }

    /// Joins the sets of `a` and `b`.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[b.max(a)] = a.min(b) as u32;
    }

    /// Number of sets.
    pub(crate) fn count(&self) -> usize {
        self.parent.iter().enumerate().filter(|&(i, &parent)| i == parent as usize).count()
    }
}
