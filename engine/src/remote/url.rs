//! Where a solver server is.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

/// A server on this machine. Others are refused: an object and a hand should not cross a network in the
/// clear, and this version has no TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerUrl(SocketAddr);

/// Why a text is not the address of a server that we may talk to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The form is wrong.
    #[error(
        "{0:?} is not a server's address, expected http://127.0.0.1:PORT or http://localhost:PORT (only \
         this machine, without TLS)"
    )]
    Form(String),
    /// Only loopback may be spoken to in the clear.
    #[error("{0} is not on this machine; without TLS only loopback addresses are allowed")]
    NotLoopback(IpAddr),
}

impl FromStr for ServerUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let form = || UrlError::Form(text.to_owned());
        let rest = text.strip_prefix("http://").ok_or_else(form)?;
        let address = rest.trim_end_matches('/').replacen("localhost:", "127.0.0.1:", 1);
        let address: SocketAddr = address.parse().map_err(|_| form())?;
        if address.ip().is_loopback() {
            Ok(Self(address))
        } else {
            Err(UrlError::NotLoopback(address.ip()))
        }
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.0)
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
    }
}
