//! Conversions of states and snapshots.

use physics::{SampleId, Snapshot, State};

use crate::array::{WireError, packed, unpacked};
use crate::touch::proxies;
use crate::v1;

impl From<&Snapshot> for v1::Snapshot {
    fn from(snapshot: &Snapshot) -> Self {
        Self {
            sample: snapshot.sample.0,
            origin: snapshot.origin,
            n_substeps: snapshot.n_substeps,
            touched: snapshot.touched,
            proxies: snapshot.proxies.iter().map(v1::Proxy::from).collect(),
            matter: Some((&snapshot.matter).into()),
            is_moving: snapshot.is_moving,
        }
    }
}

impl TryFrom<v1::Snapshot> for Snapshot {
    type Error = WireError;

    fn try_from(snapshot: v1::Snapshot) -> Result<Self, WireError> {
        let times = [snapshot.origin.unwrap_or_default(), snapshot.touched];
        if !times.iter().all(|time| time.is_finite()) {
            return Err(WireError::NotFinite("time"));
        }
        let matter = snapshot.matter.ok_or(WireError::Missing("the state of the matter"))?;
        Ok(Self {
            sample: SampleId(snapshot.sample),
            origin: snapshot.origin,
            n_substeps: snapshot.n_substeps,
            touched: snapshot.touched,
            proxies: proxies(snapshot.proxies)?,
            is_moving: snapshot.is_moving,
            matter: matter.try_into()?,
        })
    }
}

impl From<&State> for v1::State {
    fn from(state: &State) -> Self {
        Self {
            family: state.family.clone(),
            version: state.version,
            reals: packed(state.reals.iter().copied()),
            integers: packed(state.integers.iter().copied()),
        }
    }
}

impl TryFrom<v1::State> for State {
    type Error = WireError;

    fn try_from(state: v1::State) -> Result<Self, WireError> {
        let reals = unpacked::<f64, 8, 1>("reals", &state.reals)?.into_iter().map(|[x]| x);
        let integers = unpacked::<u64, 8, 1>("integers", &state.integers)?.into_iter();
        let (family, version) = (state.family, state.version);
        let (reals, integers) = (reals.collect(), integers.map(|[x]| x).collect());
        Ok(Self { family, version, reals, integers })
    }
}
