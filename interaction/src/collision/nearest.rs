//! Distance of a point from the skin, with its sign.

use nalgebra::{Point3, Vector3};

use super::touchable_surface::TouchableSurface;
use super::triangle::{Feature, nearest_feature};

/// The place of the skin that is nearest to a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestSkin {
    pub point: Point3<f64>,
    /// Outward normal there; on an edge or a corner, between the normals of the faces.
    pub normal: Vector3<f64>,
    /// Distance from the skin to the point, negative inside.
    pub distance: f64,
}

impl NearestSkin {
    /// The normal on the side of the skin where `point` is.
    pub fn normal_towards(&self, point: &Point3<f64>) -> Vector3<f64> {
        let is_behind = (point - self.point).dot(&self.normal) < 0.0;
        if is_behind { -self.normal } else { self.normal }
    }
}

/// Best candidate of the search so far.
#[derive(Clone, Copy)]
struct Candidate {
    distance: f64,
    triangle: usize,
    on_skin: Point3<f64>,
    feature: Feature,
}

impl TouchableSurface {
    /// Returns the nearest place of the skin within `reach`.
    ///
    /// The sign of the distance is right if the surface is closed and does not pass through itself.
    /// Beside an open surface, the sign is the side on which the point lies.
    pub fn nearest(&self, point: &Point3<f64>, reach: f64) -> Option<NearestSkin> {
        self.nearest_with_triangle(point, reach).map(|(nearest, _)| nearest)
    }

    /// Same as [`nearest`](Self::nearest), with the triangle of that place; of triangles at the
    /// same distance, the first.
    pub(super) fn nearest_with_triangle(
        &self,
        point: &Point3<f64>,
        reach: f64,
    ) -> Option<(NearestSkin, usize)> {
        let skin = self.skin();
        let mut nearest: Option<Candidate> = None;
        self.tree().nearest(&|centre| (point - centre).norm(), reach, &mut |triangle| {
            let (on_skin, feature) = nearest_feature(point, &skin.corners(triangle));
            let distance = (point - on_skin).norm();
            let is_nearer =
                |least: Candidate| (distance, triangle) < (least.distance, least.triangle);
            if distance <= reach && nearest.is_none_or(is_nearer) {
                nearest = Some(Candidate { distance, triangle, on_skin, feature });
            }
            distance
        });
        let Candidate { distance, triangle, on_skin, feature } = nearest?;
        let normal = skin.feature_normal(triangle, feature)?;
        let is_inside = (point - on_skin).dot(&normal) < 0.0;
        let distance = if is_inside { -distance } else { distance };
        Some((NearestSkin { point: on_skin, normal, distance }, triangle))
    }
}
