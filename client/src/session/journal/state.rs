//! State of an object in a journal.

use nalgebra::UnitQuaternion;
use physics::{Proxy, ProxyId, SampleId, Shape, Snapshot, State};
use serde::{Deserialize, Serialize};

use super::pose_numbers::rotation;

/// Complete state of an object: everything on which its next step depends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::session) struct StateFile {
    /// Sample of the frame that shows the state.
    sample: u64,
    /// Start of the object's time, in seconds; absent if it starts with the next touch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<f64>,
    n_substeps: u64,
    touched: f64,
    is_moving: bool,
    /// Shapes of the hands in the last touch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    proxies: Vec<ProxyFile>,
    family: String,
    version: u32,
    reals: Vec<f64>,
    integers: Vec<u64>,
}

/// One shape of a hand. Its velocities follow from the next touch.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProxyFile {
    /// Hand, finger and segment.
    id: [u8; 3],
    /// One point of a ball, or two points of a cylinder.
    points: Vec<[f64; 3]>,
    radius: f64,
    /// Orientation of the bone, x y z w; absent in journals of shapes that cannot spin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<[f64; 4]>,
}

impl StateFile {
    pub(in crate::session) fn snapshot(self) -> Option<Snapshot> {
        let proxies = self.proxies.into_iter().map(ProxyFile::proxy).collect::<Option<_>>()?;
        let times = [self.origin.unwrap_or_default(), self.touched];
        times.iter().chain(&self.reals).all(|number| number.is_finite()).then_some(())?;
        let Self { family, version, reals, integers, .. } = self;
        Some(Snapshot {
            sample: SampleId(self.sample),
            origin: self.origin,
            n_substeps: self.n_substeps,
            touched: self.touched,
            is_moving: self.is_moving,
            proxies,
            matter: State { family, version, reals, integers },
        })
    }
}

impl From<&Snapshot> for StateFile {
    fn from(snapshot: &Snapshot) -> Self {
        let State { family, version, reals, integers } = snapshot.matter.clone();
        Self {
            sample: snapshot.sample.0,
            origin: snapshot.origin,
            n_substeps: snapshot.n_substeps,
            touched: snapshot.touched,
            is_moving: snapshot.is_moving,
            proxies: snapshot.proxies.iter().map(ProxyFile::from).collect(),
            family,
            version,
            reals,
            integers,
        }
    }
}

impl From<&Proxy> for ProxyFile {
    fn from(proxy: &Proxy) -> Self {
        let ProxyId { hand, finger, segment } = proxy.id;
        let (points, radius) = match &proxy.shape {
            Shape::Sphere { centre, radius } => (vec![centre.coords.into()], *radius),
            Shape::Cylinder { start, end, radius } => {
                (vec![start.coords.into(), end.coords.into()], *radius)
            }
        };
        let turn = <[f64; 4]>::from(proxy.orientation.coords);
        let turn = (proxy.orientation != UnitQuaternion::identity()).then_some(turn);
        Self { id: [hand, finger, segment], points, radius, turn }
    }
}

impl ProxyFile {
    fn proxy(self) -> Option<Proxy> {
        let [hand, finger, segment] = self.id;
        let id = ProxyId { hand, finger, segment };
        let numbers = self.points.iter().flatten().chain([&self.radius]);
        let is_good = id.is_of_hand() && numbers.into_iter().all(|number| number.is_finite());
        let radius = self.radius;
        let shape = match self.points[..] {
            [centre] => Shape::Sphere { centre: centre.into(), radius },
            [start, end] => Shape::Cylinder { start: start.into(), end: end.into(), radius },
            _ => return None,
        };
        let orientation = match self.turn {
            None => UnitQuaternion::identity(),
            Some(turn) => rotation(turn).ok()?,
        };
        let (velocity, angular_velocity) = Default::default();
        is_good.then_some(Proxy { id, shape, orientation, velocity, angular_velocity })
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Point3, Vector3};

    use super::*;

    #[test]
    fn a_state_comes_back_to_the_last_bit() {
        let proxy = |segment: u8, shape: Shape| Proxy {
            id: ProxyId { hand: 1, finger: 2, segment },
            shape,
            orientation: UnitQuaternion::identity(),
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
        };
        let (start, end) = (Point3::new(0.1, -0.2, 1.0 / 3.0), Point3::origin());
        let turned = UnitQuaternion::from_euler_angles(0.3, -0.1, 0.7);
        let snapshot = Snapshot {
            sample: SampleId(77),
            origin: Some(0.1 + 0.2),
            n_substeps: 1234,
            touched: 1e-3 / 7.0,
            is_moving: false,
            proxies: vec![
                Proxy {
                    orientation: turned,
                    ..proxy(ProxyId::TIP, Shape::Sphere { centre: start, radius: 0.007 })
                },
                proxy(0, Shape::Cylinder { start, end, radius: 0.008 }),
            ],
            matter: State {
                family: "thread".to_owned(),
                version: 2,
                reals: vec![0.1, -0.0, f64::MIN_POSITIVE],
                integers: vec![u64::MAX],
            },
        };
        let text = serde_json::to_string(&StateFile::from(&snapshot)).unwrap();
        let back: StateFile = serde_json::from_str(&text).unwrap();
        assert_eq!(back.snapshot(), Some(snapshot));
        // A hand has no seventh finger.
        let strange = text.replace("\"id\":[1,2,0]", "\"id\":[1,7,0]");
        let strange: StateFile = serde_json::from_str(&strange).unwrap();
        assert_eq!(strange.snapshot(), None);
    }
}
