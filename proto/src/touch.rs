//! Touches on the wire.

use nalgebra::{Point3, Vector3};
use physics::{KnownDisplacement, NodeId, Proxy, SampleId, Shape, Touch};

use crate::array::{WireError, packed, same_length, unpacked, vectors};
use crate::v1;

impl From<&Touch> for v1::Touch {
    fn from(touch: &Touch) -> Self {
        Self {
            sample: touch.sample.0,
            time: touch.time,
            topology_version: touch.topology_version,
            known_nodes: packed(touch.known.iter().map(|k| k.node.0)),
            known_displacements: packed(
                touch.known.iter().flat_map(|k| <[f64; 3]>::from(k.displacement)),
            ),
            proxies: touch.proxies.iter().map(v1::Proxy::from).collect(),
        }
    }
}

impl TryFrom<v1::Touch> for Touch {
    type Error = WireError;

    fn try_from(touch: v1::Touch) -> Result<Self, WireError> {
        if !touch.time.is_finite() {
            return Err(WireError::NotFinite("time"));
        }
        let nodes = unpacked::<u32, 4, 1>("known_nodes", &touch.known_nodes)?;
        let displacements = vectors("known_displacements", &touch.known_displacements)?;
        same_length("known_displacements", displacements.len(), nodes.len(), 24)?;
        let known = nodes
            .into_iter()
            .zip(displacements)
            .map(|([node], displacement)| KnownDisplacement { node: NodeId(node), displacement })
            .collect();
        let proxies = touch.proxies.into_iter().map(Proxy::try_from).collect::<Result<_, _>>()?;
        Ok(Self {
            sample: SampleId(touch.sample),
            time: touch.time,
            topology_version: touch.topology_version,
            known,
            proxies,
        })
    }
}

impl From<&Proxy> for v1::Proxy {
    fn from(proxy: &Proxy) -> Self {
        let vector = |v: Vector3<f64>| packed(<[f64; 3]>::from(v));
        let (start, end, radius) = match proxy.shape {
            Shape::Sphere { centre, radius } => (centre, None, radius),
            Shape::Cylinder { start, end, radius } => (start, Some(end), radius),
        };
        Self {
            start: vector(start.coords),
            end: end.map(|end| vector(end.coords)).unwrap_or_default(),
            radius,
            velocity: vector(proxy.velocity),
            angular_velocity: vector(proxy.angular_velocity),
        }
    }
}

impl TryFrom<v1::Proxy> for Proxy {
    type Error = WireError;

    fn try_from(proxy: v1::Proxy) -> Result<Self, WireError> {
        if !proxy.radius.is_finite() {
            return Err(WireError::NotFinite("radius"));
        }
        let start = Point3::from(one_vector("start", &proxy.start)?);
        let shape = if proxy.end.is_empty() {
            Shape::Sphere { centre: start, radius: proxy.radius }
        } else {
            let end = Point3::from(one_vector("end", &proxy.end)?);
            Shape::Cylinder { start, end, radius: proxy.radius }
        };
        Ok(Self {
            shape,
            velocity: one_vector("velocity", &proxy.velocity)?,
            angular_velocity: one_vector("angular_velocity", &proxy.angular_velocity)?,
        })
    }
}

fn one_vector(field: &'static str, bytes: &[u8]) -> Result<Vector3<f64>, WireError> {
    match vectors(field, bytes)?[..] {
        [vector] => Ok(vector),
        _ => Err(WireError::Length { field, got: bytes.len(), want: "24".to_owned() }),
    }
}
