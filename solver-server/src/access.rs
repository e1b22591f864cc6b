//! Access control: TLS and the pass for clients on other machines.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use engine::Pass;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use tonic::service::Interceptor;
use tonic::transport::{Identity, ServerTlsConfig};
use tonic::{Request, Status};

use crate::connections::{Client, client_of};
use crate::refusal::{Refusal, status};

/// Checks the pass of every request. Without a pass, on loopback, it admits every request.
#[derive(Clone)]
pub struct PassCheck {
    /// Digest of the expected `authorization` header.
    expected: Option<[u8; 32]>,
}

/// TLS settings of the server, and its check of requests.
pub struct Access {
    pub(crate) pass_check: PassCheck,
    /// `None` on loopback.
    pub tls: Option<ServerTlsConfig>,
}

impl Access {
    /// Access without TLS and pass, for clients on this machine.
    pub fn on_loopback() -> Self {
        Self { pass_check: PassCheck { expected: None }, tls: None }
    }

    /// Access with the pass in `file`. If the file does not exist, makes a pass for a server with
    /// the host name `host`, and its private key in a second file.
    pub fn with_pass(file: &Path, host: &str, address: SocketAddr) -> anyhow::Result<Self> {
        let key_file = key_file(file);
        let (pass, key) = match (read(file)?, read(&key_file)?) {
            (Some(pass), Some(key)) => {
                let pass: Pass =
                    pass.parse().with_context(|| format!("cannot use {}", file.display()))?;
                tracing::info!("workstations connect with --server {}", file.display());
                if !pass.authority().ends_with(&format!(":{}", address.port())) {
                    tracing::warn!(
                        "{} names {}, but the server listens on port {}: correct the file's address, \
                         or remove it and its key to have new ones made",
                        file.display(),
                        pass.authority(),
                        address.port()
                    );
                }
                (pass, key)
            }
            (None, None) => {
                let (pass, key) = made(host, address)?;
                put(&key_file, &key)?;
                put(file, &pass.text())?;
                tracing::info!(
                    "made {}: copy it to the workstations and start them with --server {}",
                    file.display(),
                    file.file_name().unwrap_or_default().display()
                );
                (pass, key)
            }
            (Some(_), None) => bail!(
                "{} exists, but not its private key {}; remove the pass to have new ones made",
                file.display(),
                key_file.display()
            ),
            (None, Some(_)) => bail!(
                "{} exists, but not the pass {}; remove the key to have new ones made",
                key_file.display(),
                file.display()
            ),
        };
        let tls = ServerTlsConfig::new()
            .identity(Identity::from_pem(pass.certificate(), key))
            .timeout(std::time::Duration::from_secs(10));
        Ok(Self { pass_check: PassCheck::wanting(&pass.authorization()), tls: Some(tls) })
    }
}

impl PassCheck {
    pub(crate) fn wanting(authorization: &str) -> Self {
        Self { expected: Some(digested(authorization.as_bytes())) }
    }

    fn admits(&self, shown: Option<&[u8]>) -> bool {
        // Compares digests, so that the time of the comparison reveals nothing about the secret.
        self.expected.is_none_or(|expected| shown.map(digested) == Some(expected))
    }
}

impl Interceptor for PassCheck {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let shown = request.metadata().get("authorization").map(|value| value.as_bytes());
        let client = client_of(request.extensions());
        if !self.admits(shown) {
            client.into_iter().for_each(Client::report_wrong_pass);
            return Err(status(Refusal::Stranger));
        }
        client.into_iter().for_each(Client::admit);
        Ok(request)
    }
}

fn digested(bytes: &[u8]) -> [u8; 32] {
    let mut found = [0; 32];
    found.copy_from_slice(digest(&SHA256, bytes).as_ref());
    found
}

/// Path of the private key: `lab.pass.key` for `lab.pass`.
fn key_file(pass: &Path) -> PathBuf {
    let mut name = pass.as_os_str().to_owned();
    name.push(".key");
    name.into()
}

/// Makes a new secret, a new key and a self-signed certificate.
fn made(host: &str, address: SocketAddr) -> anyhow::Result<(Pass, String)> {
    let key = rcgen::KeyPair::generate().context("cannot make a private key")?;
    let certificate = rcgen::CertificateParams::new(vec![Pass::SERVER_NAME.to_owned()])
        .and_then(|certificate| certificate.self_signed(&key))
        .context("cannot make a certificate")?;
    let mut secret = [0; 32];
    let filled = SystemRandom::new().fill(&mut secret);
    filled.map_err(|_| anyhow::anyhow!("the system provides no random numbers"))?;
    let pass = Pass::new(host, address.port(), &secret, &certificate.pem());
    // Read the pass as a workstation does, to find errors now.
    let pass = pass.text().parse().with_context(|| format!("{host:?} cannot be a host's name"))?;
    Ok((pass, key.serialize_pem()))
}

fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Writes a new file that only its owner can read.
fn put(path: &Path, text: &str) -> anyhow::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_pass_opens_the_door() {
        let pass_check = PassCheck::wanting("Bearer 01");
        assert!(pass_check.admits(Some(b"Bearer 01")));
        for shown in
            [None, Some(&b""[..]), Some(b"Bearer 0"), Some(b"Bearer 010"), Some(b"bearer 01")]
        {
            assert!(!pass_check.admits(shown), "{shown:?}");
        }
        assert!(Access::on_loopback().pass_check.admits(None));
    }

    #[test]
    fn two_servers_have_different_passes() {
        let listen = "127.0.0.1:7".parse().unwrap();
        let [(one, one_key), (other, other_key)] = [(); 2].map(|()| made("lab1", listen).unwrap());
        assert_ne!(one.authorization(), other.authorization());
        assert_ne!(one.certificate(), other.certificate());
        assert_ne!(one_key, other_key);
    }

    #[test]
    fn a_host_that_cannot_be_is_refused() {
        let refused = made("lab one", "127.0.0.1:7".parse().unwrap()).unwrap_err();
        assert!(format!("{refused:#}").contains("expected https://HOST:PORT"), "{refused:#}");
    }
}
