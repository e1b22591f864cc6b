//! The solver in use, and changes of it.

use engine::SolverLocation;

use super::Workbench;
use crate::session::Request;
use crate::wiring::SolverChoice;

/// The present solver.
pub(super) struct CurrentSolver {
    pub(super) solvers: SolverLocation,
    /// The user's choice.
    pub(super) choice: SolverChoice,
}

impl Workbench<'_> {
    /// Starts to connect to another solver. The present one works meanwhile.
    pub(super) fn open_solvers(&mut self, choice: SolverChoice) {
        let begun = self.jobs.open_solvers(choice);
        self.show_failure(begun);
    }

    /// Changes to a solver that was opened, or reports why it could not be opened.
    pub(super) fn take_solvers(
        &mut self,
        choice: SolverChoice,
        solvers: Result<SolverLocation, String>,
    ) {
        match solvers {
            Ok(solvers) => {
                if !self.request(Request::Solvers(solvers.clone())) {
                    return;
                }
                // Stores the absolute path of a pass file, because the next run may start in
                // another folder.
                let choice = match &solvers {
                    SolverLocation::Remote(url) => {
                        SolverChoice { server: Some(url.name()), ..choice }
                    }
                    SolverLocation::Embedded(_) => choice,
                };
                let words = match &choice.server {
                    Some(server) => format!("solved by {server} from now on"),
                    None => "solved in this process from now on".to_owned(),
                };
                self.settings.change(|settings| settings.solver = choice.clone());
                (self.solver.solvers, self.solver.choice) = (solvers, choice);
                self.say(Ok(words));
            }
            Err(why) => self.say(Err(format!("the solver stays as it was: {why}"))),
        }
    }
}
