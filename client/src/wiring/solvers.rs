//! Choice of the solver: this process or a server.

use engine::{MemoryBudget, SolverLocation, SolverResources};

use crate::command_line::{RunOptions, server};

/// Solver of a run, as text and numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SolverChoice {
    /// Address or pass file of a server; `None` for this process.
    pub server: Option<String>,
    /// Threads in this process; `None` for one per core.
    pub threads: Option<u16>,
    /// Memory for the factorised stiffness of one object in this process, in MB.
    pub memory_mb: Option<u32>,
}

/// Returns the solver that the command line asks for.
pub fn solvers(options: &RunOptions) -> anyhow::Result<SolverLocation> {
    match &options.server {
        Some(url) => Ok(SolverLocation::Remote(url.clone())),
        None => embedded(options.threads, options.memory_mb),
    }
}

/// Returns the solver that was chosen in the window.
pub fn chosen_solvers(choice: &SolverChoice) -> anyhow::Result<SolverLocation> {
    match &choice.server {
        Some(text) => Ok(SolverLocation::Remote(server(text).map_err(anyhow::Error::msg)?)),
        None => embedded(choice.threads, choice.memory_mb),
    }
}

fn embedded(threads: Option<u16>, memory_mb: Option<u32>) -> anyhow::Result<SolverLocation> {
    let mut budget = MemoryBudget::default();
    if let Some(megabytes) = memory_mb {
        budget.object.factor_bytes = (megabytes as usize) * 1_000_000;
    }
    Ok(SolverLocation::Embedded(SolverResources::new(threads.map(usize::from), budget)?))
}
