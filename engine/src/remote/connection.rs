//! Connection to a server: address, TLS, pass, limits of messages.

use std::time::Duration;

use proto::v1;
use proto::v1::solver_client::SolverClient;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

use super::broken::Broken;
use super::pass::Pass;
use super::server_info::ServerInfo;
use super::server_url::ServerUrl;

/// Adds the pass to every request, if the server needs one.
pub(super) struct PassInterceptor(Option<MetadataValue<Ascii>>);

impl Interceptor for PassInterceptor {
    fn call(
        &mut self,
        mut request: tonic::Request<()>,
    ) -> Result<tonic::Request<()>, tonic::Status> {
        if let Some(authorization) = &self.0 {
            request.metadata_mut().insert("authorization", authorization.clone());
        }
        Ok(request)
    }
}

/// Connection to a server.
pub(super) type Client = SolverClient<InterceptedService<Channel, PassInterceptor>>;

/// Connects to a server. Replies may have at most `reply_bytes`, and never fewer than
/// [`proto::LEAST_LIMIT`].
pub(super) async fn client(
    url: &ServerUrl,
    reply_bytes: u64,
) -> Result<Client, tonic::transport::Error> {
    let mut endpoint = Endpoint::from_shared(url.to_string())?
        .connect_timeout(Duration::from_secs(3))
        // With Nagle's algorithm a surface of 100 kB takes 40 ms.
        .tcp_nodelay(true)
        // Detects within 5 s a server that vanished without closing the connection.
        .http2_keep_alive_interval(Duration::from_secs(2))
        .keep_alive_timeout(Duration::from_secs(3))
        .keep_alive_while_idle(true);
    let mut introduction = PassInterceptor(None);
    if let Some(pass) = url.pass() {
        // Trusts this certificate only, not the certificate authorities of the system.
        let tls = ClientTlsConfig::new()
            .ca_certificate(Certificate::from_pem(pass.certificate()))
            .domain_name(Pass::SERVER_NAME);
        endpoint = endpoint.tls_config(tls)?;
        let authorization = pass.authorization().parse();
        let mut secret: MetadataValue<Ascii> = authorization.expect("hexadecimal digits are ASCII");
        secret.set_sensitive(true);
        introduction = PassInterceptor(Some(secret));
    }
    let reply_bytes = reply_bytes.max(proto::LEAST_LIMIT);
    let channel = endpoint.connect().await?;
    Ok(SolverClient::with_interceptor(channel, introduction)
        .max_decoding_message_size(usize::try_from(reply_bytes).unwrap_or(usize::MAX)))
}

/// Asks for the description of a server. A server that is too old to have one gets an empty one.
pub(super) async fn description(solver: &mut Client) -> Result<ServerInfo, Broken> {
    match solver.info(v1::InfoRequest {}).await {
        Ok(info) => Ok(info.into_inner().into()),
        Err(status) if status.code() == tonic::Code::Unimplemented => Ok(ServerInfo::default()),
        Err(status) => Err(status.into()),
    }
}

/// Ends a runtime without waiting for a host name that is still being looked up.
pub(super) fn leave(runtime: tokio::runtime::Runtime) {
    runtime.shutdown_background();
}
