//! Who solves.

use engine::{MemoryBudget, SolverLocation, SolverResources};

use crate::command_line::{RunOptions, server};

/// Who solves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SolverChoice {
    /// A server by its address or by the file with its pass; or this process.
    pub server: Option<String>,
    /// In this process; one for each core if nothing is said.
    pub threads: Option<u16>,
    /// For the factorised stiffness of one thing, in this process.
    pub memory_mb: Option<u32>,
}

/// Who solves.
pub fn solvers(options: &RunOptions) -> anyhow::Result<SolverLocation> {
    match &options.server {
        Some(url) => Ok(SolverLocation::Remote(url.clone())),
        None => embedded(options.threads, options.memory_mb),
    }
}

/// The same, as it was chosen in the window.
pub fn chosen_solvers(choice: &SolverChoice) -> anyhow::Result<SolverLocation> {
    match &choice.server {
        Some(text) => Ok(SolverLocation::Remote(server(text).map_err(anyhow::Error::msg)?)),
        None => embedded(choice.threads, choice.memory_mb),
    }
}

fn embedded(threads: Option<u16>, memory_mb: Option<u32>) -> anyhow::Result<SolverLocation> {
    let mut budget = MemoryBudget::default();
    if let Some(megabytes) = memory_mb {
        budget.object.factor_bytes = (megabytes as usize) << 20;
    }
    Ok(SolverLocation::Embedded(SolverResources::new(threads.map(usize::from), budget)?))
}
