//! Description of the server that a run measures, which may be on another machine.

use engine::{ServerInfo, ServerUrl};

/// A running server, and its description when the run began.
#[derive(Debug, Clone)]
pub struct GivenServer {
    /// Address of the server.
    pub url: ServerUrl,
    /// Its description.
    pub description: ServerDescription,
}

/// Program and machine of a server; empty or zero if unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerDescription {
    /// Version of the program.
    pub version: String,
    /// Name of the machine.
    pub machine: String,
    /// Name of the processor.
    pub processor: String,
    /// Number of cores.
    pub n_cores: usize,
    /// Number of threads that run at the same time on all cores.
    pub n_hyper_threads: usize,
    /// Largest number of threads that a client gets; 0 if the server is too old to say so, and to
    /// let its clients choose.
    pub most_threads: usize,
}

/// First version of the protocol in which a client can ask for a number of threads.
const WITH_THREADS: u32 = 2;

impl From<ServerInfo> for ServerDescription {
    fn from(info: ServerInfo) -> Self {
        Self {
            version: info.version,
            machine: info.machine.name,
            processor: info.machine.processor,
            n_cores: info.machine.n_cores,
            n_hyper_threads: info.machine.n_hyper_threads,
            most_threads: if info.protocol >= WITH_THREADS { info.threads } else { 0 },
        }
    }
}

impl ServerDescription {
    /// Number of threads from which more cannot run at the same time.
    pub fn room(&self) -> usize {
        match self.n_hyper_threads {
            0 => usize::MAX,
            n => n,
        }
    }

    /// Machine in one line.
    pub fn in_words(&self) -> String {
        let or = |text: &str, otherwise: &str| {
            if text.is_empty() { otherwise.to_owned() } else { text.to_owned() }
        };
        let mut words = format!(
            "{}: {}",
            or(&self.machine, "unknown machine"),
            or(&self.processor, "unknown processor")
        );
        if self.n_cores > 0 {
            words += &format!(", {} cores, {} hyper-threads", self.n_cores, self.n_hyper_threads);
        }
        if self.most_threads > 0 {
            words += &format!("; at most {} threads for a client", self.most_threads);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_server_has_threads_of_its_own() {
        let info = |protocol| ServerInfo { protocol, threads: 8, ..ServerInfo::default() };
        assert_eq!(ServerDescription::from(info(1)).most_threads, 0);
        let new = ServerDescription::from(info(2));
        assert_eq!((new.most_threads, new.room()), (8, usize::MAX));
        let said = new.in_words();
        assert_eq!(said, "unknown machine: unknown processor; at most 8 threads for a client");
    }
}
