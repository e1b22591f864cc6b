//! Checks of a touch, and its shapes.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::{ContactMatter, Scratch, TABLE};
use crate::contact::pad::{Friction, Pad};
use crate::contact::settings::ContactSettings;
use crate::contact::shape::{ContactProxy, ProxyShape};
use crate::proxy::{Proxy, ProxyId, Shape};
use crate::touch::{HalfSpace, Touch};

/// Number of a part of a hand among the shapes. Its order is the order of the shapes.
pub(super) fn number(id: ProxyId) -> u32 {
    u32::from(id.hand) << 12 | u32::from(id.finger) << 6 | u32::from(id.segment)
}

/// Number of a finger of a hand.
fn limb(id: ProxyId) -> u32 {
    u32::from(id.hand) << 6 | u32::from(id.finger)
}

impl ContactMatter {
    /// Reason why a touch is not valid.
    pub(super) fn refusal(&self, touch: &Touch, dt: f64) -> Option<String> {
        if !(dt.is_finite() && dt >= 0.0) {
            return Some(format!("a step of {dt} s, expected a time"));
        }
        let version = self.surface.topology.version;
        if touch.topology_version != version {
            let got = touch.topology_version;
            return Some(format!("the touch is of topology {got}, expected {version}"));
        }
        if let Err(why) = self.solid.model().check_nodes(&touch.known) {
            return Some(why.to_string());
        }
        let is_good = |proxy: &Proxy| {
            let (ends, radius) = match proxy.shape {
                Shape::Sphere { centre, radius } => ([centre, centre], radius),
                Shape::Cylinder { start, end, radius } => ([start, end], radius),
            };
            let motion = proxy.velocity.iter().chain(&proxy.angular_velocity);
            let is_turn = |turn: &UnitQuaternion<f64>| (turn.norm() - 1.0).abs() < 1e-6;
            let ends = ends.iter().flat_map(|end| end.iter());
            ends.chain(motion).all(|x| x.is_finite())
                && radius.is_finite()
                && radius > 0.0
                && is_turn(&proxy.orientation)
        };
        let pose = &touch.world_from_object;
        let table = touch.surroundings.table.iter();
        let is_finite = touch.proxies.iter().all(is_good)
            && touch.surroundings.gravity.iter().all(|x| x.is_finite())
            && pose
                .translation
                .vector
                .iter()
                .chain(pose.rotation.coords.iter())
                .all(|x| x.is_finite())
            && table.flat_map(|it| it.normal.iter().chain([&it.offset])).all(|x| x.is_finite());
        (!is_finite).then(|| {
            "the touch has numbers that are not finite, a radius that is not positive, or an \
             orientation that is none"
                .to_owned()
        })
    }

    /// Collects the shapes of a touch, with their way in a substep. Anchors ride on shapes, which
    /// turn with the bones.
    pub(super) fn collect_proxies(&self, touch: &Touch, dt: f64, scratch: &mut Scratch) {
        let Scratch { numbered, numbers, proxies, .. } = scratch;
        numbered.clear();
        numbered.extend(touch.proxies.iter().zip(0..).map(|(proxy, at)| {
            let (number, shape) = self.proxy(proxy, dt);
            (number, at, shape)
        }));
        if let Some(table) = &touch.surroundings.table {
            let mut table = table_proxy(table, &touch.world_from_object);
            table.friction = self.solid.settings().table_friction;
            numbered.push((TABLE, TABLE, table));
        }
        numbered.sort_unstable_by_key(|(number, at, _)| (*number, *at));
        numbered.dedup_by_key(|(number, _, _)| *number);
        numbers.clear();
        numbers.extend(numbered.iter().map(|(number, _, _)| *number));
        proxies.clear();
        proxies.extend(numbered.iter().map(|(_, _, shape)| *shape));
    }

    fn proxy(&self, proxy: &Proxy, dt: f64) -> (u32, ContactProxy) {
        let number = number(proxy.id);
        let (shape, centre, axis) = match proxy.shape {
            Shape::Sphere { centre, radius } => (ProxyShape::Sphere { radius }, centre, None),
            Shape::Cylinder { start, end, radius } => {
                let half_length = 0.5 * (end - start).norm();
                let shape = ProxyShape::Cylinder { radius, half_length, is_rounded: false };
                (shape, nalgebra::center(&start, &end), Some(end - start))
            }
        };
        let before = self.shapes.iter().find(|(known, _)| *known == number).map(|(_, pose)| *pose);
        let to = Isometry3::from_parts(centre.coords.into(), along(proxy.orientation, axis));
        // A shape without a past comes from where its velocity says.
        let from = before.unwrap_or_else(|| {
            Isometry3::from_parts((centre.coords - proxy.velocity * dt).into(), to.rotation)
        });
        let ContactSettings { friction, pad, .. } = *self.solid.settings();
        let limb = Some(limb(proxy.id));
        let fixed = ContactProxy { limb, ..ContactProxy::fixed(shape, from, pad, friction) };
        (number, fixed.moved_to(to))
    }
}

/// The rotation nearest to `turn` that has y along an axis.
fn along(turn: UnitQuaternion<f64>, axis: Option<Vector3<f64>>) -> UnitQuaternion<f64> {
    let Some(axis) = axis else { return turn };
    let tilt = UnitQuaternion::rotation_between(&(turn * Vector3::y()), &axis);
    tilt.map_or(turn, |tilt| tilt * turn)
}

fn table_proxy(table: &HalfSpace, world_from_object: &Isometry3<f64>) -> ContactProxy {
    let object_from_world = world_from_object.inverse();
    let up = UnitQuaternion::rotation_between(&Vector3::y(), &table.normal).unwrap_or_else(|| {
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
    });
    let pose = Isometry3::from_parts((table.normal * table.offset).into(), up);
    ContactProxy {
        touches_nodes_only: true,
        ..ContactProxy::fixed(
            ProxyShape::Plane,
            object_from_world * pose,
            Pad::HARD,
            Friction::NONE,
        )
    }
}
