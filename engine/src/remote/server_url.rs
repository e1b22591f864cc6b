//! Address of a solver server.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use super::pass::Pass;

/// Address of a server on this machine, or of one on another machine with its [`Pass`]. Objects and
/// hands never cross a network unencrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUrl(Place);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Here(SocketAddr),
    /// Pass, and the file that it was read from, if there is one.
    Elsewhere(Arc<Pass>, Option<PathBuf>),
}

/// A text is not the address of a server that may be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The form is wrong.
    #[error(
        "{0:?} is not a server's address, expected http://127.0.0.1:PORT or http://localhost:PORT \
         for a server on this machine, or the pass file of a server on another machine"
    )]
    Form(String),
    /// Connections without TLS are allowed on loopback only.
    #[error(
        "{0} is not on this machine, and only loopback addresses may be used without TLS; \
         expected the pass file that the server wrote (solver-server --pass FILE)"
    )]
    NotLoopback(IpAddr),
    /// A server on another machine needs a pass; its address is not enough.
    #[error(
        "{0:?} needs a pass; expected the pass file that the server wrote \
         (solver-server --pass FILE), which contains the address"
    )]
    NoPass(String),
}

impl ServerUrl {
    /// `HOST:PORT`.
    pub fn authority(&self) -> String {
        match &self.0 {
            Place::Here(address) => address.to_string(),
            Place::Elsewhere(pass, _) => pass.authority(),
        }
    }

    /// Creates the address of a server on another machine, with the pass that was read from `file`.
    pub fn with_pass(pass: Pass, file: PathBuf) -> Self {
        Self(Place::Elsewhere(Arc::new(pass), Some(file)))
    }

    /// Name of the server for the user: the pass file, or the address.
    pub fn name(&self) -> String {
        match &self.0 {
            Place::Elsewhere(_, Some(file)) => file.display().to_string(),
            Place::Here(_) | Place::Elsewhere(_, None) => self.to_string(),
        }
    }

    /// Pass of a server on another machine; `None` for a server on this machine.
    pub(super) fn pass(&self) -> Option<&Pass> {
        match &self.0 {
            Place::Here(_) => None,
            Place::Elsewhere(pass, _) => Some(pass),
        }
    }
}

impl From<Pass> for ServerUrl {
    fn from(pass: Pass) -> Self {
        Self(Place::Elsewhere(Arc::new(pass), None))
    }
}

impl FromStr for ServerUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let form = || UrlError::Form(text.to_owned());
        if text.starts_with("https://") {
            return Err(UrlError::NoPass(text.to_owned()));
        }
        let rest = text.strip_prefix("http://").ok_or_else(form)?;
        let address = rest.trim_end_matches('/').replacen("localhost:", "127.0.0.1:", 1);
        let address: SocketAddr = address.parse().map_err(|_| form())?;
        if address.ip().is_loopback() {
            Ok(Self(Place::Here(address)))
        } else {
            Err(UrlError::NotLoopback(address.ip()))
        }
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.pass().is_some() { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_addresses_are_taken() {
        for text in ["http://127.0.0.1:50551", "http://localhost:50551/", "http://[::1]:50551"] {
            assert!(text.parse::<ServerUrl>().is_ok(), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_what_was_expected() {
        for text in ["", "127.0.0.1:50551", "http://", "http://127.0.0.1", "ftp://127.0.0.1:1"] {
            assert!(matches!(text.parse::<ServerUrl>(), Err(UrlError::Form(_))), "{text}");
        }
        let other = "http://192.0.2.7:50551".parse::<ServerUrl>();
        assert!(matches!(other, Err(UrlError::NotLoopback(_))));
        let without_pass = "https://192.0.2.7:50551".parse::<ServerUrl>();
        assert!(matches!(without_pass, Err(UrlError::NoPass(_))));
    }

    #[test]
    fn a_pass_is_an_address() {
        let url = ServerUrl::from(Pass::new("lab1", 7, &[1; 32], ""));
        assert_eq!(url.to_string(), "https://lab1:7");
        assert_eq!(url.name(), "https://lab1:7");
        let url = ServerUrl::with_pass(Pass::new("lab1", 7, &[1; 32], ""), "/a/lab.pass".into());
        assert_eq!([url.to_string(), url.name()], ["https://lab1:7", "/a/lab.pass"]);
    }
}
