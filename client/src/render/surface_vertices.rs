//! Computes the vertices of an object's surface, split along its creases.
//!
//! A crease is an edge whose two triangles meet at a wide angle in the rest shape. A point of the
//! surface becomes one vertex for each fan of triangles between creases, so that a cube keeps its
//! edges and a strawberry stays smooth. Which corners share a vertex is decided once for a
//! topology; each new frame only moves the vertices.

use bytemuck::{Pod, Zeroable};
use nalgebra::Vector3;
use physics::SurfaceFrame;

/// Neighbours that meet at a wider angle than this are shaded apart: 40 degrees.
const COS_CREASE: f32 = 0.766;
/// Linear colour of an object without its own: coral.
const PLAIN: [f32; 3] = [0.68, 0.085, 0.065];
/// Relative change of length with the full colour of deformation.
pub(super) const FULL_STRETCH: f32 = 0.2;

/// Data of one vertex of a new shape for the graphics processor, in the object's frame.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SurfaceVertex {
    pub(super) position: [f32; 3],
    pub(super) normal: [f32; 3],
}

/// Quantity of a point that is shown as its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    /// The largest relative change of length among the edges that meet there. Carrying and turning
    /// the object does not count.
    Stretch,
    /// Distance from the rest position, in metres.
    Displacement,
    /// A field of the solver, by its index in the object's list.
    Field(usize),
}

/// Computed numbers for a surface, in reused memory.
#[derive(Debug, Default)]
pub(super) struct Values {
    of_points: Vec<f32>,
    pub(super) of_vertices: Vec<f32>,
}

/// Assignment of triangle corners to vertices, for one topology.
#[derive(Debug, PartialEq)]
pub(super) struct SurfaceVertices {
    /// The surface point of each vertex.
    points: Vec<u32>,
    /// Indices into the vertices.
    pub(super) triangles: Vec<[u32; 3]>,
}

impl SurfaceVertices {
    /// Splits the points of a surface along the creases that it has at rest.
    pub(super) fn new(triangles: &[[u32; 3]], rest_positions: &[[f32; 3]]) -> Self {
        let normals: Vec<Option<Vector3<f32>>> = triangles
            .iter()
            .map(|&triangle| area_vector(triangle, rest_positions).try_normalize(0.0))
            .collect();
        let mut skin = Self { points: Vec::new(), triangles: vec![[0; 3]; triangles.len()] };
        for (point, corners) in corners_by_point(triangles, rest_positions.len()) {
            let smooth = |a: Corner, b: Corner| {
                share_an_edge(&triangles[a.triangle], &triangles[b.triangle])
                    // A triangle without area has no direction of its own and follows the rest.
                    && normals[a.triangle]
                        .zip(normals[b.triangle])
                        .is_none_or(|(m, n)| m.dot(&n) > COS_CREASE)
            };
            for fan in fans(corners, smooth) {
                let vertex = skin.points.len() as u32;
                skin.points.push(point);
                for corner in fan {
                    skin.triangles[corner.triangle][corner.side] = vertex;
                }
            }
        }
        skin
    }

    /// Computes the vertices for new positions, one for each point of the surface.
    pub(super) fn vertices(&self, positions: &[[f32; 3]], into: &mut Vec<SurfaceVertex>) {
        let placed =
            |&point: &u32| SurfaceVertex { position: positions[point as usize], normal: [0.0; 3] };
        into.clear();
        into.extend(self.points.iter().map(placed));
        for triangle in &self.triangles {
            let on_surface = triangle.map(|vertex| self.points[vertex as usize]);
            // Not normalised: large triangles count for more.
            let area = area_vector(on_surface, positions);
            for &vertex in triangle {
                let normal = &mut into[vertex as usize].normal;
                *normal = (Vector3::from(*normal) + area).into();
            }
        }
        for vertex in into {
            let normal = Vector3::from(vertex.normal).try_normalize(0.0);
            vertex.normal = normal.unwrap_or_else(Vector3::y).into();
        }
    }

    /// Computes a number for each vertex; zeros if the frame has no values.
    pub(super) fn values(&self, frame: &SurfaceFrame, quantity: Quantity, into: &mut Values) {
        let (positions, rest) = (&frame.positions, &frame.topology.rest_positions);
        let Values { of_points, of_vertices } = into;
        of_points.clear();
        match quantity {
            Quantity::Stretch => {
                of_points.resize(positions.len(), 0.0);
                self.stretch(positions, rest, of_points);
            }
            Quantity::Displacement => {
                let away = |(x, rest): (&[f32; 3], &[f32; 3])| {
                    (Vector3::from(*x) - Vector3::from(*rest)).norm()
                };
                of_points.extend(positions.iter().zip(rest).map(away));
            }
            Quantity::Field(index) => {
                let field = frame.fields.get(index);
                of_points.extend(field.iter().flat_map(|field| field.values.iter()));
            }
        }
        of_vertices.clear();
        let value = |&point: &u32| of_points.get(point as usize).copied().unwrap_or(0.0);
        of_vertices.extend(self.points.iter().map(value));
    }

    /// Linear colour of each vertex at rest.
    pub(super) fn colours(&self, of_points: Option<&[[f32; 3]]>) -> Vec<[f32; 3]> {
        let colour = |&point: &u32| of_points.and_then(|c| c.get(point as usize)).copied();
        self.points.iter().map(|point| colour(point).unwrap_or(PLAIN)).collect()
    }

    /// The largest relative change of length among the edges at each point of the surface.
    fn stretch(&self, positions: &[[f32; 3]], rest_positions: &[[f32; 3]], stretch: &mut [f32]) {
        let length = |ends: [usize; 2], x: &[[f32; 3]]| {
            (Vector3::from(x[ends[1]]) - Vector3::from(x[ends[0]])).norm()
        };
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|vertex| self.points[vertex as usize] as usize);
            for ends in [[a, b], [b, c], [c, a]] {
                let rest = length(ends, rest_positions);
                // An edge without rest length has no ratio.
                if rest > 0.0 {
                    let change = (length(ends, positions) / rest - 1.0).abs();
                    for end in ends {
                        stretch[end] = stretch[end].max(change);
                    }
                }
            }
        }
    }
}

/// One corner of one triangle.
#[derive(Debug, Clone, Copy)]
struct Corner {
    triangle: usize,
    side: usize,
}

fn corners_by_point(
    triangles: &[[u32; 3]],
    n_points: usize,
) -> impl Iterator<Item = (u32, Vec<Corner>)> {
    let mut corners = vec![Vec::new(); n_points];
    for (triangle, points) in triangles.iter().enumerate() {
        for (side, &point) in points.iter().enumerate() {
            corners[point as usize].push(Corner { triangle, side });
        }
    }
    (0..).zip(corners)
}

/// True if two triangles that share a point share a second one.
fn share_an_edge(a: &[u32; 3], b: &[u32; 3]) -> bool {
    a.iter().filter(|point| b.contains(point)).count() >= 2
}

/// The corners in groups, each joined by `smooth` directly or through others of the group.
fn fans(mut corners: Vec<Corner>, smooth: impl Fn(Corner, Corner) -> bool) -> Vec<Vec<Corner>> {
    let mut fans = Vec::new();
    while let Some(first) = corners.pop() {
        let mut fan = vec![first];
        let mut n_visited = 0;
        while let Some(&here) = fan.get(n_visited) {
            fan.extend(corners.extract_if(.., |other| smooth(here, *other)));
            n_visited += 1;
        }
        fans.push(fan);
    }
    fans
}

/// Normal of a triangle with twice its area for length.
fn area_vector(triangle: [u32; 3], positions: &[[f32; 3]]) -> Vector3<f32> {
    let [a, b, c] = triangle.map(|point| Vector3::from(positions[point as usize]));
    (b - a).cross(&(c - a))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use physics::{FieldKind, FieldValues, Grip, NodeId, Topology};

    /// Two unit squares that meet along the y axis, the right one turned up by `angle`.
    fn hinge(angle_deg: f32) -> (Vec<[u32; 3]>, Vec<[f32; 3]>) {
        let (sin, cos) = angle_deg.to_radians().sin_cos();
        let positions = vec![
            [-1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0],
            [cos, 0.0, sin],
            [-1.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
            [cos, 1.0, sin],
        ];
        (vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]], positions)
    }

    fn vertices(skin: &SurfaceVertices, positions: &[[f32; 3]]) -> Vec<SurfaceVertex> {
        let mut vertices = Vec::new();
        skin.vertices(positions, &mut vertices);
        vertices
    }

    fn values(skin: &SurfaceVertices, frame: &SurfaceFrame, quantity: Quantity) -> Vec<f32> {
        let mut values = Values::default();
        skin.values(frame, quantity, &mut values);
        values.of_vertices
    }

    fn check_vertices(angle_deg: f32, expected: usize) {
        let (triangles, rest) = hinge(angle_deg);
        let skin = SurfaceVertices::new(&triangles, &rest);
        assert_eq!(vertices(&skin, &rest).len(), expected, "at {angle_deg} degrees");
        // Splitting changes no triangle's place.
        for (split, whole) in skin.triangles.iter().zip(&triangles) {
            assert_eq!(split.map(|v| skin.points[v as usize]), *whole);
        }
    }

    #[test]
    fn only_a_sharp_edge_splits_its_points() {
        check_vertices(0.0, 6);
        check_vertices(35.0, 6);
        check_vertices(45.0, 8);
        check_vertices(-90.0, 8);
    }

    #[test]
    fn a_flat_page_stays_whole_when_it_is_folded_later() {
        let (triangles, rest) = hinge(0.0);
        let skin = SurfaceVertices::new(&triangles, &rest);
        let (_, folded) = hinge(90.0);
        let vertices = vertices(&skin, &folded);
        let expected = Vector3::new(-0.5_f32.sqrt(), 0.0, 0.5_f32.sqrt());
        let on_the_fold = Vector3::from(vertices[skin.triangles[0][2] as usize].normal);
        assert!((on_the_fold - expected).norm() < 0.4, "{on_the_fold}");
        let stretch = values(&skin, &frame(&triangles, &rest, folded), Quantity::Stretch);
        assert!(stretch.iter().all(|&stretch| stretch < 1e-6), "folding stretches nothing");
    }

    #[test]
    fn a_longer_edge_colours_its_ends() {
        let (triangles, rest) = hinge(0.0);
        let skin = SurfaceVertices::new(&triangles, &rest);
        let mut pulled = rest.clone();
        pulled[2][0] += 0.1;
        let values = values(&skin, &frame(&triangles, &rest, pulled), Quantity::Stretch);
        let at = |point: u32| values[skin.points.iter().position(|p| *p == point).unwrap()];
        assert!((at(2) - 0.1).abs() < 1e-5 && (at(1) - 0.1).abs() < 1e-5);
        assert_eq!(at(0), 0.0);
    }

    #[test]
    fn degenerate_triangles_give_finite_normals() {
        let rest = [[0.0; 3], [0.0; 3], [1.0, 0.0, 0.0]];
        let vertices = vertices(&SurfaceVertices::new(&[[0, 1, 2]], &rest), &rest);
        assert!(vertices.iter().flat_map(|v| v.normal).all(f32::is_finite));
    }

    fn frame(
        triangles: &[[u32; 3]],
        rest_positions: &[[f32; 3]],
        positions: Vec<[f32; 3]>,
    ) -> SurfaceFrame {
        let nodes = (0..positions.len() as u32).map(NodeId).collect();
        let (triangles, rest_positions) = (triangles.to_vec(), rest_positions.to_vec());
        let fields = vec![FieldKind::VON_MISES];
        let topology =
            Topology { version: 0, grip: Grip::Nodes, nodes, rest_positions, triangles, fields };
        let stresses =
            FieldValues::from_zero((0..positions.len()).map(|i| i as f32).collect(), 1.0);
        let frame = SurfaceFrame::at_rest(Arc::new(topology), Arc::new(positions));
        SurfaceFrame { fields: vec![stresses], ..frame }
    }

    #[test]
    fn values_are_displacement_strain_and_field() {
        let (triangles, rest) = hinge(90.0);
        let skin = SurfaceVertices::new(&triangles, &rest);
        let check = |moved: Vec<[f32; 3]>, quantity, expected: f32| {
            for value in values(&skin, &frame(&triangles, &rest, moved), quantity) {
                assert!((value - expected).abs() < 1e-6, "{quantity:?}: {value}");
            }
        };
        let carried: Vec<[f32; 3]> = rest.iter().map(|x| [x[0], x[1], x[2] + 0.5]).collect();
        let larger: Vec<[f32; 3]> = rest.iter().map(|x| x.map(|x| 1.1 * x)).collect();
        check(carried.clone(), Quantity::Displacement, 0.5);
        check(carried, Quantity::Stretch, 0.0);
        check(larger, Quantity::Stretch, 0.1);
        // A crease splits points; both vertices have the number of their point.
        let values = values(&skin, &frame(&triangles, &rest, rest.clone()), Quantity::Field(0));
        assert!(skin.points.len() > rest.len());
        assert!(values.iter().zip(&skin.points).all(|(value, point)| *value == *point as f32));
    }
}
