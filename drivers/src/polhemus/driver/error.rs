//! The errors of a tracker's driver.

use crate::polhemus::answer::CommandError;
use crate::polhemus::output::ListError;
use crate::polhemus::protocol::RequestError;
use crate::serial::DeviceError;

/// Reason why a tracker could not be opened or did not answer.
#[derive(Debug, thiserror::Error)]
pub enum TrackerError {
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error("{path} refused {request}: {error}")]
    Refused { path: String, request: String, error: CommandError },
    #[error("the request was not sent to {path}: {source}")]
    Unsendable { path: String, source: RequestError },
    #[error("{path} cannot be read: {source}")]
    Unreadable { path: String, source: ListError },
}

/// For callers that handle all devices in the same way.
impl From<TrackerError> for DeviceError {
    fn from(error: TrackerError) -> Self {
        match error {
            TrackerError::Device(error) => error,
            TrackerError::Refused { path, request, error } => {
                let got = error.to_string();
                Self::UnexpectedAnswer { path, request, got, want: "no error" }
            }
            TrackerError::Unsendable { path, source } => {
                let reason = match source {
                    RequestError::Number(_) => "a number in a request is too large or not finite",
                    RequestError::Name(_) => "the name in a request is not 1 to 32 characters",
                    RequestError::Baud(_) => "no tracker has this baud rate",
                    RequestError::ChangesRecords => {
                        "a request would change the form of its records"
                    }
                };
                Self::NotReady { path, reason }
            }
            TrackerError::Unreadable { path, source: _ } => {
                let reason = "records with the output list of the options cannot be decoded";
                Self::NotReady { path, reason }
            }
        }
    }
}
