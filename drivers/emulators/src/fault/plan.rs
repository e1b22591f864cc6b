//! A fault plan: a seed and a list of faults that are possible together.

use super::{DeviceKind, Fault, Which};

/// All faults of one run. The same plan damages the same records in the same way.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FaultPlan {
    seed: u64,
    faults: Vec<Fault>,
}

/// Reason why faults are not possible together, or not for a device.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FaultPlanError {
    #[error("a record has at most one fault, but the rates add up to {0}, expected 0 to 1")]
    Rates(f64),
    #[error("this device cannot have the fault {0}")]
    Device(Fault),
}

impl FaultPlan {
    pub fn new(seed: u64, faults: Vec<Fault>) -> Result<Self, FaultPlanError> {
        let rates = faults.iter().map(|fault| match fault {
            Fault::Record { which: Which::Rate(rate), .. } => *rate,
            Fault::Record { which: Which::Number(_), .. }
            | Fault::Stall { .. }
            | Fault::HangUp { .. }
            | Fault::Restart { .. }
            | Fault::Unplugged { .. }
            | Fault::LateReply { .. }
            | Fault::DamagedReply { .. }
            | Fault::StuckSensor { .. } => 0.0,
        });
        let (mut sum, mut are_chances) = (0.0, true);
        for rate in rates {
            sum += rate;
            are_chances &= (0.0..=1.0).contains(&rate);
        }
        // A sum of rates that should be 1 may be larger by a rounding error.
        if are_chances && sum <= 1.0 + 1e-9 {
            Ok(Self { seed, faults })
        } else {
            Err(FaultPlanError::Rates(sum))
        }
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    pub(crate) fn check_for(&self, device: DeviceKind) -> Result<(), FaultPlanError> {
        match self.faults.iter().find(|fault| !fault.suits(device)) {
            Some(fault) => Err(FaultPlanError::Device(*fault)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(faults: &[&str]) -> Result<FaultPlan, FaultPlanError> {
        FaultPlan::new(0, faults.iter().map(|text| text.parse().unwrap()).collect())
    }

    #[test]
    fn rates_may_not_exceed_one_fault_per_record() {
        assert!(plan(&["drop:0.5", "flip:0.5", "insert@#3"]).is_ok());
        assert_eq!(plan(&["drop:0.5", "flip:0.75"]), Err(FaultPlanError::Rates(1.25)));
        let backwards = [-0.5, 0.75].map(|rate| Fault::Record {
            kind: crate::fault::RecordFault::DropByte,
            which: Which::Rate(rate),
        });
        assert_eq!(FaultPlan::new(0, backwards.to_vec()), Err(FaultPlanError::Rates(0.25)));
    }

    #[test]
    fn a_glove_has_no_stations_and_a_tracker_no_sensors() {
        let station = plan(&["station:0.1"]).unwrap();
        assert!(station.check_for(DeviceKind::Glove).is_err());
        assert!(station.check_for(DeviceKind::Tracker).is_ok());
        assert!(plan(&["stuck:3"]).unwrap().check_for(DeviceKind::Tracker).is_err());
    }
}
