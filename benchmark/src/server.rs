//! Starts a solver-server on this machine, for round trips over gRPC.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use engine::ServerUrl;

/// A running server; dropping it ends the process.
pub struct Server {
    process: Child,
    /// Address of the server.
    pub url: ServerUrl,
}

/// Error of starting a server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The program cannot be started.
    #[error("cannot start {}: {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// The program did not print its address.
    #[error("the solver-server printed {0:?} instead of its address")]
    NoAddress(String),
}

impl Server {
    /// Path of the solver-server in the folder of this program; `None` if it does not exist.
    pub fn program() -> Option<PathBuf> {
        let beside = std::env::current_exe().ok()?.with_file_name("solver-server");
        beside.is_file().then_some(beside)
    }

    /// Starts `program` on any free port and waits until it listens.
    pub fn start(program: &Path, threads: usize) -> Result<Self, ServerError> {
        let failed = |source| ServerError::Start { program: program.to_owned(), source };
        let mut process = Command::new(program)
            .args(["--listen", "127.0.0.1:0", "--threads", &threads.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let mut said = String::new();
        if let Some(stdout) = process.stdout.take() {
            BufReader::new(stdout).read_line(&mut said).map_err(failed)?;
        }
        let address = said.split_whitespace().find(|word| word.starts_with("http://"));
        let url = address.and_then(|address| address.trim_end_matches(',').parse().ok());
        match url {
            Some(url) => Ok(Self { url, process }),
            None => {
                end(&mut process);
                Err(ServerError::NoAddress(said.trim().to_owned()))
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

fn end(process: &mut Child) {
    // Errors are ignored: the process may have ended already.
    let _ = process.kill();
    let _ = process.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_server_is_an_error() {
        check("/does/not/exist", "cannot start /does/not/exist");
        check("/bin/true", "instead of its address");
    }

    fn check(program: &str, expected: &str) {
        let why = Server::start(Path::new(program), 1).err().unwrap().to_string();
        assert!(why.contains(expected), "{why}");
    }
}
