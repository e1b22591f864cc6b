//! What lets a workstation in at a solver server on another machine: where it is, how to know it, and a secret.

use std::fmt;
use std::str::FromStr;

/// A server's pass. Whoever holds it may use the server, and nobody can stand in for the server before its holder.
///
/// As a file it is text: `address` and `token`, then the server's certificate.
#[derive(Clone, PartialEq, Eq)]
pub struct Pass {
    host: String,
    port: u16,
    token: String,
    certificate: String,
}

/// Why a text is not a pass.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PassError {
    /// A line is not there.
    #[error("there is no line `{0} = ...`, which a solver-server's pass has")]
    Missing(&'static str),
    /// The address is wrong.
    #[error("{0:?} is not a server's address, expected https://HOST:PORT")]
    Address(String),
    /// The secret is wrong.
    #[error("the token is not {TOKEN_DIGITS} hexadecimal digits")]
    Token,
    /// The certificate is wrong.
    #[error("there is no certificate between `{BEGIN}` and `{END}`")]
    Certificate,
}

const TOKEN_DIGITS: usize = 64;
const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

impl Pass {
    /// Every certificate is made out to this name. A server is known by the certificate itself, which the pass
    /// carries, so it may move to another address without a new one.
    pub const SERVER_NAME: &str = "palpate-solver-server";

    /// A pass for the server at `host:port` with this secret and certificate (PEM).
    pub fn new(host: &str, port: u16, secret: &[u8; 32], certificate: &str) -> Self {
        let token = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { host: host.to_owned(), port, token, certificate: certificate.to_owned() }
    }

    /// `HOST:PORT`.
    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The certificate, as PEM.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// What a request says in its `authorization` header.
    pub fn authorization(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// The file's text, with the secret in it.
    pub fn text(&self) -> String {
        format!(
            "# A pass for a Palpate solver-server: whoever has this file may use the server.\n\
             # palpate squeeze --server THIS-FILE\n\
             address = https://{}\ntoken = {}\n{}\n",
            self.authority(),
            self.token,
            self.certificate.trim_end()
        )
    }
}

impl FromStr for Pass {
    type Err = PassError;

    fn from_str(text: &str) -> Result<Self, PassError> {
        let value = |name: &'static str| {
            let values = text.lines().filter_map(|line| line.split_once('='));
            let mut values = values.filter(|(key, _)| key.trim() == name);
            values.next().map(|(_, value)| value.trim()).ok_or(PassError::Missing(name))
        };
        let address = value("address")?;
        let (host, port) = host_and_port(address)?;
        let token = value("token")?;
        if token.len() != TOKEN_DIGITS || !token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(PassError::Token);
        }
        let begin = text.find(BEGIN).ok_or(PassError::Certificate)?;
        let length = text[begin..].find(END).ok_or(PassError::Certificate)?;
        let certificate = text[begin..begin + length + END.len()].to_owned();
        Ok(Self { host, port, token: token.to_owned(), certificate })
    }
}

fn host_and_port(address: &str) -> Result<(String, u16), PassError> {
    let wrong = || PassError::Address(address.to_owned());
    let rest = address.strip_prefix("https://").ok_or_else(wrong)?;
    let (host, port) = rest.trim_end_matches('/').rsplit_once(':').ok_or_else(wrong)?;
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
    };
    let is_ipv6 = |text: &str| {
        let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        inner.is_some_and(|text| text.parse::<std::net::Ipv6Addr>().is_ok())
    };
    let port = port.parse().ok().filter(|port| *port != 0).ok_or_else(wrong)?;
    (is_name(host) || is_ipv6(host)).then(|| (host.to_owned(), port)).ok_or_else(wrong)
}

/// Without the secret, which does not belong into logs.
impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pass(https://{})", self.authority())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass() -> Pass {
        Pass::new("lab1.example", 50551, &[0xa7; 32], &format!("{BEGIN}\nMIIB\n{END}"))
    }

    #[test]
    fn a_pass_comes_back_from_its_text() {
        assert_eq!(pass().text().parse(), Ok(pass()));
        let moved = pass().text().replace("lab1.example:50551", "[fe80::1]:7");
        assert_eq!(moved.parse::<Pass>().unwrap().authority(), "[fe80::1]:7");
        // Editors of other systems end their lines in two bytes.
        assert!(pass().text().replace('\n', "\r\n").parse::<Pass>().is_ok());
    }

    #[test]
    fn what_is_missing_is_named() {
        let without = |part: &str| pass().text().replace(part, "").parse::<Pass>().unwrap_err();
        assert_eq!(without("address"), PassError::Missing("address"));
        assert_eq!(without("token ="), PassError::Missing("token"));
        assert_eq!(without("a7a7"), PassError::Token);
        assert_eq!(without("END"), PassError::Certificate);
        for address in
            ["http://lab1:1", "https://lab1", "https://:1", "https://a b:1", "https://a:0"]
        {
            let text = pass().text().replace("https://lab1.example:50551", address);
            assert_eq!(text.parse::<Pass>(), Err(PassError::Address(address.to_owned())));
        }
    }

    #[test]
    fn the_secret_is_not_told_in_passing() {
        assert!(!format!("{:?}", pass()).contains("a7"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_pass_or_an_error(text in ".*") {
            let _ = text.parse::<Pass>();
            let _ = format!("address = {text}\ntoken = {}\n{BEGIN}{END}", "0".repeat(64)).parse::<Pass>();
        }
    }
}
