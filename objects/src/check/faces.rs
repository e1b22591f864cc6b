//! Faces of tetrahedra: finds the skin, and faces that are shared wrongly.

/// Corners of the faces, counter-clockwise seen from outside a positively oriented tetrahedron.
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

/// Result of sorting the faces of a mesh.
#[derive(Debug, Default)]
pub(super) struct Faces {
    /// Faces that belong to one element only, outward, in order of their nodes.
    pub(super) skin: Vec<[u32; 3]>,
    /// Elements on the same side of a face as their neighbour there.
    pub(super) overlapping: Vec<usize>,
    /// Number of faces that more than two elements share.
    pub(super) n_crowded: usize,
    /// For each element, an element of the same part with a smaller number, or itself if it is the
    /// first. Parts are connected by faces.
    parents: Vec<u32>,
}

/// A face without its smallest node: the other two nodes in order, true if the smallest node and
/// these two are in outward order, and the element.
type Rest = (u32, u32, bool, u32);

impl Faces {
    /// Sorts the faces of positively oriented tetrahedra whose nodes all exist.
    pub(super) fn of(n_nodes: usize, tetrahedra: &[[u32; 4]]) -> Self {
        // One list for each smallest node: the lists are short, so that sorting them is cheap.
        let all = || {
            tetrahedra.iter().zip(0..).flat_map(|(nodes, element)| {
                FACES.map(|face| split(face.map(|i| nodes[i]), element))
            })
        };
        let mut ends = vec![0_usize; n_nodes + 1];
        for (smallest, _) in all() {
            ends[smallest as usize + 1] += 1;
        }
        for i in 0..n_nodes {
            ends[i + 1] += ends[i];
        }
        let mut rests: Vec<Rest> = vec![(0, 0, false, 0); 4 * tetrahedra.len()];
        let mut next = ends.clone();
        for (smallest, rest) in all() {
            let place = &mut next[smallest as usize];
            rests[*place] = rest;
            *place += 1;
        }
        let parents = (0..tetrahedra.len() as u32).collect();
        let mut faces = Self { parents, ..Self::default() };
        for (smallest, range) in ends.windows(2).enumerate() {
            let rests = &mut rests[range[0]..range[1]];
            rests.sort_unstable();
            for same in rests.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                faces.take(smallest as u32, same);
            }
        }
        faces.overlapping.sort_unstable();
        faces.overlapping.dedup();
        faces
    }

    /// First element of the part that an element belongs to.
    fn part(&mut self, element: u32) -> u32 {
        let mut at = element;
        while self.parents[at as usize] != at {
            let next = self.parents[at as usize];
            self.parents[at as usize] = self.parents[next as usize];
            at = next;
        }
        at
    }

    /// The first node in which two parts meet that share no face, with an element of each.
    pub(super) fn hinge(
        &mut self,
        n_nodes: usize,
        tetrahedra: &[[u32; 4]],
    ) -> Option<(u32, [u32; 2])> {
        let mut element_at_node = vec![u32::MAX; n_nodes];
        for (nodes, element) in tetrahedra.iter().zip(0..) {
            for node in nodes {
                let first = &mut element_at_node[*node as usize];
                let other = if *first == u32::MAX { element } else { *first };
                *first = other;
                if self.part(other) != self.part(element) {
                    return Some((*node, [other, element]));
                }
            }
        }
        None
    }

    fn take(&mut self, smallest: u32, same: &[Rest]) {
        for pair in same.windows(2) {
            let [a, b] = [pair[0].3, pair[1].3].map(|element| self.part(element));
            self.parents[a.max(b) as usize] = a.min(b);
        }
        match same {
            [(a, b, is_outward, _)] => {
                let (a, b) = if *is_outward { (*a, *b) } else { (*b, *a) };
                self.skin.push([smallest, a, b]);
            }
            [first, second] if first.2 != second.2 => {}
            [_, second] => self.overlapping.push(second.3 as usize),
            _ => self.n_crowded += 1,
        }
    }
}

/// Returns the smallest node of a face, and the rest.
fn split(face: [u32; 3], element: u32) -> (u32, Rest) {
    let [a, b, c] = turned(face);
    if b < c { (a, (b, c, true, element)) } else { (a, (c, b, false, element)) }
}

/// Rotates a triangle so that its smallest corner comes first.
pub(super) fn turned([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a <= b && a <= c {
        [a, b, c]
    } else if b <= c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_tetrahedron_is_all_skin() {
        let faces = Faces::of(4, &[[0, 1, 2, 3]]);
        assert_eq!(faces.skin, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(turned));
        assert!(faces.overlapping.is_empty());
    }

    #[test]
    fn neighbours_on_the_same_side_overlap() {
        // The second one is across the face 1 2 3; the third is on the side of the first.
        let across = Faces::of(5, &[[0, 1, 2, 3], [1, 4, 2, 3]]);
        assert_eq!((across.skin.len(), across.overlapping.len()), (6, 0));
        let same_side = Faces::of(5, &[[0, 1, 2, 3], [4, 1, 2, 3]]);
        assert_eq!(same_side.overlapping, [1]);
        let crowded = Faces::of(6, &[[0, 1, 2, 3], [1, 4, 2, 3], [5, 1, 2, 3]]);
        assert_eq!(crowded.n_crowded, 1);
    }
}
