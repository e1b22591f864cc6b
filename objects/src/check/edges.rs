//! Edges of triangles: shows if a surface is closed, and how its triangles are oriented.

/// Direction of a triangle along an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Direction {
    /// From the node with the smaller number to the one with the larger.
    Up,
    Down,
}

/// All edges of a surface with their triangles.
pub(super) struct Edges {
    /// Sorted by the two nodes.
    sides: Vec<([u32; 2], u32, Direction)>,
    n_triangles: usize,
}

/// Orientation of the triangles, after as many as possible were made to agree.
#[derive(Debug, Default)]
pub(super) struct Orientation {
    /// For each triangle, true if it must be turned to agree with most of its neighbours.
    pub(super) must_turn: Vec<bool>,
    /// For each triangle, the connected part of the surface that it belongs to.
    pub(super) parts: Vec<u32>,
    /// Number of parts.
    pub(super) n_parts: usize,
    /// Number of edges whose triangles cannot agree.
    pub(super) n_contradictions: usize,
}

impl Edges {
    pub(super) fn of(triangles: &[[u32; 3]]) -> Self {
        let mut sides: Vec<_> = triangles
            .iter()
            .zip(0..)
            .flat_map(|(&[a, b, c], triangle)| {
                [[a, b], [b, c], [c, a]].map(|[from, to]| match from < to {
                    true => ([from, to], triangle, Direction::Up),
                    false => ([to, from], triangle, Direction::Down),
                })
            })
            .collect();
        sides.sort_unstable();
        Self { sides, n_triangles: triangles.len() }
    }

    /// Number of edges with one triangle only, and number of edges with more than two.
    pub(super) fn n_open_and_crowded(&self) -> (usize, usize) {
        self.same_edge().fold((0, 0), |(open, crowded), sides| {
            (open + usize::from(sides.len() == 1), crowded + usize::from(sides.len() > 2))
        })
    }

    /// Makes the triangles agree, going from neighbour to neighbour over edges with two triangles.
    pub(super) fn orientation(&self) -> Orientation {
        let neighbours = self.neighbours();
        let n = self.n_triangles;
        let mut result = Orientation {
            must_turn: vec![false; n],
            parts: vec![u32::MAX; n],
            ..Orientation::default()
        };
        let mut waiting = Vec::new();
        for first in 0..n {
            if result.parts[first] != u32::MAX {
                continue;
            }
            let part = result.n_parts as u32;
            result.n_parts += 1;
            result.parts[first] = part;
            waiting.push(first);
            let mut members = Vec::new();
            while let Some(triangle) = waiting.pop() {
                members.push(triangle);
                for &(other, agrees) in &neighbours[triangle] {
                    let other = other as usize;
                    // Two triangles agree if they pass their edge in opposite directions.
                    let must_turn = result.must_turn[triangle] == agrees;
                    if result.parts[other] == u32::MAX {
                        result.parts[other] = part;
                        result.must_turn[other] = must_turn;
                        waiting.push(other);
                    } else if result.must_turn[other] != must_turn {
                        // Each such edge is seen from both of its triangles.
                        result.n_contradictions += 1;
                    }
                }
            }
            // The first triangle of a part may be the wrong one: the majority decides.
            if 2 * members.iter().filter(|i| result.must_turn[**i]).count() > members.len() {
                members.iter().for_each(|i| result.must_turn[*i] ^= true);
            }
        }
        result.n_contradictions /= 2;
        result
    }

    /// For each triangle, the triangles across its edges, each with true if the two agree there.
    fn neighbours(&self) -> Vec<Vec<(u32, bool)>> {
        let mut neighbours = vec![Vec::new(); self.n_triangles];
        for sides in self.same_edge() {
            if let [(_, a, direction_a), (_, b, direction_b)] = sides {
                let agrees = direction_a != direction_b;
                neighbours[*a as usize].push((*b, agrees));
                neighbours[*b as usize].push((*a, agrees));
            }
        }
        neighbours
    }

    fn same_edge(&self) -> impl Iterator<Item = &[([u32; 2], u32, Direction)]> {
        self.sides.chunk_by(|a, b| a.0 == b.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

    #[test]
    fn a_closed_surface_has_no_open_edges() {
        assert_eq!(Edges::of(&TETRAHEDRON).n_open_and_crowded(), (0, 0));
        assert_eq!(Edges::of(&TETRAHEDRON[1..]).n_open_and_crowded(), (3, 0));
        let fan = [[0, 1, 2], [0, 1, 3], [0, 1, 4]];
        assert_eq!(Edges::of(&fan).n_open_and_crowded(), (6, 1));
    }

    #[test]
    fn one_turned_triangle_is_found_whichever_it_is() {
        for i in 0..4 {
            let mut triangles = TETRAHEDRON;
            triangles[i].swap(1, 2);
            let orientation = Edges::of(&triangles).orientation();
            let expected: Vec<bool> = (0..4).map(|j| i == j).collect();
            assert_eq!(orientation.must_turn, expected);
            assert_eq!((orientation.n_parts, orientation.n_contradictions), (1, 0));
        }
    }

    #[test]
    fn a_moebius_strip_has_no_orientation() {
        let strip = [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4], [4, 5, 1], [5, 0, 1]];
        let orientation = Edges::of(&strip).orientation();
        assert!(orientation.n_contradictions > 0);
        assert_eq!(orientation.n_parts, 1);
    }
}
