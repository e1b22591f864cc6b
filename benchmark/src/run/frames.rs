//! Measures columns for new contacts, changes of contacts and frames, with their memory and
//! accuracy.

use std::sync::Arc;

use physics::family::solid::{Solid, SolidModel};
use physics::{
    Deformable, Dof, MemoryLimits, NodeId, Outcome, Progress, StepReport, Touch,
    WhenUnderdetermined,
};
use rayon::ThreadPool;

use super::{Running, StepError};
use crate::algorithm::Algorithm;
use crate::bandwidth::reading;
use crate::plan::Step;
use crate::repeated_measurement::RepeatedMeasurement;
use crate::results::Measure;
use crate::statistics::{Summary, timed};
use crate::subject::Subject;

impl Running<'_, '_> {
    pub(super) fn frames(&mut self, step: &Step, pool: &ThreadPool) -> Result<(), StepError> {
        let (subject, contacts) = (&step.subject, self.plan.contacts);
        // The cache of columns is disabled, so that every change of contacts computes them.
        let memory = MemoryLimits { column_bytes: 0, ..MemoryLimits::default() };
        let progress = self.cancellation.watching(Progress::default());
        let model = pool.install(|| {
            SolidModel::new(&subject.spec()?, memory, &progress)
                .map_err(|e| if e.is_cancelled() { StepError::Stopped } else { e.into() })
        })?;
        if let Some(bytes) = model.compliance().bytes_for_double() {
            self.note(in_single_precision(&step.title(), bytes));
        }
        let model = Arc::new(model);
        let nodes = subject.fingers(contacts, 0);

        let surface = dofs(&subject.surface);
        let columns = self.repeated(pool, |round| {
            let touched = dofs(&subject.fingers(contacts, 7 * round));
            let (time, columns) = timed(|| model.compliance().columns(&touched, &surface));
            std::hint::black_box(columns);
            Ok(time)
        })?;
        self.publish(step, Algorithm::Ours, Measure::Columns, columns);

        let mut solid = Solid::of(Arc::clone(&model));
        let change = self.repeated(pool, |round| {
            let nodes = subject.fingers(contacts, round % 2 * 7);
            stepped(&mut solid, &subject.squeeze(&nodes, round))
        })?;
        self.publish(step, Algorithm::Ours, Measure::Change, change);

        // The last change may have left other contacts; one more frame with these nodes precedes
        // the measurement.
        pool.install(|| stepped(&mut solid, &subject.squeeze(&nodes, 0)))?;
        let frame =
            self.repeated(pool, |round| stepped(&mut solid, &subject.squeeze(&nodes, round)))?;
        let median = Summary::of(&frame).map_or(f64::NAN, |summary| summary.median);
        self.publish(step, Algorithm::Ours, Measure::Frame, frame);

        let bytes = frame_bytes(subject.surface.len(), nodes.len());
        let share = bytes as f64 / median / reading(pool, bytes);
        self.publish(step, Algorithm::Ours, Measure::BandwidthShare, vec![share]);
        let factor = model.compliance().factor().bytes() as f64;
        self.publish(step, Algorithm::Ours, Measure::FactorBytes, vec![factor]);
        let of_columns = (model.columns().bytes_per_node() * nodes.len()) as f64;
        self.publish(step, Algorithm::Ours, Measure::ColumnBytes, vec![of_columns]);
        let error = pool.install(|| frame_error(subject, &model, &mut solid, &nodes))?;
        self.publish(step, Algorithm::Ours, Measure::FrameError, vec![error]);
        Ok(())
    }

    /// Takes samples of `one`, which receives the number of the round and runs on the pool.
    fn repeated(
        &self,
        pool: &ThreadPool,
        mut one: impl FnMut(usize) -> Result<f64, StepError> + Send,
    ) -> Result<Vec<f64>, StepError> {
        let mut repetition = RepeatedMeasurement::new(self.stopping_rule);
        let stop = self.cancellation.flag();
        // The loop runs on a worker thread, like that of a solver.
        pool.install(|| {
            for round in 0.. {
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    return Err(StepError::Stopped);
                }
                if !repetition.wants_more() {
                    break;
                }
                repetition.add(one(round)?);
            }
            Ok(repetition.into_samples())
        })
    }
}

/// Note on an object that the memory limit made slower. `bytes` is the limit that would not.
fn in_single_precision(title: &str, bytes: usize) -> String {
    format!(
        "{title}: factorised in single precision for want of memory, so new contacts take about \
         three times as long; {} MB are needed for double (palpate squeeze --memory-mb)",
        bytes.div_ceil(1_000_000)
    )
}

fn stepped(solid: &mut Solid, touch: &Touch) -> Result<f64, StepError> {
    let (time, report) = timed(|| solid.step(touch, 0.0));
    solved(&report)?;
    Ok(time)
}

fn solved(report: &StepReport) -> Result<(), StepError> {
    match &report.outcome {
        Outcome::Solved => Ok(()),
        Outcome::AtRest => Err(StepError::Failed("nothing was touched".to_owned())),
        Outcome::Underdetermined(why) | Outcome::Refused(why) => {
            Err(StepError::Failed(why.clone()))
        }
        Outcome::Frozen => {
            Err(StepError::Failed("the solve gave numbers that are not finite".to_owned()))
        }
    }
}

/// Bytes that a frame reads and writes: three columns for each touched node, six of rigid motion,
/// rest positions and positions, each three `f32` for every point of the surface.
fn frame_bytes(n_surface: usize, n_contacts: usize) -> usize {
    12 * n_surface * (3 * n_contacts + 6 + 2)
}

/// Largest difference of a frame from the exact solution, as a share of the largest displacement.
fn frame_error(
    subject: &Subject,
    model: &SolidModel,
    solid: &mut Solid,
    nodes: &[NodeId],
) -> Result<f64, StepError> {
    let touch = subject.squeeze(nodes, 0);
    solved(&solid.step(&touch, 0.0))?;
    let exact = model.solve(&touch.known, WhenUnderdetermined::Refuse)?;
    let surface = solid.surface();
    let (mut off, mut largest) = (0.0_f64, 0.0_f64);
    for (node, shown) in surface.topology.nodes.iter().zip(surface.positions.iter()) {
        let u = exact.displacements[node.index()];
        let x = subject.mesh.rest_positions()[node.index()] + u;
        for axis in 0..3 {
            off = off.max((f64::from(shown[axis]) - x[axis]).abs());
            largest = largest.max(u[axis].abs());
        }
    }
    Ok(off / largest.max(f64::MIN_POSITIVE))
}

fn dofs(nodes: &[NodeId]) -> Vec<Dof> {
    nodes.iter().flat_map(|node| Dof::all_of(*node)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_on_single_precision_offers_a_limit_that_suffices() {
        let note = in_single_precision("sphere of 100 300 nodes", 6_144_000_001);
        assert!(note.starts_with("sphere of 100 300 nodes: factorised in single"), "{note}");
        assert!(note.contains("; 6145 MB are needed for double"), "{note}");
    }
}
