//! How far a point is from the skin, and on which side of it.

use nalgebra::{Point3, Vector3};

use super::contact::TouchableSurface;
use super::triangle::{Feature, nearest_feature};

/// The place of the skin that is nearest to a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestSkin {
    pub point: Point3<f64>,
    /// Outward normal there; on an edge or a corner between those of the faces.
    pub normal: Vector3<f64>,
    /// From the skin to the point: negative inside.
    pub distance: f64,
}

impl NearestSkin {
    /// The normal on the side of the skin where `point` is.
    pub fn normal_towards(&self, point: &Point3<f64>) -> Vector3<f64> {
        let is_behind = (point - self.point).dot(&self.normal) < 0.0;
        if is_behind { -self.normal } else { self.normal }
    }
}

/// Where the search is.
#[derive(Clone, Copy)]
struct Place {
    distance: f64,
    triangle: usize,
    on_skin: Point3<f64>,
    feature: Feature,
}

impl TouchableSurface {
    /// The nearest place of the skin, if there is one within `reach`.
    ///
    /// The sign of the distance is right if the surface is closed and does not pass through itself; beside
    /// an open surface it says on which side the point is.
    pub fn nearest(&self, point: &Point3<f64>, reach: f64) -> Option<NearestSkin> {
        self.nearest_with_triangle(point, reach).map(|(nearest, _)| nearest)
    }

    /// The same, and the triangle that it is on; of several at the same distance the first.
    pub(super) fn nearest_with_triangle(
        &self,
        point: &Point3<f64>,
        reach: f64,
    ) -> Option<(NearestSkin, usize)> {
        let skin = self.skin();
        let mut nearest: Option<Place> = None;
        self.tree().nearest(&|centre| (point - centre).norm(), reach, &mut |triangle| {
            let (on_skin, feature) = nearest_feature(point, &skin.corners(triangle));
            let distance = (point - on_skin).norm();
            let is_nearer = |least: Place| (distance, triangle) < (least.distance, least.triangle);
            if distance <= reach && nearest.is_none_or(is_nearer) {
                nearest = Some(Place { distance, triangle, on_skin, feature });
            }
            distance
        });
        let Place { distance, triangle, on_skin, feature } = nearest?;
        let normal = skin.feature_normal(triangle, feature)?;
        let is_inside = (point - on_skin).dot(&normal) < 0.0;
        let distance = if is_inside { -distance } else { distance };
        Some((NearestSkin { point: on_skin, normal, distance }, triangle))
    }
}
