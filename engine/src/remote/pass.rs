//! Pass for a solver server on another machine: its address, its certificate, and a secret token.

use std::fmt;
use std::str::FromStr;

/// Pass of one server. The token gives access to the server; the certificate proves that the server
/// is the right one.
///
/// The file is text: the lines `address` and `token`, then the server's certificate.
#[derive(Clone, PartialEq, Eq)]
pub struct Pass {
    host: String,
    port: u16,
    token: String,
    certificate: String,
}

/// A text is not a pass.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PassError {
    /// A line is missing.
    #[error("the line `{0} = ...` of a solver-server's pass is missing")]
    Missing(&'static str),
    /// The address has the wrong form.
    #[error("{0:?} is not a server's address, expected https://HOST:PORT")]
    Address(String),
    /// The token has the wrong form.
    #[error("the token is not {TOKEN_DIGITS} hexadecimal digits")]
    Token,
    /// The certificate is missing.
    #[error("there is no certificate between `{BEGIN}` and `{END}`")]
    Certificate,
}

const TOKEN_DIGITS: usize = 64;
const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

impl Pass {
    /// Name in every server's certificate. The client trusts the certificate in the pass, not a
    /// host name, so a server can move to another address with the same certificate.
    pub const SERVER_NAME: &str = "palpate-solver-server";

    /// Creates the pass for the server at `host:port` with this secret and certificate (PEM).
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

    /// Value of the `authorization` header of a request.
    pub fn authorization(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Text of the pass file, including the secret.
    pub fn text(&self) -> String {
        format!(
            "# Pass for a Palpate solver-server. It gives access to the server: keep it secret.\n\
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

/// Prints the address only: the secret must not reach the logs.
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
        // Editors on Windows end lines with two bytes.
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
    fn debug_output_does_not_contain_the_secret() {
        assert!(!format!("{:?}", pass()).contains("a7"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_pass_or_an_error(text in ".*") {
            let _ = text.parse::<Pass>();
            let token = "0".repeat(TOKEN_DIGITS);
            let _ = format!("address = {text}\ntoken = {token}\n{BEGIN}{END}").parse::<Pass>();
        }
    }
}
