//! Neighbours of a node in a body-centred cubic lattice, and the tetrahedra that they span.
//!
//! The lattice consists of a cubic grid and the centres of its cells; all nodes are equivalent.
//! Each node has fourteen neighbours: six at one spacing along the axes, eight at the corners of
//! the small cube in between. Seen from the node, these span 24 triangles, each the far side of a
//! tetrahedron.

/// Number of neighbours of a node.
pub(super) const N_NEIGHBOURS: usize = 14;
/// Number of tetrahedra that meet in a node.
pub(super) const N_TETS: usize = 24;

/// Number of neighbours at one spacing along an axis.
const N_LONG: usize = 6;

/// Step from a node to a neighbour, in halves of the spacing.
pub(super) fn step(neighbour: usize) -> [isize; 3] {
    if neighbour < N_LONG {
        let mut step = [0; 3];
        step[neighbour / 2] = if is_up(neighbour) { 2 } else { -2 };
        step
    } else {
        [0, 1, 2].map(|axis| if (neighbour - N_LONG) >> axis & 1 == 1 { 1 } else { -1 })
    }
}

/// The three neighbours that span a tetrahedron with the node, counter-clockwise seen from outside;
/// the first of them is a long step away.
pub(super) fn triangle(tet: usize) -> [usize; 3] {
    const RING: [[usize; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];
    let (long, quarter) = (tet / 4, tet % 4);
    let axis = long / 2;
    let short = |quarter: usize| {
        let [second, third] = RING[quarter % 4];
        N_LONG
            + (usize::from(is_up(long)) << axis)
            + (second << ((axis + 1) % 3))
            + (third << ((axis + 2) % 3))
    };
    let (a, b) = (short(quarter), short(quarter + 1));
    if is_up(long) { [long, a, b] } else { [long, b, a] }
}

/// True if a long step goes up its axis.
pub(super) fn is_up(long: usize) -> bool {
    long % 2 == 1
}

/// True if the body looks like a half-space from a node on its skin: the triangles that touch a
/// neighbour in `core` (one bit each) form one disc.
///
/// If every node of the skin passes this test, the skin is a closed surface without edges or
/// corners at which several sheets meet.
pub(super) fn sees_disc(core: u16) -> bool {
    let mut to = [0_u16; N_NEIGHBOURS];
    let mut from = [0_u16; N_NEIGHBOURS];
    for corners in (0..N_TETS).map(triangle) {
        if corners.iter().any(|&c| core >> c & 1 == 1) {
            for (i, &a) in corners.iter().enumerate() {
                let b = corners[(i + 1) % 3];
                to[a] |= 1 << b;
                from[b] |= 1 << a;
            }
        }
    }
    // Sides that are passed in one direction only form the rim; it must be one simple circle.
    let rim: [u16; N_NEIGHBOURS] = std::array::from_fn(|i| to[i] & !from[i]);
    if rim.iter().any(|next| next.count_ones() > 1) {
        return false;
    }
    let Some(start) = rim.iter().position(|&next| next != 0) else { return false };
    let mut length = 1;
    let mut at = rim[start].trailing_zeros() as usize;
    while at != start {
        length += 1;
        at = rim[at].trailing_zeros() as usize;
    }
    length == rim.iter().filter(|&&next| next != 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tetrahedra_are_positive_and_alike() {
        for tet in 0..N_TETS {
            let [a, b, c] =
                triangle(tet).map(|n| nalgebra::Vector3::from(step(n).map(|s| s as f64)));
            assert_eq!(a.dot(&b.cross(&c)), 4.0);
            let mut edges = [a, b, c, b - a, c - a, c - b].map(|edge| edge.norm_squared());
            edges.sort_by(f64::total_cmp);
            assert_eq!(edges, [3.0, 3.0, 3.0, 3.0, 4.0, 4.0]);
        }
    }

    #[test]
    fn discs_are_told_from_rings_and_pinches() {
        let all = (1 << N_NEIGHBOURS) - 1;
        assert!(!sees_disc(0), "nothing of the body");
        assert!(!sees_disc(all), "the body all round");
        for neighbour in 0..N_NEIGHBOURS {
            assert!(sees_disc(1 << neighbour));
        }
        assert!(!sees_disc(0b11), "two opposite neighbours");
        assert!(!sees_disc(0b1111), "a ring");
        assert!(sees_disc(0b101), "two neighbours a right angle apart");
    }
}
