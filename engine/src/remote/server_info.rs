//! Description of a server: version, limits and machine.

use proto::{ClaimedSize, v1};

/// Description of a server. A server of an older version leaves values empty or zero.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerInfo {
    /// Version of the program, for example 0.1.0.
    pub version: String,
    /// Version of the protocol.
    pub protocol: u32,
    /// Families of objects that can be opened.
    pub families: Vec<String>,
    /// Limits for clients.
    pub limits: ServerLimits,
    /// Number of objects that are open now.
    pub n_sessions: usize,
    /// Number of threads for the frames of each object, and for each preparation.
    pub threads: usize,
    /// Machine of the server.
    pub machine: ServerMachine,
}

/// Limits of a server; zero if unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerLimits {
    /// Largest number of objects that are open at the same time.
    pub sessions: usize,
    /// Largest number of nodes of one object.
    pub nodes: usize,
    /// Largest number of elements of one object.
    pub elements: usize,
    /// Size of the largest message, in bytes.
    pub message_bytes: u64,
    /// Memory for the factorised stiffness of one object, in bytes.
    pub factor_bytes: u64,
}

/// A request exceeds a limit of the server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum TooLargeError {
    /// The object has too many nodes or elements.
    #[error(
        "the object has {n_nodes} nodes and {n_elements} elements, the server accepts at most \
         {most_nodes} and {most_elements} (solver-server --max-nodes)"
    )]
    Object { n_nodes: usize, n_elements: usize, most_nodes: usize, most_elements: usize },
    /// The message is too long.
    #[error(
        "the object takes a message of {bytes} bytes, the server accepts at most {most} \
         (solver-server --max-nodes)"
    )]
    Message { bytes: u64, most: u64 },
}

impl ServerLimits {
    /// Checks a request before it is sent: an object of this size in a message of this length.
    pub(super) fn check(&self, size: ClaimedSize, bytes: u64) -> Result<(), TooLargeError> {
        let ClaimedSize { n_nodes, n_elements } = size;
        // Zero: unknown.
        let [most_nodes, most_elements] =
            [self.nodes, self.elements].map(|most| if most == 0 { usize::MAX } else { most });
        if n_nodes > most_nodes || n_elements > most_elements {
            return Err(TooLargeError::Object { n_nodes, n_elements, most_nodes, most_elements });
        }
        let most = if self.message_bytes == 0 { proto::LEAST_LIMIT } else { self.message_bytes };
        if bytes > most {
            return Err(TooLargeError::Message { bytes, most });
        }
        Ok(())
    }
}

/// Machine of a server; empty or zero if unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerMachine {
    /// Host name.
    pub name: String,
    /// Name of the processor.
    pub processor: String,
    /// Number of cores.
    pub n_cores: usize,
    /// Number of threads that run at the same time on all cores.
    pub n_hyper_threads: usize,
}

impl From<v1::InfoReply> for ServerInfo {
    fn from(info: v1::InfoReply) -> Self {
        let limits = info.limits.unwrap_or_default();
        let machine = info.machine.unwrap_or_default();
        Self {
            version: info.version,
            protocol: info.protocol,
            families: info.families,
            limits: ServerLimits {
                sessions: limits.sessions as usize,
                nodes: limits.nodes as usize,
                elements: limits.elements as usize,
                message_bytes: limits.message_bytes,
                factor_bytes: limits.factor_bytes,
            },
            n_sessions: info.sessions as usize,
            threads: info.threads as usize,
            machine: ServerMachine {
                name: machine.name,
                processor: machine.processor,
                n_cores: machine.cores as usize,
                n_hyper_threads: machine.hyper_threads as usize,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_measured_against_the_limits_of_its_server() {
        let size = ClaimedSize { n_nodes: 1000, n_elements: 5000 };
        let limits = ServerLimits { nodes: 1000, elements: 5000, ..ServerLimits::default() };
        let fits = |limits: ServerLimits, bytes: u64| {
            limits.check(size, bytes).map_err(|too_large| too_large.to_string())
        };
        assert_eq!(fits(limits, 100), Ok(()));
        let text = fits(ServerLimits { nodes: 999, ..limits }, 100).unwrap_err();
        assert!(text.contains("1000 nodes and 5000 elements") && text.contains("999"), "{text}");
        let text = fits(ServerLimits { message_bytes: 99, ..limits }, 100).unwrap_err();
        assert!(text.contains("100 bytes, the server accepts at most 99"), "{text}");
        // A server that says nothing has the limits of the first version.
        assert_eq!(fits(ServerLimits::default(), proto::LEAST_LIMIT), Ok(()));
        assert!(fits(ServerLimits::default(), proto::LEAST_LIMIT + 1).is_err());
    }
}
