//! The skin of a mesh: checks that it is simple, and drops parts of the mesh that are too small.

use nalgebra::Point3;

/// Faces that belong to one tetrahedron only, counter-clockwise seen from outside.
pub(super) fn skin(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let mut faces: Vec<([u32; 3], [u32; 3])> = tets
        .iter()
        .flat_map(|tet| FACES.map(|face| face.map(|i| tet[i])))
        .map(|face| {
            let mut sorted = face;
            sorted.sort_unstable();
            (sorted, face)
        })
        .collect();
    faces.sort_unstable();
    faces.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1).map(|same| same[0].1).collect()
}

/// Nodes at which the skin is not simple: ends of edges where more than two of its triangles meet,
/// and points where several sheets meet.
pub(super) fn pinches(skin: &[[u32; 3]], n_nodes: usize) -> Vec<u32> {
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * skin.len());
    for (number, &[a, b, c]) in skin.iter().enumerate() {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            edges.push(([from.min(to), from.max(to)], number as u32));
        }
    }
    edges.sort_unstable();
    let mut found: Vec<u32> = edges
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|same| same.len() != 2)
        .flat_map(|same| same[0].0)
        .collect();
    let mut rims: Vec<Vec<[u32; 2]>> = vec![Vec::new(); n_nodes];
    for &[a, b, c] in skin {
        for [at, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
            rims[at as usize].push([from, to]);
        }
    }
    found.extend((0..n_nodes).filter(|&node| !is_one_ring(&rims[node])).map(|node| node as u32));
    found.sort_unstable();
    found.dedup();
    found
}

/// True if the edges form a single ring.
fn is_one_ring(rim: &[[u32; 2]]) -> bool {
    let Some(&[start, mut at]) = rim.first() else { return true };
    let mut length = 1;
    while at != start && length <= rim.len() {
        let Some(next) = rim.iter().find(|edge| edge[0] == at) else { return false };
        at = next[1];
        length += 1;
    }
    length == rim.len()
}

/// Drops specks and returns their number: separate parts that have no inner node and less than
/// [`SPECK`] of the volume, such as the parts that the lattice leaves of a spike thinner than its
/// spacing.
pub(super) fn drop_specks(places: &[Point3<f64>], tets: &mut Vec<[u32; 4]>) -> usize {
    let part_of_node = parts(places.len(), tets);
    let mut is_skin = vec![false; places.len()];
    for node in skin(tets).as_flattened() {
        is_skin[*node as usize] = true;
    }
    let mut volumes = vec![0.0; places.len()];
    let mut has_inside = vec![false; places.len()];
    for tet in tets.iter() {
        let part = part_of_node[tet[0] as usize] as usize;
        let [a, b, c, d] = tet.map(|node| places[node as usize]);
        volumes[part] += (b - a).dot(&(c - a).cross(&(d - a))) / 6.0;
        has_inside[part] |= tet.iter().any(|&node| !is_skin[node as usize]);
    }
    let whole: f64 = volumes.iter().sum();
    let largest = volumes.iter().copied().fold(0.0, f64::max);
    let is_speck =
        |part: usize| !has_inside[part] && volumes[part] < SPECK * whole && volumes[part] < largest;
    tets.retain(|tet| !is_speck(part_of_node[tet[0] as usize] as usize));
    (0..places.len()).filter(|&part| volumes[part] > 0.0 && is_speck(part)).count()
}

/// Largest volume of a speck, as a share of the whole volume.
const SPECK: f64 = 0.01;

/// For each node, the first node of the part that it belongs to.
fn parts(n_nodes: usize, tets: &[[u32; 4]]) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..n_nodes as u32).collect();
    for tet in tets {
        let first = root(&mut parent, tet[0]);
        for &node in &tet[1..] {
            let other = root(&mut parent, node);
            let first = root(&mut parent, first);
            parent[first.max(other) as usize] = first.min(other);
        }
    }
    (0..n_nodes as u32).map(|node| root(&mut parent, node)).collect()
}

fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        parent[node as usize] = parent[parent[node as usize] as usize];
        node = parent[node as usize];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the pinches between two tetrahedra that share a face, an edge, a point or nothing.
    fn check(tets: [[u32; 4]; 2], expected: &[u32]) {
        assert_eq!(pinches(&skin(&tets), 8), expected);
    }

    #[test]
    fn edges_and_points_pinch() {
        check([[0, 1, 2, 3], [1, 2, 3, 4]], &[]);
        check([[0, 1, 2, 3], [2, 3, 4, 5]], &[2, 3]);
        check([[0, 1, 2, 3], [3, 4, 5, 6]], &[3]);
        check([[0, 1, 2, 3], [4, 5, 6, 7]], &[]);
    }

    /// A tetrahedron apart from a body with an inner node is dropped if it is small, and kept
    /// otherwise.
    #[test]
    fn specks_are_small_and_apart() {
        for (size, n_specks) in [(0.05, 1), (1.0, 0)] {
            // Four tetrahedra around a point, and one aside.
            let corners = [[1.0; 3], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0]];
            let mut places: Vec<Point3<f64>> = corners.map(Point3::from).to_vec();
            places.push(Point3::origin());
            places.extend(corners.map(|c| Point3::from(c) * size + nalgebra::Vector3::repeat(5.0)));
            let mut tets =
                vec![[0, 1, 2, 4], [0, 3, 1, 4], [0, 2, 3, 4], [1, 3, 2, 4], [5, 6, 8, 7]];
            for tet in &mut tets {
                let [a, b, c, d] = tet.map(|node| places[node as usize]);
                if (b - a).dot(&(c - a).cross(&(d - a))) < 0.0 {
                    tet.swap(2, 3);
                }
            }
            assert_eq!(drop_specks(&places, &mut tets), n_specks);
            assert_eq!(tets.len(), 5 - n_specks);
        }
    }
}
