//! Unit shapes of which a glove is drawn; placements scale and move them.

use std::f32::consts::{PI, TAU};
use std::ops::Range;

use bytemuck::{Pod, Zeroable};

/// One vertex of a unit shape.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ShapeVertex {
    pub(super) position: [f32; 3],
    pub(super) normal: [f32; 3],
}

/// Kind of unit shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitShape {
    /// Radius 1 about the origin.
    Sphere,
    /// Radius 1 about the y axis, from y = 0 to 1, without caps: spheres close its ends.
    Tube,
    /// The two faces z = -1 and 1 of a triangle with corners at the origin and at x = 1 and y = 1.
    Slab,
    /// Radius 1 about the y axis at y = 0, with its point at [`CONE_LENGTH`]; to be stretched
    /// evenly.
    Cone,
}

/// Number of shapes.
pub(super) const N_SHAPES: usize = 4;
/// Length of a unit cone.
pub(super) const CONE_LENGTH: f32 = 2.4;

impl UnitShape {
    /// All shapes, in the order in which they lie in the buffers.
    pub(super) const ALL: [Self; N_SHAPES] = [Self::Sphere, Self::Tube, Self::Slab, Self::Cone];

    /// Lowest and highest corner of its bounding box.
    pub(super) fn bounds(self) -> [[f32; 3]; 2] {
        match self {
            Self::Sphere => [[-1.0; 3], [1.0; 3]],
            Self::Tube => [[-1.0, 0.0, -1.0], [1.0; 3]],
            Self::Slab => [[0.0, 0.0, -1.0], [1.0; 3]],
            Self::Cone => [[-1.0, 0.0, -1.0], [1.0, CONE_LENGTH, 1.0]],
        }
    }
}

/// All unit shapes in one vertex and one index list.
#[derive(Debug)]
pub(super) struct ShapeMeshes {
    pub(super) vertices: Vec<ShapeVertex>,
    pub(super) indices: Vec<u32>,
    ranges: [Range<u32>; N_SHAPES],
}

impl ShapeMeshes {
    pub(super) fn new() -> Self {
        let ranges = [const { 0..0 }; N_SHAPES];
        let mut meshes = Self { vertices: Vec::new(), indices: Vec::new(), ranges };
        for shape in UnitShape::ALL {
            let start = meshes.indices.len() as u32;
            match shape {
                UnitShape::Sphere => meshes.add_sphere(),
                UnitShape::Tube => meshes.add_tube(),
                UnitShape::Slab => meshes.add_slab(),
                UnitShape::Cone => meshes.add_cone(),
            }
            meshes.ranges[shape as usize] = start..meshes.indices.len() as u32;
        }
        meshes
    }

    /// Range of the indices of one shape.
    pub(super) fn indices_of(&self, shape: UnitShape) -> Range<u32> {
        self.ranges[shape as usize].clone()
    }

    fn add_sphere(&mut self) {
        let point = |u: f32, v: f32| {
            let (sin_v, cos_v) = (v * PI).sin_cos();
            let (sin_u, cos_u) = (u * TAU).sin_cos();
            let p = [sin_v * cos_u, cos_v, -sin_v * sin_u];
            ShapeVertex { position: p, normal: p }
        };
        self.add_patch(N_AROUND, N_AROUND / 2, point);
    }

    fn add_tube(&mut self) {
        let point = |u: f32, v: f32| {
            let (sin, cos) = (u * TAU).sin_cos();
            ShapeVertex { position: [cos, 1.0 - v, -sin], normal: [cos, 0.0, -sin] }
        };
        self.add_patch(N_AROUND, 1, point);
    }

    fn add_slab(&mut self) {
        for z in [-1.0, 1.0] {
            let first = self.vertices.len() as u32;
            let corners = [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
            self.vertices
                .extend(corners.map(|position| ShapeVertex { position, normal: [0.0, 0.0, z] }));
            let seen_from_outside = if z > 0.0 { [0, 1, 2] } else { [0, 2, 1] };
            self.indices.extend(seen_from_outside.map(|corner| first + corner));
        }
    }

    fn add_cone(&mut self) {
        // Across the mantle, whose slope is the same everywhere.
        let (out, up) = (CONE_LENGTH, 1.0);
        let length = f32::hypot(out, up);
        self.add_patch(N_AROUND, 1, |u, v| {
            let (sin, cos) = (u * TAU).sin_cos();
            let position = [v * cos, (1.0 - v) * CONE_LENGTH, -v * sin];
            ShapeVertex { position, normal: [out * cos / length, up / length, -out * sin / length] }
        });
        // The foot, seen from below.
        self.add_patch(N_AROUND, 1, |u, v| {
            let (sin, cos) = (u * TAU).sin_cos();
            let position = [(1.0 - v) * cos, 0.0, -(1.0 - v) * sin];
            ShapeVertex { position, normal: [0.0, -1.0, 0.0] }
        });
    }

    /// A curved patch with `u` to the right and `v` downward, both 0..1, seen from outside.
    fn add_patch(&mut self, n_u: u32, n_v: u32, point: impl Fn(f32, f32) -> ShapeVertex) {
        let first = self.vertices.len() as u32;
        for v in 0..=n_v {
            for u in 0..=n_u {
                self.vertices.push(point(u as f32 / n_u as f32, v as f32 / n_v as f32));
            }
        }
        let row = n_u + 1;
        for v in 0..n_v {
            for u in 0..n_u {
                let a = first + v * row + u;
                self.indices.extend([a, a + row, a + 1, a + 1, a + row, a + row + 1]);
            }
        }
    }
}

/// Facets around; the outline of a finger is then within a twentieth of a millimetre of round, and
/// where shapes run into each other no teeth are seen.
const N_AROUND: u32 = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn triangles_face_outward() {
        let meshes = ShapeMeshes::new();
        for shape in UnitShape::ALL {
            let range = meshes.indices_of(shape);
            let indices = &meshes.indices[range.start as usize..range.end as usize];
            for triangle in indices.chunks_exact(3) {
                let [a, b, c] = [0, 1, 2].map(|i| meshes.vertices[triangle[i] as usize]);
                let [pa, pb, pc] = [a, b, c].map(|v| Vector3::from(v.position));
                let facing = (pb - pa).cross(&(pc - pa)).dot(&Vector3::from(a.normal));
                assert!(facing > -1e-6, "{shape:?} {triangle:?}");
            }
        }
    }
}
