//! Reasons why a call of a server ended, and what the link does next.

use std::error::Error;
use std::time::Duration;

use physics::FrameContent;
use proto::{CONTACT_PROTOCOL, PROTOCOL, WireError};

use super::server_info::{ServerInfo, TooLargeError};

/// Key of gRPC by which a server says whether and when a failed call may be repeated, in
/// milliseconds. A negative number means never.
const PUSHBACK: &str = "grpc-retry-pushback-ms";

/// One call ended.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    #[error("cannot connect: {}", root_cause(.0))]
    Connect(#[from] tonic::transport::Error),
    #[error("{}", message_of(.0))]
    Status(#[from] tonic::Status),
    #[error(transparent)]
    TooLarge(#[from] TooLargeError),
    #[error(
        "the server has version {version} with protocol {protocol} and knows nothing of frictional \
         contact, which needs protocol {CONTACT_PROTOCOL}: update the server, or choose `--grip thesis`"
    )]
    NoContact { version: String, protocol: u32 },
    #[error("cannot read what the server sent: {0}")]
    Wire(#[from] WireError),
    #[error(
        "cannot read what the server sent: {why}; it has version {version} with protocol \
         {protocol}, this program has protocol {PROTOCOL}: use the same version on both sides"
    )]
    OtherProtocol { why: WireError, version: String, protocol: u32 },
    #[error(
        "the server sends {} although {} were asked for: it is older than this program",
        in_words(*.got),
        in_words(*.wanted)
    )]
    OtherContent { got: FrameContent, wanted: FrameContent },
    #[error("the server ended the session")]
    Ended,
    #[error("the server has not answered within {} s: is it busy?", .0.as_secs())]
    Late(Duration),
}

impl Broken {
    /// Error of reading a message of this server. Says the versions if they differ.
    pub(super) fn wire(why: WireError, server: &ServerInfo) -> Self {
        // A server without a description has the first protocol.
        let protocol = server.protocol.max(1);
        if protocol == PROTOCOL {
            return Self::Wire(why);
        }
        Self::OtherProtocol { why, version: server.version.clone(), protocol }
    }

    /// True if the link gives up, because another attempt would end in the same way.
    pub(super) fn is_final(&self) -> bool {
        match self {
            Self::Status(status) => gives_up(status),
            Self::TooLarge(_)
            | Self::Wire(_)
            | Self::NoContact { .. }
            | Self::OtherProtocol { .. }
            | Self::OtherContent { .. } => true,
            Self::Connect(_) | Self::Ended | Self::Late(_) => false,
        }
    }
}

fn in_words(content: FrameContent) -> &'static str {
    match content {
        FrameContent::SurfacePositions => "surface positions",
        FrameContent::DisplacementsF64 => "displacements in f64",
        FrameContent::DisplacementsF32 => "displacements in f32",
    }
}

/// True if a link that gets this status gives up. Otherwise it tries again. The codes are those
/// which concern the request or the pass, whatever happens on the server meanwhile; or the server
/// says so itself.
pub fn gives_up(status: &tonic::Status) -> bool {
    use tonic::Code;
    let is_about_the_request = matches!(
        status.code(),
        Code::InvalidArgument
            | Code::OutOfRange
            | Code::Unauthenticated
            | Code::PermissionDenied
            | Code::Unimplemented
    );
    let pushback = status.metadata().get(PUSHBACK).and_then(|value| value.to_str().ok());
    // A connection that broke has a status of this side, without a word of the server.
    status.source().is_none() && is_about_the_request
        || pushback.is_some_and(|pause| pause.trim_start().starts_with('-'))
}

/// Text of the innermost cause: a transport error hides it ("connection refused") behind its own
/// name.
fn root_cause(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = error.to_string();
        cause = error.source();
    }
    text
}

/// Error text of a status: the server's message, or the transport error behind the status.
fn message_of(status: &tonic::Status) -> String {
    match status.source() {
        Some(cause) => format!("the connection broke: {}", root_cause(cause)),
        None => format!("the server says: {}", status.message()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_message_of_another_version_names_both() {
        let unknown = || WireError::Unknown { field: "grip", value: 9 };
        let text = |server: &ServerInfo| {
            let broken = Broken::wire(unknown(), server);
            assert!(broken.is_final(), "the same message would come again");
            broken.to_string()
        };
        let newer = ServerInfo { version: "7.1.0".to_owned(), protocol: 99, ..Default::default() };
        assert!(text(&newer).contains("unknown grip 9; it has version 7.1.0 with protocol 99"));
        let same = ServerInfo { protocol: PROTOCOL, ..newer };
        assert_eq!(text(&same), "cannot read what the server sent: unknown grip 9");
    }

    #[test]
    fn a_server_without_contact_is_named_with_its_version() {
        let old = Broken::NoContact { version: "0.1.0".to_owned(), protocol: 2 };
        assert!(old.is_final(), "the server would be as old at the next attempt");
        assert!(old.to_string().contains("version 0.1.0 with protocol 2 and knows nothing"));
    }

    #[test]
    fn a_server_may_forbid_to_try_again() {
        let check = |pause: &'static str, expected: bool| {
            let mut status = tonic::Status::resource_exhausted("full");
            status.metadata_mut().insert(PUSHBACK, pause.parse().unwrap());
            assert_eq!(gives_up(&status), expected, "{pause}");
        };
        check("-1", true);
        check("500", false);
        assert!(!gives_up(&tonic::Status::resource_exhausted("full")));
    }
}
