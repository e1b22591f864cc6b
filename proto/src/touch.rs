//! Conversions of touches.

use bytes::Bytes;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use physics::{
    HalfSpace, Proxy, ProxyId, SampleId, Shape, Surroundings, Touch, WhenUnderdetermined,
};

use crate::array::{WireError, packed, unpacked, vectors};
use crate::known_displacements::when_underdetermined;
use crate::v1;

impl From<&Touch> for v1::Touch {
    fn from(touch: &Touch) -> Self {
        Self {
            sample: touch.sample.0,
            time: touch.time,
            world_from_object: packed_pose(&touch.world_from_object),
            topology_version: touch.topology_version,
            known: Some(touch.known[..].into()),
            least_motion: touch.when_underdetermined == WhenUnderdetermined::LeastMotion,
            proxies: touch.proxies.iter().map(v1::Proxy::from).collect(),
            surroundings: Some((&touch.surroundings).into()),
            wants_fields: touch.wants_fields,
            wants_state: touch.wants_state,
            wants_contact_models: touch.wants_contact_models,
        }
    }
}

impl TryFrom<v1::Touch> for Touch {
    type Error = WireError;

    fn try_from(touch: v1::Touch) -> Result<Self, WireError> {
        if !touch.time.is_finite() {
            return Err(WireError::NotFinite("time"));
        }
        Ok(Self {
            sample: SampleId(touch.sample),
            time: touch.time,
            world_from_object: pose("world_from_object", &touch.world_from_object)?,
            topology_version: touch.topology_version,
            known: touch.known.unwrap_or_default().try_into()?,
            when_underdetermined: when_underdetermined(touch.least_motion),
            proxies: proxies(touch.proxies)?,
            surroundings: touch.surroundings.unwrap_or_default().try_into()?,
            wants_fields: touch.wants_fields,
            wants_state: touch.wants_state,
            is_between: false,
            wants_contact_models: touch.wants_contact_models,
        })
    }
}

impl From<&Proxy> for v1::Proxy {
    fn from(proxy: &Proxy) -> Self {
        use v1::proxy::Shape as Wire;
        let shape = match proxy.shape {
            Shape::Sphere { centre, radius } => {
                Wire::Sphere(v1::Sphere { centre: packed_vector(&centre.coords), radius })
            }
            Shape::Cylinder { start, end, radius } => Wire::Cylinder(v1::Cylinder {
                start: packed_vector(&start.coords),
                end: packed_vector(&end.coords),
                radius,
            }),
        };
        Self {
            id: packed_proxy(proxy.id),
            shape: Some(shape),
            velocity: packed_vector(&proxy.velocity),
            angular_velocity: packed_vector(&proxy.angular_velocity),
            orientation: packed_turn(&proxy.orientation),
        }
    }
}

impl TryFrom<v1::Proxy> for Proxy {
    type Error = WireError;

    fn try_from(proxy: v1::Proxy) -> Result<Self, WireError> {
        use v1::proxy::Shape as Wire;
        let point = |field, bytes: &[u8]| one_vector(field, bytes).map(Point3::from);
        let shape = match proxy.shape.ok_or(WireError::Missing("a proxy's shape"))? {
            Wire::Sphere(it) => Shape::Sphere {
                centre: point("centre", &it.centre)?,
                radius: positive("radius", it.radius)?,
            },
            Wire::Cylinder(it) => Shape::Cylinder {
                start: point("start", &it.start)?,
                end: point("end", &it.end)?,
                radius: positive("radius", it.radius)?,
            },
        };
        Ok(Self {
            id: proxy_id(proxy.id)?,
            shape,
            velocity: one_vector("velocity", &proxy.velocity)?,
            angular_velocity: one_vector("angular_velocity", &proxy.angular_velocity)?,
            orientation: turn("orientation", &proxy.orientation)?,
        })
    }
}

/// Reads proxies.
pub(crate) fn proxies(proxies: Vec<v1::Proxy>) -> Result<Vec<Proxy>, WireError> {
    /// Largest number of proxies in a message, far more than two hands have.
    const MOST: usize = 1024;
    if proxies.len() > MOST {
        let index = u32::try_from(proxies.len()).unwrap_or(u32::MAX);
        return Err(WireError::Index { field: "proxies", index, limit: MOST + 1 });
    }
    proxies.into_iter().map(Proxy::try_from).collect()
}

/// Packs the parts of a proxy's id into one number.
pub(crate) fn packed_proxy(id: ProxyId) -> u32 {
    u32::from_le_bytes([id.hand, id.finger, id.segment, 0])
}

/// Unpacks a proxy's id, and checks that a hand has such a part.
pub(crate) fn proxy_id(packed: u32) -> Result<ProxyId, WireError> {
    let [hand, finger, segment, rest] = packed.to_le_bytes();
    let id = ProxyId { hand, finger, segment };
    match rest == 0 && id.is_of_hand() {
        true => Ok(id),
        false => Err(WireError::NoPartOfHand(packed)),
    }
}

impl From<&Surroundings> for v1::Surroundings {
    fn from(surroundings: &Surroundings) -> Self {
        let table = |it: HalfSpace| packed([it.normal.x, it.normal.y, it.normal.z, it.offset]);
        Self {
            gravity: packed_vector(&surroundings.gravity),
            table: surroundings.table.map(table).unwrap_or_default(),
        }
    }
}

impl TryFrom<v1::Surroundings> for Surroundings {
    type Error = WireError;

    fn try_from(surroundings: v1::Surroundings) -> Result<Self, WireError> {
        let gravity = match surroundings.gravity.is_empty() {
            true => Vector3::zeros(),
            false => one_vector("gravity", &surroundings.gravity)?,
        };
        let table = match unpacked::<f64, 8, 4>("table", &surroundings.table)?[..] {
            [] => None,
            [[x, y, z, offset]] => {
                let normal = Vector3::new(x, y, z);
                if !offset.is_finite() {
                    return Err(WireError::NotFinite("table"));
                }
                if !UNIT.contains(&normal.norm()) {
                    return Err(WireError::NotANormal("table"));
                }
                Some(HalfSpace { normal, offset })
            }
            _ => {
                let (got, want) = (surroundings.table.len(), "0 or 32".to_owned());
                return Err(WireError::Length { field: "table", got, want });
            }
        };
        Ok(Self { gravity, table })
    }
}

/// Accepted lengths of unit vectors and quaternions, since senders round.
const UNIT: std::ops::RangeInclusive<f64> = 0.999..=1.001;

fn packed_vector(v: &Vector3<f64>) -> Bytes {
    packed(<[f64; 3]>::from(*v))
}

fn packed_turn(q: &UnitQuaternion<f64>) -> Bytes {
    packed([q.i, q.j, q.k, q.w])
}

/// Reads an orientation; none is no turn.
fn turn(field: &'static str, bytes: &[u8]) -> Result<UnitQuaternion<f64>, WireError> {
    match unpacked::<f64, 8, 4>(field, bytes)?[..] {
        [] => Ok(UnitQuaternion::identity()),
        [numbers] => rotation(field, numbers),
        _ => Err(WireError::Length { field, got: bytes.len(), want: "0 or 32".to_owned() }),
    }
}

/// Creates a rotation from the numbers x y z w.
fn rotation(field: &'static str, [i, j, k, w]: [f64; 4]) -> Result<UnitQuaternion<f64>, WireError> {
    let quaternion = Quaternion::new(w, i, j, k);
    if !UNIT.contains(&quaternion.norm()) {
        return Err(WireError::NotARotation(field));
    }
    // Do not normalise: the bits must stay the same.
    Ok(UnitQuaternion::new_unchecked(quaternion))
}

pub(crate) fn packed_pose(pose: &Isometry3<f64>) -> Bytes {
    let (t, q) = (pose.translation.vector, pose.rotation);
    packed([t.x, t.y, t.z, q.i, q.j, q.k, q.w])
}

/// Reads a pose.
pub(crate) fn pose(field: &'static str, bytes: &[u8]) -> Result<Isometry3<f64>, WireError> {
    let [[x, y, z, i, j, k, w]] = unpacked::<f64, 8, 7>(field, bytes)?[..] else {
        return Err(WireError::Length { field, got: bytes.len(), want: "56".to_owned() });
    };
    if ![x, y, z].iter().all(|c| c.is_finite()) {
        return Err(WireError::NotFinite(field));
    }
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation(field, [i, j, k, w])?))
}

fn positive(field: &'static str, value: f64) -> Result<f64, WireError> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(WireError::NotPositive { field, value })
    }
}

fn one_vector(field: &'static str, bytes: &[u8]) -> Result<Vector3<f64>, WireError> {
    match vectors(field, bytes)?[..] {
        [vector] => Ok(vector),
        _ => Err(WireError::Length { field, got: bytes.len(), want: "24".to_owned() }),
    }
}
