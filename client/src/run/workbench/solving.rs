//! Who solves, and how another one takes over.

use engine::Solvers;

use super::Bench;
use crate::session::Request;
use crate::wiring::SolverChoice;

/// Who solves now.
pub(super) struct Solving {
    pub(super) solvers: Solvers,
    /// As it was chosen.
    pub(super) choice: SolverChoice,
}

impl Bench<'_> {
    /// Begins to connect to another solver; the present one goes on meanwhile.
    pub(super) fn open_solvers(&mut self, choice: SolverChoice) {
        let begun = self.clerk.open_solvers(choice);
        self.complain(begun);
    }

    /// Another solver is ready to take over, or it is not.
    pub(super) fn take_solvers(&mut self, choice: SolverChoice, solvers: Result<Solvers, String>) {
        match solvers {
            Ok(solvers) => {
                if !self.request(Request::Solvers(solvers.clone())) {
                    return;
                }
                // A file is known by its whole path, wherever the program is started the next time.
                let choice = match &solvers {
                    Solvers::Remote(url) => SolverChoice { server: Some(url.name()), ..choice },
                    Solvers::Embedded(_) => choice,
                };
                let words = match &choice.server {
                    Some(server) => format!("solved by {server} from now on"),
                    None => "solved in this process from now on".to_owned(),
                };
                self.kept.change(|settings| settings.solver = choice.clone());
                (self.solving.solvers, self.solving.choice) = (solvers, choice);
                self.say(Ok(words));
            }
            Err(why) => self.say(Err(format!("the solver stays as it was: {why}"))),
        }
    }
}
